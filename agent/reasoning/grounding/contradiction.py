"""What in a sentence its source says otherwise, in words for the trace and the writer.

Numbers, dates and names are compared in any two languages. In one language it is also read what a copy has in another
word's place, which words of a sentence exclude those of the source, and what is denied; all of it clause by clause,
since a sentence may say one thing of this and the opposite of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.reasoning.grounding.edits import compared, turns
from agent.reasoning.grounding.figures import bound_problems, date_problems, number_problems
from agent.reasoning.grounding.matching import share, word_held
from agent.reasoning.grounding.names import name_problems
from agent.reasoning.grounding.opposites import Kind, kinds_of, others
from agent.reasoning.grounding.polarity import Clause, clause_of, clauses_of
from agent.reasoning.grounding.wording import Wording, sentences_of, wording_of

OPPOSITE = "says the opposite of its source"
PART = 0.55
"""Share of a clause's other words that a clause of the source must hold for an opposite to be said of the same."""
CLAUSE = 0.6
"""How alike two clauses must be for what one denies to be measured by the other."""
_TIE = 0.1
"""How much less alike a sentence or a clause may be and still speak of the same."""
_CANDIDATES = 4
"""Sentences of a source that are read closely; the others share fewer words."""


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of the source, and the share of the other text's words that it holds."""

    text: str
    wording: Wording
    share: float


@lru_cache(maxsize=1024)
def pieces_of(source: str) -> tuple[tuple[str, Wording], ...]:
    """Return the sentences of a source with their words."""
    return tuple((text, read) for text in sentences_of(source) if (read := wording_of(text)).content)


def nearest(text: Wording, source: str) -> list[Near]:
    """Return the sentences of the source that hold most of a text's words, the best first, and those hardly worse."""
    ranked = sorted(pieces_of(source), key=lambda piece: len(text.marks & piece[1].marks), reverse=True)
    found = [Near(piece, words, alike(text, words)) for piece, words in ranked[:_CANDIDATES]]
    best = max((near.share for near in found), default=0.0)
    return sorted(
        (near for near in found if near.share >= best - _TIE and near.share > 0), key=lambda near: -near.share
    )


def alike(text: Wording, other: Wording) -> float:
    """Return the weighted share of a text's words that another one holds, 0..1; 0 for a text without any."""
    return share([word_held(text.stems[i], other) for i in text.content], text.weights) if text.content else 0.0


def facts_amiss(text: str, source: str) -> list[str]:
    """Name the numbers, dates and names of a text that its source does not give; these cross languages."""
    return [*number_problems(text, source), *date_problems(text, source), *name_problems(text, source)]


def contradictions(text: str, source: str, quotes: Sequence[str] = ()) -> list[str]:
    """Name what a text says otherwise than its source; both must be in one language.

    `quotes` are further things the source says as one, such as a table's row with its header.
    """
    out = bound_problems(text, source)
    for sentence in sentences_of(text):
        out += _in_sentence(sentence, source)
    if not _is_copy(text, source) and is_flipped(text, source, quotes):
        out.append(OPPOSITE)
    return list(dict.fromkeys(out))


def _is_copy(text: str, source: str) -> bool:
    """Tell whether all of a text's sentences are copies, whose changes are read one by one."""
    told = [wording_of(sentence) for sentence in sentences_of(text)]
    copies = [[compared(each, near.wording) for near in nearest(each, source)[:2]] for each in told]
    return all(any(copy.is_copy and not copy.leaves_denial for copy in each) for each in copies)


def _in_sentence(sentence: str, source: str) -> list[str]:
    told = wording_of(sentence)
    near = nearest(told, source)
    out = opposites(sentence, told, near)
    if copies := [(copy, each.wording) for each in near if (copy := compared(told, each.wording)).is_copy]:
        said = [turns(copy, theirs) for copy, theirs in copies]
        out += said[0] if all(said) else []
        out += [OPPOSITE] if all(copy.denies and not excluded(told, theirs) for copy, theirs in copies) else []
    return out


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


def _opposite(kind: Kind, stems: frozenset[str], sentence: str, source: str) -> str:
    """Return the opposite that a sentence of the source has; empty where it has the same, or denies the opposite."""
    clause = next((each.text for each in clauses_of(sentence) if stems & wording_of(each.text).known), sentence)
    read = wording_of(clause)
    rest = wording_of(" ".join(w for w, s in zip(read.words, read.stems, strict=True) if s not in stems))
    parts = [(alike(rest, wording_of(part.text)), part.text) for part in clauses_of(source)]
    share, part = max(parts, key=lambda each: each[0], default=(0.0, ""))
    theirs = kinds_of(wording_of(part))
    against = others(kind, theirs)
    if share < PART or not against or kind in theirs or clause_of(clause).negated != clause_of(part).negated:
        return ""
    return theirs[against[0]][0]


def excluded(one: Wording, other: Wording) -> bool:
    """Tell whether two texts say things that exclude each other: "not open" says what "closed" does."""
    theirs = kinds_of(other)
    return any(others(kind, theirs) for kind in kinds_of(one) if kind not in theirs)


def is_flipped(text: str, source: str, quotes: Sequence[str] = ()) -> bool:
    """Tell whether a clause of a text denies what those of its source that are most like it affirm, or affirms it."""
    told = wording_of(text)
    near = [each.text for each in nearest(told, source)] + list(quotes)
    theirs = [clause for sentence in near for clause in clauses_of(sentence)]
    return any(_denies(clause, theirs) for clause in clauses_of(text))


def _denies(clause: Clause, theirs: Sequence[Clause]) -> bool:
    mine = wording_of(clause.text)
    shares = [(alike(mine, wording_of(other.text)), other) for other in theirs]
    best = max((share for share, _ in shares), default=0.0)
    return best >= CLAUSE and all(
        clause.negated != other.negated and not excluded(mine, wording_of(other.text))
        for share, other in shares
        if share >= best - _TIE
    )
