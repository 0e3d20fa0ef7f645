"""Takes out of Markdown what its dialects put in for a site generator: tags, templates, attributes, comments.

What readers of the site see stays: the words between tags, titles, links. Code stays as it is.
"""

import html
import re
from collections.abc import Callable, Set

from agent.language.ko.letters import SYLLABLES
from storage.ingest.formats import roles, tags
from storage.ingest.formats.asked_as import NOTE
from storage.ingest.formats.code_parts import Code

_START = re.compile(r"[<{`\\]|^(?:import|export)\b", re.MULTILINE)
_BLANKS = re.compile(r"(\n|\A)(?:[ \t]*\n){2,}")
_LINE_ENDS = re.compile(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_EMPTY_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,400})\]\(\s*\)")

_IMPORT = re.compile(r"import\s++(?:[\w*{}$,\s]{1,2000}?\sfrom\s+)?([\"'])[^\"'\n]+\1\s*;?[ \t]*$", re.MULTILINE)
_EXPORT = re.compile(
    r"export\s+(?:(?:const|let|var)\s+[\w${\[][^\n]*=|(?:async\s+)?function\b[^\n(]*+\(|class\s++\w++[^\n{]*+\{|default\s++[^\n]*[({;]"
    r"|\{|\*\s+from)(?:[^\n]*\n?(?!\s*\n))*[^\n]*"
)
_PARTIAL = r"[^\n]{0,1000}?"
_TEMPLATE = re.compile(
    rf"\{{\{{(?P<hugo>[<%]){_PARTIAL}[>%]\}}\}}|\{{%{_PARTIAL}%\}}|\{{\{{\{{?(?!\{{)[^{{}}\n]{{0,500}}\}}\}}\}}?"
)
_HIGHLIGHT = re.compile(r"[{<%\s-]*(?:highlight|codeblock)\b\s*([\w+#-]*)")
_HIGHLIGHT_END = re.compile(r"\{(?:%|\{[<%])-?\s*(?:end|/\s*)(?:highlight|codeblock)\b[^\n{}]{0,20}\}{1,2}")
_RAW = re.compile(r"\{%-?\s*(?:raw|verbatim)\b")
_TITLE = re.compile(r"\b(?:title|summary|caption)\s*=\s*(?:\"([^\"]+)\"|'([^']+)')")
_WORD = r"[\w.:/-]++"
_PAIR = rf"(?:{_WORD}=(?:\"[^\"\n]*\"|'[^'\n]*'|{_WORD}))"
_ATTRIBUTES = re.compile(
    rf"\{{\s*(?:[#.][A-Za-z{SYLLABLES}_]{_WORD}|[#.]\w)(?:\s+(?:[#.]{_WORD}|{_PAIR}))*\s*\}}"
    rf"|\{{:\s*(?:[#.]{_WORD}|{_PAIR}|toc|TOC)(?:\s*(?:[#.]{_WORD}|{_PAIR}))*\s*\}}|\{{::[^{{}}\n]{{0,200}}\}}"
)
_SPACE = re.compile(r"\{\s*([\"'`])(\s*)\1\s*\}")
_AUTOLINK = re.compile(r"<(?:(https?://[^\s<>]+)|mailto:([^\s<>]+)|([\w.+-]+@[\w-]+\.[\w.-]+))>")
_ANCHOR = re.compile(rf"<a(?P<attributes>{tags.ATTRIBUTES})\s*>(?P<words>(?:(?!</?a\b).){{0,1000}}?)</a\s*>", re.DOTALL)
_SUPERSCRIPT = re.compile(r"<sup>(-?\d+)</sup>")
_PRE = re.compile(
    r"<pre\b[^<>]{0,500}>\s*(?:<code\b[^<>]{0,500}>)?(.*?)(?:</code\s*>)?\s*</pre\s*>", re.DOTALL | re.IGNORECASE
)
_TAGS = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_BREAKS = ("br", "hr", "img", "p")
_CLOSED = re.compile(r"</([A-Za-z][\w.-]{0,60})\s*>")


def stripped(text: str, table: Callable[[str], str]) -> str:
    """Return a text without markup; `table` writes a table of HTML down as one of Markdown."""
    return _Stripping(text, table).text()


class _Stripping:
    def __init__(self, text: str, table: Callable[[str], str]) -> None:
        self._text = text
        self._table = table
        self._code = Code(text)
        self._closed = {match[1] for match in _CLOSED.finditer(text) if not self._code.covers(match.start())}
        self._absent = set[str]()
        """Ends that do not come any more: they are not looked for again and again."""

    def text(self) -> str:
        """Return what is left."""
        text, at, done = self._text, 0, list[str]()
        for start, end in (*self._code.blocks, (len(text), len(text))):
            prose = list[str]()
            while at < start and (match := _START.search(text, at, start)):
                stop, shown = self._at(match.start())
                prose += (text[at : match.start()], shown)
                at = stop
            if at < start:
                prose.append(text[at:start])
                at = start
            done.append(_tidied("".join(prose)))
            if at < end:  # a comment may have taken the code with it
                done.append(text[at:end])
                at = end
        return "".join(done)

    def _at(self, at: int) -> tuple[int, str]:
        """Return where what begins here ends, and what is left of it."""
        text, first = self._text, self._text[at]
        if first == "`":
            end = self._code.end_of_span(at)
            return end, text[at:end]
        if first == "\\":
            return at + 2, text[at : at + 2]
        found = self._tag(at) if first == "<" else self._braces(at) if first == "{" else self._module(at)
        return found or (at + 1, first)

    def _tag(self, at: int) -> tuple[int, str] | None:
        text = self._text
        if text.startswith("<!--", at):
            end = self._end("-->", at + 4)
            return (end, text[at:end] if NOTE.match(text, at) else "") if end else None
        if match := _AUTOLINK.match(text, at):
            return None if text[at - 1 : at] == "(" else (match.end(), match[1] or match[2] or match[3])
        if match := tags.DROPPED.match(text, at):
            end = self._end(f"</{match[1].lower()}>", match.end())
            return (end, "") if end else None
        name = text[at + 1 : at + 6].lower()
        if name == "table":
            end = self._end("</table>", at)
            shown = self._table(text[at:end]) if end else ""
            return (end, f"\n\n{shown}\n\n") if shown else self._plain_tag(at)
        if name.startswith("pre") and (match := _PRE.match(text, at)):
            return match.end(), f"\n```\n{html.unescape(_TAGS.sub('', match[1]))}\n```\n"
        if match := _SUPERSCRIPT.match(text, at):
            return match.end(), f"^{match[1]}" if text[at - 1 : at].isalnum() else match[1]
        if match := _ANCHOR.match(text, at):
            return match.end(), tags.link(match["attributes"], stripped(match["words"], self._table))
        return self._plain_tag(at)

    def _plain_tag(self, at: int) -> tuple[int, str] | None:
        text, match = self._text, tags.TAG.match(self._text, at)
        if match is None or (
            not match["close"] and not match["attributes"] and _is_generic(text, at, match["name"], self._closed)
        ):
            return None
        before = text[text.rfind("\n", 0, at) + 1 : at]
        after = text[match.end() : match.end() + 200].split("\n", 1)[0]
        shown = tags.shown(match, self._closed, opens_line=not before.strip(" \t>"), ends_line=not after.strip())
        if shown is None:
            return None
        in_row = before.lstrip().startswith("|")
        return match.end(), (shown.replace("\n", " ") if in_row else shown)

    def _braces(self, at: int) -> tuple[int, str] | None:
        text = self._text
        if text.startswith("{/*", at):
            end = self._end("*/}", at + 3)
            return (end, "") if end else None
        if match := roles.IN_MARKDOWN.match(text, at):
            return match.end(), roles.in_markdown(match)
        if match := _SPACE.match(text, at):
            return match.end(), match[2] and " "
        if match := _ATTRIBUTES.match(text, at):
            return match.end(), ""
        if text[at - 1 : at] == "$":  # an expression of a workflow or a shell
            return None
        match = _TEMPLATE.match(text, at)
        if match is None:
            return None
        if _RAW.match(match.group()):
            end = text.find("{%", match.end())
            return (end, text[match.end() : end]) if end >= 0 else (match.end(), "")
        if highlight := _HIGHLIGHT.match(match.group()):
            close = _HIGHLIGHT_END.search(text, match.end())
            if close is None:
                return match.end(), ""
            return close.end(), f"```{highlight[1]}\n{text[match.end() : close.start()].strip()}\n```"
        if title := _TITLE.search(match.group()):
            return match.end(), f"\n**{title[1] or title[2]}**\n\n"
        return match.end(), ""

    def _module(self, at: int) -> tuple[int, str] | None:
        """Return what is left of an import or export of MDX: nothing."""
        match = _IMPORT.match(self._text, at) or _EXPORT.match(self._text, at)
        return (match.end(), "") if match else None

    def _end(self, mark: str, at: int) -> int:
        """Return where the next of these marks ends, 0 where there is none."""
        if mark in self._absent:
            return 0
        found = self._text.find(mark, at)
        if found < 0:
            self._absent.add(mark)
            return 0
        return found + len(mark)


def _is_generic(text: str, at: int, name: str, closed: Set[str]) -> bool:
    """Tell whether a word in angle brackets belongs to the word before it, as in `List<T>`."""
    before = text[at - 1 : at]
    return (
        before.isascii() and (before.isalnum() or before == "_") and name not in closed and name.lower() not in _BREAKS
    )


def _tidied(text: str) -> str:
    """Return prose without the blank lines and spaces that markup left behind."""
    return _BLANKS.sub(r"\1\n", _LINE_ENDS.sub("", _EMPTY_LINK.sub(r"\1", text)))
