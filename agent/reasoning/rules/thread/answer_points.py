"""The points of an earlier answer, and which of them "the second one", "the last", 두 번째 거 mean."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.reasoning.rules.reading import korean_stems
from agent.reasoning.rules.thread.history import Past
from agent.text import language_of, normalise, strip_particle, tokens, words

READ = 6000
"""Characters of an answer that are read for its points."""
BACK = 3
"""Turns back that a list may stand."""
_MOST_WORDS = 6
"""Words of a point that has no label of its own."""

_ITEM = re.compile(r"^[ \t]{0,8}(?:[-*+•‣]|\(?\d{1,2}[.)]|[①-⑨])[ \t]+(?P<item>\S.*)$", re.MULTILINE)
_MARK = re.compile(r"\s?\[\d{1,3}\]")
_BOLD = re.compile(r"^\*\*(?P<label>[^*\n]{1,80})\*\*|^__(?P<other>[^_\n]{1,80})__")
_LABEL = re.compile(r"^(?P<label>[^:：–—\n]{1,50}?)(?:[:：]|\s[–—-])\s")
_MARKUP = re.compile(r"[*_`#]+")

_WORDS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7}
_THING = r"(?:ones?|options?|points?|items?|choices?|steps?|thing|bullets?|parts?|ways?|methods?|cases?)"
_ORDINAL = re.compile(
    r"(?:(?P<the>^\W*|\b(?:the|and|or) )|\b)"  # "who calls first?" means no point of a list
    r"(?P<word>first|second|third|fourth|fifth|sixth|seventh|eighth|last|former|latter|[1-9](?:st|nd|rd|th))"
    rf"(?: {_THING}\b|(?(the)(?=\W*$|[^\w\s]|\s+(?:and|or|to|with|than|is|are|does|do|can|mean|means|cost|costs|later|"
    rf"please|pls)\b)|(?!)))"
    rf"|\b(?:{_THING}|number|no\.?|nr\.?) ?#?(?P<digit>\d)\b(?!\d)|(?<!\w)#(?P<hash>\d)\b",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\bthe (?:other (?:one|ones|two|three|options?|points?|items?)|others|rest)\b|나머지(?: ?(?:거|것|건|걸|"
    r"둘|두 개|하나))?|다른 (?:거|것|건|하나)(?=[ 는은도를?]|$)",
    re.IGNORECASE,
)
_NO_POINT = re.compile(
    r"\b(?:at|in) (?:first|second|last)\b|\bfirst (?:of all|time|day|week|month|name)\b|\blast (?:thing|day|week|"
    r"month|year|"
    r"time|name|night)\b",
    re.IGNORECASE,
)
_KOREAN_WORDS = {"첫": 0, "두": 1, "둘": 1, "세": 2, "셋": 2, "네": 3, "넷": 3, "다섯": 4, "여섯": 5}
_KOREAN_ORDINAL = re.compile(
    r"(?P<word>첫|두|둘|세|셋|네|넷|다섯|여섯) ?번?째(?: ?(?:거|것|건|걸|게|방법|항목|옵션|단계))?"
    r"|(?P<last>마지막|맨 ?끝)(?: ?(?:거|것|건|걸|게|방법|항목|옵션|단계))?"
    r"|(?<![\d.])(?P<digit>[1-9])번(?:째)?(?: ?(?:거|것|건|걸|게|방법|항목|옵션|단계))?"
)
_PAIR = re.compile(
    r"(?<![\w-])(?P<a>[\w-]++(?: [\w-]+)?) (?:and|or|vs\.?|versus) (?:the |an? )?(?P<b>[\w-]+(?: [\w-]+)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a message, `start:end`, and the point of an earlier answer that it means."""

    start: int
    end: int
    label: str


def points_of(answer: str) -> list[str]:
    """Return what the points of an answer are called; none for an answer that is no list."""
    items = [_label(match.group("item")) for match in _ITEM.finditer(answer[:READ])]
    return [item for item in items if item]


def _label(item: str) -> str:
    plain = normalise(_MARK.sub("", item))
    bold = _BOLD.match(plain)
    label = bold and (bold.group("label") or bold.group("other"))
    if not label:
        named = _LABEL.match(_MARKUP.sub("", plain))
        label = named.group("label") if named else plain
    words = _MARKUP.sub("", label).strip(" .:;,").split()
    return " ".join(words[:_MOST_WORDS]).rstrip(" .:;,(")


def listed(past: Sequence[Past]) -> list[str]:
    """Return the points of the latest answer that is a list."""
    for turn in reversed(past[-BACK:]):
        points = points_of(turn.answer)
        if len(points) > 1:
            return points
    return []


def options(past: Sequence[Past]) -> list[str]:
    """Return what the conversation last chose between: the points of an answer, or two things put side by side."""
    return listed(past) or _pair(past)


def meant(question: str, past: Sequence[Past], *, korean: bool) -> list[Mention]:
    """Return where a message names points of an earlier answer by their number, in order."""
    found = list((_KOREAN_ORDINAL if korean else _ORDINAL).finditer(question))
    if not found:
        return _others(question, past)
    blocked = [] if korean else [match.span() for match in _NO_POINT.finditer(question)]
    points = options(past)
    out = []
    for match in found:
        number = _number(match)
        inside = any(start <= match.start("word") < end for start, end in blocked)
        if inside or not -1 <= number < len(points) or not points:
            continue
        out.append(Mention(match.start(), match.end(), points[number]))
    return out


def written_out(question: str, past: Sequence[Past]) -> str:
    """Return a message with the points that it means by their number; empty for one that means none."""
    other = other_choice(question, past)
    if other:
        return other
    out = question
    for mention in reversed(meant(question, past, korean=language_of(question) == "ko")):
        before, behind = out[: mention.start], out[mention.end :]
        pair = next((pair for pair in ("은는", "이가", "을를") if behind[:1] in pair), "") if behind else ""
        named = korean_stems.with_particle(mention.label, pair) if pair else mention.label
        out = before + named + (behind[1:] if pair else behind)
    return out if out != question else ""


def _others(question: str, past: Sequence[Past]) -> list[Mention]:
    """Return the points that the last turn did not speak of, where a message asks for the others."""
    match = _REST.search(question)
    points = options(past) if match else []
    left = [point for point in points if point.lower() not in past[-1].told.lower()]
    if match is None or not left or len(left) == len(points):
        return []
    return [Mention(match.start(), match.end(), ", ".join(left))]


def _number(match: re.Match[str]) -> int:
    said = match.groupdict()
    digit = said.get("digit") or said.get("hash")
    if digit:
        return int(digit) - 1
    if said.get("last"):
        return -1
    word = (said.get("word") or "").lower()
    if word[:1].isdigit():
        return int(word[0]) - 1
    return {"last": -1, "latter": -1, "former": 0}.get(word, _WORDS.get(word, _KOREAN_WORDS.get(word, 99)))


def _pair(past: Sequence[Past]) -> list[str]:
    """Return the two things that one of the latest questions put side by side: `maternity and adoption leave`."""
    for turn in reversed(past[-BACK:]):
        match = _PAIR.search(turn.asked[:300])
        if match:
            a, b = match.group("a").split(), match.group("b").split()
            if len(b) == 2 and len(a) >= 1:
                a = [a[-1], b[1]] if a[-1] != b[1] else a[-2:]
            return [" ".join(a), " ".join(b)]
    return []


_ASIDE = re.compile(r"\s\((?P<label>[^()]*)\)\s*$")
_CHOOSING = 5
"""Words of a message that may only name another choice."""


def other_choice(question: str, past: Sequence[Past]) -> str:
    """Return the last question with another one of the choices that it was asked back about; empty for anything else.

    "no, the kettle", 아니요 주전자요 and "the other one" name no new topic: they choose again.
    """
    told = past[-1].told
    aside = _ASIDE.search(told)
    choices = listed(past)
    if aside is None or aside.group("label") not in choices or len(question.split()) > _CHOOSING:
        return ""
    others = [choice for choice in choices if choice != aside.group("label")]
    said = {stem for word, _, _ in words(question) for stem in (*tokens(word), strip_particle(word))}
    shared = set.intersection(*(set(tokens(choice)) for choice in choices))
    named = [choice for choice in others if said & (set(tokens(choice)) - shared)]
    if not named and _REST.search(question):
        named = others
    known = {stem for choice in named for stem in tokens(choice)}
    rest = {word for word, _, _ in words(question) if not set(tokens(word)) & known} - _CHOOSING_WORDS
    if len(named) != 1 or any(strip_particle(word).removesuffix("요").removesuffix("이") not in known for word in rest):
        return ""
    return f"{told[: aside.start()]} ({named[0]})"


_CHOOSING_WORDS = frozenset(
    """no not sorry oops i meant mean actually the and what about for of how same other one ones ok okay then please a
    아니 아니요 아뇨 아니오 그럼 그러면 그리고 다른 거 거는 것 것은 건 건요 거요 하나 하나는 나머지 나머지는""".split()
)
