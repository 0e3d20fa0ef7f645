"""Small words that turn a statement: must and may, all and some, before and after, each with what it is said of."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agent.reasoning.grounding.wording import bare, wording_of

Kind = Literal["must", "should", "may", "can", "all", "most", "some", "only", "before", "after"]

_ENGLISH: tuple[tuple[Kind, str], ...] = (
    (
        "must",
        r"must|shall|(?:has|have|had) to|(?:is|are|was|were|be) (?:required|obliged|obligated) to"
        r"|needs? to|it is mandatory to",
    ),
    ("should", r"should|ought to|(?:is|are) (?:recommended|advised|encouraged) to|it is (?:recommended|advised) to"),
    ("may", r"may|might|(?:is|are) (?:allowed|permitted|free|entitled) to|optionally"),
    ("can", r"can|could"),
    ("all", r"all(?: of)?(?: the)?|every|each(?: of the)?|any"),
    ("most", r"most(?: of)?(?: the)?|the majority of|majority of"),
    ("some", r"some(?: of)?(?: the)?|several|a few(?: of the)?|certain|part of(?: the)?|many(?: of)?(?: the)?"),
    ("only", r"only|solely|exclusively"),
    ("before", r"before|prior to|until"),
    ("after", r"after|following|once|as soon as"),
)
_KOREAN: tuple[tuple[Kind, str], ...] = (
    ("must", r"(?:해야|하여야|되어야|돼야|[가-힣]야)(?:만)? (?:한다|합니다|하며|하고|함|할|됩니다|된다|하는)"),
    ("may", r"(?:[가-힣]) 수(?:도|가|는)? 있|(?:해도|하여도|[가-힣]도) (?:된다|됩니다|되며|되고|좋다|좋습니다|무방)"),
    ("should", r"(?:하는|할|는) 것(?:이|을|은) (?:좋|바람직|권장|권고)|(?:하기를|을|를) (?:권장|권고)"),
    ("before", r"(?:하기|되기|기)? ?(?:이전|전)(?:에|까지|의)?(?![가-힣])"),
    ("after", r"(?:한|된|은|ㄴ)? ?(?:이후|후|뒤|다음)(?:에|로|부터)?(?![가-힣])"),
)
_KOREAN_LEADING: tuple[tuple[Kind, str], ...] = (
    ("all", r"모든|전체|각|매|어떤|모두"),
    ("most", r"대부분의|대다수의|대다수"),
    ("some", r"일부|몇몇|여러|어떤"),
    ("only", r"오직|오로지"),
)
_ANY = re.compile("|".join(rf"(?P<{kind}>\b(?:{forms})\b)" for kind, forms in _ENGLISH), re.IGNORECASE)
_ENDING = re.compile("|".join(rf"(?P<{kind}>{forms})" for kind, forms in _KOREAN))
_LEADING = re.compile("|".join(rf"(?P<{kind}>(?<![가-힣])(?:{forms})(?=\s))" for kind, forms in _KOREAN_LEADING))
_DENIED = re.compile(r"\s?(?:not|n't|never|no longer)\b|\s?(?:없|않|못)|nnot", re.IGNORECASE)
_DENIED_BEFORE = re.compile(r"(?:\bnot|n't|\bnever|\bno longer)\s(?:\w+\s)?$", re.IGNORECASE)
_SCALAR = re.compile(r"\s(?:\w+\s){0,2}(?:an?|one|two|three|few|little|half|\$?\d[\d,.]*)\b", re.IGNORECASE)
"""Only of a number says that it is small."""
_SKIPPED = frozenset(
    """be been being is are was were have has had get do does did always also then first the a an to of in on at for by
    it this that their your his her its our my any other such""".split()
)
_VERB_END = re.compile(
    r"(?<=[가-힣])(?:(?:하|해|되|돼|할|될|한|된|함|받|시키|시킬).*|(?:을|[아어여]야|[아어]도|는|은)(?:만)?)$"
)
_EXCLUSIVE = re.compile(
    r"\b(?:only|solely|exclusively|alone|just|sole|nobody else|no one else|no other|except|other than|limited to|"
    r"restricted to|unless|nothing but|nowhere else)\b"
    r"|만(?![가-힣])|만이|만을|에만|오직|오로지|한해|한하여|한정|제한|외에는|밖에",
    re.IGNORECASE,
)
_OPPOSED: dict[Kind, frozenset[Kind]] = {
    "must": frozenset({"may", "should", "can"}),
    "should": frozenset({"must"}),
    "may": frozenset({"must"}),
    "can": frozenset(),  # "you can apply in the portal" may well be said of what must be applied for there
    "all": frozenset({"some", "most"}),
    "most": frozenset({"all", "some"}),
    "some": frozenset({"all", "most"}),
    "before": frozenset({"after"}),
    "after": frozenset({"before"}),
    "only": frozenset(),
}
"""For each kind those that, said of the same word in the source, make it wrong."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A small word with the stem of the word that it is said of."""

    kind: Kind
    anchor: str
    written: str


@lru_cache(maxsize=4096)
def turns_of(sentence: str) -> tuple[Turn, ...]:
    """Return the small words of a sentence; what is denied (may not, 할 수 없다) is left to the reading of denials."""
    plain = bare(sentence)
    out = []
    for match in _ANY.finditer(plain):
        kind = _kind(match)
        if _DENIED.match(plain, match.end()) or (kind in ("must", "should", "may", "can") and _denied(plain, match)):
            continue
        if match.group() == "May" or (kind == "only" and _SCALAR.match(plain, match.end())):
            continue
        if kind in ("may", "can") and plain[match.end() : match.end() + 5] == " only":
            continue
        if anchor := _next(plain[match.end() :]):
            out.append(Turn(kind, anchor, match.group()))
    for match in _ENDING.finditer(plain):
        anchor = _previous(plain, match)
        if anchor and anchor[0] != "않" and not _DENIED.match(plain, match.end()):
            out.append(Turn(_kind(match), anchor, match.group().strip()))
    for match in _LEADING.finditer(plain):
        if anchor := _next(plain[match.end() :]):
            out.append(Turn(_kind(match), anchor, match.group()))
    return tuple(out)


def turned(text: str, sources: list[str]) -> list[str]:
    """Name the small words of a text in whose place all of the source's sentences on the same matter have another."""
    if not sources:
        return []
    theirs = [turns_of(source) for source in sources]
    out = []
    for turn in turns_of(text):
        if turn.kind == "only":
            if not any(_EXCLUSIVE.search(bare(source)) for source in sources):
                out.append(f"says {turn.written}, which its source does not")
            continue
        opposed = _OPPOSED[turn.kind]
        said = [[each for each in turns if _same(each.anchor, turn.anchor)] for turns in theirs]
        against = [[each for each in turns if each.kind in opposed] for turns in said]
        agreed = any(each.kind == turn.kind for turns in said for each in turns)
        if not agreed and any(against):
            other = next(each for turns in against for each in turns)
            out.append(f"says {turn.written} where its source says {other.written}")
    return out


def _kind(match: re.Match[str]) -> Kind:
    kind = match.lastgroup
    assert kind is not None  # noqa: S101 - each alternative is named
    return kind  # type: ignore[return-value]


def _denied(text: str, match: re.Match[str]) -> bool:
    """Tell whether a modal is denied before it: "do not have to"."""
    return _DENIED_BEFORE.search(text, 0, match.start()) is not None


def _next(text: str) -> str:
    """Return the stem of the first word that means something, if it comes soon."""
    read = wording_of(text[:60])
    for place, (word, stem) in enumerate(zip(read.words, read.stems, strict=True)):
        if place > 4:
            break
        if word not in _SKIPPED and place in read.content and not word.endswith("ly"):
            return stem
    return ""


def _previous(text: str, match: re.Match[str]) -> str:
    """Return the word that a Korean ending is said of, without the ending of its verb."""
    before = text[: match.start()]
    start = max(before.rfind(" ") + 1, 0) if before and not before[-1].isspace() else match.start()
    word = text[start : match.end()].split(" ")[0]
    stem = _VERB_END.sub("", word)
    if (not stem or not "가" <= stem[0] <= "힣" or len(stem) < 1) or word == match.group().strip().split(" ")[0]:
        words = [each for each in before[:start].split() if each] or [""]
        last = words[-1].strip(".,()'\"")
        stem = _VERB_END.sub("", wording_of(last).stems[0]) if wording_of(last).stems else ""
    return stem


def _same(one: str, other: str) -> bool:
    if "가" <= one[0] <= "힣" and "가" <= other[0] <= "힣":
        return one[: min(2, len(one), len(other))] == other[: min(2, len(one), len(other))]
    return one == other
