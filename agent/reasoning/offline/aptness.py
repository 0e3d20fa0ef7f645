"""Whether a piece speaks of the very thing that was asked about, and not of another one of its kind."""

import re
from collections.abc import Sequence
from itertools import pairwise

from agent.reasoning.offline import cues, evidence, lexicon, speech
from agent.reasoning.offline.evidence import Piece, Reading
from agent.reasoning.offline.question import FAINT, Kind

OTHER_THING = 0.88
"""What a piece counts that speaks of partner leave where parental leave is asked for."""
SAME_END = 1.15
"""What a piece counts that begins with the purpose that the question is about."""
OTHER_END = 0.85
"""What a piece counts that says how to reach something else: "to change the dates, ..."."""
OF_BOTH = 0.75
"""What a piece counts of one of two compared things that names the other one too."""
OF_ITSELF = 0.25
"""What a piece gains whose subject is the one of two compared things that is meant."""
FIGURED = 1.1
"""What a piece counts of one of two compared things that gives a figure: that is mostly where they differ."""
OTHER_SORT = 0.8
"""What a piece counts that does not name the sort of thing that is asked for by name."""
OTHER_FIRST = 0.75
"""What a piece counts that speaks of the first day of something that the question does not name."""
HEADED = 1.15
"""What a list of steps counts besides whose heading names all that the question is about."""
_WHICH = re.compile(
    r"^\W*(?:(?:and|so|in|for|with|by|on|to) )?(?:which|what) (?P<sort>[a-z]{3,})\b(?! (?:is|are|was|were) the\b)", re.I
)
_FIRST_OF = re.compile(
    r"\b(?P<when>(?:first|last|next) (?:day|week|month|year)) of (?:an? |the |your |their |our )?(?P<of>[a-z]{3,})",
    re.I,
)


def factor(reading: Reading, piece: Piece) -> float:
    """Return what a piece counts by its purpose, by what it is compared with, and by the sort of thing it names."""
    return _serves(reading, piece) * _of_itself(reading, piece) * _of_the_sort(reading, piece)


def of_the_thing(reading: Reading, piece: Piece, named: Sequence[tuple[str, str]]) -> float:
    """Return what a piece counts: less for another thing, or a part of the thing; `named` is that of the reading."""
    other = _of_another(reading, piece, named) or speech.of_the_rest(piece.text, reading.question.text)
    return (OTHER_THING if other else 1.0) * (OTHER_FIRST if _of_another_first(reading, piece) else 1.0)


def _of_itself(reading: Reading, piece: Piece) -> float:
    """Return what a piece counts of one of two things that are compared: less where it speaks of the other as well."""
    rivals = reading.question.rivals
    if not rivals:
        return 1.0
    of_both = any(
        share >= 0.8 and term.weight > FAINT
        for term, share in zip(rivals, evidence.match(rivals, piece.text), strict=True)
    )
    about = speech.subject_of(piece.text)
    terms = [term for term in reading.question.terms if term.weight > FAINT]
    all_named = min(evidence.match(terms, about), default=0.0) >= 0.8
    return (
        (OF_BOTH if of_both else 1.0)
        * (1.0 + OF_ITSELF * all_named)
        * (FIGURED if cues.holds(Kind.NUMBER, evidence.shown(piece)) else 1.0)
    )


def _of_the_sort(reading: Reading, piece: Piece) -> float:
    """Return what a piece counts where a sort of thing is asked for by name: less without it, "which form ..."."""
    asked = _WHICH.search(reading.question.text)
    if asked is None:
        return 1.0
    sort = lexicon.stem(asked["sort"].lower())
    for term, known, here in zip(reading.question.terms, reading.known, piece.own, strict=True):
        if term.stem == sort and term.weight > FAINT and known >= 0.8:
            return 1.0 if here >= 0.5 else OTHER_SORT
    return 1.0


def headed(reading: Reading, piece: Piece) -> float:
    """Return what a piece counts under a heading that names all that the question is about; 1.0 elsewhere."""
    if piece.unit.heading < 0:
        return 1.0
    above = next((p for p in reading.pieces if p.block is piece.block and p.index == piece.unit.heading), None)
    pairs = zip(reading.question.terms, above.own if above else (), strict=False)
    shares = [share for term, share in pairs if term.weight > FAINT and not term.aside]
    return HEADED if shares and min(shares) >= 0.8 else 1.0


def named(reading: Reading) -> list[tuple[str, str]]:
    """Return the things of two words that the question asks about and the evidence knows: parental leave."""
    pairs = [
        (first.stem, head.stem)
        for first, head in pairwise(reading.question.terms)
        if first.specific and head.specific and not first.hangul
    ]
    return [pair for pair in pairs if any(pair in evidence.wording_of(p.text).pairs for p in reading.pieces)]


def _of_another(reading: Reading, piece: Piece, named: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a piece names a thing of the same kind by another first word, and not the thing asked about."""
    if not named:
        return False
    said = evidence.wording_of(piece.text).pairs
    asked = {term.stem for term in reading.question.terms}
    return any(
        pair not in said and any(b == pair[1] and a not in asked and speech.names_a_kind(a) for a, b in said)
        for pair in named
    )


def _of_another_first(reading: Reading, piece: Piece) -> bool:
    """Tell whether a piece speaks of the first day of something that the question does not name."""
    first = _FIRST_OF.search(piece.text)
    if first is None or first["when"].lower() not in reading.question.phrases:
        return False
    return all(share < 0.8 for share in evidence.match(reading.question.terms, first["of"]))


def _serves(reading: Reading, piece: Piece) -> float:
    """Return what beginning with a purpose counts: less than 1.0 for another one than the question's."""
    purpose = speech.purpose_of(piece.text)
    done = speech.done_before(piece.text)
    if not purpose and not done:
        return 1.0
    terms = [term for term in reading.question.terms if term.weight > FAINT and not term.aside]
    if purpose and not any(share >= 0.6 for share in evidence.match(terms, purpose)):
        return OTHER_END
    doing = speech.doing_of(reading.question.text)
    verb = next((term for term in terms if term.word == doing), None)
    if verb is None or Kind.STEPS not in reading.question.kinds:
        return 1.0
    if not purpose:
        return OTHER_END if evidence.match([verb], done)[0] >= 0.6 else 1.0
    return SAME_END if evidence.match([verb], purpose.split()[0])[0] >= 0.6 else OTHER_END
