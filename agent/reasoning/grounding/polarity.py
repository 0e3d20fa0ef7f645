"""What a text denies: its clauses, each with the words of negation in it and what they negate."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from agent.reasoning.grounding.wording import bare, wording_of

_NEGATION = re.compile(
    r"\b(?:not|no|never|cannot|\w+n't|without|neither|nor|none|nobody|nothing|nowhere|no-one|hardly|"
    r"forbidden|prohibited|prohibits?|forbids?|disallowed|impossible|ineligible|unable|fails? to|"
    r"failed to|refus(?:es?|ed)|lacks?|exempt from|banned)\b"
    r"|않|못|없|불가|금지|아니|아닌|아닙|(?<![가-힣])안 (?:되|됩|돼|된|합|해|한|하|했|됐)|제외",
    re.IGNORECASE,
)
# Ways of saying "at most", "at least", "must" and "and also", and words in which a negation denies nothing.
_NO_NEGATION = re.compile(
    r"\b(?:no|not) (?:more|later|less|fewer|earlier|longer|sooner) than\b"
    r"|\b(?:not|never|cannot|may not|must not|can't|\w+n't) (?:exceed|go over|go beyond|surpass)\w*"
    r"|\bnot only\b|\bnot (?:just|merely)\b|\bwhether or not\b|\bno\.\s?\d|\bif not\b|\bno matter\b"
    r"|\bno\W*[.,]|\bno\W*$|\bnot really,|\bno doubt\b|\bwhy not\b|\bnot to mention\b"
    r"|초과하지 (?:못|않|아니)\w*|초과할 수 없\w*|넘지 (?:못|않|아니)\w*|넘을 수 없\w*|뿐만? 아니라|뿐 아니라|없이"
    r"|지 않으면(?: 안 ?[되됩돼된]\w*)?|하지 않는 한|없으면 안 ?[되됩돼된]\w*|지 않을 수 없\w*|않으면 안 ?[되됩돼된]\w*"
    r"|잘못|연못|못지않|없애|없앤|없앨|불가피|불가결|아니면|다름 아닌|틀림없|어김없|빠짐없|상관없|관계없",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"^\W*(?:no|nope|아니요|아니오|아뇨|아닙니다)\s*[,.!]\s*", re.IGNORECASE)
_NEW_CLAUSE = re.compile(
    r"[;:()]|,\s+(?=(?:and|or|so|then|he|she|it|they|we|you|this|these|there)\b)"
    r"|,\s+(?=(?:not|including|especially|particularly|such|as|with|without|nor)\b)"
    r"|(?<=[.!?])\s+|(?:,|(?<!\s))\s++(?=(?:but|while|whereas|because|although|though|unless|if|when|which|who|whom|whose|where|however|since"
    r"|until|except|instead|rather)\b)"
    r"|(?<=지만|으나|는데|은데|면서|므로|하며|되며|이며|으며|니라|하면|되면|으면|경우)[\s,]+"
    r"|(?<=[가-힣]고)(?<!광고|보고|사고|재고|권고|경고|신고|최고|창고|참고|장고|원고|피고|중고|금고|리고|공고|선고)[\s,]+",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"^\W*(?:(?:well|yes|yeah|but|and|so|oh|because|although|though)\W+)*(?:i|im|i'm|i've|i'd|we|we've|we're|me)\b",
    re.IGNORECASE,
)
_AUXILIARY = frozenset(
    """be been being is are was were am do does did have has had will would can could may might must shall should
    any a an the to yet ever longer""".split()
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with one predicate, and how often it is negated."""

    text: str
    negations: int
    targets: frozenset[str]
    """Stems that the negations stand beside: the next word that means something, in Korean the one before."""

    @property
    def negated(self) -> bool:
        """Whether the clause denies anything."""
        return self.negations > 0


@lru_cache(maxsize=4096)
def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence; what has fewer than two words that mean something joins the one before."""
    plain = _ANSWER.sub("", bare(sentence))
    parts: list[str] = []
    for part in _parts(plain):
        if parts and (_poor(part) or _poor(parts[-1])):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return tuple(_clause(part) for part in parts)


def clause_of(text: str) -> Clause:
    """Return a whole text as one clause, without what the speaker says of themselves."""
    plain = _ANSWER.sub("", bare(text))
    return _clause(" ".join(part for part in _parts(plain)))


def count_of(text: str) -> int:
    """Return how many negations a text has."""
    return _clause(text).negations


def negated(text: str) -> bool:
    """Tell whether a text denies anything."""
    return clause_of(text).negated


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a text at the joints of its clauses; "I am not sure" says nothing about the matter."""
    start = 0
    for end, following in [*((match.start(), match.end()) for match in _NEW_CLAUSE.finditer(text)), (len(text), 0)]:
        part = text[start:end].strip()
        if part and not _SPEAKER.match(part):
            yield part
        start = following


def _poor(text: str) -> bool:
    return len(wording_of(text).content) < 2


@lru_cache(maxsize=4096)
def _clause(text: str) -> Clause:
    plain = _NO_NEGATION.sub(lambda found: "·" * len(found.group()), text)
    found = list(_NEGATION.finditer(plain))
    targets = {stem for match in found if (stem := _target(text, match))}
    return Clause(text=text, negations=len(found), targets=frozenset(targets))


def _target(text: str, match: re.Match[str]) -> str:
    """Return the stem of what is negated; empty where nothing is."""
    if "가" <= match.group()[0] <= "힣":
        before = wording_of(text[: match.start()])
        return next((before.stems[i] for i in reversed(before.content) if len(before.stems[i]) > 1), "")
    after = wording_of(text[match.end() :])
    return next((after.stems[i] for i in after.content if after.words[i] not in _AUXILIARY), "")
