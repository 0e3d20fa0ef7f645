"""Small words that turn a statement: must and may, all and some, before and after, each with what it is said of."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import has, mapping, pattern, regex, words
from agent.language.registry import languages
from agent.reasoning.grounding.wording import bare, wording_of
from agent.values.names import month_number

Kind = Literal["must", "should", "may", "can", "all", "most", "some", "only", "before", "after"]


def _by_kind(entry: str, around: str = "{}") -> str:
    """Return the forms of an entry, each in a group of its kind; `around` is what stands around them."""
    forms: dict[str, list[str]] = {}
    for code in languages():
        for kind, form in mapping(entry, code).items() if has(entry, code) else ():
            forms.setdefault(kind, []).append(around.format(form))
    return "|".join(f"(?P<{kind}>{'|'.join(own)})" for kind, own in forms.items())


_ANY = re.compile(_by_kind("grounding.turns", r"\b(?:{})\b"), re.IGNORECASE)
_ENDING = re.compile(_by_kind("grounding.turning_ends"))
_DENIED = pattern("grounding.denied_after")
_DENIED_BEFORE = pattern("grounding.denied_before")
_SCALAR = re.compile(rf"\s(?:\w+\s){{0,2}}{regex('grounding.scalars')}\b", re.IGNORECASE)
_DENYING = words("grounding.denying_verbs")
_SKIPPED = words("grounding.skipped")
_VERB_END = pattern("grounding.verb_ends")
_EXCLUSIVE = pattern("grounding.exclusive")
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
        written = match.group()
        if (written[0].isupper() and month_number(written)) or (kind == "only" and _SCALAR.match(plain, match.end())):
            continue
        if kind in ("may", "can") and plain[match.end() : match.end() + 5] == " only":
            continue
        if anchor := _next(plain[match.end() :]):
            out.append(Turn(kind, anchor, written))
    for match in _ENDING.finditer(plain):
        anchor = _previous(plain, match)
        if anchor and anchor[0] not in _DENYING and not _DENIED.match(plain, match.end()):
            out.append(Turn(_kind(match), anchor, match.group().strip()))
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
    if (not stem or not is_hangul(stem) or len(stem) < 1) or word == match.group().strip().split(" ")[0]:
        earlier = [each for each in before[:start].split() if each] or [""]
        last = earlier[-1].strip(".,()'\"")
        stem = _VERB_END.sub("", wording_of(last).stems[0]) if wording_of(last).stems else ""
    return stem


def _same(one: str, other: str) -> bool:
    if is_hangul(one) and is_hangul(other):
        return one[: min(2, len(one), len(other))] == other[: min(2, len(one), len(other))]
    return one == other
