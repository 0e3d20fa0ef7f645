"""The thoughts that some models write before their answer."""

import re

_NAMES = r"think|thinking|thought|thoughts|reasoning|reflection"
_BEGIN = re.compile(rf"<(?:{_NAMES})>|\[THINK\]", re.IGNORECASE)
_END = re.compile(rf"</(?:{_NAMES})>|\[/THINK\]", re.IGNORECASE)
_LONGEST = len("</reflection>")
_BEGUN = re.compile(r"<[a-z]{0,10}>?\Z|\[[a-z]{0,5}\]?\Z", re.IGNORECASE)
"""What may become the first mark when more comes."""


class Thoughts:
    """Leaves out the `<think>` blocks that some models write before their answer.

    `begun`: the first mark is in the prompt's template, and answers begin inside the thoughts.
    """

    def __init__(self, *, begun: bool = False) -> None:
        self._held: str | None = ""
        self._inside = begun
        self._begun = begun

    def without(self, text: str) -> str:
        """Return what of the text is known to be answer."""
        if self._held is None:
            return text
        self._held += text
        while True:
            if self._inside:
                end = _END.search(self._held)
                if end is None:
                    return ""
                self._held, self._inside, self._begun = self._held[end.end() :], False, False
            seen = self._held.lstrip()
            if begin := _BEGIN.match(seen):
                self._held, self._inside = seen[begin.end() :], True
            elif not seen or _BEGUN.match(seen):
                return ""
            else:
                self._held = None
                return seen

    def rest(self) -> str:
        """Return what was held back when no more comes."""
        held, self._held = self._held or "", None
        return "" if self._inside and not self._begun else held


def unannounced(text: str, *, since: int = 0) -> bool:
    """Tell whether an answer ends thoughts that it never began: all before that mark is not for the reader.

    Of the first `since` characters that is known not to be so.
    """
    end = _END.search(text, max(0, since - _LONGEST))
    return end is not None and not _BEGIN.search(text[: end.start()])
