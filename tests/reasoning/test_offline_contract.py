import pytest

from agent.errors import ModelError
from agent.reasoning.rules import OfflineReasoner
from tests.contracts.reasoning import ReasonerContract, ReplyContract, message
from tests.likelihoods import by_rank


class TestOffline(ReasonerContract, ReplyContract):
    @pytest.fixture
    def reasoner(self, weighed):
        weighed(by_rank(-0.1))
        return OfflineReasoner()

    @pytest.mark.parametrize(("text", "words"), [("hello", "needs a model"), ("안녕", "모델이 필요합니다")])
    async def test_chat_needs_a_model(self, reasoner, text, words):
        with pytest.raises(ModelError, match=words):
            await reasoner.chat(message(text))
