"""What was asked and looked up, from the turns of either database."""

from dataclasses import replace

from agent.types import Citation, Rating
from storage.asked import asked_turns
from storage.ratings import SqlRatings
from storage.turns import SqlTurns
from tests.storage.turns import stored


async def test_what_was_looked_up_comes_latest_first_with_what_was_cited_and_whether_it_was_disliked(database):
    turns = SqlTurns(database)
    cited = Citation(n=1, document_id="휴가", passage_id="휴가#0", title="T", quote="16주")
    told = stored("t1", at=10.0, standalone_query="몇 주?", citations=(cited,), confidence=0.75)
    for turn in (
        told,
        stored("t2", at=11.0, response_type="not_found", standalone_query="Where?"),
        stored("t3", at=12.0, standalone_query="Long ago?", route="smalltalk"),
        replace(told, message_id="9", at=1.0, response=replace(told.response, turn_id="t4")),
    ):
        await turns.put(turn)
    await SqlRatings(database).put("t1", Rating(user="U1", helpful=False, at=20.0))
    found = await asked_turns(database, since=5.0)
    assert [(each.question, each.kind, each.disliked) for each in found] == [
        ("Where?", "not_found", False), ("몇 주?", "answer", True)
    ]  # fmt: skip
    assert (found[1].file, found[1].quote, found[1].confidence, found[1].at) == ("휴가", "16주", 0.75, 10.0)
    assert (found[0].file, found[0].quote) == ("", "")


async def test_a_turn_that_is_damaged_is_left_out(database):
    turns = SqlTurns(database)
    for name in ("good", "bad"):
        await turns.put(stored(name, at=10.0, standalone_query=f"{name}?"))
    sql = "UPDATE turns SET response='{' WHERE turn_id='bad'"
    await database.write(lambda c: c.execute(sql).close())
    assert [each.question for each in await asked_turns(database, since=0.0)] == ["good?"]
