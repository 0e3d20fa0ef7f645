"""Rules that every answer must pass, whoever wrote it: each statement stands in what it cites."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.reasoning.grounding.contradiction import contradictions, facts_amiss
from agent.reasoning.grounding.figures import amounts_of
from agent.reasoning.grounding.matching import held, likeness, share
from agent.reasoning.grounding.wording import is_quoted, wording_of
from agent.text import language_of, sentences
from agent.types import Block, Passage, QualityCheck, Remedy, Sentence

LIKENESS = 0.25
"""How like its source a sentence must be, by its words alone. Of BEGIN's two sets and Q2 it takes 653 of 882 supported
texts and refuses 687 of 1,019 others; at .35 597 and 746."""
OVERLAP = 0.6
"""Share of the content words that will do in Korean, which orders its words as it likes."""
ROW = 600
"""Characters up to which several quotes may be one statement, such as a table's row with its header."""
DOUBTED = 0.5
"""Share of a sentence that a doubt about it takes from the mark of an answer."""
LOCATED = 0.5
"""Share of a text's content words that a passage's sentence must hold to be called its source."""

_BETWEEN = r"[\s|:*-]"
"""What stands between two words of a text, or of a table however its rule is drawn; marks of bold among it."""
_PART = re.compile(r"[^\s|:*-]+")


@dataclass(frozen=True, slots=True)
class Findings:
    """What the rules find about a sentence, in words for the trace, the writer and the judge."""

    proven: tuple[str, ...] = ()
    """What its source disproves: a citation, a number, a date or a name that is not there."""
    unlike: tuple[str, ...] = ()
    """That it shares too few words with its source: true where a judge says so, and not without one."""
    doubts: tuple[str, ...] = ()
    """How it reads against its source: opposites, denials, limits. Such readings may be wrong, and are a judge's."""

    @property
    def refused(self) -> tuple[str, ...]:
        """Why it may not be shown where nobody judges it."""
        return (*self.proven, *self.unlike)

    @property
    def all(self) -> tuple[str, ...]:
        """Everything that may be wrong with it."""
        return (*self.proven, *self.doubts, *self.unlike)


def check_sentence(sentence: Sentence, blocks: Sequence[Block], question: str = "") -> list[str]:
    """Return all that may be wrong with a sentence of an answer."""
    return list(findings(sentence, blocks, question).all)


def findings(sentence: Sentence, blocks: Sequence[Block], question: str = "") -> Findings:
    """Return what the rules find about a sentence; a figure of the question's own is no proof against it."""
    if not sentence.support:
        return Findings(proven=("cites nothing",))
    known = {block.n: block.passage for block in blocks}
    for support in sentence.support:
        passage = known.get(support.block)
        if passage is None:
            return Findings(proven=(f"cites block {support.block}, which does not exist",))
        if not 0 <= support.start < support.end <= len(passage.text):
            place = f"{support.start}:{support.end}"
            return Findings(proven=(f"cites characters {place}, which block {support.block} does not have",))
    cited = list({support.block: known[support.block] for support in sentence.support}.values())
    quotes = [known[support.block].text[support.start : support.end] for support in sentence.support]
    if is_quoted(sentence.text, [" ".join(quotes), *(passage.text for passage in cited)]):
        return Findings()
    together = " ".join(quotes) if len(quotes) > 1 else ""
    return _found(sentence.text, "\n\n".join(_whole(passage) for passage in cited), together, question)


@lru_cache(maxsize=256)
def _found(text: str, source: str, together: str, question: str) -> Findings:
    """Return what is found about a text by its source; it is asked when a sentence is written, and again at the end."""
    amiss = facts_amiss(text, source)
    proven = [each for each in facts_amiss(text, f"{source}\n\n{question}") if each in amiss] if amiss else []
    doubts = [each for each in amiss if each not in proven]
    unlike = []
    if language_of(text) == language_of(source):
        quotes = [together] if 0 < len(together) < ROW else []  # a row with its header is one statement
        doubts += contradictions(text, source, quotes)
        worded_like = likeness(text, source) >= LIKENESS
        if not worded_like and not (language_of(text) == "ko" and overlap(text, source) >= OVERLAP):
            unlike.append("shares too few words with its source")
    return Findings(tuple(proven), tuple(unlike), tuple(doubts))


def check_all(sentences: Sequence[Sentence], blocks: Sequence[Block], question: str = "") -> QualityCheck:
    """Return the verdict on an answer where nobody judges it: the share of its sentences that hold.

    A sentence in doubt counts half, and stays. One in words of its own stays before one that holds and cites the same:
    it sums that up.
    """
    if not sentences:
        return QualityCheck(is_valid=True, score=0.0, reason="nothing was claimed")
    found = [findings(sentence, blocks, question) for sentence in sentences]
    refused = [each.refused for each in found]
    for n in reversed(range(len(sentences) - 1)):
        following = {support.block for support in sentences[n + 1].support}
        if not found[n].proven and not refused[n + 1] and following & {each.block for each in sentences[n].support}:
            refused[n] = ()
    faults = [(sentence, wrong) for sentence, wrong in zip(sentences, refused, strict=True) if wrong]
    doubted = [each for each, wrong in zip(found, refused, strict=True) if each.all and not wrong]
    return QualityCheck(
        is_valid=not faults,
        score=1 - (len(faults) + DOUBTED * len(doubted)) / len(sentences),
        reason="; ".join(problem for _, problems in faults for problem in problems),
        suggestions=tuple(Remedy("unsupported", sentence.text, ", ".join(problems)) for sentence, problems in faults),
        needs_retry=bool(faults),
    )


def overlap(text: str, source: str) -> float:
    """Return the weighted share of a text's content words that the source holds, 0..1; 1.0 for a text without any.

    Numbers do not count: they are checked by themselves.
    """
    told = wording_of(text)
    weights = [
        0.0 if told.words[place].isdigit() else weight for place, weight in zip(told.content, told.weights, strict=True)
    ]
    return share(held(told, wording_of(source)), weights)


def locate(text: str, passage_text: str) -> tuple[int, int] | None:
    """Return the place of the sentence (or two neighbours) that best supports a text; None when none does."""
    parts = _PART.findall(text)
    if not parts:
        return None
    said = rf"{_BETWEEN}+".join(map(re.escape, parts))
    if verbatim := re.search(rf"(?:\|[ \t]*)?{said}(?:[ \t]*\|)?", passage_text, re.IGNORECASE):
        return verbatim.span()
    spans = list(sentences(passage_text))
    if not spans:
        return None
    scores = [_likeness(text, passage_text[start:end]) for start, end in spans]
    best = max(range(len(spans)), key=lambda i: scores[i])
    if scores[best] < LOCATED:
        return None
    place = spans[best]
    for i in (best - 1, best + 1):
        if 0 <= i < len(spans):
            pair = (min(spans[i][0], place[0]), max(spans[i][1], place[1]))
            together = overlap(text, passage_text[pair[0] : pair[1]])
            if together >= overlap(text, passage_text[spans[best][0] : spans[best][1]]) + 0.2:
                return pair
    return place


def _likeness(text: str, candidate: str) -> float:
    share = overlap(text, candidate)
    if figures := {amount.value for amount in amounts_of(text)}:
        share = 0.8 * share + 0.2 * len(figures & {amount.value for amount in amounts_of(candidate)}) / len(figures)
    size = len(wording_of(candidate).content) or 1
    return share * min(1.0, 0.8 + 0.2 * len(wording_of(text).content) / size)


def _whole(passage: Passage) -> str:
    return "\n".join(part for part in (passage.title, passage.section, passage.text) if part)
