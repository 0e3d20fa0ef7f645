"""Words of a team's trade in the other language: searched for, and answered with, where its pack tells them."""

import pytest

from agent.reasoning.brief import Brief
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.answering import composition
from agent.types import Block, Passage, Standalone, Step
from tests.contracts.reasoning import PACK, message

REASONER = OfflineReasoner()
TEAM = PACK.model_copy(update={"translations": {"띠앗휴직, 띠앗월": "zorblatt"}})


async def abroad(text, pack):
    """Return what is searched for in other languages."""
    understood = await REASONER.understand(message(text))
    step = Step(id="s", team="search", task="t", description=text)
    query = (await REASONER.expand(step, Standalone(text=text), understood, pack)).abroad
    return [query.text, *(term.text for term in query.terms)]


@pytest.mark.parametrize(
    ("text", "meant"), [("띠앗휴직은 몇 달인가요?", "zorblatt"), ("How long is a zorblatt?", "띠앗휴직")]
)
async def test_words_of_the_trade_are_searched_for_in_the_other_language(text, meant):
    assert meant in await abroad(text, TEAM) and meant not in await abroad(text, PACK)


def test_words_of_the_trade_are_answered_with_in_the_other_language():
    text = "A zorblatt lasts three months after five years of service."
    passage = Passage(id=1, document_id="d", collection="c", title="Zorblatt", text=text, language="en")
    blocks = (Block(n=1, passage=passage, score=1.0),)
    asked = "띠앗휴직은 얼마나 되나요?"

    def found(pack):
        return composition.found_for(asked, Brief(question=asked, language="ko", pack=pack, blocks=blocks))

    assert found(TEAM).near and not found(PACK).near
