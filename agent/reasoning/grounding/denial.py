"""Whether a sentence denies what its source affirms, or the other way round."""

from collections.abc import Sequence

from agent.reasoning.grounding.aligning import Near, alike, nearest
from agent.reasoning.grounding.matching import word_held
from agent.reasoning.grounding.opposing import excluded
from agent.reasoning.grounding.polarity import Clause, clause_of, clauses_of
from agent.reasoning.grounding.wording import Wording, wording_of

CLAUSE = 0.6
"""How alike two clauses must be for one to be measured by the other; below, whole sentences are compared."""
SENTENCE = 0.6
SAME = 0.8
"""How alike two clauses must be to say the same but for a negation inside."""
_TIE = 0.1


def is_flipped(text: str, source: str, quotes: Sequence[str] = ()) -> bool:
    """Tell whether a text says the opposite of what its source says of the same thing.

    `quotes` are further things the source says as one, such as a table's row with its header.
    """
    told = wording_of(text)
    near = nearest(told, source)
    near += [Near(quote, words, alike(told, words)) for quote in quotes if (words := wording_of(quote)).content]
    if not near:
        return False
    verdicts = [_clause_verdict(clause, near) for clause in clauses_of(text)]
    if any(verdict is True for verdict in verdicts):
        return True
    if any(verdict is False for verdict in verdicts):
        return False
    return _sentence_verdict(text, near)


def _clause_verdict(clause: Clause, near: Sequence[Near]) -> bool | None:
    """Tell whether a clause contradicts those clauses that are most like it; None where none is like it."""
    mine = wording_of(clause.text)
    theirs = [(alike(mine, wording_of(other.text)), other) for sentence in near for other in clauses_of(sentence.text)]
    best = max((share for share, _ in theirs), default=0.0)
    if best < CLAUSE:
        return None
    close = [other for share, other in theirs if share >= best - _TIE]
    return all(_contradict(clause, mine, other, best) for other in close)


def _contradict(clause: Clause, mine: Wording, other: Clause, share: float) -> bool:
    if clause.negated != other.negated:
        return not excluded(mine, wording_of(other.text))
    if share < SAME or clause.negations == other.negations:
        return False
    fewer, more, words = (
        (clause, other, mine) if clause.negations < other.negations else (other, clause, wording_of(other.text))
    )
    return any(stem not in fewer.targets and word_held(stem, words) == 1.0 for stem in more.targets)


def _sentence_verdict(text: str, near: Sequence[Near]) -> bool:
    best = max(each.share for each in near)
    if best < SENTENCE:
        return False
    told = clause_of(text).negated
    return all(clause_of(each.text).negated != told for each in near if each.share >= best - _TIE)
