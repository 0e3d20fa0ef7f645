"""Answers that name what they answer, a line or a part each: "Start date: 3 March"."""

import re
from collections.abc import Iterator, Sequence

from agent.packs.slots import SlotSpec

_LABEL = re.compile(
    r"^\s*+(?:[-*•]\s*+|\d{1,2}[.)]\s*+)?(?P<label>[^:=：\n]{1,60}?)\s*+(?:[:：=]|(?<=\s)[-–—]\s)\s*+(?P<value>\S.*)$"
)
_SAID = re.compile(
    r"^\s*+(?:the |my |our )?(?P<label>[^:\n]{1,60}?)(?: is| are| will be|(?:은|는|이|가)(?= ))\s++(?P<value>\S.*)$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[*_`\"“”]")


def labelled(text: str, specs: Sequence[SlotSpec]) -> tuple[dict[str, str], str]:
    """Return what the labels of a text give, by the names of the slots, and the lines that are left.

    A label is a slot's title in either language, or its name; of two slots with one label the first has it.
    """
    names: dict[str, str] = {}
    for spec in specs:
        for label in (spec.name.rpartition(".")[2], spec.title.en, spec.title.ko):
            names.setdefault(_folded(label), spec.name)
    found: dict[str, str] = {}
    rest: list[str] = []
    for line in text.splitlines():
        left = []
        for part in _parts(line):
            for match in (_LABEL.match(part), _SAID.match(part)):
                name = names.get(_folded(match.group("label"))) if match else None
                if match and name:
                    found[name] = match.group("value").strip(" ,;")
                    break
            else:
                left.append(part)
        if left:
            rest.append("; ".join(part.strip() for part in left))
    return found, "\n".join(rest)


def _parts(line: str) -> Iterator[str]:
    """Yield the parts of a line: a comma divides only where a label follows it."""
    yield from re.split(r"\s*;\s*|,\s*(?=[^,:;=：]{1,60}[:：=])", line)


def _folded(label: str) -> str:
    return "".join(_MARKUP.sub("", label).lower().replace("_", " ").split())
