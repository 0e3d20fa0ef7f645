"""What Discord takes as components, and what it refuses: docs.discord.com/developers/components/reference."""

import itertools
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]

V2 = 1 << 15
ROW, BUTTON, SELECT, TEXT_INPUT, SECTION, TEXT, THUMBNAIL, SEPARATOR, CONTAINER, LABEL = (
    1,
    2,
    3,
    4,
    9,
    10,
    11,
    14,
    17,
    18,
)
_TOP = {ROW, SECTION, TEXT, SEPARATOR, CONTAINER}
_LINK = 5


class Malformed(Exception):
    """What error 50035 says."""


def checked(components: list[Json], *, flags: int, content: str) -> list[Json]:
    """Return the components of a message as Discord sends them back. Raises Malformed."""
    within(len(components) <= (40 if flags & V2 else 5), "too many components")
    if flags & V2:
        within(not content, "content beside components of the second version")
        within(all(each["type"] in _TOP for each in components), "a component that may not stand there")
        within(1 <= sum(1 for _ in _all(components)) <= 40, "a message has 1 to 40 components")
        within(sum(len(each.get("content", "")) for each in _all(components)) <= 4000, "more than 4000 characters")
    else:
        within(all(each["type"] == ROW for each in components), "only rows, without the flag")
    ids = [each["custom_id"] for each in _all(components) if "custom_id" in each]
    within(len(ids) == len(set(ids)), "a custom id twice")
    for each in components:
        _check(each)
    count = itertools.count(1)
    return [_numbered(each, count) for each in components]


def check_modal(data: Json) -> None:
    """Raises Malformed for a modal that Discord would not open."""
    within(1 <= len(data["title"]) <= 45 and 1 <= len(data["custom_id"]) <= 100, "title or custom id")
    within(1 <= len(data["components"]) <= 5, "a modal has 1 to 5 components")
    for each in data["components"]:
        within(each["type"] in (LABEL, TEXT), "only labels and texts")
        if each["type"] == LABEL:
            within(1 <= len(each["label"]) <= 45 and len(each.get("description", "")) <= 100, "a label's words")
            part = each["component"]
            within(part["type"] in (SELECT, TEXT_INPUT), "a part of a modal")
            within(1 <= len(part["custom_id"]) <= 100, "custom id")
            if part["type"] == SELECT:
                _check_select(part)
            else:
                within(part["style"] in (1, 2) and 1 <= part.get("max_length", 4000) <= 4000, "a text input")


def check_command(command: Json) -> None:
    """Raises Malformed for a command that Discord would not register."""
    names = [command["name"], *command.get("name_localizations", {}).values()]
    within(all(1 <= len(name) <= 32 for name in names), "a command's name")
    chat = command["type"] == 1
    within(not chat or re.fullmatch(r"[-_\w]{1,32}", command["name"]) is not None, "a command's name")
    within(chat or ("description" not in command and "options" not in command), "a menu has a name alone")
    described = [each for each in (command, *_options_of(command)) if chat]
    texts = [
        t for each in described for t in (each["description"], *each.get("description_localizations", {}).values())
    ]
    within(all(1 <= len(text) <= 100 for text in texts), "a description")
    within(len(command.get("options", ())) <= 25, "25 options")
    within(all(len(each.get("choices", ())) <= 25 for each in _options_of(command)), "25 choices")
    for each in _options_of(command):
        within(not ("choices" in each and each.get("autocomplete")), "choices and autocomplete")
    within(len(command["name"]) + sum(map(len, texts)) <= 8000, "8000 characters")


def _options_of(command: Json) -> Iterator[Json]:
    for each in command.get("options", ()):
        yield each
        yield from _options_of(each)


def text_of(message: Json) -> str:
    """Return what people read of a message, in its content or its components."""
    texts = (each["content"] for each in _all(message.get("components") or ()) if each["type"] == TEXT)
    return str(message["content"]) or "\n".join(texts)


def parts_of(message: Json, type: int) -> list[Json]:
    """Return its components of a type, however deep they stand."""
    return [each for each in _all(message.get("components") or ()) if each["type"] == type]


def within(holds: bool, why: str) -> None:
    if not holds:
        raise Malformed(why)


def _all(components: Any) -> Iterator[Json]:
    for each in components:
        yield each
        yield from _all(each.get("components") or ())
        yield from _all([each["accessory"]] if "accessory" in each else ())


def _numbered(component: Json, count: Iterator[int]) -> Json:
    out = {**component, "id": next(count)}
    if "components" in component:
        out["components"] = [_numbered(each, count) for each in component["components"]]
    return out


def _check(component: Json) -> None:
    match component["type"]:
        case 1:
            parts = component["components"]
            alone = [part for part in parts if part["type"] == SELECT]
            within(1 <= len(parts) <= 5 and (not alone or len(parts) == 1), "a row has 1 to 5 buttons, or one menu")
            for part in parts:
                within(part["type"] in (BUTTON, SELECT), "a part of a row")
                (_check_select if part["type"] == SELECT else _check_button)(part)
        case 10:
            within(1 <= len(component["content"]) <= 4000, "a text has 1 to 4000 characters")
        case 17:
            inner = component["components"]
            within(bool(inner) and all(each["type"] in _TOP - {CONTAINER} for each in inner), "inside a container")
            within(0 <= component.get("accent_color", 0) <= 0xFFFFFF, "a colour")
            for each in inner:
                _check(each)
        case 14:
            pass
        case other:
            raise Malformed(f"a component of type {other}")


def _check_button(button: Json) -> None:
    within(len(button.get("label", "")) <= 80 and ("label" in button or "emoji" in button), "a button's label")
    if button["style"] == _LINK:
        address = urlsplit(button.get("url", ""))
        right = address.scheme in ("http", "https", "discord") and bool(address.netloc) and len(button["url"]) <= 512
        within(right and "custom_id" not in button, "a button's address")
    else:
        within(button["style"] in (1, 2, 3, 4) and 1 <= len(button["custom_id"]) <= 100, "a button's custom id")
        within("url" not in button, "a button with an address must be a link")


def _check_select(menu: Json) -> None:
    options = menu["options"]
    within(1 <= len(menu["custom_id"]) <= 100 and len(menu.get("placeholder", "")) <= 150, "a menu's words")
    within(1 <= len(options) <= 25, "a menu has 1 to 25 options")
    within(all(1 <= len(o["label"]) <= 100 and 1 <= len(o["value"]) <= 100 for o in options), "an option's words")
    within(len({o["value"] for o in options}) == len(options), "the same value twice")
