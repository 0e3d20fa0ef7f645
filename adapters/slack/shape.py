"""Whether what Slack sent is formed as Slack documents it, in the fields that Weft reads.

What is not is acknowledged and left alone: it would be no better when it came again, which it does three times.
"""

import logging
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

log = logging.getLogger(__name__)

Objects = list[dict[str, Any]] | None
Name = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class _Named(_Part):
    id: str | None = None


class _File(_Part):
    id: str | None = None
    name: str | None = None
    title: str | None = None
    mimetype: str | None = None
    mode: str | None = None
    size: int | None = None
    url_private: str | None = None
    url_private_download: str | None = None


class _Edited(_Part):
    user: str | None = None
    ts: str | None = None


class _Said(_Part):
    """A message."""

    user: str | None = None
    text: str | None = None
    ts: str | None = None
    thread_ts: str | None = None
    subtype: str | None = None
    bot_id: str | None = None
    bot_profile: dict[str, Any] | None = None
    hidden: bool | None = None
    edited: _Edited | None = None
    files: list[_File] | None = None
    attachments: Objects = None
    blocks: Objects = None
    team: str | None = None
    user_team: str | None = None
    source_team: str | None = None


class _Event(_Said):
    channel: Name
    channel_type: str | None = None
    message: _Said | None = None
    previous_message: _Said | None = None
    deleted_ts: str | None = None


class _Stamped(_Said):
    ts: Name


class _Changed(_Event):
    message: _Stamped


class _Action(_Part):
    type: str
    action_id: str
    block_id: str | None = None
    value: str | None = None
    action_ts: str | None = None


class _Typed(_Part):
    type: str


class _Callback(_Part):
    """What comes over the Events API, whatever the event."""

    event: _Typed
    team_id: str | None = None
    authorizations: Objects = None
    is_ext_shared_channel: bool | None = None


class _Heard(_Part):
    event: _Event


class _HeardAgain(_Part):
    event: _Changed


class _Click(_Part):
    actions: Annotated[list[_Action], Field(min_length=1)]
    user: _Named
    channel: _Named | None = None
    container: dict[str, str | int | bool | None] | None = None
    message: _Said | None = None
    response_url: str | None = None


class _Command(_Part):
    command: str
    trigger_id: Name
    channel_id: Name
    user_id: Name


def fault(body: Mapping[str, Any]) -> str:
    """Return the field of a payload that is not what it should be, or nothing where all are."""
    shapes: list[type[_Part]] = []
    if body.get("type") == "event_callback" or "event" in body:
        event = body.get("event")
        shapes = [_Callback]
        if isinstance(event, Mapping) and event.get("type") in ("message", "app_mention"):
            shapes.append(_HeardAgain if event.get("subtype") == "message_changed" else _Heard)
    elif body.get("type") == "block_actions":
        shapes = [_Click]
    elif "command" in body:
        shapes = [_Command]
    for shape in shapes:
        try:
            shape.model_validate(dict(body))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            return ".".join(str(part) for part in first["loc"])
    return ""


def tell(what: str) -> None:
    """Log that something was left alone; `what`: its field, never its content."""
    log.warning(
        "Slack sent something that is not formed as it documents (%s); it was left alone.",
        what,
        extra={"action": "slack_malformed"},
    )
