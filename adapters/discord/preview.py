"""What a turn looks like on Discord, as the messages that are sent for it."""

from typing import Any

from adapters.contract import Failure
from adapters.discord.choices import buttons_of
from adapters.discord.components import Card, Rows, Shape
from adapters.discord.render import answer_parts, below, clarification_parts, draft_text, notice_parts, todo_card
from adapters.preview import Shown
from agent.types import Response

Json = dict[str, Any]


def preview(shown: Shown) -> list[Json]:
    """Return the messages of a turn: `content`, `components` and `flags` (`adapters.preview.Preview`)."""
    messages = [_message("", card=todo_card(shown.todo))] if shown.todo is not None else []
    outcome = shown.outcome
    if outcome is None:
        return [*messages, *([_message(draft_text(shown.draft))] if shown.draft else ())]
    rows: Rows = ()
    if isinstance(outcome, Response):
        parts, rows = answer_parts(outcome), below(outcome)
    elif isinstance(outcome, Failure):
        parts = notice_parts(outcome.text)
    else:
        parts, rows = clarification_parts(outcome), buttons_of(outcome, "")
    last = len(parts) - 1
    return [*messages, *(_message(part, rows=rows if n == last else ()) for n, part in enumerate(parts))]


def _message(text: str, *, rows: Rows = (), card: Card | None = None) -> Json:
    shape = Shape(text, rows, card)
    return {"content": shape.content, "components": list(shape.components), "flags": shape.flags}
