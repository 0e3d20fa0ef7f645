"""Slack's streams as its documentation and their users have them: states, arguments, errors.

https://docs.slack.dev/reference/methods/chat.startStream, chat.appendStream, chat.stopStream. A stream ends by itself
after some five minutes (slackapi/python-slack-sdk#1859): a test says when, by `close_streams`.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.servers.slack_blocks import fault

Message = dict[str, Any]

MARKDOWN = 12_000
CHUNK_TEXT = 256
TASKS = 50
_STATUSES = ("pending", "in_progress", "complete", "error")


class ApiError(Exception):
    """An answer with `ok: false`."""


@dataclass
class Stream:
    """A message while it is streamed."""

    recipient: str
    over: str = ""
    """What Slack says to who would go on; empty: it goes on."""
    title: str = ""
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    text: str = ""


class Streams:
    """The part of the server that streams."""

    def __init__(self) -> None:
        self.native = True
        """Whether this workspace knows streams at all."""
        self.stream_refusal = ""
        """What Slack says to who would begin one."""
        self.streams: dict[tuple[str, str], Stream] = {}

    def close_streams(self, why: str = "message_not_in_streaming_state") -> None:
        """Let every stream end now, as Slack does by itself; `stopped_by_user`: because somebody pressed Stop."""
        for stream in self.streams.values():
            stream.over = stream.over or why

    @property
    def open_streams(self) -> list[Stream]:
        """Streams that go on."""
        return [stream for stream in self.streams.values() if not stream.over]

    def _chat_startStream(self, args: dict[str, Any]) -> dict[str, Any]:
        self._known(
            args, "channel thread_ts markdown_text chunks recipient_user_id recipient_team_id task_display_mode"
        )
        if self.stream_refusal:
            raise ApiError(self.stream_refusal)
        channel = self._writable(args)
        if not args.get("thread_ts"):
            raise ApiError("invalid_arguments")
        if not self.messages(channel, args["thread_ts"]):
            raise ApiError("invalid_thread_ts")
        if not channel.startswith("D"):
            for name in ("recipient_user_id", "recipient_team_id"):
                if not args.get(name):
                    raise ApiError(f"missing_{name}")
        if args.get("task_display_mode") not in (None, "timeline", "plan"):
            raise ApiError("invalid_arguments")
        stream = Stream(str(args.get("recipient_user_id", "")))
        self._take(stream, args)
        message = self.add(channel, self.bot_user, "", args["thread_ts"], bot_id=self.bot_id)
        self.streams[channel, message["ts"]] = stream
        self._show(message, stream)
        return {"channel": channel, "ts": message["ts"]}

    def _chat_appendStream(self, args: dict[str, Any]) -> dict[str, Any]:
        self._known(args, "channel ts markdown_text chunks")
        message, stream = self._stream(args)
        if not args.get("chunks") and not args.get("markdown_text"):
            raise ApiError("no_text")
        self._take(stream, args)
        self._show(message, stream)
        return {"channel": args["channel"], "ts": message["ts"]}

    def _chat_stopStream(self, args: dict[str, Any]) -> dict[str, Any]:
        self._known(args, "channel ts markdown_text chunks blocks metadata session_status")
        message, stream = self._stream(args)
        blocks = args.get("blocks") or []
        if fault(blocks):
            raise ApiError("invalid_blocks")
        metadata = args.get("metadata")
        if metadata is not None and set(metadata) != {"event_type", "event_payload"}:
            raise ApiError("invalid_metadata_format")
        if args.get("session_status") not in (None, "processing", "active", "suspended", "closed"):
            raise ApiError("invalid_arguments")
        self._take(stream, args)
        stream.over = "message_not_in_streaming_state"
        self._show(message, stream)
        message["blocks"] = [*message["blocks"], *blocks]
        if metadata is not None:
            message["metadata"] = metadata
        return {"channel": args["channel"], "ts": message["ts"], "message": message}

    def _stream(self, args: dict[str, Any]) -> tuple[Message, Stream]:
        message = self._own(args, "message_not_owned_by_app")
        stream = self.streams.get((args["channel"], message["ts"]))
        if stream is None or stream.over:
            raise ApiError(stream.over if stream is not None else "message_not_in_streaming_state")
        return message, stream

    def _is_streamed(self, message: Message) -> bool:
        return any(ts == message["ts"] and not stream.over for (_, ts), stream in self.streams.items())

    def _known(self, args: dict[str, Any], names: str) -> None:
        if not self.native:
            raise ApiError("unknown_method")
        if args.keys() - {*names.split(), "token"}:
            raise ApiError("invalid_arguments")

    def _take(self, stream: Stream, args: dict[str, Any]) -> None:
        """Take chunks all together or not at all."""
        chunks = list(args.get("chunks") or ())
        if args.get("markdown_text"):
            chunks.append({"type": "markdown_text", "text": args["markdown_text"]})
        tasks, title, text = dict(stream.tasks), stream.title, stream.text
        for chunk in chunks:
            match chunk.get("type"):
                case "markdown_text" if chunk.keys() == {"type", "text"}:
                    if len(chunk["text"]) > MARKDOWN:
                        raise ApiError("msg_too_long")
                    text += chunk["text"]
                case "plan_update" if chunk.keys() == {"type", "title"} and 0 < len(chunk["title"]) <= CHUNK_TEXT:
                    title = chunk["title"]
                case "task_update" if _is_task(chunk):
                    before = tasks.get(chunk["id"], {})
                    joined = {
                        name: before.get(name, "") + chunk[name] for name in ("details", "output") if name in chunk
                    }
                    tasks[chunk["id"]] = {**before, **chunk, **joined}
                case _:
                    raise ApiError("invalid_chunks")
        if len(tasks) > TASKS:
            raise ApiError("invalid_chunks")
        if len(text) > MARKDOWN:
            raise ApiError("msg_too_long")
        stream.tasks, stream.title, stream.text = tasks, title, text

    def _show(self, message: Message, stream: Stream) -> None:
        blocks: list[dict[str, Any]] = []
        if stream.tasks or stream.title:
            cards = [
                {
                    "type": "task_card",
                    "task_id": task["id"],
                    **{k: v for k, v in task.items() if k not in ("type", "id")},
                }
                for task in stream.tasks.values()
            ]
            blocks.append({"type": "plan", "title": stream.title, "tasks": cards})
        if stream.text:
            blocks.append({"type": "markdown", "text": stream.text})
        message |= {"text": stream.text, "blocks": blocks}
        self.tick()


def _is_task(chunk: dict[str, Any]) -> bool:
    if chunk.keys() - {"type", "id", "title", "status", "details", "output", "sources"}:
        return False
    texts = [chunk[name] for name in ("title", "details", "output") if name in chunk]
    links = chunk.get("sources") or []
    return (
        bool(chunk.get("id"))
        and chunk.get("status") in _STATUSES
        and "title" in chunk
        and all(0 < len(text) <= CHUNK_TEXT for text in texts)
        and all(
            link.keys() == {"type", "url", "text"} and link["type"] == "url" and link["url"].startswith("http")
            for link in links
        )
    )
