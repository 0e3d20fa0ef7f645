"""What people told of themselves, as terms that their search may take up."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.language.lexicon import pattern
from agent.packs.pack import Pack
from agent.reasoning.rules.reading.own_facts import Facts, facts_of, joined
from agent.reasoning.rules.reading.profile_match import bears, names_of
from agent.reasoning.rules.reading.self_description import about_me, unlearnt
from agent.text import tokens
from agent.types import TurnRecord, WeightedTerm

WEIGHT = 0.25
"""Of a word of the profile in a search, below the question's own 1.0. Words that have nothing to do with the question,
added to MTRAG's last turns, leave R@5 as it is: .251 without, .252 at .2, .253 at .25, .252 at .35 on one domain, .287,
.289, .289 and .286 on the other; at .5 they begin to cost (.283)."""
_FORMS = 3
"""Ways of naming one value that join the search."""
_TERMS = 8


def told_in(turns: Sequence[TurnRecord], pack: Pack, asked_by: str) -> dict[str, Any]:
    """Return what somebody told of themselves in their own messages of a thread, as the pack's slots have it.

    What stands before "forget me" is not read again, nor is what "forget that" meant.
    """
    known: dict[str, Any] = {}
    if not pack.slots:
        return known
    before, last = "", Facts()
    for turn in turns:
        if turn.asked_by != asked_by:
            continue
        wanted = about_me(turn.question, pack)
        if wanted is not None and wanted.kind == "forget":
            known = {}
        elif wanted is not None and wanted.kind == "unlearn":
            known = joined(known, Facts({}, unlearnt(turn.question, known, last, pack)))
        else:
            last = facts_of(turn.question, pack.slots, before)
            known = joined(known, last)
        before = turn.question
    return known


def profile_terms(
    question: str, slots: Mapping[str, Any], pack: Pack, *, intent: str = "", weight: float = WEIGHT
) -> tuple[WeightedTerm, ...]:
    """Return words of what the asker told that may tell which passage is for them, each below the question's own.

    Nothing joins for a question about somebody else, of a slot of which the question itself says otherwise, of one
    that other intents need, of numbers and dates, and nothing that the question says already.
    """
    if not slots or pattern("profile.somebody_else").search(question):
        return ()
    known = set(tokens(question))
    out: list[WeightedTerm] = []
    for spec in pack.slots:
        value = slots.get(spec.name)
        if not bears(spec, question, value) or not _is_for(intent, spec.required_for, pack):
            continue
        for form in names_of(spec, value, most=_FORMS):
            mine = set(tokens(form))
            if mine and not mine <= known and len(out) < _TERMS:
                known |= mine
                out.append(WeightedTerm(text=form, weight=weight))
    return tuple(out)


def _is_for(intent: str, needed: Sequence[str], pack: Pack) -> bool:
    """Tell whether a slot that these intents need is for a question of this one."""
    return not needed or intent in needed or intent not in {each.name for each in pack.intents}
