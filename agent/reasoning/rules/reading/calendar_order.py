"""What a message wants of Weft's calendar: ask something again and again, list, pause, resume or remove that, watch.

Only a message that is nothing else counts: "every Monday at 9 there is a stand-up, who leads it?" is a question.
"""

import re
from dataclasses import dataclass
from typing import Literal

from agent.language.lexicon import alternatives as patterns_of
from agent.language.lexicon import has, mapping
from agent.text import normalise
from agent.values.recurrence import Recurrence, recurrence

READ = 2_000
"""Characters of a message that are read; a longer one asks something of its own."""

Wish = Literal["ask", "list", "pause", "resume", "remove", "watch", "unwatch", "unread"]
_WHEN = "\uf8ff"
"""Stands where the text says how often: a letter that nobody types."""
_VERBS = mapping("schedules.verbs")
_QUOTES = "\"'“”‘’「」『』"


@dataclass(frozen=True, slots=True)
class CalendarOrder:
    """What is wanted."""

    wish: Wish
    question: str = ""
    """What is to be asked."""
    when: Recurrence | None = None
    """How often; of a standing question that is named by it, how often it comes."""
    number: int | None = None
    """The number of a standing question."""


def _compiled(entry: str) -> tuple[re.Pattern[str], ...]:
    name = f"schedules.{entry}"
    return tuple(re.compile(each.replace("{when}", _WHEN), re.IGNORECASE) for each in patterns_of(name) if has(name))


_ASK, _ASK_IF_TIMED, _CHANGE = _compiled("ask"), _compiled("ask_if_timed"), _compiled("change")
_UNREAD = _compiled("unread")
"""What wants something of the clock that it does not do."""
_WHOLE: tuple[tuple[Wish, tuple[re.Pattern[str], ...]], ...] = (
    ("list", _compiled("list")),
    ("watch", _compiled("watch")),
    ("unwatch", _compiled("unwatch")),
)


def calendar_order(text: str) -> CalendarOrder | None:
    """Return what a message wants of the calendar; None where it is about something else."""
    if len(text) > READ or _WHEN in text:
        return None
    said = normalise(text)
    when = recurrence(said)
    marked = f"{said[: when.start]}{_WHEN}{said[when.end :]}" if when else said
    bare = marked.rstrip(".!?~ ")
    for wish, forms in _WHOLE:
        if when is None and any(form.fullmatch(bare) for form in forms):
            return CalendarOrder(wish)
    for form in _CHANGE:
        if (found := form.fullmatch(bare)) and (when is None) == (_WHEN not in found.group()):
            verb = found["verb"].lower().replace(" ", "")
            number = found.groupdict().get("number")
            return CalendarOrder(_VERBS[verb], when=when, number=int(number) if number else None)
    if when is not None and (question := _question(marked, when)):
        return CalendarOrder("ask", question=question, when=when)
    if any(form.fullmatch(bare) for form in _UNREAD):
        return CalendarOrder("unread")
    return None


def _question(marked: str, when: Recurrence) -> str:
    forms = (*_ASK, *(_ASK_IF_TIMED if when.timed else ()))
    for form in forms:
        if found := form.fullmatch(marked.rstrip(" .!~")):
            return found["question"].strip().strip(_QUOTES).strip()
    return ""
