"""When people in a Slack thread see something: over `weft serve`, signed events and Slack's Web API on loopback."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from adapters.contract import TodoList
from adapters.slack.render import progress
from agent.text import language_of
from benchmarks.model_endpoint import Manner, Remote
from benchmarks.report import Report, percentile
from benchmarks.serving import serving
from tests.servers.slack import Call, Message, SlackServer

CHANNEL = "C1"
SENDING = ("chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream")


async def in_a_thread(
    data: Path, remote: Remote, questions: Sequence[str], pace: Manner, report: Report, *, pause: float
) -> None:
    """Measure questions one after another, from the message in the channel to what stands below it.

    `pause`: seconds between two. A workspace has 50 edits a minute, and drafts wait where they are nearly used up.
    """
    signs, words, wholes, edits = [], [], [], []
    async with SlackServer() as server, serving(data, server, OPENAI_BASE_URL=remote.url) as endpoint:
        await remote.behave(Manner())
        await answered(server, endpoint, questions[0])
        await remote.behave(pace)
        for question in questions:
            await asyncio.sleep(pause)
            begun, before = time.monotonic(), len(server.calls)
            await answered(server, endpoint, question)
            calls = [call for call in server.calls[before:] if call.method in SENDING]
            telling = [call for call in calls if tells(call)]
            signs.append((calls[0].at - begun) * 1000)
            words.append((telling[0].at - begun) * 1000)
            wholes.append((telling[-1].at - begun) * 1000)
            edits.append(float(len(calls)))
    for name, times, target in (
        ("first sign", signs, "p95 < 150"),
        ("first words", words, "p95 < 2,000"),
        ("whole answer", wholes, ""),
    ):
        report.add(f"in a Slack thread: message to {name}, p50", percentile(times, 0.5), "ms")
        report.add(f"in a Slack thread: message to {name}, p95", percentile(times, 0.95), "ms", target)
    report.add("in a Slack thread: posts and edits of a question, mean", sum(edits) / len(edits), "calls")


async def answered(server: SlackServer, endpoint: str, question: str) -> None:
    """Ask, and wait until the whole answer stands there, its sources below it, and a list that was shown is done."""
    sent = await server.mention(endpoint, question, twin=False)
    open_list = progress(TodoList(steps=(), language=language_of(question))).text
    await server.until(lambda: _is_over(server.bot_messages(CHANNEL, sent.ts), open_list))


def _is_over(messages: Sequence[Message], open_list: str) -> bool:
    whole = any("context" in str(message.get("blocks")) for message in messages)
    return whole and not any(is_list(message, open_list) for message in messages)


def is_list(message: Message, begins: str) -> bool:
    return str(message.get("text", "")).startswith(begins)


def tells(call: Call) -> bool:
    """Tell whether a call shows words of the answer, as no list does."""
    shown = f"{call.args.get('blocks')}{call.args.get('chunks')}"
    return any(f"{quote}{kind}{quote}" in shown for quote in "'\"" for kind in ("markdown", "markdown_text"))
