"""Whether Block Kit is within Slack's documented limits: https://docs.slack.dev/reference/block-kit.

`fault(blocks)` names the first thing that Slack would refuse, or nothing. What is not listed here is refused: a block
that Weft has never sent is to be looked up before.
"""

import json
from typing import Any

Json = dict[str, Any]

_SURFACES = {
    "message": {"actions", "context", "context_actions", "divider", "header", "markdown", "plan", "section", "table"},
    "modal": {"actions", "context", "divider", "header", "input", "section"},
    "home": {"actions", "context", "divider", "header", "input", "section"},
}
"""What Weft uses of what each surface takes (https://docs.slack.dev/blocks.json): Markdown is for messages alone."""


def fault(blocks: Any, surface: str = "message", *, most: int = 50) -> str:
    """Return what is wrong with blocks, or nothing."""
    if not isinstance(blocks, list) or len(blocks) > most:
        return "number of blocks"
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)) or any(not 0 < len(each) <= 255 for each in ids):
        return "block_id"
    actions = [e.get("action_id") for b in blocks if b.get("type") == "actions" for e in b.get("elements", ())]
    if any(not each or len(each) > 255 for each in actions):
        return "action_id"
    for number, block in enumerate(blocks):
        if block.get("type") not in _SURFACES[surface]:
            return f"{number}: type {block.get('type')}"
        if wrong := _block(block):
            return f"{number}: {wrong}"
    if sum(len(block["text"]) for block in blocks if block["type"] == "markdown") > 12_000:
        return "markdown in all"
    if sum(block["type"] == "table" for block in blocks) > 1:
        return "only one table"
    return ""


def too_long(blocks: list[Json]) -> bool:
    """Tell whether blocks are together more than a message takes (slackapi/bolt-js#2509)."""
    return len(json.dumps(blocks, ensure_ascii=False)) > 13_200


def view_fault(view: Json) -> str:
    """Return what is wrong with a modal or a home tab: https://docs.slack.dev/reference/views."""
    kind = view.get("type")
    if kind not in ("modal", "home"):
        return "type"
    allowed = {"type", "blocks", "private_metadata", "callback_id", "external_id"}
    if kind == "modal":
        allowed |= {"title", "submit", "close", "clear_on_close", "notify_on_close"}
        for part in ("title", "submit", "close"):
            if part in view and (wrong := _plain(view[part], 24)):
                return f"{part}: {wrong}"
        if "title" not in view:
            return "title"
        if "submit" not in view and any(block.get("type") == "input" for block in view.get("blocks") or ()):
            return "input without submit"
    if unknown := view.keys() - allowed:
        return f"field {sorted(unknown)[0]}"
    if len(view.get("private_metadata", "")) > 3_000 or len(view.get("callback_id", "")) > 255:
        return "private_metadata or callback_id"
    if len(json.dumps(view)) > 250_000:
        return "size"
    return fault(view.get("blocks"), kind, most=100)


def _block(block: Json) -> str:
    kind = block["type"]
    if kind == "markdown":
        return "" if isinstance(block.get("text"), str) and 0 < len(block["text"]) <= 12_000 else "text"
    if kind == "header":
        return _plain(block.get("text"), 150)
    if kind == "divider":
        return ""
    if kind == "section":
        fields = block.get("fields") or []
        if len(fields) > 10 or any(_text(each, 2_000) for each in fields):
            return "fields"
        if ("text" in block or not fields) and (wrong := _text(block.get("text"), 3_000)):
            return wrong
        return _element(block["accessory"]) if "accessory" in block else ""
    elements = block.get("elements") or []
    if kind == "context":
        return "" if 0 < len(elements) <= 10 and not any(_text(each, 2_000) for each in elements) else "elements"
    if kind == "context_actions":
        allowed = all(each.get("type") in ("feedback_buttons", "icon_button") for each in elements)
        wrong = [_element(each) for each in elements]
        return next(filter(None, wrong), "") if allowed and 0 < len(elements) <= 5 else "elements"
    if kind == "actions":
        names = [each.get("action_id") for each in elements]
        if not 0 < len(elements) <= 25 or len(names) != len(set(names)):
            return "elements"
        return next(filter(None, map(_element, elements)), "")
    if kind == "input":
        return _plain(block.get("label"), 2_000) or _element(block.get("element") or {})
    if kind == "table":
        return _table(block)
    if kind == "plan":
        tasks = block.get("tasks") or []
        return "" if isinstance(block.get("title"), str) and len(tasks) <= 50 else "plan"
    return kind


def _element(element: Json) -> str:
    kind = element.get("type")
    if not 0 < len(element.get("action_id", "")) <= 255:
        return "action_id"
    if kind == "button":
        if element.get("style") not in (None, "primary", "danger") or len(element.get("url", "")) > 3_000:
            return "style or url"
        return _plain(element.get("text"), 75) or ("" if len(element.get("value", "")) <= 2_000 else "value")
    if kind == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            button = element.get(side) or {}
            if not 0 < len(button.get("value", "")) <= 2_000 or len(button.get("accessibility_label", "")) > 75:
                return side
            if wrong := _plain(button.get("text"), 75):
                return f"{side}: {wrong}"
        return ""
    if kind in ("static_select", "radio_buttons", "checkboxes", "overflow"):
        options = element.get("options") or []
        most = {"static_select": 100, "overflow": 5}.get(kind, 10)
        values = [each.get("value") for each in options]
        if not 0 < len(options) <= most or len(values) != len(set(values)):
            return "options"
        if any(_plain(each.get("text"), 75) or not 0 < len(each.get("value", "")) <= 150 for each in options):
            return "option"
        initial = element.get("initial_option")
        return "" if initial is None or initial in options else "initial_option"
    if kind == "plain_text_input":
        return "" if 0 < element.get("max_length", 3_000) <= 3_000 else "max_length"
    return f"element {kind}"


def _table(block: Json) -> str:
    rows = block.get("rows") or []
    if not 0 < len(rows) <= 100 or any(not 0 < len(row) <= 20 for row in rows):
        return "rows"
    if any(cell.get("type") not in ("raw_text", "rich_text") for row in rows for cell in row):
        return "cell"
    if any(cell["type"] == "raw_text" and not cell.get("text") for row in rows for cell in row):
        return "empty cell"
    if len(block.get("column_settings") or []) > 20:
        return "column_settings"
    return "" if len(json.dumps(rows, ensure_ascii=False)) <= 10_000 * 4 and _characters(rows) <= 10_000 else "size"


def _characters(rows: list[list[Json]]) -> int:
    return sum(len(cell.get("text") or "") for row in rows for cell in row)


def _text(text: Any, most: int) -> str:
    if not isinstance(text, dict) or text.get("type") not in ("mrkdwn", "plain_text"):
        return "text object"
    return "" if 0 < len(text.get("text", "")) <= most else "length of text"


def _plain(text: Any, most: int) -> str:
    return _text(text, most) or ("" if text["type"] == "plain_text" else "plain_text")
