"""Cuts an answer into pieces while it is still being written, and takes the citation marks out of them.

A piece is a sentence, a list item, a table or a code block, whole and with the marks that follow
it: "It closes at six. [2]" is one piece as well as "It closes at six [2].".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.text import sentences

_CODE = r"(`{1,20}+)(?:(?!\1)[\s\S])+?\1|\A(?:```|~~~)[\s\S]*"
_MARK = r"[\[【]\s*\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*[\]】](?!\()"
_MARKS_AFTER = re.compile(rf"(?:[ \t]*+(?:\n[ \t]*+)?{_MARK})+[.。]?")
_MARK_BEGUN = re.compile(r"[ \t]*+(?:\n[ \t]*+)?(?:[\[【][\d\s,;]*)?\Z")
_MARK_OR_CODE = re.compile(rf"{_CODE}|(?P<mark>(?:(?<![ \t])[ \t]++)?{_MARK})")
_LINE_END_MARK = re.compile(rf"(?<=```)[ \t]*\n?[ \t]*(?:{_MARK}[ \t]*)+\Z")

_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_BULLET_BEGUN = re.compile(r"(?:[-*+•]|\d{1,3}[.)]?)[ \t]*\Z")
_NUMBERED = re.compile(r"(\d{1,3})([.)])")
_FENCE = re.compile(r"```|~~~")
_QUOTES = re.compile(r"[\"'”’)\]]+(?:[\[【][\d\s,;]*)?")
"""After a full stop they are its sentence's if a space or a mark comes next, and the next one's if a word does."""
_NOT_A_PARAGRAPH = re.compile(r"\n[ \t]*(?:\n|(?:[-*+•]|\d{1,3}[.)])[ \t]|```|~~~|\||#)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A finished part of an answer; `cites` are the numbers it was marked with, in order."""

    text: str
    lead: str
    cites: tuple[int, ...]


class Pieces:
    """Takes text as it arrives and gives back what is finished."""

    def __init__(self) -> None:
        self._text = ""
        self._return = ""
        """A carriage return whose line feed may still come."""
        self._first = True
        self._inline = ""
        """The number of the list's next item, where that goes on in the same line."""

    def feed(self, text: str) -> Iterator[Piece]:
        """Yield the pieces that are finished with this text."""
        text = self._return + text
        self._return = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r").replace("\r\n", "\n")
        self._text += text
        yield from self._take(last=False)

    def close(self) -> Iterator[Piece]:
        """Yield what is left when no more comes."""
        self._text += self._return
        yield from self._take(last=True)

    def _take(self, *, last: bool) -> Iterator[Piece]:
        while (cut := self._cut(last=last)) is not None:
            begin, body, end = cut
            lead = self._lead(self._text[:begin], self._text[begin:body])
            text, cites = without_marks(self._text[body:end])
            inline = _inline(self._text, body, self._text[begin:body])
            self._inline = inline[1] if inline is not None and inline[0] == end else ""
            self._text = self._text[end:]
            if text:
                yield Piece(text=text, lead=lead, cites=cites)
                self._first = False

    def _lead(self, gap: str, bullet: str) -> str:
        breaks = gap.count("\n")
        indent = gap.rpartition("\n")[2] if bullet and breaks else ""
        if self._first:
            return bullet
        if not breaks and not bullet:
            return " "
        return "\n" * max(1, min(breaks, 2)) + indent + bullet

    def _cut(self, *, last: bool) -> tuple[int, int, int] | None:
        """Return where the next piece begins, where its body does, and where it ends; None: not known yet."""
        text = self._text
        begin = len(text) - len(text.lstrip())
        if begin == len(text):
            return None
        rest = text[begin:]
        body = begin
        if self._first or "\n" in text[:begin] or (self._inline and rest.startswith(self._inline)):
            if not last and (_BULLET_BEGUN.match(rest) or rest in ("`", "``", "~", "~~")):
                return None
            if fence := _FENCE.match(rest):
                end = _closing_fence(text, begin, fence[0], last=last)
                return None if end is None else self._with_marks(begin, body, end, last=last)
            if rest.startswith("|"):
                end = _end_of_lines(text, begin, r"[ \t]*\|", last=last)
                return None if end is None else self._with_marks(begin, body, end, last=last)
            if bullet := _BULLET.match(rest):
                body = begin + bullet.end()
                if (inline := _inline(text, body, bullet[0])) is not None:
                    return begin, body, inline[0]
                end = _end_of_lines(text, body, r"[ \t]+(?![-*+•]\s|\d{1,3}[.)]\s)\S", last=last)
                return None if end is None else self._with_marks(begin, body, end, last=last)
        return self._sentence(begin, last=last)

    def _sentence(self, begin: int, *, last: bool) -> tuple[int, int, int] | None:
        text = self._text
        stop = _NOT_A_PARAGRAPH.search(text, begin)
        limit = stop.start() if stop else len(text)
        if text.startswith("#", begin) and "\n" in text[begin:limit]:
            limit = text.index("\n", begin)
            return begin, begin, limit
        # Marks count as white space, so that "six.[2] Then" ends at the full stop.
        plain = _MARK_OR_CODE.sub(lambda m: " " * len(m[0]) if m["mark"] else "x" * len(m[0]), text[begin:limit])
        _, length = next(sentences(plain), (0, len(plain)))
        end = begin + length
        quotes = _QUOTES.fullmatch(text, end, limit)
        if stop or last:
            return self._with_marks(begin, begin, limit if quotes else end, last=last)
        if text[end:limit].strip() and not quotes:
            return self._with_marks(begin, begin, end, last=last)
        return None

    def _with_marks(self, begin: int, body: int, end: int, *, last: bool) -> tuple[int, int, int] | None:
        """Let a piece take the marks after it, once it is clear where they end."""
        text = self._text
        if marks := _MARKS_AFTER.match(text, end):
            end = marks.end()
        if not last and _MARK_BEGUN.match(text, end):
            return None
        return begin, body, end


def without_marks(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the text without citation marks, and their numbers in order; code keeps its brackets."""
    cites: dict[int, None] = {}

    def take(match: re.Match[str]) -> str:
        if not match["mark"]:
            return match[0]
        cites.update(dict.fromkeys(int(n) for n in re.findall(r"\d+", match["mark"])))
        return ""

    tail = _LINE_END_MARK.search(text)  # marks after a code block would else be within reach of its fence
    if tail:
        cites.update(dict.fromkeys(int(n) for n in re.findall(r"\d+", tail[0])))
        text = text[: tail.start()]
    text = _MARK_OR_CODE.sub(take, text)
    return re.sub(r"[ \t]+(?=\n|\Z)|(?<=\S)[ \t]+(?=[.,;:!?。](?:\s|\Z))", "", text).strip(), tuple(cites)


def _inline(text: str, body: int, bullet: str) -> tuple[int, str] | None:
    """Return where a numbered item ends behind a mark, since the next number follows in the same line, and that number.

    Models write whole procedures on one line: "1. Open it. [1] 2. Press it. [1]".
    """
    if (number := _NUMBERED.match(bullet)) is None:
        return None
    following = f"{int(number[1]) + 1}{number[2]}"
    line = text.find("\n", body)
    for mark in re.compile(rf"{_MARK}[ \t]+(?={re.escape(following)}[ \t])").finditer(
        text, body, len(text) if line < 0 else line
    ):
        if text.count("`", body, mark.start()) % 2 == 0:  # no mark of code
            return body + len(text[body : mark.end()].rstrip()), following
    return None


def _closing_fence(text: str, begin: int, fence: str, *, last: bool) -> int | None:
    closing = re.compile(rf"\n[ \t]*{fence}[`~]*(?=[ \t]*(?:\n|\Z))").search(text, begin)
    if closing and (last or closing.end() < len(text)):
        return closing.end()
    return len(text) if last else None


def _end_of_lines(text: str, begin: int, goes_on: str, *, last: bool) -> int | None:
    """Return where the lines end that begin as `goes_on` says; None when the next line is not there yet."""
    at = begin
    while (at := text.find("\n", at)) >= 0:
        if re.compile(goes_on).match(text, at + 1):
            at += 1
        elif last or text[at + 1 :].strip() or "\n" in text[at + 1 :]:
            return at
        else:
            return None
    return len(text.rstrip()) if last else None
