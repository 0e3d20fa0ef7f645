import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agent.reasoning.rules.answering import composition, likelihood
from agent.reasoning.rules.answering.likelihood import Likelihood
from tests import (
    own_packs,  # noqa: F401 - before anything that imports `load_pack`
    warm,
)
from tests.databases import (  # noqa: F401 - fixtures
    database,
    kind,
    new_database,
    postgres,
    postgres_database,
    postgres_url,
    sqlite_database,
)
from tests.recording import recording
from tests.sampled import _owned, _sample, owned, sampled  # noqa: F401 - fixtures

if settings.get_current_profile_name() != "ci":  # where CI is set: as patient, with twice the examples
    settings.register_profile("weft", max_examples=50, deadline=None, suppress_health_check=(HealthCheck.too_slow,))
    settings.load_profile("weft")

TRUSTED = Path(__file__).parent / "servers" / "nobody.pem"
MEMORY, ROOM = Path("/dev/shm"), 3_000_000_000  # of Linux, in memory; bytes that must be free there


def pytest_configure(config: pytest.Config) -> None:
    """Refuse, before the first test, to record golden files where CI runs."""
    recording()
    _keep_files_in_memory()
    os.environ["SSL_CERT_FILE"] = str(TRUSTED)  # one to trust, whose key nobody has: hundreds take a client 20 ms
    warm.install(workers=not config.pluginmanager.hasplugin("_cov"))  # which counts the lines that load, too
    gc.disable()  # what is collected stays until the end: to look through it again and again takes a third of the time


def pytest_unconfigure() -> None:
    """Leave no process behind."""
    warm.uninstall()


def _keep_files_in_memory() -> None:
    """Put temporary files where no disk is waited for, unless TMPDIR says where: half of the time was spent on that."""
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # it is looked for once


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long ones, so that at the end no worker is left alone with one."""
    items.sort(key=lambda item: "long" not in item.keywords)


def pytest_collection_finish() -> None:
    """Leave modules and tests out of what is looked through while the tests run."""
    gc.freeze()
    gc.set_threshold(100_000)  # as for every command of Weft
    gc.enable()


@pytest.fixture(autouse=True)
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the data of whoever runs the tests out of them."""
    monkeypatch.setenv("XDG_DATA_HOME", str(_share(tmp_path_factory)))


def _share(factory: pytest.TempPathFactory) -> Path:
    return factory.getbasetemp() / "share"


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Callable[[Likelihood], None]:
    """Weigh quotes and answers by the likelihood of a test, not by the fitted one."""

    def weigh(model: Likelihood) -> None:
        monkeypatch.setattr(likelihood, "fitted", lambda _: model)
        composition.found_in.cache_clear()

    request.addfinalizer(composition.found_in.cache_clear)
    return weigh


@pytest.fixture
def cold() -> Iterator[None]:
    """Start processes of Weft as they are: for a test of their start, or of what they take."""
    with warm.as_they_are():
        yield
