"""What Slack sends, as `IncomingMessage`s: pure functions, so that every odd payload is a table row."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from adapters.aside import ASIDE
from adapters.sharing import SHARE
from adapters.slack.mrkdwn import called, mentioned, to_markdown
from adapters.slack.pointing import POINTERS, linked, pointers_of
from adapters.slack.render import FEEDBACK, HELPFUL, NOT_HELPFUL
from adapters.thumbs import helpful
from agent.language.lexicon import regex
from agent.types import Attachment, Author, DeliveryRef, IncomingMessage, MessageKind, Rating, ThreadKey

Json = Mapping[str, Any]

PLATFORM = "slack"
_QUESTIONS = frozenset(("", "file_share", "thread_broadcast"))
LATEST_DELIVERY = 600.0
"""Seconds after which no event comes any more: Slack tries again at once, after one and after five minutes."""
_NOBODY = frozenset(("", "USLACKBOT", "USLACK"))
BELOW = "below"
"""Key of `IncomingMessage.extra`: the direct message in whose thread somebody goes on with the conversation."""
_WRITTEN = frozenset((MessageKind.DIRECT, MessageKind.EDIT, MessageKind.DELETE))


_ALONE = re.compile(rf"\s*(?:(?:--)?{regex('conduct.private')}):?(?:\s+|$)", re.IGNORECASE)
"""Begins a command whose answer its asker alone shall see. Slack's commands have no options of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """Who Weft is in its workspace."""

    team_id: str
    user_id: str
    bot_id: str = ""
    enterprise_id: str = ""
    """Of the organization that the workspace is part of."""
    url: str = ""
    """Of the workspace, with a slash at the end."""


def message_of(event: Json, me: Identity) -> IncomingMessage | None:
    """Return what a `message` or `app_mention` event asks, or None when it asks nothing.

    A `THREAD_REPLY` or `CHANNEL` concerns Weft only where it is heard, an `EDIT` or `DELETE` where Weft takes part.
    """
    subtype = event.get("subtype") or ""
    if subtype == "message_changed":
        return _changed(event, me)
    if subtype == "message_deleted":
        return _deleted(event, me, event.get("previous_message") or {}, event.get("deleted_ts", ""))
    if subtype not in _QUESTIONS or event.get("hidden") or not _is_human(event, me):
        return None
    channel, text = str(event.get("channel", "")), str(event.get("text", ""))
    if not channel or not event.get("ts"):
        return None
    if _is_direct(event):
        kind = MessageKind.DIRECT
    elif me.user_id in mentioned(text) or event.get("type") == "app_mention":
        kind = MessageKind.MENTION
    elif event.get("thread_ts"):
        kind = MessageKind.THREAD_REPLY
    else:
        kind = MessageKind.CHANNEL
    return _message(event, event, me, kind, "")


def _changed(event: Json, me: Identity) -> IncomingMessage | None:
    now, before = event.get("message") or {}, event.get("previous_message") or {}
    if now.get("subtype") == "tombstone":  # how Slack tells that a message with replies was deleted
        return _deleted(event, me, before, now.get("ts", ""))
    edited = now.get("edited") or {}
    by_the_author = edited.get("user") in (None, now.get("user"))
    if not edited or not by_the_author or not _is_human(now, me) or (now.get("subtype") or "") not in _QUESTIONS:
        return None
    text = str(now.get("text", ""))
    if text == before.get("text") or (called(text, me.user_id) and me.user_id not in mentioned(text)):
        return None
    message = _message(event, now, me, MessageKind.EDIT, f":edit:{edited.get('ts', '')}")
    return replace(message, edited=_seconds(edited.get("ts")))


def _deleted(event: Json, me: Identity, before: Json, ts: str) -> IncomingMessage | None:
    if not ts or not _is_human(before, me):
        return None
    gone = {"user": before["user"], "ts": ts, "thread_ts": before.get("thread_ts")}
    return _message(event, gone, me, MessageKind.DELETE, ":delete")


def _message(event: Json, said: Json, me: Identity, kind: MessageKind, suffix: str) -> IncomingMessage:
    """Return the message `said`, which an event that may wrap it tells of."""
    channel, ts, thread = str(event["channel"]), str(said["ts"]), str(said.get("thread_ts") or "")
    direct = _is_direct(event)
    user = str(said["user"])
    return IncomingMessage(
        key=key_of(me, channel, thread or (channel if direct else ts)),
        event_id=f"{PLATFORM}:{me.team_id}:{channel}:{ts}{suffix}",
        message_id=ts,
        author=Author(id=user),
        text=to_markdown(str(said.get("text", "")), own_id=me.user_id),
        kind=kind,
        received_at=time.time(),
        private=direct,
        permalink=permalink(me, channel, ts, thread),
        calls=called(str(said.get("text", "")), me.user_id),
        attachments=_attachments(said),
        points_at=pointers_of(said, channel),
    )


def rating_of(event: Json, me: Identity) -> tuple[DeliveryRef, Rating] | None:
    """Return what a reaction says of which message, or None where it says nothing of a message of Weft's."""
    item, user = event.get("item") or {}, str(event.get("user") or "")
    verdict = helpful(str(event.get("reaction") or ""))
    if verdict is None or item.get("type") != "message" or user in (_NOBODY | {me.user_id}):
        return None
    if event.get("item_user") not in (None, me.user_id):
        return None
    posted = DeliveryRef(channel_id=str(item.get("channel") or ""), message_id=str(item.get("ts") or ""))
    given = event.get("type") == "reaction_added"
    return posted, Rating(user=user, helpful=verdict if given else None, at=_seconds(event.get("event_ts")))


def feedback_of(payload: Json) -> tuple[DeliveryRef, Rating] | None:
    """Return the message whose answer a press on the buttons below it rates, and how; None for anything else."""
    action = next((each for each in payload.get("actions") or () if each.get("action_id") == FEEDBACK), None)
    container, message = payload.get("container") or {}, payload.get("message") or {}
    channel = str((payload.get("channel") or {}).get("id") or container.get("channel_id") or "")
    ts = str(message.get("ts") or container.get("message_ts") or "")
    user = str((payload.get("user") or {}).get("id") or "")
    verdict = str((action or {}).get("value") or "").partition(":")[0]
    if action is None or not user or not channel or not ts or verdict not in (HELPFUL, NOT_HELPFUL):
        return None
    rating = Rating(user=user, helpful=verdict == HELPFUL, at=_seconds(action.get("action_ts")))
    return DeliveryRef(channel_id=channel, message_id=ts), rating


def command_of(form: Json, me: Identity) -> IncomingMessage:
    """Return what a slash command asks; its thread is still to be opened, unless its asker alone is answered."""
    trigger, channel, asked = str(form["trigger_id"]), str(form["channel_id"]), str(form.get("text", ""))
    direct, alone = channel.startswith("D"), _ALONE.match(asked)
    asked = asked[alone.end() :] if alone else asked
    aside = {ASIDE: "yes"} if alone and not direct else {}
    return IncomingMessage(
        key=key_of(me, channel, trigger if aside else ""),
        event_id=f"{PLATFORM}:{me.team_id}:command:{trigger}",
        message_id=trigger,
        author=Author(id=str(form["user_id"]), name=str(form.get("user_name", ""))),
        text=to_markdown(asked, own_id=me.user_id),
        kind=MessageKind.COMMAND,
        received_at=time.time(),
        private=direct or bool(aside),
        points_at=tuple(linked(asked)[:POINTERS]),
        extra={"response_url": str(form.get("response_url", "")), "command": str(form.get("command", "")), **aside},
    )


def choice_of(payload: Json, me: Identity) -> IncomingMessage | None:
    """Return what a click on a choice says; None for a click on anything else.

    Clicks on one question back are one event: the first of them counts.
    """
    action = next((each for each in payload.get("actions") or () if each.get("type") == "button"), None)
    container, message = payload.get("container") or {}, payload.get("message") or {}
    channel = str((payload.get("channel") or {}).get("id") or container.get("channel_id") or "")
    ts, user = str(message.get("ts") or container.get("message_ts") or ""), payload.get("user") or {}
    if action is None or not channel or not ts or not user.get("id") or not action.get("value"):
        return None
    thread = str(message.get("thread_ts") or container.get("thread_ts") or "")
    direct = channel.startswith("D")
    return IncomingMessage(
        key=key_of(me, channel, thread or (channel if direct else ts)),
        event_id=click_on(me.team_id, channel, ts),
        message_id=f"{ts}:choice",
        author=Author(id=str(user["id"]), name=str(user.get("name") or user.get("username") or "")),
        text=str(action["value"]),
        kind=MessageKind.BUTTON,
        received_at=time.time(),
        private=direct,
        extra={"response_url": str(payload.get("response_url") or "")},
    )


def share_of(payload: Json, me: Identity) -> IncomingMessage | None:
    """Return what a press on "Share here" says; None for a click on anything else.

    Nothing is read of the message itself, which Slack need not hand back where one person alone sees it.
    """
    action = next((each for each in payload.get("actions") or () if each.get("type") == "button"), None)
    container, user = payload.get("container") or {}, payload.get("user") or {}
    channel = str((payload.get("channel") or {}).get("id") or container.get("channel_id") or "")
    if action is None or not channel or not user.get("id") or not action.get("value"):
        return None
    token, who, direct = str(action["value"])[:100], str(user["id"]), channel.startswith("D")
    return IncomingMessage(
        key=key_of(me, channel, str(container.get("thread_ts") or channel)),
        event_id=f"{PLATFORM}:{me.team_id}:{token}:{who}:share",
        message_id=f"{token}:{who}:share",
        author=Author(id=who, name=str(user.get("name") or user.get("username") or "")),
        text="",
        kind=MessageKind.BUTTON,
        received_at=time.time(),
        private=direct,
        locale=token.rpartition(":")[2],
        extra={SHARE: token, "response_url": str(payload.get("response_url") or "")},
    )


def click_on(team_id: str, channel: str, ts: str) -> str:
    """Return the event id of every click on the choices of a message."""
    return f"{PLATFORM}:{team_id}:{channel}:{ts}:choice"


def may_be_early(event: Json, message: IncomingMessage, me: Identity, *, now: float) -> bool:
    """Tell whether this may follow a message to Weft that is still to be delivered: its thread has only begun.

    An edit must be of such a message: in private, in a thread, or one that called Weft before.
    """
    begun = message.message_id if message.key.thread_id == message.key.channel_id else message.key.thread_id
    if now - _seconds(begun) > LATEST_DELIVERY:
        return False
    before = str((event.get("previous_message") or {}).get("text", ""))
    in_thread = message.key.thread_id != message.message_id
    return message.kind is not MessageKind.EDIT or in_thread or me.user_id in mentioned(before)


def _seconds(ts: Any) -> float:
    try:
        return float(ts or 0)
    except ValueError:
        return 0.0


def people_in(event: Json, me: Identity) -> tuple[str, ...]:
    """Return the ids of a message's author and of the others that it mentions: their names are wanted."""
    said = said_in(event)
    people = dict.fromkeys((str(said.get("user") or ""), *mentioned(str(said.get("text", "")))))
    return tuple(user for user in people if user not in _NOBODY and user != me.user_id)


def with_names(message: IncomingMessage, event: Json, me: Identity, names: Mapping[str, str]) -> IncomingMessage:
    """Return the message of an event with people's names in it."""
    text = to_markdown(str(said_in(event).get("text", "")), own_id=me.user_id, names=names)
    return replace(message, text=text, author=replace(message.author, name=names.get(message.author.id, "")))


def said_in(event: Json) -> Json:
    """Return the message that an event tells of, as it is now."""
    return (event.get("message") if event.get("subtype") == "message_changed" else event) or {}


def key_of(me: Identity, channel: str, thread: str) -> ThreadKey:
    """Return the key of a thread."""
    return ThreadKey(platform=PLATFORM, workspace_id=me.team_id, channel_id=channel, thread_id=thread)


def _is_direct(event: Json) -> bool:
    return event.get("channel_type") == "im" or str(event.get("channel", "")).startswith("D")


def _is_human(said: Json, me: Identity) -> bool:
    user = str(said.get("user") or "")
    return user not in _NOBODY and user != me.user_id and not said.get("bot_id") and not said.get("bot_profile")


def _attachments(said: Json) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(
            id=str(file.get("id", "")),
            name=str(file.get("name") or file.get("title") or ""),
            media_type=str(file.get("mimetype", "")),
            size=int(file.get("size") or 0),
            url=str(file.get("url_private_download") or file.get("url_private") or ""),
        )
        for file in said.get("files") or ()
        if file.get("mode") != "tombstone"
    )


def permalink(me: Identity, channel: str, ts: str, thread: str) -> str:
    """Return the address of a message; nothing where the workspace's own is not known."""
    if not me.url:
        return ""
    link = f"{me.url}archives/{channel}/p{ts.replace('.', '')}"
    return f"{link}?thread_ts={thread}&cid={channel}" if thread else link


def in_conversation(message: IncomingMessage, known: ThreadKey) -> IncomingMessage:
    """Return a message below another one of the direct messages as part of their conversation, answered where it is."""
    return replace(message, key=known, extra={**message.extra, BELOW: message.key.thread_id})


def place_of(message: IncomingMessage) -> ThreadKey:
    """Return the thread in which a message is answered.

    Direct messages outside of threads are one conversation, and each is answered below itself: a stream must hang in
    a thread (docs.slack.dev/reference/methods/chat.startStream), and in Slack's agent view each is the root of one.
    """
    key = message.key
    if key.thread_id != key.channel_id:
        return key
    below = message.extra.get(BELOW, "") or (message.message_id if message.kind in _WRITTEN else "")
    return replace(key, thread_id=below) if below.replace(".", "", 1).isdigit() else key


def since(message: IncomingMessage) -> str:
    """Return the time stamp after which everything posted for a message stands."""
    if message.kind is MessageKind.COMMAND or not message.message_id.replace(".", "", 1).isdigit():
        return f"{message.received_at - 60:.6f}"
    return message.message_id
