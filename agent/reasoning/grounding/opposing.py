"""Whether a sentence has a word where its source, speaking of the same, has the opposite."""

from collections.abc import Sequence

from agent.reasoning.grounding.aligning import Near, alike
from agent.reasoning.grounding.opposites import Kind, kinds_of, others
from agent.reasoning.grounding.polarity import clause_of, clauses_of
from agent.reasoning.grounding.wording import Wording, wording_of

PART = 0.55
"""Share of a clause's other words that a clause of the source must hold for the two to be about the same thing."""
_FAR = 6
"""Words between one of two opposites and what it is said of."""


def opposites(sentence: str, told: Wording, near: Sequence[Near]) -> list[str]:
    """Name the words of a sentence in whose place the sentences of the source near it have their opposites."""
    mine = kinds_of(told)
    out = []
    for kind, stems in mine.items():
        if others(kind, mine):
            continue  # it speaks of both
        found = [_opposite(kind, frozenset(stems), sentence, each.text) for each in near]
        if found and all(found):
            out.append(f"says {stems[0]} where its source says {found[0]}")
    return out


def excluded(one: Wording, other: Wording) -> bool:
    """Tell whether two texts say things that exclude each other: "not open" says what "closed" does."""
    theirs = kinds_of(other)
    return any(_said_of(kind, one, other) if kind in theirs else others(kind, theirs) for kind in kinds_of(one))


def _opposite(kind: Kind, stems: frozenset[str], sentence: str, source: str) -> str:
    """Return the opposite that a sentence of the source has; empty where it has the same, or denies the opposite."""
    clause = _clause_with(stems, sentence)
    rest = _without(clause, stems)
    # The clause that speaks of the same; a sentence may say one thing of this and the opposite of that.
    parts = [(alike(rest, wording_of(part.text)), part.text) for part in clauses_of(source)]
    share, part = max(parts, key=lambda each: each[0], default=(0.0, ""))
    theirs = kinds_of(wording_of(part))
    against = others(kind, theirs)
    if share < PART or not against or clause_of(clause).negated != clause_of(part).negated:
        return ""
    if kind not in theirs:
        return theirs[against[0]][0]
    return _said_of(kind, wording_of(clause), wording_of(part))


def _clause_with(stems: frozenset[str], sentence: str) -> str:
    return next((each.text for each in clauses_of(sentence) if stems & wording_of(each.text).known), sentence)


def _without(text: str, stems: frozenset[str]) -> Wording:
    return wording_of(
        " ".join(w for w, s in zip(wording_of(text).words, wording_of(text).stems, strict=True) if s not in stems)
    )


def _said_of(kind: Kind, told: Wording, source: Wording) -> str:
    """Return the opposite, where both stand in the source and it is this one that is said of the same thing.

    What an English word like `open` is said of follows it; the last such word before that thing counts.
    """
    place = next(iter(_places(kind, told)), None)
    after = [told.stems[i] for i in told.content if place is not None and i > place]
    if not after or source.stems.count(after[0]) != 1:
        return ""
    thing = source.stems.index(after[0])
    here = [place for place in _places(kind, source) if thing - _FAR <= place < thing]
    there = [
        place
        for other in others(kind, kinds_of(source))
        for place in _places(other, source)
        if thing - _FAR <= place < thing
    ]
    return source.stems[max(there)] if there and max(there) > max(here, default=-1) else ""


def _places(kind: Kind, text: Wording) -> list[int]:
    stems = kinds_of(text).get(kind, ())
    return [i for i, stem in enumerate(text.stems) if stem in stems]
