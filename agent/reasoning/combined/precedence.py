"""What the rules say and what a model says, made one: when the model is worth asking, and who has the last word."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.addressing import asks
from agent.packs.pack import Pack, SlotSpec
from agent.reasoning.analysis_contract import Reading
from agent.reasoning.grounding.citation_support import findings, overlap
from agent.results import Review, Risk
from agent.types import Block, Expansion, Grade, Plan, Query, Sentence, Standalone, Understood

INSIGHTS = 6
"""Insights of one analysis: more are not read."""
_FINDINGS = 8
_WITHOUT_SEARCH = ("direct", "decline")
LIKELY = 0.5
"""Confidence of the rules from which their answer is likelier than not, whatever a model says."""
WEAK = 0.4
"""What the answer that a model does not find is worth at most: below the usual threshold of a second search."""
_RISKS: tuple[Risk, ...] = ("low", "medium", "high")


def resolved(rules: Standalone, model: Standalone) -> Standalone:
    """Return a message as it reads alone in the model's words, or the rules' where it has none.

    What the search takes from the thread is the rules': it is weighted evidence, not a reading.
    """
    return replace(rules, text=model.text, changed=True) if model.changed else rules


def understood(rules: Understood, model: Understood) -> Understood:
    """Return the model's reading with what the rules take from the message itself: its words, names and details.

    How sure the rules are holds where both see the same intent.
    """
    sure = rules.intent if rules.intent.name == model.intent.name else model.intent
    intent = replace(rules.intent, name=model.intent.name, confidence=sure.confidence)
    return replace(
        model, intent=intent, slots={**rules.slots, **model.slots},
        own=rules.own, not_own=rules.not_own, cut=rules.cut, of_others=rules.of_others,
    )  # fmt: skip


def loses_search(rules: Understood, model: Understood, text: str) -> bool:
    """Tell whether a model's word that a message needs no documents is not to be believed.

    It is where the rules see no question either: a reading that is wrong would lose the answer.
    """
    return model.route in _WITHOUT_SEARCH and rules.route not in _WITHOUT_SEARCH and asks(text)


def is_ordered(plan: Plan, rules: Plan, message: str, pack: Pack) -> bool:
    """Tell whether every document of a model's plan was ordered: by the rules' reading, or by its own name."""
    seen = {step.subject for step in rules.steps if step.team == "document"}
    titles = {template.name: template.title for template in pack.templates}
    return all(
        step.subject in seen or any(overlap(title, message) > 0 for title in titles[step.subject].texts.values())
        for step in plan.steps
        if step.team == "document" and step.subject in titles
    )


def still_open(specs: Sequence[SlotSpec], told: Mapping[str, Any]) -> list[SlotSpec]:
    """Return the fields of text that a document needs and the rules did not find.

    None where every one of them has patterns: what these do not find is not told. A slot of the pack always has some.
    """
    missing = [
        spec for spec in specs if spec.type == "text" and spec.name not in told and not getattr(spec, "optional", False)
    ]
    return missing if any(not spec.patterns for spec in missing) else []


def expanded(rules: Expansion, more: Sequence[Query], *, by_meaning: bool) -> Expansion:
    """Return how to search, with the wordings of the model that the rules do not have.

    Not `by_meaning`: one that weighs less than the question goes by words alone. What the rules ask is embedded while
    the model reads, and a wording that is known only then would cost a second call of the embedding model, which the
    answer waits for.
    """
    known = {query.text.lower() for query in rules.queries}
    new = {
        query.text.lower(): replace(query, by_meaning=by_meaning or query.weight >= 1)
        for query in more
        if query.text.lower() not in known
    }
    return replace(rules, queries=(*rules.queries, *new.values()))


TRUSTED = 0.5
"""What a judge's word counts beside the likelihood that the rules see; chosen as what `declined` takes away."""


def graded(rules: Grade, model: Grade, *, may_send_back: bool) -> Grade:
    """Return the marks together, with all that is missing; the model sends a draft back only where it may.

    Where a judge has read the answer its mark counts: rules only see whether it is worded like the question. It takes
    away so much of the doubt whether the documents hold the answer (`TRUSTED`). Else the lower mark counts.
    """
    mine, theirs = rules.check, model.check
    judged = model.confidence > 0
    valid = mine.is_valid and theirs.is_valid
    check = replace(
        mine,
        is_valid=valid,
        score=min(mine.score, theirs.score),
        reason="; ".join(dict.fromkeys(filter(None, (mine.reason, theirs.reason)))),
        suggestions=tuple(dict.fromkeys((*mine.suggestions, *theirs.suggestions))),
        needs_retry=mine.needs_retry or (theirs.needs_retry and may_send_back),
    )
    if not judged:
        return replace(rules, check=check, score=min(rules.score, theirs.score))
    likely = rules.confidence + TRUSTED * (model.confidence - rules.confidence)
    return replace(rules, check=check, score=model.score, length=None, evidence=model.evidence, confidence=likely)


def declined(rules: Grade, times: int, *, again: bool) -> Grade:
    """Return the mark of what the rules tell where a model found no answer: each time it is half as likely to be one.

    It is searched for `again`, unless the rules find it likelier than not.
    """
    final = rules.confidence >= LIKELY or not again
    score = rules.score if final else min(rules.score, WEAK)
    return replace(rules, score=score, confidence=rules.confidence / 2**times, final=final)


def lost(model: Mapping[str, Sequence[Sentence]], names: Sequence[str], blocks: Sequence[Block]) -> list[str]:
    """Return the sections that the model left out, or of whose sentences not one holds."""
    return [
        name
        for name in names
        if name not in model or (model[name] and all(findings(each, blocks).refused for each in model[name]))
    ]


def reviewed(rules: Review, model: Review) -> Review:
    """Return the graver of the two levels with the findings of both, the rules' first: a model excuses nothing."""
    risks = tuple(dict.fromkeys((*rules.risks, *model.risks)))
    advice = tuple(dict.fromkeys((*rules.recommendations, *model.recommendations)))
    room = max(_FINDINGS, len(rules.risks)), max(_FINDINGS, len(rules.recommendations))
    level = max(rules.risk_level, model.risk_level, key=_RISKS.index)
    return replace(rules, risk_level=level, risks=risks[: room[0]], recommendations=advice[: room[1]])


def analysed(rules: Reading, model: Reading) -> Reading:
    """Return the model's insights, then those of the rules on figures that it says nothing of."""
    told = {name for insight in model.insights for name in insight.metrics}
    more = [insight for insight in rules.insights if told.isdisjoint(insight.metrics)]
    return Reading(
        insights=(*model.insights, *more)[:INSIGHTS],
        recommendations=tuple(model.recommendations or rules.recommendations),
    )
