"""Rules that every answer must pass, whoever wrote it: each statement stands in what it cites."""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from agent.reasoning.amounts import amounts
from agent.reasoning.grounding.contradiction import contradictions, facts_amiss
from agent.reasoning.grounding.score import likeness, shares
from agent.reasoning.grounding.verbatim import is_quoted
from agent.reasoning.grounding.wording import unmarked
from agent.text import ENGLISH_STOP_WORDS, language_of, sentences, strip_particle, tokens, words
from agent.types import Block, Passage, QualityCheck, Sentence

LIKENESS = 0.35
"""How like its source a sentence must be, by its words alone; chosen on the first halves of BEGIN's two sets and Q2."""
FREELY = 0.25
"""How like it one must be that has most of its content words from the source, in an order of its own."""
OVERLAP = 0.6
"""Share of the content words that is most of them."""
ROW = 600
"""Characters up to which several quotes may be one statement, such as a table's row with its header."""
LOCATED = 0.35
"""Share of a text's content words that a passage's sentence must hold to be called its source."""


def check_sentence(sentence: Sentence, blocks: Sequence[Block]) -> list[str]:
    """Return what is wrong with a sentence of an answer, in words for the trace and the writer."""
    if not sentence.support:
        return ["cites nothing"]
    known = {block.n: block.passage for block in blocks}
    for support in sentence.support:
        passage = known.get(support.block)
        if passage is None:
            return [f"cites block {support.block}, which does not exist"]
        if not 0 <= support.start < support.end <= len(passage.text):
            return [f"cites characters {support.start}:{support.end}, which block {support.block} does not have"]
    cited = list({support.block: known[support.block] for support in sentence.support}.values())
    quotes = [known[support.block].text[support.start : support.end] for support in sentence.support]
    if is_quoted(sentence.text, [" ".join(quotes), *(passage.text for passage in cited)]):
        return []
    together = " ".join(quotes) if len(quotes) > 1 else ""
    return list(_problems(sentence.text, "\n\n".join(_whole(passage) for passage in cited), together))


@lru_cache(maxsize=256)
def _problems(text: str, source: str, together: str) -> tuple[str, ...]:
    """Return what is wrong with a text by its source; it is asked when a sentence is written, and again at the end."""
    problems = facts_amiss(text, source)
    if language_of(text) == language_of(source):
        quotes = [together] if 0 < len(together) < ROW else []  # a row with its header is one statement
        problems += contradictions(text, source, quotes)
        if not _like(text, source):
            problems.append("shares too few words with its source")
    return tuple(problems)


def _like(text: str, source: str) -> bool:
    """Tell whether a text is worded like its source; how Korean orders words says little."""
    likely = likeness(text, source)
    if likely >= LIKENESS:
        return True
    if language_of(text) == "ko":
        return overlap(text, source) >= OVERLAP or shares(text, source).held >= OVERLAP
    return overlap(text, source) >= OVERLAP and likely >= FREELY


def check_all(sentences: Sequence[Sentence], blocks: Sequence[Block]) -> QualityCheck:
    """Return the verdict on an answer: the share of its sentences that hold, and what is wrong with the others."""
    if not sentences:
        return QualityCheck(is_valid=True, score=0.0, reason="nothing was claimed")
    faults = [(sentence, problems) for sentence in sentences if (problems := check_sentence(sentence, blocks))]
    return QualityCheck(
        is_valid=not faults,
        score=1 - len(faults) / len(sentences),
        reason="; ".join(problem for _, problems in faults for problem in problems),
        suggestions=tuple(f"{', '.join(problems)}: {sentence.text}" for sentence, problems in faults),
        needs_retry=bool(faults),
    )


def overlap(text: str, source: str) -> float:
    """Return the share of a text's content words that the source holds, 0..1; 1.0 for a text without any."""
    wanted = _content(text)
    if not wanted:
        return 1.0
    if language_of(text) == "ko":
        joined = "".join(source.split()).lower()
        return sum(_in_korean(word, joined) for word in wanted) / len(wanted)
    held = _terms(source)
    return sum(held.issuperset(tokens(word)) for word in wanted) / len(wanted)


def locate(text: str, passage_text: str) -> tuple[int, int] | None:
    """Return the place of the sentence (or two neighbours) that best supports a text; None when none does."""
    plain = text.strip()
    if not plain:
        return None
    verbatim = re.search(r"\s+".join(re.escape(part) for part in plain.split()), passage_text, re.IGNORECASE)
    if verbatim:
        return verbatim.span()
    spans = list(sentences(passage_text))
    if not spans:
        return None
    wanted = _content(text)
    figures = {amount.value for amount in amounts(text)}
    scores = [_likeness(text, wanted, figures, passage_text[start:end]) for start, end in spans]
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


def _likeness(text: str, wanted: Sequence[str], figures: set[Fraction], candidate: str) -> float:
    share = overlap(text, candidate)
    if figures:
        found = {amount.value for amount in amounts(candidate)}
        share = 0.8 * share + 0.2 * len(figures & found) / len(figures)
    size = len(_content(candidate)) or 1
    return share * min(1.0, 0.8 + 0.2 * len(wanted) / size)


def _whole(passage: Passage) -> str:
    return "\n".join(part for part in (passage.title, passage.section, passage.text) if part)


@lru_cache(maxsize=256)
def _terms(source: str) -> frozenset[str]:
    return frozenset(tokens(source))


@lru_cache(maxsize=2048)
def _content(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text that carry meaning; numbers are checked by themselves."""
    out: dict[str, None] = {}
    for word, _, _ in words(unmarked(text)):
        if "가" <= word[0] <= "힣":
            out[strip_particle(word)] = None
        elif word not in ENGLISH_STOP_WORDS and not word.isdigit():
            out[word] = None
    return tuple(out)


def _in_korean(word: str, joined: str) -> bool:
    if word in joined:
        return True
    if not "가" <= word[0] <= "힣" or len(word) < 3:
        return False
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    return sum(pair in joined for pair in pairs) >= 0.5 * len(pairs)
