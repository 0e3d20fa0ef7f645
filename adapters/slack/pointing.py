"""What a Slack message points at, and the words of messages that were read: pure functions."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from adapters.slack.mrkdwn import mentioned, to_markdown
from agent.types import Author, Pointer, Said

Json = Mapping[str, Any]

POINTERS = 3
"""Of one message that are followed."""
_DEEP = 5
"""Shared messages within shared messages that are opened."""
_PERMALINK = re.compile(
    r"https://[\w.-]{1,100}\.slack(?:-gov)?\.com/archives/([A-Z0-9]{1,30})/p(\d{10})(\d{6})(?:\?([^\s<>|]{0,300}))?"
)
_WRITTEN = frozenset(("", "file_share", "thread_broadcast", "bot_message", "me_message"))
"""Subtypes of what somebody wrote; the others are notices of Slack's."""


def pointers_of(said: Json, channel: str) -> tuple[Pointer, ...]:
    """Return what a message holds as shared, and what its text links to, each once."""
    found: list[Pointer] = []
    if next(_shared(said), None) is not None:
        thread = str(said.get("thread_ts") or "")
        found.append(Pointer(kind="forward", channel_id=channel, message_id=str(said["ts"]), thread_id=thread))
    found += linked(str(said.get("text", "")))
    return tuple(dict.fromkeys(found))[:POINTERS]


def linked(text: str) -> list[Pointer]:
    """Return the messages that a text links to."""
    out = []
    for channel, seconds, micros, query in _PERMALINK.findall(text):
        thread = parse_qs(html.unescape(query)).get("thread_ts", [""])[0]
        out.append(Pointer(kind="link", channel_id=channel, message_id=f"{seconds}.{micros}", thread_id=thread))
    return out


def is_written(message: Json) -> bool:
    """Tell whether somebody wrote a message, be it a person or an app."""
    return (message.get("subtype") or "") in _WRITTEN and not message.get("hidden")


def people_of(messages: Sequence[Json]) -> tuple[str, ...]:
    """Return the ids of those who wrote messages, or are mentioned in them, the latest first."""
    found: dict[str, None] = {}
    for message in reversed(messages):
        found |= dict.fromkeys((str(message.get("user") or ""), *mentioned(_words(message))))
        found |= dict.fromkeys(str(shared.get("author_id") or "") for shared in _shared(message))
    return tuple(user for user in found if user)


def said_of(message: Json, names: Mapping[str, str], *, place: str, link: str, own_id: str) -> Said:
    """Return a message that was read; what it shares stands in it as a quotation."""
    user = str(message.get("user") or message.get("bot_id") or "")
    own = to_markdown(_words(message), own_id=own_id, names=names)
    shared = [f"> {line}" for each in shared_in(message, names, own_id=own_id) for line in each.text.splitlines()]
    return Said(
        id=str(message.get("ts", "")),
        place=place,
        author=Author(id=user, name=names.get(user, "") or _app_name(message)),
        at=_seconds(message.get("ts")),
        text="\n".join([own, *shared]).strip(),
        link=link,
        by_bot=bool(message.get("bot_id")),
    )


def shared_in(message: Json, names: Mapping[str, str], *, own_id: str) -> list[Said]:
    """Return the messages that a message shares, those that these share among them."""
    out = []
    for number, shared in enumerate(_shared(message)):
        author = str(shared.get("author_id") or "")
        out.append(
            Said(
                id=f"{message.get('ts', '')}:{number}",
                place=str(shared.get("channel_id") or ""),
                author=Author(id=author, name=names.get(author, "") or str(shared.get("author_name") or "")),
                at=_seconds(shared.get("ts")),
                text=to_markdown(str(shared.get("text") or shared.get("fallback") or ""), own_id=own_id, names=names),
                link=str(shared.get("from_url") or ""),
            )
        )
    return [each for each in out if each.text]


def _shared(message: Json, depth: int = 0) -> Iterator[Json]:
    """Yield the attachments that are shared messages; a preview of a link is none, its readers are not known."""
    for attachment in message.get("attachments") or ():
        if attachment.get("is_share"):
            yield attachment
            if depth < _DEEP:
                yield from _shared(attachment, depth + 1)


def _words(message: Json) -> str:
    """Return the text of a message; of an app's that has none the texts of its blocks and attachments."""
    text = str(message.get("text") or "")
    if text or not message.get("bot_id"):
        return text
    parts = [str((block.get("text") or {}).get("text") or "") for block in message.get("blocks") or () if block]
    for attachment in message.get("attachments") or ():
        parts += [str(attachment.get("title") or ""), str(attachment.get("text") or attachment.get("fallback") or "")]
    return "\n".join(part for part in parts if part)


def _app_name(message: Json) -> str:
    return str(message.get("username") or (message.get("bot_profile") or {}).get("name") or "")


def _seconds(ts: Any) -> float:
    try:
        return float(ts or 0)
    except ValueError:
        return 0.0
