"""Discord's components as its API takes them: rows of buttons, menus, and a card that holds its own text.

Limits: docs.discord.com/developers/components/reference. What a click says stands in the custom id alone, so that every
process understands it, also after a restart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import discord

from agent.text import clipped

Json = dict[str, Any]
Rows = Sequence[Json]
"""What stands below the text of a message: action rows."""

BUTTONS = 5
"""Of one row; more choices than that are a menu."""
MENU = 25
"""Choices of a menu."""
LABEL = 80
"""Characters of a button's label."""
CHOICE_LABEL = 100
"""Characters of a choice of a menu."""
CARD_LIMIT = 4000
"""Characters of all text of a card."""
CARD = 1 << 15
"""The flag of a message whose text stands in its components; it cannot be taken off again."""
_URL = 512
_ROW, _BUTTON, _MENU, _TEXT, _CONTAINER = 1, 2, 3, 10, 17
_GREY, _LINK = 2, 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """A message that is a box with a coloured edge: its text, and a row below it."""

    text: str
    colour: int
    buttons: Sequence[Json] = ()

    def to_components(self) -> Rows:
        """Return it as Discord takes it."""
        inner: list[Json] = [{"type": _TEXT, "content": self.text}, *([row(*self.buttons)] if self.buttons else ())]
        return [{"type": _CONTAINER, "accent_color": self.colour, "components": inner}]


class Cards:
    """Whether Discord takes messages that are cards; until it refuses one."""

    taken = True


@dataclass(frozen=True, slots=True)
class Shape:
    """What a message is to be; `rows` None: those that it has."""

    text: str
    rows: Rows | None
    card: Card | None

    @property
    def bare(self) -> bool:
        """Tell whether it is nothing but text."""
        return self.card is None and not self.rows

    @property
    def content(self) -> str | None:
        """Return its text, as the field of that name; None for a card."""
        return None if self.card is not None else self.text or None

    @property
    def says(self) -> str:
        """Return what people read."""
        return (self.card.text if self.card is not None else self.text).strip()

    @property
    def components(self) -> Rows:
        """Return the field of that name."""
        return self.card.to_components() if self.card is not None else self.rows or ()

    @property
    def flags(self) -> int:
        """Return the flags that it needs."""
        return CARD if self.card is not None else 0


def button(custom_id: str, label: str, *, emoji: str = "") -> Json:
    """Return a button whose click comes back with its id."""
    shown: Json = {"type": _BUTTON, "style": _GREY, "custom_id": custom_id, "label": clipped(label, LABEL)}
    return {**shown, "emoji": {"name": emoji}} if emoji else shown


def link(url: str, label: str) -> Json | None:
    """Return a button that opens an address; None for one that Discord would not take."""
    if len(url) > _URL or not label.strip():
        return None
    return {"type": _BUTTON, "style": _LINK, "url": url, "label": clipped(label, LABEL)}


def row(*parts: Json) -> Json:
    """Return parts side by side."""
    return {"type": _ROW, "components": list(parts)}


def rows(parts: Sequence[Json]) -> Rows:
    """Return buttons in as many rows as they need."""
    return [row(*parts[first : first + BUTTONS]) for first in range(0, len(parts), BUTTONS)]


def menu(custom_id: str, labels: Sequence[str], *, placeholder: str) -> Rows:
    """Return a menu of at most 25 choices, whose values count from 0."""
    options = [{"label": clipped(each, CHOICE_LABEL), "value": str(n)} for n, each in enumerate(labels[:MENU])]
    shown = clipped(placeholder, 150)
    return [row({"type": _MENU, "custom_id": custom_id, "options": options, "placeholder": shown})]


def parts_of(message: discord.Message) -> Sequence[Any]:
    """Return the components of a message; where Discord names none, discord.py has no such attribute."""
    return getattr(message, "components", ())


def text_of(message: discord.Message) -> str:
    """Return what a message says, be it in its content or in a card."""
    return message.content or "\n".join(_texts(parts_of(message)))


def _texts(components: Sequence[Any]) -> list[str]:
    out: list[str] = []
    for each in components:
        if isinstance(each, discord.TextDisplay):
            out.append(each.content)
        out += _texts(getattr(each, "children", ()))
    return out


def said(message: Json) -> str:
    """Return the same of a message as Discord's API gives it."""
    return str(message.get("content") or "") or "\n".join(_said(message.get("components") or ()))


def _said(components: Sequence[Json]) -> list[str]:
    out: list[str] = []
    for each in components:
        if each.get("type") == _TEXT:
            out.append(str(each["content"]))
        out += _said(each.get("components") or ())
    return out
