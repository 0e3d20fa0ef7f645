"""Which pieces of the evidence answer the question, and whether any does."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import aptness, cues, evidence, lexicon, speech
from agent.reasoning.offline.evidence import Piece, Reading
from agent.reasoning.offline.question import FAINT, NAME, Kind
from agent.reasoning.offline.units import Shape

ANSWERABLE = 0.57
"""Share of the question's weight that the evidence must speak of; from ClapNQ, 300 questions, half of them without
an answer: the best cut there; KorQuAD's and handbooks' questions agree with it."""
MISSING = 0.5
"""Share of the specific terms' weight that may be nowhere in the evidence, and no more."""
FORMLESS = 0.7
"""What the evidence counts when a number is asked for and there is none."""
NAMELESS = 0.75
"""What the evidence counts when a name or a code of the question is nowhere in it."""
WORDLESS = 0.8
"""What the evidence counts when it has only a word that begins like the question's: print where a printer is meant."""
ALSO = 0.8
"""Further pieces join when they score this share of the best one."""
_OPEN = frozenset({Kind.DEFINITION, Kind.REASON, Kind.STEPS, Kind.ADVICE, Kind.OUTCOME, Kind.LIST})
"""Kinds of question that one sentence seldom answers in full."""
ADVICELESS = 0.6
"""What the evidence counts when somebody asks what to do and nothing near tells it."""
REASONLESS = 0.5
"""What the evidence counts when a reason is asked for and none is given."""
SUBJECT = 0.1
"""What a piece gains that is about the very thing that was asked about."""
APART = 0.8
"""What a table row counts that leaves a part of the question to other passages."""
COMPLETED = 2
"""Sentences that may complete one."""
MISSED = 0.35
"""What a piece must score that alone speaks of a specific term of the question."""
SAME_WORDS = 0.6
PHRASE = 0.18
"""What neighbouring words of the question, found as neighbours, add to a score."""
OWN = 0.4
"""How much of a score is what the piece says by itself; the rest is what it says in its place."""
RANK = 0.1
"""What coming from the first block adds; from the second half of that, and so on."""
FOCUS = 0.03
"""What a piece gains that speaks of little else."""
IN_STEPS = 1.3
"""What a numbered list counts when the question is how to do something."""
LONG_LIST = 4_800
"""Characters up to which a list of steps is quoted whole."""
LONG = 60
"""Words beyond which a piece is hard to read as an answer."""

_LEANS_BACK = re.compile(
    r"^\W*(?:it|its|this|these|those|they|their|he|she|his|her|such|that|however|also|in addition|"
    r"additionally|otherwise|then|therefore|"
    r"this way|but|and|so|in this case|in that case|the latter|the former|이는|이것은|이를|이때|이 "
    r"경우|그러나|하지만|또한|다만|단,|그는|그녀는|따라서|그|이|해당|이후|그리고|이러한|이런)(?=[\s,])",
    re.IGNORECASE,
)

_CASE = re.compile(r"\b(?:for|with) (?:my|our|an?) (\w+)\W*$", re.IGNORECASE)
_POINTER = re.compile(
    r"^\W*(?:for (?:more|further|additional|detailed)\b.{0,80}\b(?:see|refer|visit|check)|(?:see|refer "
    r"to|check out|learn more|read more)\b|"
    r"(?:in|after) this (?:tutorial|section|guide|page)|the following (?:sections?|tables?|topics?)\b|"
    r".{0,40}(?:참고하세요|참조하세요|참고하십시오|참조하십시오)\W*$)",
    re.IGNORECASE,
)


def is_answerable(reading: Reading) -> bool:
    """Tell whether the evidence speaks of enough of the question to answer it."""
    return answerability(reading) >= ANSWERABLE


def answerability(reading: Reading) -> float:
    """Return how sure it is that the evidence answers the question, 0..1; 0 where what it is about is missing."""
    if missing(reading) >= MISSING:
        return 0.0
    return strength(reading) * _has_form(reading) * _knows_names(reading) * _says_it(reading)


def _says_it(reading: Reading) -> float:
    """Return 1.0, or less where the one word of a question does not stand in the evidence, nor one that means it."""
    known = [k for term, k in zip(reading.question.terms, reading.known, strict=True) if term.weight > FAINT]
    return WORDLESS if len(known) == 1 and known[0] < 0.8 else 1.0


def _knows_names(reading: Reading) -> float:
    """Return 1.0, or less where the question names something that is nowhere in the evidence."""
    case = _CASE.search(reading.question.text)
    meant = case.group(1).lower() if case else ""
    named = [
        known
        for term, known in zip(reading.question.terms, reading.known, strict=True)
        if term.weight >= NAME or (term.specific and term.word == meant)
    ]
    return NAMELESS if any(known < 0.5 for known in named) else 1.0


def _has_form(reading: Reading) -> float:
    """Return 1.0, or less where a number or a date is asked for and no likely piece holds one."""
    best = max((piece.coverage for piece in reading.pieces), default=0.0)
    likely = [evidence.shown(piece) for piece in reading.pieces if piece.coverage >= ALSO * best]
    if Kind.REASON in reading.question.kinds:
        blocks = {piece.block.n for piece in reading.pieces if piece.coverage >= ALSO * best}
        near = [piece for piece in reading.pieces if piece.block.n in blocks]
        return 1.0 if any(cues.may_explain(piece.text) for piece in near) else REASONLESS
    if Kind.ADVICE in reading.question.kinds:
        held = [piece for piece in reading.pieces if piece.coverage >= ALSO * best]
        acts = any(speech.instructs(other.text) for piece in held for other in [piece, *_after(reading, piece)])
        return 1.0 if acts else ADVICELESS
    return 1.0 if cues.has_form(reading.question, likely) else FORMLESS


def strength(reading: Reading) -> float:
    """Return how much of the question one passage, and two neighbouring units in it, speak of; 0..1."""
    terms = reading.question.terms
    asked = [term.weight for term in terms]
    if not reading.pieces or not any(weight > FAINT for weight in asked):
        return 0.0
    total = sum(asked)
    passage = max(sum(w * c for w, c in zip(asked, found, strict=True)) / total for found in reading.passages.values())
    weights, whole = reading.weights, sum(reading.weights) or 1.0
    near = 0.0
    for piece, following in zip(reading.pieces, [*reading.pieces[1:], reading.pieces[-1]], strict=True):
        together = following.block is piece.block
        context = [
            max(a, b if together else 0.0, 0.0 if c <= evidence.SAME_PASSAGE else c)
            for a, b, c in zip(piece.own, following.own, piece.context, strict=True)
        ]
        near = max(near, sum(w * c for w, c in zip(weights, context, strict=True)) / whole)
    return (passage + near) / 2


def missing(reading: Reading) -> float:
    """Return the share of the specific terms' weight that no passage mentions."""
    specific = [(t.weight, known) for t, known in zip(reading.question.terms, reading.known, strict=True) if t.specific]
    total = sum(weight for weight, _ in specific)
    return sum(weight for weight, known in specific if known < 0.5) / total if total else 0.0


def choose(reading: Reading, limit: int, *, valued: bool = False) -> list[list[Piece]]:
    """Return the pieces of the answer, best first, each with those that it needs to be understood.

    `valued`: only of those that hold the number, date or name that is asked for, where any does.
    """
    heads = _heads(reading)
    candidates = [piece for piece in reading.pieces if _may_answer(piece) and (piece.block.n, piece.index) not in heads]
    if valued:
        candidates = [p for p in candidates if cues.has_form(reading.question, [evidence.shown(p)])] or candidates
    if not candidates or limit < 1:
        return []
    for piece in candidates:
        piece.score = _score(reading, piece)
    named = aptness.named(reading)
    for piece in candidates:
        piece.score *= aptness.of_the_thing(reading, piece, named)
    top = max(piece.score for piece in candidates)
    for piece in candidates:
        if piece.unit.shape in (Shape.SENTENCE, Shape.ITEM) and piece.score >= 0.6 * top:
            piece.score += SUBJECT * _subject(reading, piece)
    ranked = sorted(candidates, key=lambda piece: (-piece.score, piece.block.n, piece.index))
    best = ranked[0]
    groups = [_complete(reading, best)]
    taken = {id(piece) for piece in groups[0]}
    covered = list(best.context)
    if Kind.CONTRAST in reading.question.kinds:
        return groups
    size = limit if reading.question.kinds & {Kind.LIST, Kind.STEPS, Kind.ADVICE} else min(limit, 3)
    for piece in ranked[1:40]:
        if sum(len(group) for group in groups) >= size or piece.score < MISSED * best.score:
            break
        if id(piece) in taken or any(_alike(piece, other) for group in groups for other in group):
            continue
        if not _belongs(reading, piece, best, covered):
            continue
        group = [other for other in _complete(reading, piece) if id(other) not in taken]
        groups.append(group)
        taken.update(id(other) for other in group)
        covered = [max(a, b) for a, b in zip(covered, piece.context, strict=True)]
    return groups


def _belongs(reading: Reading, piece: Piece, best: Piece, covered: Sequence[float]) -> bool:
    """Tell whether a further piece says something that was asked and not yet answered, or carries on the best one."""
    terms = reading.question.terms
    same_document = piece.block.passage.document_id == best.block.passage.document_id
    if same_document and any(
        term.specific and new >= 0.8 and old <= evidence.NEXT_DOOR
        for term, new, old in zip(terms, piece.own, covered, strict=True)
    ):
        return True  # "contractors are covered by another guide" belongs to an answer about their leave
    if piece.score < ALSO * best.score:
        return False
    elsewhere = piece.block is not best.block
    adds = any(
        new >= 0.8 and old < 0.5 and not term.aside and (term.specific or (not elsewhere and term.weight > FAINT))
        for term, new, old in zip(terms, piece.own, covered, strict=True)
    )
    if adds and piece.score >= 0.85 * best.score:
        return True
    open_ended = not reading.question.kinds or reading.question.kinds & _OPEN
    follows = piece.block is best.block and 0 < piece.index - best.index <= 2 and piece.unit.group == best.unit.group
    if open_ended and follows:
        return True
    other_list = piece.unit.shape == Shape.ITEM and piece.unit.ordered and Kind.STEPS in reading.question.kinds
    return bool(other_list and piece.block is best.block and piece.score >= 0.95 * best.score)


def _may_answer(piece: Piece) -> bool:
    text = piece.text.strip()
    if piece.unit.shape == Shape.HEADING or text.endswith("?") or not any(ch.isalnum() for ch in text):
        return False
    return len(text) >= 8 or piece.unit.shape == Shape.ITEM


def _heads(reading: Reading) -> set[tuple[int, int]]:
    """Return the header rows, which answer nothing by themselves."""
    return {(piece.block.n, piece.unit.header) for piece in reading.pieces if piece.unit.header >= 0}


def _score(reading: Reading, piece: Piece) -> float:
    kinds = reading.question.kinds
    steps = piece.unit.shape == Shape.ITEM and bool(kinds & {Kind.STEPS, Kind.ADVICE}) and piece.unit.ordered
    by_itself = piece.whole_coverage if steps else piece.own_coverage
    score = (1 - OWN) * piece.coverage + OWN * by_itself + PHRASE * piece.phrases
    fit = cues.fit(reading.question, evidence.shown(piece))
    score *= min(fit, 1.0) if _misses(reading, piece) else fit
    if steps:
        score *= IN_STEPS * aptness.headed(reading, piece)
    score += FOCUS * min(1.0, sum(1 for match in piece.own if match >= 0.6) / max(3, len(piece.text.split())))
    length = len(piece.text.split())
    if piece.unit.shape != Shape.CODE and length > LONG:
        score *= max(0.5, 1.0 - (length - LONG) / 200)
    if piece.unit.shape == Shape.CODE:
        score *= 0.75
    elif piece.unit.shape == Shape.SENTENCE and length < 4 and len(piece.text) < 12:
        score *= 0.7
    if not evidence.is_prose(piece.text) and piece.unit.shape == Shape.SENTENCE:
        score *= 0.7
    if piece.unit.shape == Shape.ITEM and Kind.DEFINITION in kinds and Kind.LIST not in kinds:
        score *= 0.85
    if _POINTER.match(piece.text) or speech.announces(piece.text):
        score *= 0.6
    score *= aptness.factor(reading, piece)
    if piece.unit.shape == Shape.ROW and _leaves_out(reading, piece):
        score *= APART
    return score + RANK / piece.block.n


def _misses(reading: Reading, piece: Piece) -> bool:
    """Tell whether a piece says nothing about a specific term that the evidence elsewhere speaks of."""
    terms = reading.question.terms
    return any(
        term.specific and known >= 0.8 and here < 0.3
        for term, known, here in zip(terms, reading.known, piece.context, strict=True)
    )


def _after(reading: Reading, piece: Piece) -> list[Piece]:
    """Return the two pieces that follow in the same passage."""
    return [p for p in reading.pieces if p.block is piece.block and 0 < p.index - piece.index <= COMPLETED]


def _leaves_out(reading: Reading, piece: Piece) -> bool:
    """Tell whether a row, with its header and headings, is silent about a word that the evidence elsewhere holds."""
    return any(
        term.weight > FAINT
        and not term.aside
        and term.word not in lexicon.PEOPLE
        and known >= 0.8
        and here < evidence.NEXT_DOOR
        for term, known, here in zip(reading.question.terms, reading.known, piece.context, strict=True)
    )


def _subject(reading: Reading, piece: Piece) -> float:
    """Return the share of the question's specific terms that the subject of the piece names in the same words."""
    terms = reading.question.terms
    total = sum(term.weight for term in terms if term.specific)
    if not total or (speech.instructs(piece.text) and not reading.question.kinds & {Kind.STEPS, Kind.ADVICE}):
        return 0.0
    found = evidence.match(terms, speech.subject_of(piece.text))
    return sum(term.weight for term, share in zip(terms, found, strict=True) if term.specific and share >= 0.9) / total


def _complete(reading: Reading, piece: Piece) -> list[Piece]:
    """Return the piece with the sentence it leans on, the list it announces, or the list it is a step of."""
    mine = [other for other in reading.pieces if other.block is piece.block]
    at = next(i for i, other in enumerate(mine) if other is piece)
    shape = piece.unit.shape
    group = [other for other in mine if other.unit.group == piece.unit.group]
    kinds = reading.question.kinds
    steps = bool(kinds & {Kind.STEPS, Kind.ADVICE, Kind.LIST})
    if shape == Shape.ITEM:
        intro = _intro(mine, group[0])
        announced = intro is not None and (Kind.LIST in kinds or intro.text.rstrip().endswith((":", "：")))
        whole = steps and (piece.unit.ordered or announced) and sum(len(p.text) for p in group) <= LONG_LIST
        kept = group if whole else [piece]
        if intro is None and len(kept) > 1 and piece.unit.heading >= 0:
            intro = mine[piece.unit.heading]
        return [intro, *kept] if intro is not None else kept
    if shape == Shape.ROW:
        rows = [other for other in group if (other.block.n, other.index) not in _heads(reading)]
        return [other for other in rows if all(b >= a - 0.05 for a, b in zip(piece.own, other.own, strict=True))]
    if shape == Shape.CODE:
        intro = _intro(mine, piece)
        return [intro, piece] if intro is not None else [piece]
    out = [piece, *_completion(kinds, piece, mine[at + 1 :])]
    if _LEANS_BACK.match(piece.text) and at > 0 and mine[at - 1].unit.group == piece.unit.group:
        out.insert(0, mine[at - 1])
    following = mine[at + len(out) :] if out[0] is piece else mine[at + len(out) - 1 :]
    if following and (piece.text.rstrip().endswith((":", "：")) or (steps and _is_list(following))):
        first = following[0]
        if first.unit.shape in (Shape.ITEM, Shape.CODE, Shape.ROW) and first.unit.heading == piece.unit.heading:
            heads = _heads(reading)
            out.extend(p for p in following if p.unit.group == first.unit.group and (p.block.n, p.index) not in heads)
    return out


def _completion(kinds: frozenset[Kind], piece: Piece, following: Sequence[Piece]) -> list[Piece]:
    """Return the sentences right after a piece that complete it: a condition, an exception, what to do."""
    out: list[Piece] = []
    for other in following[:COMPLETED]:
        text = other.text
        if other.unit.group != piece.unit.group or other.unit.shape != Shape.SENTENCE or len(text.split()) > LONG:
            break
        acts = bool(kinds & {Kind.ADVICE, Kind.STEPS}) and speech.instructs(text)
        results = Kind.OUTCOME in kinds and (
            speech.goes_on(text) or re.search(r"^\W*(?:if|when|after)\b|면 ", text, re.I)
        )
        carries = bool(kinds & _OPEN or not kinds) and speech.goes_on(text)
        explains = Kind.REASON in kinds and cues.holds(Kind.REASON, text)
        if _POINTER.match(text) or not (speech.qualifies(text) or acts or results or carries or explains):
            break
        out.append(other)
    return out


def _is_list(following: Sequence[Piece]) -> bool:
    return following[0].unit.shape == Shape.ITEM and following[0].unit.ordered


def _intro(mine: Sequence[Piece], first: Piece) -> Piece | None:
    """Return the sentence that announces a list or a code block."""
    before = mine[first.index - 1] if first.index > 0 else None
    if before is None or before.unit.shape != Shape.SENTENCE or before.unit.heading != first.unit.heading:
        return None
    return before if before.text.rstrip().endswith((":", "：")) or before.coverage > 0.5 else None


def _alike(one: Piece, other: Piece) -> bool:
    if one.unit.shape == other.unit.shape == Shape.ITEM and one.unit.heading != other.unit.heading:
        return False  # the same step of another procedure
    a, b = evidence.wording_of(one.text), evidence.wording_of(other.text)
    first = a.stems | frozenset(a.plain.split())
    second = b.stems | frozenset(b.plain.split())
    shared = len(first & second)
    return shared >= SAME_WORDS * min(len(first), len(second)) if min(len(first), len(second)) > 3 else first == second
