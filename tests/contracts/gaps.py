"""What everything that tells the gaps does (`storage.gaps`).

A subclass gives `weak`, which returns the turns that fell short, `keep(turn)`, which stores one, and `ratings`.
"""

from dataclasses import replace

from agent.types import Citation, Rating, Reason, ReasonKind
from tests.storage.turns import stored

CITED = Citation(n=1, document_id="d", passage_id="d#0", title="Parking", quote="…")


def asked(turn_id: str, *, at: float = 10.0, thread: str = "slack:T1:C1:1.1", **response):
    fields = {"response_type": "not_found", "standalone_query": f"{turn_id}?", **response}
    return replace(stored(turn_id, at=at, **fields), thread=thread)


class GapsContract:
    async def test_what_fell_short_is_told_and_what_did_not_is_not(self, weak, keep, ratings):
        for turn in (
            asked("t1", at=10, standalone_query="Where is the yacht?", nearest=("Travel",)),
            asked("t2", at=11, response_type="passages", standalone_query="Who parks?", citations=(CITED, CITED)),
            asked("t3", at=12, response_type="answer", standalone_query="Fine?", citations=(CITED,)),
            asked("t4", at=13, response_type="answer", standalone_query="Wrong?", citations=(CITED,)),
            asked("t5", at=14, response_type="answer", standalone_query="Edited since?", citations=(CITED,)),
            asked("t6", at=15, response_type="declined", standalone_query="A poem?"),
            asked("t7", at=1, standalone_query="Long ago?"),
        ):
            await keep(turn)
        why = Reason(kind=ReasonKind.WRONG, text="it is 30")
        await ratings.put("t4", Rating(user="U1", helpful=False, at=20.0, reason=why))
        await ratings.put("t5", Rating(user="U1", helpful=False, at=13.5))
        await ratings.put("t3", Rating(user="U1", helpful=True, at=20.0))
        found = await weak(since=5.0)
        assert [turn.reasons for turn in found] == [(), (), (why,)]
        assert [(turn.question, turn.shortfall, turn.titles) for turn in found] == [
            ("Where is the yacht?", "unanswered", ("Travel",)),
            ("Who parks?", "hedged", ("Parking",)),
            ("Wrong?", "disliked", ("Parking",)),
        ]

    async def test_a_channel_has_its_own_and_no_others_whose_name_begins_alike(self, weak, keep):
        for number, thread in enumerate(("slack:T1:C1:1", "slack:T1:C11:1", "slack:T2:C1:1", "discord:G:C1:1")):
            await keep(asked(f"t{number}", thread=thread))
        assert [turn.question for turn in await weak(since=0.0, channel="slack:T1:C1:")] == ["t0?"]
        assert len(await weak(since=0.0)) == 4

    async def test_what_only_its_asker_read_is_marked(self, weak, keep):
        for turn, thread in (("dm", "slack:T1:D1:1"), ("open", "slack:T1:C1:1"), ("aside", "slack:T1:C1:1~alone")):
            await keep(asked(turn, thread=thread))
        assert {turn.question: turn.alone for turn in await weak(since=0.0)} == {
            "dm?": True, "open?": False, "aside?": True
        }  # fmt: skip

    async def test_of_several_thumbs_down_every_reason_is_told_and_one_that_was_taken_back_is_not(
        self, weak, keep, ratings
    ):
        await keep(asked("t1", response_type="answer"))
        reasons = [Reason(kind=ReasonKind.OUTDATED, text="낡았어요"), Reason(kind=ReasonKind.WRONG)]
        for user, reason in zip(("U1", "U2"), reasons, strict=True):
            await ratings.put("t1", Rating(user=user, helpful=False, at=20.0, reason=reason))
        await ratings.put("t1", Rating(user="U3", helpful=False, at=20.0, reason=reasons[0]))
        await ratings.put("t1", Rating(user="U3", helpful=None, at=21.0))
        [turn] = await weak(since=0.0)
        assert turn.reasons == tuple(reasons)

    async def test_a_turn_that_is_damaged_is_left_out(self, weak, keep, damage):
        await keep(asked("good"))
        await keep(asked("bad"))
        await damage("bad")
        assert [turn.question for turn in await weak(since=0.0)] == ["good?"]
