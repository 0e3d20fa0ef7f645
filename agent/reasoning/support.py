"""Rules that every answer must pass, whoever wrote it: each statement stands in what it cites."""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from agent.reasoning.amounts import Amount, amounts
from agent.text import ENGLISH_STOP_WORDS, language_of, sentences, strip_particle, tokens, words
from agent.types import Block, Passage, QualityCheck, Sentence

OVERLAP = 0.6
"""Share of a sentence's content words that must stand in what it cites. On BEGIN (AUC .93 and .91 on its two sets) nine
of ten supported sentences reach it."""
LOCATED = 0.35
"""Share of a text's content words that a passage's sentence must hold to be called its source."""

_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|can't|won't|don't|doesn't|isn't|aren't|didn't|wasn't|weren't|mustn't|"
    r"shouldn't|without|neither|nor|none|nobody|nothing|"
    r"forbidden|prohibited|disallowed|impossible|ineligible|unable)\b|않|못|없|불가|금지|아니|안 (?:되|"
    r"됩|돼|된|합|해)|제외",
    re.IGNORECASE,
)
# Ways of saying "at most", "at least" and "and also" that negate nothing.
_NO_NEGATION = re.compile(
    r"\b(?:no|not) (?:more|later|less|fewer|earlier|longer) than\b|\b(?:not|never|cannot|may not|must "
    r"not|can't) exceed\b|\bnot only\b|\bwhether or not\b|\bno\.\s?\d|\bif not\b"
    r"|초과하지 (?:못|않)|초과할 수 없|넘지 (?:못|않)|넘을 수 없|뿐만 아니라|뿐 아니라|없이|지 않으면|하지 않는 한",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b(?:[A-Z][\w&'’.-]*[A-Za-z0-9]|[a-z]*[A-Z]+[\w-]*|\w*\d\w*[A-Za-z]\w*|[A-Za-z]\w*\d\w*)\b")
_MARKUP = re.compile(r"\*\*|__|`|\]\([^)\s]*\)|^\s*(?:#{1,6}|[-*|>]|\d{1,3}[.)])\s", re.MULTILINE)
_CITED = re.compile(r"\[\d{1,3}\]")


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
    if _same_words(sentence.text, quotes):
        return []
    source = "\n".join(_whole(passage) for passage in cited)
    problems = [*_numbers(sentence.text, source), *_names(sentence.text, source)]
    if language_of(sentence.text) == language_of(source):
        if _flipped(sentence, known):
            problems.append("says the opposite of its source")
        if overlap(sentence.text, source) < OVERLAP:
            problems.append("shares too few words with its source")
    return problems


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
    held = set(tokens(source))
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


def _same_words(text: str, quotes: Sequence[str]) -> bool:
    """Tell whether a sentence is nothing but the words of its quotes, in their order."""
    mine = _bare(text)
    return bool(mine) and mine in _bare(" ".join(quotes))


@lru_cache(maxsize=2048)
def _bare(text: str) -> str:
    return " ".join(word for word, _, _ in words(_MARKUP.sub(" ", text)))


@lru_cache(maxsize=2048)
def _content(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text that carry meaning; numbers are checked by themselves."""
    out: dict[str, None] = {}
    for word, _, _ in words(_CITED.sub(" ", _MARKUP.sub(" ", text))):
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


def _numbers(text: str, source: str) -> list[str]:
    """Name the numbers that no source gives; a number whose unit the source contradicts counts as not given."""
    found = _by_value(amounts(source))
    out = []
    for amount in amounts(_CITED.sub(" ", text)):
        if amount.written.lower() in {"one", "once", "한", "third", "quarter", "half"} and not amount.unit:
            continue
        units = found.get(amount.value)
        month = amount.unit == "month_name"
        if units is None or (month and "month_name" not in units and "month" not in units):
            out.append(f"the number {amount.written} is not in its source")
        elif amount.unit and not month and amount.unit not in units and "" not in units:
            out.append(f"the number {amount.written} stands for something else in its source")
    return out


@lru_cache(maxsize=512)
def _source_values(source: tuple[Amount, ...]) -> dict[Fraction, frozenset[str]]:
    out: dict[Fraction, set[str]] = {}
    for amount in source:
        out.setdefault(amount.value, set()).add(amount.unit)
    return {value: frozenset(units) for value, units in out.items()}


def _by_value(source: Sequence[Amount]) -> dict[Fraction, frozenset[str]]:
    return _source_values(tuple(source))


def _names(text: str, source: str) -> list[str]:
    """Name the proper names and codes that the source does not have; a sentence's first word may be any word."""
    lowered = source.lower()
    plain = "".join(ch for ch in lowered if ch.isalnum())
    out = []
    for start, end in sentences(_MARKUP.sub(" ", text)):
        part = _MARKUP.sub(" ", text)[start:end]
        for match in _NAME.finditer(part):
            name = match.group().removesuffix("'s").removesuffix("’s")
            opening = not part[: match.start()].strip(" \"'“‘(*-")
            coded = any(ch.isdigit() for ch in name) or any(ch.isupper() for ch in name[1:])
            if len(name) < 2 or (opening and not coded) or name.lower() in ENGLISH_STOP_WORDS or _is_quantity(name):
                continue
            if amounts(name) and not coded:
                continue  # May and the other months are numbers
            low = name.lower()
            if (
                low not in lowered
                and "".join(ch for ch in low if ch.isalnum()) not in plain
                and low.rstrip("s") not in lowered
            ):
                out.append(f"the name {name} is not in its source")
    return out


def _is_quantity(name: str) -> bool:
    return re.fullmatch(r"\d+(?:st|nd|rd|th|[ap]m|k|m|bn|h|min|d|eur|usd|krw|px|x|s)?", name, re.IGNORECASE) is not None


def _flipped(sentence: Sentence, known: dict[int, Passage]) -> bool:
    """Tell whether the sentence denies what its source affirms, or the other way round."""
    told = _negated(sentence.text)
    sources = []
    for support in sentence.support:
        text = known[support.block].text
        for start, end in sentences(text):
            if start < support.end and support.start < end:
                share = overlap(sentence.text, text[start:end])
                sources.append((share, _negated(text[start:end])))
    quoted = " ".join(known[place.block].text[place.start : place.end] for place in sentence.support)
    if len(sentence.support) > 1:  # a row with its header is one statement
        sources.append((overlap(sentence.text, quoted), _negated(quoted)))
    if not sources:
        return False
    best = max(share for share, _ in sources)
    if best < 0.5:
        return False
    return all(negated != told for share, negated in sources if share >= best - 0.1)


def _negated(text: str) -> bool:
    return _NEGATION.search(_NO_NEGATION.sub(" ", text)) is not None
