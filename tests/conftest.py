from collections.abc import Callable

import pytest

from agent.reasoning.offline import compose, likelihood
from agent.reasoning.offline.likelihood import Likelihood
from tests.recording import recording


def pytest_configure() -> None:
    """Refuse, before the first test, to record golden files where CI runs."""
    recording()


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Callable[[Likelihood], None]:
    """Weigh quotes and answers by the likelihood of a test, not by the fitted one."""

    def weigh(model: Likelihood) -> None:
        monkeypatch.setattr(likelihood, "fitted", lambda _: model)
        compose.found_in.cache_clear()

    request.addfinalizer(compose.found_in.cache_clear)
    return weigh
