"""What people do in Slack, and how Slack tells the app: signed over HTTP, or through a socket."""

import hashlib
import hmac
import io
import json
import time
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

import aiohttp

Signature = Literal["right", "wrong", "stale", "undated", "none"]


@dataclass
class Answer:
    """How the app answered one request; over a socket an ack counts as 200, no ack as 0."""

    status: int
    body: str = ""
    seconds: float = 0.0


@dataclass
class Sent:
    """What a person did: the message's time stamp, and the app's answers to the events about it."""

    ts: str
    answers: list[Answer] = field(default_factory=list)

    @property
    def statuses(self) -> list[int]:
        return [answer.status for answer in self.answers]


class People:
    """The client half of `SlackServer`. `endpoint` is the app's address, or None for Socket Mode."""

    team: str
    teams: dict[str, str]
    shared_outside: set[str]
    bot_user: str
    signing_secret: str
    root: str
    triggers: set[str]
    http: aiohttp.ClientSession

    def add(self, channel: str, user: str, text: str, thread: str | None = None, **more: Any) -> dict[str, Any]:
        raise NotImplementedError

    def remove(self, channel: str, ts: str) -> dict[str, Any] | None:
        raise NotImplementedError

    def next_ts(self) -> str:
        raise NotImplementedError

    def messages(self, channel: str, thread: str | None = None) -> list[dict[str, Any]]:
        raise NotImplementedError

    async def push(self, payload: dict[str, Any], kind: str = "events_api", *, timeout: float = 60.0) -> Any:
        raise NotImplementedError

    async def mention(
        self,
        endpoint: str | None,
        text: str,
        *,
        channel: str = "C1",
        user: str = "U1",
        thread_ts: str | None = None,
        twin: bool = True,
        **more: Any,
    ) -> Sent:
        """Write a message that calls the app; Slack tells of it twice, as `app_mention` and as `message`."""
        message = self.add(channel, user, f"<@{self.bot_user}> {text}", thread_ts, **more)
        event = self.event_of(channel, message)
        sent = Sent(message["ts"], [await self.event(endpoint, {**event, "type": "app_mention"})])
        if twin:
            sent.answers.append(await self.event(endpoint, event))
        return sent

    async def message(
        self,
        endpoint: str | None,
        text: str,
        *,
        channel: str = "C1",
        user: str = "U1",
        thread_ts: str | None = None,
        **more: Any,
    ) -> Sent:
        """Write a message as it is, also a direct one (`channel="D1"`)."""
        message = self.add(channel, user, text, thread_ts, **more)
        return Sent(message["ts"], [await self.event(endpoint, self.event_of(channel, message))])

    async def edit(self, endpoint: str | None, channel: str, ts: str, text: str, **event: Any) -> Sent:
        """Let the author edit a message."""
        message = next(m for m in self.messages(channel) if m["ts"] == ts)
        before = dict(message)
        message |= {"text": text, "edited": {"user": message["user"], "ts": self.next_ts()}}
        told = self._about(channel, "message_changed", message=dict(message), previous_message=before, **event)
        return Sent(ts, [await self.event(endpoint, told)])

    async def delete(self, endpoint: str | None, channel: str, ts: str, *, tombstone: bool = False) -> Sent:
        """Let the author delete a message; one with replies leaves a tombstone."""
        before = self.remove(channel, ts)
        if tombstone:
            stone = {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "ts": ts, "hidden": True}
            told = self._about(channel, "message_changed", message=stone, previous_message=before)
        else:
            told = self._about(channel, "message_deleted", deleted_ts=ts, previous_message=before)
        return Sent(ts, [await self.event(endpoint, told)])

    async def command(
        self,
        endpoint: str | None,
        text: str,
        *,
        command: str = "/ask",
        channel: str = "C1",
        user: str = "U1",
        **form_fields: str,
    ) -> Sent:
        """Give a slash command. `ts` of what comes back is its trigger id."""
        trigger = self.trigger()
        form = {
            "command": command,
            "text": text,
            "channel_id": channel,
            "user_id": user,
            "user_name": "alice",
            "team_id": self.team,
            "trigger_id": trigger,
            "response_url": f"{self.root}/respond/{trigger}",
            **form_fields,
        }
        if endpoint is None:
            return Sent(trigger, [_ack(await self.push(form, "slash_commands"))])
        return Sent(trigger, [await self.post(endpoint, urlencode(form), "application/x-www-form-urlencoded")])

    async def click(
        self,
        endpoint: str | None,
        message: dict[str, Any],
        number: int,
        *,
        channel: str = "C1",
        user: str = "U1",
        ephemeral: bool = False,
        **fields: Any,
    ) -> Answer:
        """Press the nth button of a message, counting from 0; one that only one person sees need not be handed back."""
        buttons = [b for block in message["blocks"] if block["type"] == "actions" for b in block["elements"]]
        action = {**buttons[number], "block_id": "b1"}
        return await self.press(endpoint, message, action, channel=channel, user=user, ephemeral=ephemeral, **fields)

    async def press_feedback(self, endpoint: str | None, message: dict[str, Any], number: int, **more: Any) -> Answer:
        """Press the first or the second thumb below a message."""
        block = next(block for block in message["blocks"] if block["type"] == "context_actions")
        element = block["elements"][0]
        button = element["negative_button" if number else "positive_button"]
        action = {"type": "feedback_buttons", "action_id": element["action_id"], "block_id": "b1", **button}
        return await self.press(endpoint, message, action, **more)

    async def press(
        self,
        endpoint: str | None,
        message: dict[str, Any],
        action: dict[str, Any],
        *,
        channel: str = "C1",
        user: str = "U1",
        ephemeral: bool = False,
        **fields: Any,
    ) -> Answer:
        """Act on an element of a message."""
        payload = {
            "type": "block_actions",
            "team": {"id": self.team},
            "user": {"id": user, "username": "alice", "team_id": self.teams.get(user, self.team)},
            "api_app_id": "A1",
            "container": {
                "type": "message",
                "message_ts": message["ts"],
                "channel_id": channel,
                "is_ephemeral": ephemeral,
            },
            "channel": {"id": channel, "name": "general"},
            **({} if ephemeral else {"message": message}),
            "actions": [{**action, "action_ts": self.next_ts()}],
            "response_url": f"{self.root}/respond/{self.next_ts()}",
            "trigger_id": self.trigger(),
            **fields,
        }
        return await self.interact(endpoint, payload)

    def trigger(self) -> str:
        """Return an id that a modal may be opened with."""
        trigger = f"{self.next_ts()}.{self.team}"
        self.triggers.add(trigger)
        return trigger

    async def press_in_view(
        self, endpoint: str | None, view: dict[str, Any], action_id: str, *, user: str = "U1"
    ) -> Answer:
        """Press a button of somebody's home tab."""
        elements = [e for b in view["blocks"] for e in (*b.get("elements", ()), b.get("accessory") or {})]
        element = next(e for e in elements if e.get("action_id") == action_id)
        payload = {
            "type": "block_actions",
            "team": {"id": self.team},
            "user": {"id": user, "username": "alice", "team_id": self.teams.get(user, self.team)},
            "container": {"type": "view", "view_id": "V0"},
            "view": {**view, "id": "V0"},
            "actions": [{**element, "block_id": "b1", "action_ts": self.next_ts()}],
            "trigger_id": self.trigger(),
        }
        return await self.interact(endpoint, payload)

    async def submit(
        self, endpoint: str | None, view: dict[str, Any], values: dict[str, dict[str, Any]], *, user: str = "U1"
    ) -> Answer:
        """Submit a modal: `values` by block and action, each as Slack hands it back."""
        state = {block: {action: value} for block, actions in values.items() for action, value in actions.items()}
        payload = {
            "type": "view_submission",
            "team": {"id": self.team},
            "user": {"id": user, "username": "alice", "name": "alice", "team_id": self.teams.get(user, self.team)},
            "view": {**view, "state": {"values": state}},
            "trigger_id": self.trigger(),
        }
        return await self.interact(endpoint, payload)

    async def shortcut(
        self, endpoint: str | None, message: dict[str, Any], callback: str, *, channel: str = "C1", user: str = "U1"
    ) -> Answer:
        """Use a shortcut of a message."""
        payload = {
            "type": "message_action",
            "callback_id": callback,
            "team": {"id": self.team},
            "user": {"id": user, "name": "alice", "team_id": self.teams.get(user, self.team)},
            "channel": {"id": channel, "name": "general"},
            "message": message,
            "message_ts": message["ts"],
            "action_ts": self.next_ts(),
            "response_url": f"{self.root}/respond/{self.next_ts()}",
            "trigger_id": self.trigger(),
        }
        return await self.interact(endpoint, payload)

    async def interact(self, endpoint: str | None, payload: dict[str, Any]) -> Answer:
        """Send the payload of an interaction: a press, a shortcut, a modal that was submitted."""
        if endpoint is None:
            return _ack(await self.push(payload, "interactive"))
        return await self.post(
            endpoint, urlencode({"payload": json.dumps(payload)}), "application/x-www-form-urlencoded"
        )

    def event_of(self, channel: str, message: dict[str, Any]) -> dict[str, Any]:
        """Return the `message` event about a message."""
        return {**message, "channel": channel, "channel_type": _type_of(channel), "event_ts": message["ts"]}

    def _about(self, channel: str, subtype: str, **event: Any) -> dict[str, Any]:
        ts = self.next_ts()
        about = {"type": "message", "subtype": subtype, "hidden": True, "channel": channel, "ts": ts, "event_ts": ts}
        return {**about, "channel_type": _type_of(channel), **event}

    async def event(
        self, endpoint: str | None, event: dict[str, Any], *, envelope: dict[str, Any] | None = None, **request: Any
    ) -> Answer:
        """Tell the app of an event; in a shared channel `team_id` is the workspace of who wrote, as in Slack's own."""
        payload = {
            "type": "event_callback",
            "team_id": said_by(event).get("team", self.team),
            "context_team_id": self.team,
            "api_app_id": "A1",
            "event": event,
            "event_id": f"Ev{self.next_ts()}",
            "event_time": int(time.time()),
            "authorizations": [
                {"team_id": self.team, "user_id": self.bot_user, "is_bot": True, "is_enterprise_install": False}
            ],
            "is_ext_shared_channel": event.get("channel") in self.shared_outside,
            **(envelope or {}),
        }
        if endpoint is None:
            return _ack(await self.push(payload, **request))
        return await self.post(endpoint, json.dumps(payload), **request)

    async def post(
        self,
        endpoint: str,
        body: str,
        content_type: str = "application/json",
        *,
        signature: Signature = "right",
        retry: int = 0,
    ) -> Answer:
        """Send a request to the app as Slack would, or as somebody who pretends to be Slack."""
        at = str(int(time.time()) - (600 if signature == "stale" else 0))
        secret = "somebody else's" if signature == "wrong" else self.signing_secret
        signed = hmac.new(secret.encode(), f"v0:{at}:{body}".encode(), hashlib.sha256).hexdigest()
        headers = {"Content-Type": content_type}
        if signature == "undated":
            at = "yesterday"
        if signature != "none":
            headers |= {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": f"v0={signed}"}
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
        begun = time.perf_counter()
        async with self.http.post(endpoint, data=io.BytesIO(body.encode()), headers=headers) as response:
            text = await response.text()
            return Answer(response.status, text, time.perf_counter() - begun)


def said_by(event: dict[str, Any]) -> dict[str, Any]:
    """Return the message that an event tells of."""
    return event.get("message") or event.get("previous_message") or event


def _ack(ack: Any) -> Answer:
    return Answer(200, json.dumps(ack.get("payload", ""))) if ack else Answer(0)


def _type_of(channel: str) -> str:
    return "im" if channel.startswith("D") else "channel"
