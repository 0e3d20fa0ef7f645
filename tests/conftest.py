from collections.abc import Callable

import pytest

from agent.reasoning.rules.answering import composition, likelihood
from agent.reasoning.rules.answering.likelihood import Likelihood


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Callable[[Likelihood], None]:
    """Weigh quotes and answers by the likelihood of a test, not by the fitted one."""

    def weigh(model: Likelihood) -> None:
        monkeypatch.setattr(likelihood, "fitted", lambda _: model)
        composition.found_in.cache_clear()

    request.addfinalizer(composition.found_in.cache_clear)
    return weigh
