"""What was told for a field, as the text that is kept, and as a document of one language shows it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agent.language.lexicon import has, mapping
from agent.language.registry import DEFAULT
from agent.packs.escaping import clean
from agent.packs.slots import SlotSpec
from agent.types import Language
from agent.values.names import month_name

_ISO = re.compile(r"(?:(\d{4})-)?(\d{2})-(\d{2})|(\d{4})(?:-(\d{2}))?")
SEPARATOR = "\n"
"""Between the values of a list."""


def as_told(found: Mapping[str, Any], specs: Sequence[SlotSpec]) -> dict[str, str]:
    """Return what `extract_slots` found as texts; nothing for what says nothing."""
    out: dict[str, str] = {}
    for spec in specs:
        value = found.get(spec.name)
        if value is None or value == "" or value == []:
            continue
        if isinstance(value, list | tuple):
            out[spec.name] = SEPARATOR.join(clean(str(each)) for each in value)
        elif spec.type == "number" and isinstance(value, int | float):
            out[spec.name] = spec.counted(value)
        else:
            out[spec.name] = clean(str(value))
    return {name: text for name, text in out.items() if text}


def shown(value: str, spec: SlotSpec, language: Language) -> str | tuple[str, ...]:
    """Return how a document shows a value: a date or a choice in its language, the values of a list one by one."""
    if spec.type == "list":
        return tuple(spec.called(part, language) for part in value.split(SEPARATOR) if part)
    return day(value, language) if spec.type == "date" else spec.called(value, language)


def day(date: str, language: Language) -> str:
    """Return a date of the form `YYYY-MM-DD`, or a part of one, in words; anything else as it is."""
    match = _ISO.fullmatch(date)
    if match is None:
        return date
    year, month, of_month = match.group(1) or match.group(4), match.group(2) or match.group(5), match.group(3)
    if month and not 1 <= int(month) <= 12:
        return date
    name = month_name(int(month), language) if month else ""
    told = {"year": year, "month": month and str(int(month)), "day": of_month and str(int(of_month))}
    written = {part: value for part, value in told.items() if value}
    forms = mapping("teams.written_date", language if has("teams.written_date", language) else DEFAULT)
    return " ".join(form.format(**written, name=name) for part, form in forms.items() if part in written)
