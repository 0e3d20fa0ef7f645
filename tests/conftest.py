from collections.abc import Callable

import pytest

from agent.reasoning.offline import likelihood
from agent.reasoning.offline.likelihood import Likelihood


@pytest.fixture
def weighed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Likelihood], None]:
    """Weigh quotes and answers by the likelihood of a test, not by the fitted one."""
    return lambda model: monkeypatch.setattr(likelihood, "fitted", lambda _: model)
