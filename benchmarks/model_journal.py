"""What Weft sends to a model's endpoint, as an independent server has it in its journal.

    python -m benchmarks.model_journal --fixtures FILE      # what aimock (npm: @copilotkit/aimock) is started with
    python -m benchmarks.model_journal --url http://127.0.0.1:PORT/v1 --journal http://127.0.0.1:PORT/__aimock/journal

Asks the sample handbook, each question of an endpoint that does something else with it, and shows what came of it, and
what the journal holds: nothing here sees the requests but that server.
"""

import argparse
import asyncio
import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from agent.language import say
from agent.types import Response
from benchmarks.model_endpoint import KINDS
from benchmarks.report import Report
from bot.app import open_engine
from bot.operator.asking import Asker, Console
from bot.settings import Settings

KEY = "sk-journal-0123456789"
READ, WRITE, CHECK = "You read one message", "You answer a question", "You check an answer"
SOUND = {"intent": "", "standalone": "", "several": False, "words": ""}
PACED = {"streamingProfile": {"ttft": 300, "tps": 50}}
ERROR = {"error": {"message": "no", "type": "server_error"}}
LEAVE = "Full-time employees get 25 days of annual leave in a calendar year. [1]"
REMOTE = "재택근무는 일주일에 최대 3일까지 할 수 있습니다. [1]"
NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
ASKED: Sequence[tuple[str, str, str, Mapping[str, Any]]] = (
    ("Who orders a new laptop?", "laptop", "prose for a shape", {"response": {"content": "It is about laptops."}}),
    ("How long is probation?", "probation", "refuses", {"response": {"content": "", "refusal": "I can't help."}}),
    ("How do I claim expenses?", "expenses", "429", {"response": {**ERROR, "status": 429, "retryAfter": 1}}),
    ("What if I am sick?", "sick", "500", {"response": {**ERROR, "status": 500}}),
    ("How long is parental leave?", "parental", "cut", {"response": {"content": '{"in', "finishReason": "length"}}),
    (
        "How long must a password be?",
        "password",
        "filtered",
        {"response": {"content": "", "finishReason": "content_filter"}},
    ),
    ("How do I get VPN access?", "VPN", "a tool", {"response": {"toolCalls": [{"name": "search", "arguments": "{}"}]}}),
)
"""A question, a word of it, and what the endpoint does when it is to read it."""
BREAKS = ("Who books a train?", "train", "breaks off")
PLAIN = ("How many days of annual leave do I get?", "재택근무는 일주일에 며칠까지 되나요?")


def fixtures() -> Mapping[str, Any]:
    """Return what the server answers to what: the first that fits."""
    out: list[Mapping[str, Any]] = [
        {"match": {"systemMessage": READ, "userMessage": word}, **does} for _, word, _, does in ASKED
    ]
    out += [
        {"match": {"systemMessage": READ}, "response": {"content": SOUND}},
        {"match": {"systemMessage": WRITE, "userMessage": PLAIN[0]}, "response": {"content": LEAVE}, **PACED},
        {"match": {"systemMessage": WRITE, "userMessage": PLAIN[1]}, "response": {"content": REMOTE}, **PACED},
        {
            "match": {"systemMessage": WRITE, "userMessage": BREAKS[1]},
            "response": {"content": NUMBERS},
            "latency": 30,
            "chunkSize": 10,
            "truncateAfterChunks": 3,
        },
        {"match": {"systemMessage": WRITE}, "response": {"content": "NO_ANSWER"}, **PACED},
        {
            "match": {"systemMessage": CHECK},
            "response": {
                "content": {"verdicts": [{"n": 1, "supported": True, "problem": ""}], "answered": "yes", "missing": []}
            },
        },
    ]
    return {"fixtures": out}


async def run(url: str, journal: str, report: Report) -> None:
    asked = [*((question, "does what it is asked") for question in PLAIN), *((q, does) for q, _, does, _ in ASKED)]
    asked.append((BREAKS[0], BREAKS[2]))
    sent: Sequence[Mapping[str, Any]] = ()
    with TemporaryDirectory() as folder:
        settings = Settings.load(data=Path(folder), openai_base_url=url, openai_api_key=KEY, model="gpt-4o")
        async with httpx.AsyncClient(timeout=30.0) as client:
            known = len((await client.get(journal)).json())
            for question, does in asked:
                async with open_engine(
                    settings
                ) as engine:  # each anew: an endpoint that failed is left alone for a while
                    response = await Console(engine, quiet=True).ask(Asker().message(question, ""))
                sent = (await client.get(journal)).json()
                report.add(f"{does}: “{question}”", len(sent) - known, "requests", outcome(response))
                known = len(sent)
    told(sent, report)


def outcome(response: Response | None) -> str:
    """Return in short what became of a question."""
    if response is None:
        return "no response"
    told = say("model_fallback", response.language) in response.warnings
    return f"{response.status}, {len(response.citations)} cited{', told of the model' if told else ''}"


def told(sent: Sequence[Mapping[str, Any]], report: Report) -> None:
    """Tell what was sent: by the kind of a call, and whether anything stands where it must not."""
    kinds: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in sent:
        kinds[kind_of(entry["body"])].append(entry["body"])
    for kind, bodies in kinds.items():
        ways = Counter(
            str(body.get("response_format", {}).get("type", "stream" if body["stream"] else "text")) for body in bodies
        )
        most = max(len(json.dumps(body["messages"], ensure_ascii=False)) for body in bodies)
        report.add(f"to {kind}: requests", len(bodies), "", ", ".join(f"{n} {way}" for way, n in ways.most_common()))
        report.add(f"to {kind}: longest prompt", most, "characters")
    report.add("bodies that hold the key", sum(KEY in json.dumps(entry["body"]) for entry in sent), "", "0")
    report.add(
        "bodies with words of others outside their marks", sum(not quoted(entry["body"]) for entry in sent), "", "0"
    )
    report.add("tools offered", sum(bool(entry["body"].get("tools")) for entry in sent), "", "0 where shapes are taken")


def kind_of(body: Mapping[str, Any]) -> str:
    """Return what a request was for."""
    system = str(body["messages"][0]["content"])
    return next((kind for start, (_, kind) in KINDS.items() if system.startswith(start)), "other")


def quoted(body: Mapping[str, Any]) -> bool:
    """Tell whether the first message of the user is nothing but quotations under the mark of its prompt."""
    system, user = (str(said["content"]) for said in body["messages"][:2])
    mark = re.search(r"`<<<([0-9a-f]{16}) NAME`", system)
    if mark is None:
        return False
    return re.sub(rf"(?ms)^<<<{mark[1]} [^\n]*\n(?:(?!{mark[1]}).)*?\n{mark[1]}>>>(?:\n|\Z)", "", user) == ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fixtures", type=Path)
    parser.add_argument("--url", default="")
    parser.add_argument("--journal", default="")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.fixtures:
        given.fixtures.write_text(json.dumps(fixtures(), ensure_ascii=False, indent=1), encoding="utf-8")
    if bool(given.url) != bool(given.journal):
        parser.error("--url and --journal go together")
    if given.url:
        logging.basicConfig(level=logging.ERROR)  # that calls fail is part of it
        report = Report("What Weft sends to a model")
        asyncio.run(run(given.url, given.journal, report))
        report.show(given.json)


if __name__ == "__main__":
    main()
