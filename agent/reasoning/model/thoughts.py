"""The thoughts that some models write before their answer."""

_MARKS = ("<think>", "</think>")


class Thoughts:
    """Leaves out the `<think>` block that some models write before their answer."""

    def __init__(self) -> None:
        self._held: str | None = ""

    def without(self, text: str) -> str:
        """Return what of the text is known to be answer."""
        if self._held is None:
            return text
        self._held += text
        begin, end = _MARKS
        seen = self._held.lstrip()
        if seen.startswith(begin):
            if end not in seen:
                return ""
            seen = seen.split(end, 1)[1]
        elif begin.startswith(seen):
            return ""
        else:
            seen = self._held
        self._held = None
        return seen

    def rest(self) -> str:
        """Return what was held back when no more comes."""
        held, self._held = self._held or "", None
        return "" if held.lstrip().startswith(_MARKS[0]) else held
