"""The points of an earlier answer: which "the second one", 두 번째 거 mean; found again, taken apart, cut."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent.language import lexicon
from agent.language.ko.inserted import joined
from agent.language.lexicon import mapping, pattern, patterns
from agent.reasoning.grounding.citation_support import locate
from agent.reasoning.rules.thread.history import Past
from agent.text import language_of, normalise, strip_particle, tokens, words
from agent.text import sentences as spans
from agent.types import Block, Sentence, Support

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
_HEADING = re.compile(r"^\*\*(?P<heading>[^*\n]{2,60})\*\*$", re.MULTILINE)
_MARKUP = re.compile(r"[*_`#]+")

_PLACES: Mapping[str, int] = mapping("thread.ordinals")
"""Which point of a list a word means, from 0; -1: the last."""


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


def listed(past: Sequence[Past], question: str = "") -> list[str]:
    """Return the points of the latest answer that is a list: those below a heading of it that a question names."""
    for turn in reversed(past[-BACK:]):
        points = points_of(_below(turn.answer, question) or turn.answer)
        if len(points) > 1:
            return points
    return []


def _below(answer: str, question: str) -> str:
    """Return what stands in an answer below the heading that a question names; nothing where it names none, or more."""
    found = [match for match in _HEADING.finditer(answer[:READ]) if match["heading"].lower() in question.lower()]
    if len(found) != 1:
        return ""
    following = _HEADING.search(answer, found[0].end())
    return answer[found[0].end() : following.start() if following else READ]


def written_out(question: str, past: Sequence[Past]) -> str:
    """Return a message with the points that it means by their number, or another choice; empty where it means none."""
    other = other_choice(question, past)
    if other:
        return other
    language = language_of(question)
    named, none = (patterns(f"thread.{name}").get(language) for name in ("point_numbers", "no_points"))
    found = list(named.finditer(question)) if named else []
    points = listed(past, question) if found else []
    blocked = [match.span() for match in none.finditer(question)] if none else []
    out = question
    for match in reversed(found if points else []):
        said = max(match.start(name) for name in match.groupdict())
        inside = any(start <= said < end for start, end in blocked)
        if not inside and place_of(match) < len(points):
            out = out[: match.start()] + joined(points[place_of(match)], out[match.end() :])
    return out if out != question else ""


def place_of(match: re.Match[str]) -> int:
    """Return which point of a list was named, from 0; -1: the last."""
    said = match.groupdict()
    digit = said.get("digit") or said.get("hash")
    if digit:
        return int(digit) - 1
    if said.get("last"):
        return -1
    word = (said.get("word") or "").lower()
    return int(word[0]) - 1 if word[:1].isdigit() else _PLACES[word]


_ASIDE = re.compile(r"\s\((?P<label>[^()]*)\)\s*$")
_CHOOSING = 5
"""Words of a message that may only name another choice."""
_CHOOSING_WORDS = lexicon.words("thread.choosing")


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
    if not named and pattern("thread.other_points").search(question):
        named = others
    known = {stem for choice in named for stem in tokens(choice)}
    rest = {word for word, _, _ in words(question) if not set(tokens(word)) & known} - _CHOOSING_WORDS
    if len(named) != 1 or any(
        pattern("thread.copulas_behind").sub("", strip_particle(word)) not in known for word in rest
    ):
        return ""
    return f"{told[: aside.start()]} ({named[0]})"


NAME = re.compile(r"^\*\*[^*\n]+\*\*:?(?: \(\d{4}(?:-\d\d){0,2}\))?$")
"""A line that says where what stands below it is from, or what it answers."""
BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")


def places(text: str, passage: str) -> list[tuple[int, int]]:
    """Return where a piece of an answer stands in a passage: of a list each point; none where one is not there."""
    points = [line for line in text.split("\n") if BULLET.match(line)]
    found = [locate(BULLET.sub("", each), passage) for each in (points if len(points) > 1 else [text]) if each]
    return [place for place in found if place is not None] if None not in found else []


def apart(piece: Sentence, blocks: Sequence[Block]) -> list[Sentence]:
    """Return the points of a list that is cited as one, each where it stands; anything else as it is."""
    mark, block = piece.lead.strip(), piece.support[0].block
    lines = (f"{mark} {piece.text}" if mark else piece.text).split("\n")
    points = [line for line in lines if BULLET.match(line)]
    found = places("\n".join(points), next(each.passage.text for each in blocks if each.n == block))
    if len(points) < 2 or not found:
        return [piece]
    return [
        Sentence(text=BULLET.sub("", point), support=(Support(block=block, start=start, end=end),), lead="\n- ")
        for point, (start, end) in zip(points, found, strict=True)
    ]


def cut(sentence: Sentence) -> Sentence:
    """Return a list with the first sentence of each of its points, without a heading; anything else as it is.

    No point is left out: a procedure with a step missing would be wrong.
    """
    lines = sentence.text.split("\n")
    points = [line for line in lines if BULLET.match(line)]
    if len(points) < 2 or len(points) + 1 < len(lines):
        return sentence
    return replace(sentence, text="\n".join(_first(line) for line in points))


def _first(line: str) -> str:
    """Return a point of a list as far as its first sentence goes."""
    mark = BULLET.match(line)
    body = line[mark.end() :] if mark else line
    start, end = next(iter(spans(body)), (0, len(body)))
    first = body[start:end]
    opened = "**" if first.count("**") % 2 else ""
    return f"{mark.group() if mark else ''}{first}{opened}"
