from collections.abc import Callable
from pathlib import Path

import pytest

from agent.reasoning.rules.answering import composition, likelihood
from agent.reasoning.rules.answering.likelihood import Likelihood


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
