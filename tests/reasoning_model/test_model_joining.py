"""What the rules say and what a model says, made one."""

from dataclasses import replace

import pytest

from agent.packs.pack import SlotSpec, Words
from agent.packs.template import FieldSpec
from agent.reasoning.analysis_contract import Reading
from agent.reasoning.combined import precedence
from agent.results import Compliance, Insight, Review
from agent.types import (
    Choice,
    Grade,
    Intent,
    Pending,
    QualityCheck,
    Remedy,
    Standalone,
    Step,
    Understood,
    WeightedTerm,
)
from agent.types import Plan as P
from tests.contracts.reasoning import NOTE
from tests.reasoning_model.making import PACK

CHOICES = (Choice(label="Windows"), Choice(label="macOS"))
FINE = QualityCheck(is_valid=True, score=1.0)


@pytest.mark.parametrize(
    ("judge", "score", "confidence"),
    [
        (Grade(check=FINE, score=1.0, evidence=1.0, confidence=1.0), 1.0, 0.6),
        (Grade(check=FINE, score=0.2, evidence=1.0, confidence=0.2), 0.2, 0.2),
        (Grade(check=FINE, score=1.0, evidence=1.0), 0.3, 0.2),
    ],
)
def test_what_a_judge_has_read_is_marked_by_its_word_however_it_is_worded(judge, score, confidence):
    rules = Grade(check=QualityCheck(is_valid=True, score=0.3), score=0.3, length=0.4, evidence=0.3, confidence=0.2)
    grade = precedence.graded(rules, judge, may_send_back=True)
    assert (grade.score, round(grade.confidence, 3)) == (score, confidence)


def test_a_part_that_only_the_rules_see_missing_is_written_again_whatever_the_judge_says():
    remedy = Remedy("unanswered", "the kiln")
    told = QualityCheck(is_valid=False, score=0.3, reason="a part", suggestions=(remedy,), needs_retry=True)
    judge = Grade(check=FINE, score=1.0, evidence=1.0, confidence=1.0)
    grade = precedence.graded(Grade(check=told, score=0.3, confidence=0.2), judge, may_send_back=True)
    assert grade.check.needs_retry and grade.check.suggestions == (remedy,)


def test_what_a_search_takes_from_the_thread_is_the_rules_whoever_words_the_question():
    terms = (WeightedTerm(text="kiln", weight=0.3),)
    rules = Standalone(text="and on Sundays? (kiln)", terms=terms, changed=True, before={"d": 0.5})
    worded = precedence.resolved(rules, Standalone(text="Is the kiln open on Sundays?", changed=True))
    assert (worded.text, worded.terms, worded.before) == ("Is the kiln open on Sundays?", terms, {"d": 0.5})
    assert precedence.resolved(rules, Standalone(text="and on Sundays?")) == rules


@pytest.mark.parametrize(
    ("message", "seen", "ordered"),
    [
        ("I need the note about lockers.", False, True),  # its own name
        ("Write to Kim that lockers are emptied.", True, True),  # the rules read an order
        ("May I use the lockers?", False, False),
        ("사물함을 써도 되나요?", False, False),
    ],
)
def test_a_document_is_made_only_for_who_ordered_it(message, seen, ordered):
    pack = PACK.model_copy(update={"templates": (NOTE,)})
    plan = P(steps=(Step(id="s", team="search", task="x"), Step(id="d", team="document", task="x", subject=NOTE.name)))
    rules = plan if seen else P(steps=plan.steps[:1])
    assert precedence.is_ordered(plan, rules, message, pack) is ordered


def pending(*wanted: str) -> Pending:
    return Pending(
        question="q", asked_back="which?", choices=() if wanted else CHOICES, slot="", asked_of="u", turn_id="t",
        message_id="m", asked_at=0.0, wanted=wanted,
    )  # fmt: skip


def test_the_model_is_asked_for_fields_that_only_words_can_tell():
    def field(name: str, kind: str = "text", **more: object) -> FieldSpec:
        return FieldSpec(name=name, title=Words(en=name, ko=name), type=kind, **more)

    to, why, note = field("to"), field("why", patterns=("because (.+)",)), field("note", optional=True)
    days = field("days", "number")
    assert precedence.still_open([to, why, note, days], {}) == [to, why]
    assert precedence.still_open([to, why], {"to": "Kim"}) == []
    slot = SlotSpec(name="team", title=Words(en="team", ko="팀"), type="text", patterns=("team (.+)",))
    assert precedence.still_open([slot], {}) == []


def grade(score: float, *missing: str) -> Grade:
    check = QualityCheck(
        is_valid=not missing,
        score=score,
        suggestions=tuple(Remedy("unanswered", part) for part in missing),
        needs_retry=bool(missing),
        reason="r",
    )
    return Grade(check=check, score=score, evidence=score)


def test_the_lower_mark_counts_and_every_fault():
    both = precedence.graded(grade(0.9, "a"), grade(0.6, "b"), may_send_back=True)
    assert (both.score, both.check.score, both.evidence) == (0.6, 0.6, 0.9)
    assert (
        [each.about for each in both.check.suggestions] == ["a", "b"]
        and both.check.needs_retry
        and both.check.reason == "r"
    )
    assert precedence.graded(grade(0.4), grade(1.0), may_send_back=True) == grade(0.4)
    again = precedence.graded(grade(0.9), grade(0.6, "b"), may_send_back=False)
    assert not again.check.is_valid and not again.check.needs_retry
    assert precedence.graded(grade(0.9, "a"), grade(0.6, "b"), may_send_back=False).check.needs_retry


def test_a_model_finds_more_and_excuses_nothing():
    held = (Compliance(rule="x", passed=False),)
    rules = Review(risk_level="medium", risks=("a",), recommendations=("do a",), compliance_check=held)
    joined_ = precedence.reviewed(rules, Review(risk_level="low", risks=("b", "a"), recommendations=("do b",)))
    assert joined_ == Review(
        risk_level="medium", risks=("a", "b"), recommendations=("do a", "do b"), compliance_check=held
    )
    assert precedence.reviewed(rules, Review(risk_level="high", risks=("b",))).risk_level == "high"
    many = Review(risk_level="high", risks=tuple(map(str, range(20))))
    assert len(precedence.reviewed(rules, many).risks) == 8
    assert precedence.reviewed(many, rules).risks == many.risks


def test_figures_that_the_model_says_nothing_of_are_told_by_the_rules():
    one, two, three = (Insight(text=name, metrics=(name,)) for name in "abc")
    rules = Reading(insights=(one, two, three), recommendations=("look",))
    mine = Insight(text="in other words", metrics=("b",))
    assert precedence.analysed(rules, Reading(insights=(mine,))).insights == (mine, one, three)
    assert precedence.analysed(rules, Reading()) == rules
    assert len(precedence.analysed(rules, Reading(insights=(mine,) * 9)).insights) == 6


@pytest.mark.parametrize(("named", "confidence"), [("policy", 0.9), ("greeting", 0.5)])
def test_a_reading_keeps_the_words_and_details_that_the_rules_see(named: str, confidence: float) -> None:
    seen = Intent(name="policy", confidence=0.9, keywords=("leave", "2026"), entities=("Berlin",))
    rules = Understood(question="q", language="en", intent=seen, route="research", slots={"city": "Berlin"})
    model = replace(rules, intent=Intent(name=named, confidence=0.5), route="contextualize", slots={})
    joined = precedence.understood(rules, model)
    assert joined.intent == replace(seen, name=named, confidence=confidence)
    assert (joined.route, joined.slots) == ("contextualize", {"city": "Berlin"})
