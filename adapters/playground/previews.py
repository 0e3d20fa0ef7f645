"""What other platforms would show of a turn on the board, drawn: their payloads as parts that the page knows.

The payloads come from the platforms' own adapters (`adapters.preview.Preview`); here they are only read, as Slack and
Discord read them: https://docs.slack.dev/reference/block-kit, https://docs.discord.com/developers/components/reference.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adapters.contract import Failure, TodoList
from adapters.playground.board import Post
from adapters.playground.markdown import render
from adapters.preview import Shown
from agent.types import Citation, Clarification, Plan, Response, Step, StepStatus

Json = dict[str, Any]

_CONTAINER, _TEXT, _ROW, _BUTTON, _MENU, _LINK = 17, 10, 1, 2, 3, 5
_SMALL = "-# "
_ENTITY = re.compile(r"<(?:([@#!])([^|>]*)|(https?://[^|>\s]+|mailto:[^|>\s]+))(?:\|([^>]*))?>")
_BOLD, _STRUCK = re.compile(r"(?<![\w*])\*([^*\n]+)\*(?![\w*])"), re.compile(r"(?<![\w~])~([^~\n]+)~(?![\w~])")


# --- from the board


def shown_on(posts: Sequence[Post], turn: str) -> Shown | None:
    """Return what the board shows of a turn; None where it shows nothing of it."""
    mine = {post.role: post for post in posts if post.payload.get("turn") == turn and post.role not in ("user", "file")}
    todo = _todo(mine["todo"].payload) if "todo" in mine else None
    shown = next((post for role, post in mine.items() if role != "todo"), None)
    if todo is None and shown is None:
        return None
    if shown is None:
        return Shown(todo=todo)
    if shown.payload.get("draft"):
        return Shown(todo=todo, draft=str(shown.payload.get("text", "")))
    return Shown(todo=todo, outcome=_outcome(shown, turn, todo))


def _todo(payload: Mapping[str, Any]) -> TodoList:
    steps = tuple(
        Step(
            **{
                **{name: step[name] for name in ("id", "task", "result", "error") if name in step},
                "team": str(step.get("team", "")),
                "status": StepStatus(step["status"]),
                "sources": tuple(step.get("sources", ())),
                "progress": int(step.get("progress", 0)),
            }
        )
        for step in payload["steps"]
    )
    return TodoList(
        steps=steps,
        language=payload["language"],
        status=payload["status"],
        phase=payload.get("phase"),
        elapsed_ms=payload["elapsed_ms"],
    )


def _outcome(post: Post, turn: str, todo: TodoList | None) -> Response | Clarification | Failure:
    payload = post.payload
    if post.role == "clarification":
        named = {key: payload[key] for key in ("question", "assumption")}
        return Clarification(**named, options=tuple(payload["options"]))
    if post.role == "error":
        return Failure(text=str(payload.get("text", "")), language=payload.get("language", ""))
    return Response(
        thread_id=post.thread,
        turn_id=turn,
        pack="",
        mode="agent",
        language=payload["language"],
        route=payload.get("route", ""),
        answer=payload["text"],
        response_type=payload["response_type"],
        plan=Plan(steps=todo.steps) if todo is not None else None,
        citations=tuple(Citation(**citation) for citation in payload["citations"]),
        nearest=tuple(payload.get("nearest", ())),
        warnings=tuple(payload["warnings"]),
        total_ms=payload["total_ms"],
    )


# --- as parts


def drawn(messages: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Return messages of Slack or of Discord as what the page draws: `parts`, and the `payload` itself."""
    return [{"parts": list(_parts(message)), "payload": message} for message in messages]


def _parts(message: Mapping[str, Any]) -> Iterator[Json]:
    if "chunks" in message:
        yield from _chunks(message["chunks"])
    if "blocks" in message:
        for block in message["blocks"]:
            yield from _block(block)
    if message.get("content"):
        yield from _discord_text(message["content"])
    for component in message.get("components") or ():
        yield from _component(component)


def _chunks(chunks: Sequence[Mapping[str, Any]]) -> Iterator[Json]:
    """Yield the plan that chunks come to, and the text below it."""
    title, text = "", ""
    tasks: dict[str, Json] = {}
    for chunk in chunks:
        match chunk["type"]:
            case "plan_update":
                title = chunk["title"]
            case "task_update":
                before = tasks.get(chunk["id"], {})
                output = str(before.get("output", "")) + str(chunk.get("output", ""))
                tasks[chunk["id"]] = {**before, **chunk, "output": output}
            case "markdown_text":
                text += chunk["text"]
    if title or tasks:
        shown = [{key: task.get(key) for key in ("title", "status", "output", "sources")} for task in tasks.values()]
        yield {"kind": "plan", "title": title, "tasks": shown}
    if text:
        yield {"kind": "prose", "html": render(text)}


def _block(block: Mapping[str, Any]) -> Iterator[Json]:
    match block["type"]:
        case "markdown":
            yield {"kind": "prose", "html": render(block["text"])}
        case "section":
            yield {"kind": "prose", "html": render(_from_mrkdwn(block["text"]["text"]))}
        case "context":
            for element in block["elements"]:
                yield {"kind": "small", "html": render(_from_mrkdwn(element["text"]))}
        case "table":
            yield {"kind": "table", "rows": [[cell["text"] for cell in row] for row in block["rows"]]}
        case "actions":
            buttons = [{"label": each["text"]["text"], "href": each.get("url", "")} for each in block["elements"]]
            yield {"kind": "buttons", "buttons": buttons}
        case "context_actions":
            thumbs = [each[f"{side}_button"] for each in block["elements"] for side in ("positive", "negative")]
            yield {"kind": "buttons", "buttons": [{"label": thumb["text"]["text"], "href": ""} for thumb in thumbs]}


def _from_mrkdwn(text: str) -> str:
    """Return Slack's own marks as Markdown (docs.slack.dev/messaging/formatting-message-text)."""

    def plain(entity: re.Match[str]) -> str:
        sign, name, address, label = entity.groups()
        words = html.unescape(label or "")
        if address is None:
            return sign + (words or name)
        return f"[{words.replace('[', '(').replace(']', ')')}](<{address}>)" if words else f"<{address}>"

    out, at = [], 0
    for entity in _ENTITY.finditer(text):
        out += [_marked(text[at : entity.start()]), plain(entity)]
        at = entity.end()
    return "".join([*out, _marked(text[at:])])


def _marked(text: str) -> str:
    bold = [part.replace("*", "\\*") if n % 2 == 0 else f"**{part}**" for n, part in enumerate(_BOLD.split(text))]
    return _STRUCK.sub(r"~~\1~~", "".join(bold))


def _component(component: Mapping[str, Any]) -> Iterator[Json]:
    inner = component.get("components") or ()
    if component["type"] == _CONTAINER:
        parts = [part for each in inner for part in _component(each)]
        yield {"kind": "card", "colour": f"#{component.get('accent_color') or 0:06x}", "parts": parts}
    elif component["type"] == _TEXT:
        yield from _discord_text(component["content"])
    elif component["type"] == _ROW and inner and inner[0]["type"] == _MENU:
        yield {
            "kind": "menu",
            "label": inner[0].get("placeholder", ""),
            "options": [option["label"] for option in inner[0]["options"]],
        }
    elif component["type"] == _ROW:
        yield {
            "kind": "buttons",
            "buttons": [
                {
                    "emoji": (each.get("emoji") or {}).get("name", ""),
                    "label": each.get("label", ""),
                    "href": each.get("url", "") if each.get("style") == _LINK else "",
                }
                for each in inner
                if each["type"] == _BUTTON
            ],
        }


def _discord_text(text: str) -> Iterator[Json]:
    """Yield a text of Discord's, its lines in small print apart."""
    held: list[str] = []
    small = False
    for line in [*text.split("\n"), None]:
        is_small = line is not None and line.startswith(_SMALL)
        if held and (line is None or is_small != small):
            if "\n".join(held).strip():
                yield {"kind": "small" if small else "prose", "html": render("\n".join(held))}
            held = []
        if line is not None:
            held.append(line.removeprefix(_SMALL) if is_small else line)
            small = is_small
