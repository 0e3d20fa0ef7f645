"""The loops around an answer: written again, searched again, each within its limit."""

from dataclasses import replace

import pytest

from agent.events import DraftWithdrawn, TextDelta, TodoUpdated
from agent.language import say
from agent.packs.pack import Flags, Limits
from agent.types import Expansion, Grade, Passage, QualityCheck, Query, Remedy, Sentence, Support
from tests.agent.test_graph import LEAVE, VPN, Bench, ran
from tests.fakes import ScriptedReasoner

CARRY = Passage(
    id=3, document_id="carry.md", collection="documents", title="Carrying over",
    text="Rollover is limited to five days.",
)  # fmt: skip
GOOD = Sentence(text="Everybody has 20 days of annual leave.", support=(Support(block=1, start=0, end=38),))
WORSE = Sentence(text="Everybody has 40 days of annual leave.", support=(Support(block=1, start=0, end=38),))
FALSE = Sentence(text="Everybody has 30 days of annual leave.", support=(Support(block=1, start=0, end=38),))


def marked(score: float, **check) -> Grade:
    return Grade(check=QualityCheck(is_valid=True, score=score, **check), score=score, evidence=score)


AGAIN = Grade(
    check=QualityCheck(
        is_valid=False,
        score=0.6,
        reason="a part is missing",
        suggestions=(Remedy("unanswered", "when"),),
        needs_retry=True,
    ),
    score=0.6,
)


@pytest.fixture
def bench():
    return Bench(passages=(LEAVE, VPN, CARRY))


def widening(bench: Bench) -> None:
    """Let every second search ask for other words."""
    plain = bench.reasoner.expand

    async def expand(step, question, understood, pack, again=None) -> Expansion:
        first = await plain(step, question, understood, pack, again)
        return replace(first, queries=(Query(text="rollover limited"),)) if again is not None else first

    bench.reasoner.expand = expand


async def test_an_answer_that_is_marked_down_is_written_again_with_what_was_missed(bench):
    bench.reasoner.grades = [AGAIN]
    events = await bench.events()
    response = events[-1].response
    assert bench.reasoner.briefs[1].suggestions == (Remedy("unanswered", "when"),)
    assert response.retry_count == 1 and response.grade.is_valid
    assert [e.reason for e in events if isinstance(e, DraftWithdrawn)] == ["a part is missing"]


async def test_both_checks_share_one_budget(bench):
    bench.limit(max_retries=3)
    retry = QualityCheck(
        is_valid=False, score=0.2, reason="x", suggestions=(Remedy("unsupported", "x", "cite"),), needs_retry=True
    )
    fine = QualityCheck(is_valid=True, score=1.0)
    bench.reasoner.checks = [retry, fine, fine, retry, retry, retry]
    bench.reasoner.grades = [AGAIN] * 9
    bench.reasoner.drafts = [[GOOD], [GOOD, GOOD]] * 4
    response = await bench.ask()
    assert response.retry_count == 3 and len(bench.reasoner.briefs) == 4


async def test_what_was_wrong_with_a_draft_stays_told_while_it_is_reworded(bench):
    told = (Remedy("unsupported", "a", "wrong"), Remedy("unsupported", "b", "wrong"))
    wrong = [QualityCheck(is_valid=False, score=0.5, suggestions=(each,), needs_retry=True) for each in told]
    bench.reasoner.checks = [*wrong, QualityCheck(is_valid=True, score=1.0)]
    bench.reasoner.drafts = [[GOOD], [GOOD, GOOD], [GOOD]]
    await bench.ask()
    assert [brief.suggestions for brief in bench.reasoner.briefs] == [(), told[:1], told]


async def test_a_draft_that_only_cites_otherwise_is_the_same(bench):
    bench.reasoner.grades = [AGAIN] * 9
    other = replace(GOOD, support=(Support(block=1, start=0, end=20),), lead="\n\n")
    bench.reasoner.drafts = [[GOOD], [other], [GOOD]]
    response = await bench.ask()
    assert response.retry_count == 1 and len(bench.reasoner.briefs) == 2


async def test_what_is_final_is_not_searched_for_again(bench):
    widening(bench)
    bench.reasoner.grades = [replace(marked(0.2), final=True)]
    assert (await bench.ask("annual leave")).iteration_count == 0


async def test_writing_again_ends_when_it_changes_nothing(bench):
    bench.reasoner.grades = [AGAIN] * 9
    response = await bench.ask()
    assert response.retry_count == 1 and len(bench.reasoner.briefs) == 2 and response.citations


async def test_a_false_sentence_is_caught_and_mended_and_nobody_saw_it(bench):
    bench.reasoner.drafts = [[GOOD, FALSE], [GOOD]]

    async def check(sentences, brief):
        from agent.reasoning.grounding.citation_support import check_all

        return check_all(sentences, brief.blocks)

    bench.reasoner.check_grounding = check
    events = await bench.events()
    response = events[-1].response
    assert response.retry_count == 1 and "30" not in response.answer and "20 days" in response.answer
    assert "30" not in "".join(e.text for e in events if isinstance(e, TextDelta))
    assert any("30" in each.about for each in bench.reasoner.briefs[1].suggestions)


async def test_after_two_drafts_of_which_nothing_holds_the_rules_write(bench):
    bench.rules = ScriptedReasoner()
    nothing = QualityCheck(is_valid=False, score=0.0, needs_retry=True)
    blamed = [replace(nothing, suggestions=(Remedy("unsupported", each.text),)) for each in (FALSE, WORSE)]
    bench.reasoner.drafts = [[FALSE], [WORSE], [GOOD]]
    bench.reasoner.checks = [*blamed, QualityCheck(is_valid=True, score=1.0)]
    response = await bench.ask()
    assert len(bench.reasoner.briefs) == 2 and len(bench.rules.briefs) == 1
    assert response.citations and say("model_fallback", "en") in response.warnings


async def test_without_rules_beside_it_a_reasoner_writes_as_often_as_it_may(bench):
    nothing = QualityCheck(is_valid=False, score=0.0, needs_retry=True)
    bench.reasoner.drafts = [[FALSE], [WORSE], [GOOD]]
    bench.reasoner.checks = [nothing, nothing, QualityCheck(is_valid=True, score=1.0)]
    await bench.ask()
    assert len(bench.reasoner.briefs) == 3


async def test_a_weak_answer_is_searched_for_again_with_other_words_and_answered_from_what_is_new(bench):
    widening(bench)
    bench.reasoner.grades = [marked(0.2), marked(0.9)]
    events = await bench.events("annual leave")
    response = events[-1].response
    assert response.iteration_count == 1 and response.retry_count == 0
    assert ran(response).count("refine") == 1 and [b.n for b in bench.reasoner.briefs[1].blocks] == [1, 2]
    assert [each.iteration for each in bench.reasoner.again if each] == [1]
    assert response.plan.steps[-1].id == "refine_1" and response.plan.steps[-1].result
    assert [e.step.status.value for e in events if isinstance(e, TodoUpdated) and e.step.id == "refine_1"] == [
        "in_progress", "completed",
    ]  # fmt: skip
    assert response.quality["score"] == 0.9


async def test_a_search_that_brings_nothing_new_is_not_repeated(bench):
    bench.reasoner.grades = [marked(0.2)] * 9
    response = await bench.ask("annual leave")
    assert response.iteration_count == 1 and len(bench.reasoner.briefs) == 1


@pytest.mark.parametrize(
    "pack",
    [{"flags": Flags(self_refine_enabled=False)}, {"limits": Limits(max_refine_iterations=0)}],
    ids=["switched off", "no iterations"],
)
async def test_no_second_search_where_the_pack_wants_none(bench, pack):
    widening(bench)
    bench.pack = bench.pack.model_copy(update=pack)
    bench.reasoner.grades = [marked(0.2)] * 9
    assert (await bench.ask("annual leave")).iteration_count == 0


async def test_the_second_search_ends_at_its_limit(bench):
    passages = [
        Passage(id=10 + n, document_id=f"d{n}", collection="documents", title="t", text=f"word{n} leave.")
        for n in range(9)
    ]
    bench = Bench(passages=(LEAVE, *passages))

    async def expand(step, question, understood, pack, again=None):
        asked = f"word{again.iteration}" if again else "annual"
        return Expansion(step_id=step.id, queries=(Query(text=asked),))

    bench.reasoner.expand = expand
    bench.reasoner.grades = [marked(0.2)] * 9
    response = await bench.ask("annual leave")
    assert response.iteration_count == 2 and len(bench.reasoner.briefs) == 3


async def test_a_second_search_that_fails_leaves_the_first_answer(bench):
    from agent.errors import StorageError

    async def expand(step, question, understood, pack, again=None):
        if again is not None:
            raise StorageError("disk gone")
        return Expansion(step_id=step.id, queries=(Query(text="annual leave"),))

    bench.reasoner.expand = expand
    bench.reasoner.grades = [marked(0.2)]
    response = await bench.ask("annual leave")
    assert response.status == "completed" and response.citations and response.errors == ()
