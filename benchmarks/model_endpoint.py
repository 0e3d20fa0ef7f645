"""The endpoint that `benchmarks.model` asks: a capable model over real HTTP, at a pace, and with faults."""

import asyncio
import json
import multiprocessing
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection

import httpx
from aiohttp import web

from agent.text import language_of, sentences, tokens
from tests.reasoning_model.capable import capable
from tests.servers.openai import Request

CHARACTERS_PER_TOKEN = 4
FAULTS = ("429", "500", "cut", "bad JSON", "silence")
KINDS: Mapping[str, tuple[str, str]] = {
    "You read one message": ("reading", "read"),
    "You answer a question": ("", "write"),
    "You check an answer": ("verdicts", "check"),
    "You lay out the steps": ("steps", "plan"),
    "You help a search": ("rewording", "other words"),
    "A person wrote a message": ("values", "fields"),
    "You review the draft": ("verdict", "review"),
    "You read figures": ("told", "insights"),
    "You write the sections": ("", "draft"),
    "You are the assistant of a team": ("", "reply"),
}
"""By how a prompt begins: the shape of its answer, and what docs/models.md calls the call."""
MARK = re.compile(r" \[(\d+)\]")
PINNED = re.compile(r"\[\[(.+?)\]\]")
ENOUGH = 0.5
"""Share of the words of a sentence that a passage must hold to be its source."""
MARKS = 3
"""Passages that a sentence is marked with at most."""
NOTE = {"en": "Please note that ", "ko": "참고로 "}
"""Begins a sentence that is no longer word for word in its passage, and says the same."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manner:
    """How the endpoint behaves."""

    first: float = 0.0
    """Seconds to the first token."""
    per_second: float = 0.0
    """Tokens; 0: all at once."""
    failing: float = 0.0
    """Share of the requests that fail."""
    refuses: tuple[str, ...] = ()
    """Kinds of calls to which the model says no."""
    rewords: bool = False
    """Whether the answers are in the model's own words, which have to be checked."""
    marks: str = ""
    """How it marks what it cites: as it should, `never`, or `wrongly`, with the number of another passage."""
    greets: bool = False
    """Whether it reads every message as a greeting."""
    declines: bool = False
    """Whether it finds no answer to anything."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """What it answers to what begins with these questions; nothing where no passage has most of its words. Where an
    answer names its source by words of it, `[[like these]]`, that is what it cites."""
    searches: Mapping[str, str] = field(default_factory=dict)
    """Which other words it would search with, by the beginning of a message."""


MANNERS: Mapping[str, Manner] = {
    "good": Manner(),
    "never marks": Manner(marks="never"),
    "marks wrongly": Manner(marks="wrongly"),
    "greets": Manner(greets=True),
    "declines": Manner(declines=True),
    "slow": Manner(first=5.0, per_second=5.0),
    "fails": Manner(failing=0.5),
}
"""Endpoints as there are, good and bad."""


class Endpoint:
    """Speaks chat completions, at the pace of a model.

    PUT /manner changes it; GET /calls counts and forgets; GET /sent tells which passages were sent for which question.
    """

    def __init__(self) -> None:
        self.manner = Manner()
        self.calls: Counter[str] = Counter()
        self.sent: dict[str, list[str]] = {}
        """The passages of the last answer to each question."""
        self._chance = random.Random(7)

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_put("/manner", self._behave)
        app.router.add_get("/calls", self._count)
        app.router.add_get("/sent", self._tell)
        return app

    async def _behave(self, http: web.Request) -> web.Response:
        self.manner = Manner(**await http.json())
        return web.Response()

    async def _count(self, _: web.Request) -> web.Response:
        counted, self.calls = dict(self.calls), Counter()
        return web.json_response(counted)

    async def _tell(self, _: web.Request) -> web.Response:
        return web.json_response(self.sent)

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        body = await http.json()
        system = str(body["messages"][0]["content"])
        shape, kind = next((named for start, named in KINDS.items() if system.startswith(start)), ("", "other"))
        self.calls[kind] += 1
        manner = self.manner
        fault = self._chance.choice(FAULTS) if self._chance.random() < manner.failing else ""
        if fault:
            self.calls[f"failed: {fault}"] += 1
        if fault in ("429", "500"):
            headers = {"Retry-After": str(self._chance.randint(0, 1))} if fault == "429" else {}
            return web.json_response({"error": {"message": fault}}, status=int(fault), headers=headers)
        named = {"response_format": {"type": "json_schema", "json_schema": {"name": shape}}} if shape else {}
        messages = unheaded(body["messages"]) if kind == "write" else body["messages"]
        request = Request(path=http.path, body={**body, "tools": (), **named, "messages": messages}, headers={})
        answer = capable(request)
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        if kind == "read" and manner.greets:
            text = json.dumps({**json.loads(text), "intent": "greeting"})
        if kind == "read":
            words = told_of("".join(request.quoted("message")), manner.searches)
            text = json.dumps({**json.loads(text), "words": words}, ensure_ascii=False) if words is not None else text
        if kind == "write":
            self.sent["".join(request.quoted("question"))] = passages_of(request)
            text = written(text, request, manner)
        await asyncio.sleep(manner.first if fault != "silence" else 3600)
        if kind in manner.refuses:
            text, fault = "", "refusal"
        if body.get("stream"):
            return await self._streamed(http, text, fault)
        if manner.per_second:
            await asyncio.sleep(len(text) / CHARACTERS_PER_TOKEN / manner.per_second)
        if fault == "cut":
            broken(http)
        content = text[: len(text) // 2] if fault == "bad JSON" else text
        refusal = "I would rather not." if fault == "refusal" else None
        message = {"role": "assistant", "content": content, "refusal": refusal}
        return web.json_response(enveloped("chat.completion", {"message": message, "finish_reason": "stop"}))

    async def _streamed(self, http: web.Request, text: str, fault: str) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(http)
        pieces = re.findall(rf"(?s).{{1,{CHARACTERS_PER_TOKEN}}}", text)
        loop = asyncio.get_running_loop()
        begun, pace = loop.time(), self.manner.per_second
        with suppress(ConnectionResetError):  # the client has heard enough
            for n, piece in enumerate(pieces[: len(pieces) // 2] if fault in ("cut", "bad JSON") else pieces):
                if pace:
                    await asyncio.sleep(max(0.0, begun + n / pace - loop.time()))
                await response.write(event({"content": piece}))
            if fault == "cut":
                broken(http)
            elif fault == "bad JSON":
                await response.write(b'data: {"choices": [{"delta": {"con\n\n')
            else:
                said = {"refusal": "I would rather not."} if fault == "refusal" else {}
                await response.write(event(said, "stop") + b"data: [DONE]\n\n")
        return response


def written(text: str, request: Request, manner: Manner) -> str:
    """Return an answer as a model of this manner writes it."""
    if manner.declines:
        return "NO_ANSWER"
    known = told_of("".join(request.quoted("question")), manner.answers)
    if known is not None:
        text = pinned(known, request) if PINNED.search(known) else marked(known, request)
    if manner.rewords:
        text = in_own_words(text)
    if manner.marks == "never":
        return MARK.sub("", text)
    if manner.marks == "wrongly":
        return MARK.sub(lambda mark: f" [{int(mark[1]) + 1}]", text)
    return text


def told_of(asked: str, by_question: Mapping[str, str]) -> str | None:
    """Return what is told of what begins with a question."""
    return next((told for question, told in by_question.items() if asked.startswith(question)), None)


def passages_of(request: Request) -> list[str]:
    """Return the numbered passages of a request, in their order."""
    return [said[0] for n in range(1, 51) if (said := request.quoted(f"passage {n}"))]


def pinned(answer: str, request: Request) -> str:
    """Return an answer with the number of the passage that holds the words behind each of its sentences."""
    passages = {n: "".join(text.split()) for n, text in enumerate(passages_of(request), start=1)}

    def number(mark: re.Match[str]) -> str:
        held = next((n for n, text in passages.items() if "".join(mark[1].split()) in text), None)
        return "" if held is None else f"[{held}]"

    told = PINNED.sub(number, answer)
    return told if MARK.search(told) else "NO_ANSWER"


def marked(answer: str, request: Request) -> str:
    """Return an answer with the numbers of the passages that each sentence rests on.

    That is the one with most of its words, and as long as others hold words that are still missing, the one with most
    of these: who sums up two passages cites both.
    """
    passages = {n: frozenset(tokens(text)) for n, text in enumerate(passages_of(request), start=1)}
    out = []
    for start, end in sentences(answer):
        missing, cited = frozenset(tokens(answer[start:end])), list[int]()
        enough = ENOUGH * len(missing)
        while passages and len(cited) < MARKS:
            n = max(passages, key=lambda n: (len(missing & passages[n]), -n))
            if len(missing & passages[n]) < max(1, enough if not cited else 0):
                break
            cited.append(n)
            missing -= passages[n]
        if cited:
            out.append(answer[start:end] + "".join(f" [{n}]" for n in cited))
    return " ".join(out) or "NO_ANSWER"


def unheaded(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return what was said without the headings in it: a model does not copy them into an answer."""
    return [{**said, "content": re.sub(r"(?m)^#+ .*\n+", "", said["content"])} for said in messages]


def in_own_words(text: str) -> str:
    """Return an answer of quotes as a model words it: the same facts, no longer word for word."""
    if text == "NO_ANSWER":
        return text
    return " ".join(f"{NOTE[language_of(part)]}{part}" for part in re.split(r"(?<=\]) ", text))


def event(delta: Mapping[str, str], finish: str | None = None) -> bytes:
    chunk = enveloped("chat.completion.chunk", {"delta": delta, "finish_reason": finish})
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def enveloped(kind: str, choice: Mapping[str, object]) -> Mapping[str, object]:
    return {"id": "c", "object": kind, "created": 0, "model": "m", "choices": [{"index": 0, **choice}]}


def broken(http: web.Request) -> None:
    """Lose the connection."""
    if http.transport is not None:
        http.transport.abort()


def serve(pipe: Connection) -> None:
    """Run the endpoint in this process, and tell its port."""

    async def serving() -> None:
        runner = web.AppRunner(Endpoint().app(), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        pipe.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(serving())


class Remote:
    """The endpoint in its own process, as we see it."""

    def __init__(self, root: str) -> None:
        self.url = f"{root}/v1"
        self._client = httpx.AsyncClient(base_url=root, timeout=30.0)

    async def behave(self, manner: Manner) -> None:
        """Change its manner, and forget the calls so far."""
        (await self._client.put("/manner", json=asdict(manner))).raise_for_status()
        await self.counted()

    async def counted(self) -> Counter[str]:
        """Return the requests since the last time by kind, and which of them failed."""
        return Counter((await self._client.get("/calls")).json())

    async def sent(self) -> dict[str, list[str]]:
        """Return the passages that were sent for each question."""
        sent: dict[str, list[str]] = (await self._client.get("/sent")).json()
        return sent

    async def aclose(self) -> None:
        await self._client.aclose()


@asynccontextmanager
async def endpoint() -> AsyncIterator[Remote]:
    """Give an endpoint that runs beside us."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    remote = Remote(f"http://127.0.0.1:{await asyncio.to_thread(ours.recv)}")
    try:
        yield remote
    finally:
        await remote.aclose()
        process.terminate()
        await asyncio.to_thread(process.join, 10)
