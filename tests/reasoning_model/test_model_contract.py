"""The model reasoner keeps the contract that the offline one keeps, over real HTTP and through a fallback too."""

import pytest

from agent.reasoning.combined.reasoner import FallbackReasoner
from agent.reasoning.rules import OfflineReasoner
from tests.contracts.reasoning import ReasonerContract, ReplyContract
from tests.likelihoods import by_rank
from tests.reasoning_model.capable import capable
from tests.servers.openai import obliging, refusal


@pytest.fixture(autouse=True)
def by_search(weighed):
    weighed(by_rank(-0.1))


class TestModel(ReasonerContract):
    """A model by itself, that does what it is asked."""

    @pytest.fixture
    def reasoner(self, server, make):
        server.answer(capable)
        return make()


class TestModelWithFallback(ReasonerContract, ReplyContract):
    """What a turn with a model really asks."""

    @pytest.fixture
    def reasoner(self, server, make):
        server.answer(capable)
        return FallbackReasoner(make(), OfflineReasoner())


class TestModelThatKnowsThreePrompts(ReasonerContract, ReplyContract):
    """It greets where another shape is wanted: what it cannot do is done by the rules."""

    @pytest.fixture
    def reasoner(self, server, make):
        server.answer(obliging)
        return FallbackReasoner(make(), OfflineReasoner())


class TestModelThatIsDown(ReasonerContract, ReplyContract):
    """Every call fails, and the contract still holds."""

    @pytest.fixture
    def reasoner(self, server, make):
        server.answer(refusal(500, "down"))
        return FallbackReasoner(make(), OfflineReasoner())
