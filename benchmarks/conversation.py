"""How well follow-ups are understood, offline: `python -m benchmarks.conversation DATA [--json FILE]`.

DATA has `mtrag/`, `cast/` and `cqr/`. MTRAG's questions are asked as a thread asks them: documents in a
real library in a temporary folder, then the reasoner's reading, rewriting and expansion, and the search,
as the graph's nodes use them. Of CAsT every question but the first of a conversation is rewritten:

- ROUGE-1 F1 of the words, to the human rewrite.
- F1 of the added terms, over all questions: terms of an earlier question that the raw one lacks. What
  only an answer said can be added by nobody who reads the questions alone, so it counts for nobody.
- Untouched: questions that the human left as they were, and that were left as they were.

MTRAG's last turns are searched once more with words that a profile may tell and that have nothing to do with them, at
the weight of `agent.reasoning.profile_terms`: what people told of themselves must not cost them their answers.

The project's own dialogues (`tests/reasoning/dialogues`) tell which words each turn should have, and which not.
"""

import argparse
import asyncio
import gzip
import json
import math
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent.packs.load import builtin, load_pack
from agent.packs.pack import Pack
from agent.reasoning.contract import Message
from agent.reasoning.profile_terms import WEIGHT
from agent.reasoning.rules import OfflineReasoner
from agent.retrieval.pack import merged
from agent.text import tokens
from agent.types import SearchFilter, SearchRequest, Standalone, TurnRecord, Understood, WeightedTerm
from benchmarks.report import Report
from bot.app import Engine, open_engine
from bot.audience import OPERATOR
from bot.settings import Settings
from storage.ingest.run import ingest

DIALOGUES = Path(__file__).parent.parent / "tests" / "reasoning" / "dialogues"
REASONER = OfflineReasoner()
_COLLECTION = "passages"
_MTRAG = {
    ("clapnq", "lastturn"): "",
    ("clapnq", "questions"): ">= .29 -> .33 (LLM's rewrite, BM25: .275)",
    ("clapnq", "rewrite"): "",
    ("cloud", "lastturn"): "",
    ("cloud", "questions"): ">= .255 -> .275 (LLM's rewrite, BM25: .239)",
    ("cloud", "rewrite"): "",
}
_PROFILES = (
    ("contractor", "freelancer"),
    ("Seoul",),
    ("diabetes", "diabetic"),
    ("engineering",),
    ("part time", "intern"),
)
_ASKED = {"lastturn": "last turn alone", "questions": "whole conversation", "rewrite": "the paper's rewrite"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Report("Follow-ups, offline")
    asyncio.run(measure(given.data, report))
    report.show(given.json)


async def measure(data: Path, report: Report) -> None:
    for name in ("clapnq", "cloud"):
        with tempfile.TemporaryDirectory() as folder:
            await search(name, data / "mtrag" / name, Path(folder), report)
        await rewritten(name, data / "mtrag" / name, report)
    await cast(data, report)
    for language in ("en", "ko"):
        await own(language, report)


def record(question: str, standalone: str, answer: str = "") -> TurnRecord:
    return TurnRecord(
        turn_id=question,
        message_id=question,
        asked_by="U1",
        question=question,
        standalone=standalone,
        answer=answer,
        route="research",
        at=0.0,
    )


# --- MTRAG: does the search find it ---------------------------------------------------------------


async def search(name: str, source: Path, folder: Path, report: Report) -> None:
    corpus = folder / "corpus.jsonl"
    corpus.write_bytes(gzip.decompress((source / "corpus.jsonl.gz").read_bytes()))
    wanted: dict[str, set[str]] = defaultdict(set)
    for line in (source / "mtrag_qrels.tsv").read_text().splitlines()[1:]:
        query, passage, relevance = line.split("\t")
        if int(relevance) > 0:
            wanted[query].add(passage)
    async with open_engine(Settings.load(data=folder / "data")) as engine:
        await ingest([corpus], library=engine.library, collection=_COLLECTION)
        for asked, said in _ASKED.items():
            found = []
            for line in (source / f"{asked}.jsonl").read_text().splitlines():
                task = json.loads(line)
                turns = [turn.strip() for turn in task["text"].split("|user|:") if turn.strip()]
                if wanted[task["_id"]]:
                    found.append(ranking(await asked_in_turn(turns, engine), wanted[task["_id"]]))
            report.add(f"MTRAG {name}, {said}: R@5", mean(r for r, _ in found), "", _MTRAG[name, asked])
            report.add(f"MTRAG {name}, {said}: nDCG@5", mean(n for _, n in found), "")
        tasks = [json.loads(line) for line in (source / "lastturn.jsonl").read_text().splitlines()]
        found = [
            ranking(
                await asked_by_somebody(task["text"].split("|user|:")[-1].strip(), words, engine), wanted[task["_id"]]
            )
            for words in _PROFILES
            for task in tasks
            if wanted[task["_id"]]
        ]
        report.add(f"MTRAG {name}, last turn with a profile: R@5", mean(r for r, _ in found), "", "as without one")


async def rewritten(name: str, source: Path, report: Report) -> None:
    """Tell how near our last turns are to the paper's rewriting, and how near they are as they stand."""
    pack = load_pack(builtin("handbook"))
    ours, untouched = [], []
    both = [(source / f"{asked}.jsonl").read_text().splitlines() for asked in ("questions", "rewrite")]
    for line, other in zip(*both, strict=True):
        turns = [turn.strip() for turn in json.loads(line)["text"].split("|user|:") if turn.strip()]
        wanted = json.loads(other)["text"].removeprefix("|user|:").strip()
        _, standalone = await said_in_turn(turns, pack)
        ours.append(rouge(standalone.text, wanted))
        untouched.append(rouge(turns[-1], wanted))
    report.add(f"MTRAG {name}: ROUGE-1 F1 to the paper's rewrite", mean(ours), "", f"> {mean(untouched):.4f} (raw)")


async def said_in_turn(turns: Sequence[str], pack: Pack) -> tuple[Understood, Standalone]:
    """Return how the last of a conversation's questions is read after the others."""
    earlier: list[TurnRecord] = []
    understood, standalone = None, None
    for text in turns:
        understood, standalone = await resolved(Message(text=text, pack=pack, turns=tuple(earlier)))
        earlier.append(record(understood.question, standalone.text))
    assert understood is not None and standalone is not None
    return understood, standalone


async def asked_in_turn(turns: Sequence[str], engine: Engine) -> list[str]:
    """Ask a conversation's questions one after the other; return the documents that the last one finds."""
    understood, standalone = await said_in_turn(turns, engine.pack)
    if understood.route in ("direct", "decline"):
        return []
    return await documents(standalone, understood, engine)


async def asked_by_somebody(text: str, words: Sequence[str], engine: Engine) -> list[str]:
    """Ask one question as somebody who told these words; return the documents that it finds."""
    understood, standalone = await resolved(Message(text=text, pack=engine.pack))
    if understood.route in ("direct", "decline"):
        return []
    terms = tuple(WeightedTerm(text=word, weight=WEIGHT) for word in words)
    return await documents(replace(standalone, terms=terms), understood, engine)


async def resolved(message: Message) -> tuple[Understood, Standalone]:
    """Return how a message is read and what is searched for, as the nodes `understand` and `rewrite` decide it."""
    understood = await REASONER.understand(message)
    if understood.route in ("direct", "decline") or not message.turns:
        return understood, Standalone(text=understood.question)
    standalone = await REASONER.resolve(message)
    if understood.route == "contextualize":
        return understood, standalone
    return understood, replace(standalone, text=understood.question, changed=False)


async def documents(question: Standalone, understood: Understood, engine: Engine) -> list[str]:
    plan = await REASONER.plan(question, understood, engine.pack)
    results = []
    for step in plan.steps:
        expansion = await REASONER.expand(step, question, understood, engine.pack)
        request = SearchRequest(
            queries=expansion.queries,
            k=max(20, 2 * engine.pack.limits.passages),
            filter=SearchFilter(collections=(_COLLECTION,)),
            must_have=expansion.must_have,
        )
        results.append((await engine.knowledge.search(request, OPERATOR)).hits)
    return list(dict.fromkeys(hit.passage.document_id for hit in merged(results)))


def ranking(found: Sequence[str], wanted: set[str]) -> tuple[float, float]:
    """Return recall and nDCG at 5."""
    gain = sum(1 / math.log2(rank + 2) for rank, name in enumerate(found[:5]) if name in wanted)
    best = sum(1 / math.log2(rank + 2) for rank in range(min(5, len(wanted))))
    return len(wanted.intersection(found[:5])) / len(wanted), gain / best


# --- CAsT: is it what a human would have written ----------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """A question after the first of its conversation, and what a human made of it."""

    id: str
    earlier: tuple[str, ...]
    raw: str
    human: str
    automatic: str = ""


@dataclass(frozen=True)
class Rewritten:
    """A question of a conversation, and what somebody made of it."""

    turn: Turn
    text: str


async def cast(data: Path, report: Report) -> None:
    for year, turns, floors in (
        ("2019", list(cast_2019(data / "cast")), ("> .796", ">= .50 -> .59")),
        ("2020", list(cast_2020(data / "cast")), ("> .702", ">= .42 -> .50")),
    ):
        score(f"CAsT {year}, raw", [Rewritten(turn, turn.raw) for turn in turns], report)
        score(f"CAsT {year}, ours", [Rewritten(turn, await ours(turn)) for turn in turns], report, floors)
        if any(turn.automatic for turn in turns):
            score(f"CAsT {year}, organisers'", [Rewritten(turn, turn.automatic) for turn in turns], report)
        if year == "2019":
            for file in sorted((data / "cqr").glob("*.jsonl")):
                score(f"CAsT {year}, {file.stem}", list(published(file, turns)), report)


def cast_2019(folder: Path) -> Iterator[Turn]:
    lines = (folder / "2019_resolved.tsv").read_text().splitlines()
    human = dict(line.split("\t", 1) for line in lines if "\t" in line)
    for topic in json.loads((folder / "2019_topics.json").read_text()):
        raw = [turn["raw_utterance"].strip() for turn in topic["turn"]]
        for place, turn in enumerate(topic["turn"]):
            name = f"{topic['number']}_{turn['number']}"
            if place and name in human:
                yield Turn(name, tuple(raw[:place]), raw[place], human[name])


def cast_2020(folder: Path) -> Iterator[Turn]:
    for topic in json.loads((folder / "2020_manual.json").read_text()):
        raw = [turn["raw_utterance"].strip() for turn in topic["turn"]]
        for place, turn in enumerate(topic["turn"]):
            if place:
                yield Turn(
                    f"{topic['number']}_{turn['number']}",
                    tuple(raw[:place]),
                    raw[place],
                    turn["manual_rewritten_utterance"],
                    turn["automatic_rewritten_utterance"],
                )


async def ours(turn: Turn) -> str:
    return (await REASONER.resolve(Message(text=turn.raw, pack=Pack.model_construct(), turns=await told(turn)))).text


async def told(turn: Turn) -> tuple[TurnRecord, ...]:
    """Return the turns before this one, each in our own rewriting."""
    earlier: list[TurnRecord] = []
    for text in turn.earlier:
        message = Message(text=text, pack=Pack.model_construct(), turns=tuple(earlier))
        earlier.append(record(text, (await REASONER.resolve(message)).text))
    return tuple(earlier)


def published(file: Path, turns: Sequence[Turn]) -> Iterator[Rewritten]:
    made: dict[str, Any] = {}
    for line in file.read_text().splitlines():
        task = json.loads(line)
        made[f"{task['topic_number']}_{task['query_number']}"] = task["output"]
    return (Rewritten(turn, made[turn.id]) for turn in turns if turn.id in made)


def score(name: str, rewritten: Sequence[Rewritten], report: Report, floors: tuple[str, str] = ("", "")) -> None:
    both = ours_only = theirs_only = 0
    kept: list[bool] = []
    for item in rewritten:
        turn = item.turn
        before = {term for text in turn.earlier for term in tokens(text)} - set(tokens(turn.raw))
        mine, human = before.intersection(tokens(item.text)), before.intersection(tokens(turn.human))
        both += len(mine & human)
        ours_only += len(mine - human)
        theirs_only += len(human - mine)
        if plain(turn.human) == plain(turn.raw):
            kept.append(plain(item.text) == plain(turn.raw))
    shared = both / max(1, both + (ours_only + theirs_only) / 2)
    report.add(f"{name}: ROUGE-1 F1", mean(rouge(item.text, item.turn.human) for item in rewritten), "", floors[0])
    report.add(f"{name}: added terms, F1", shared, "", floors[1])
    report.add(f"{name}: untouched of {len(kept)} that stand alone", mean(kept), "", "all" if floors[0] else "")


def plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def rouge(text: str, other: str) -> float:
    mine, theirs = Counter(plain(text)), Counter(plain(other))
    return 2 * (mine & theirs).total() / max(1, mine.total() + theirs.total())


def mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / max(1, len(known))


# --- our own dialogues ------------------------------------------------------------------------------


async def own(language: str, report: Report) -> None:
    """Rewrite the turns of the project's own dialogues, each after those before it."""
    right: list[bool] = []
    kept: list[bool] = []
    for line in (DIALOGUES / f"{language}.jsonl").read_text(encoding="utf-8").splitlines():
        earlier: list[TurnRecord] = []
        for turn in json.loads(line)["turns"]:
            message = Message(text=turn["q"], pack=Pack.model_construct(), turns=tuple(earlier))
            made = await REASONER.resolve(message)
            if turn.get("kind") == "alone":
                kept.append(not made.changed)
            elif "kind" in turn:
                right.append(as_wanted(made.text, turn))
            earlier.append(record(turn["q"], made.text, turn["a"]))
    report.add(f"own dialogues {language}: {len(right)} turns as wanted", mean(right), "")
    report.add(f"own dialogues {language}: {len(kept)} turns untouched that stand alone", mean(kept), "", "all")


def as_wanted(text: str, turn: dict[str, Any]) -> bool:
    """Tell whether a rewriting holds all the words that it should, and none that it should not."""
    wanted = all(any(holds(text, way) for way in word.split("|")) for word in turn["wants"])
    return wanted and not any(holds(text, word) and not holds(turn["q"], word) for word in turn.get("without", ()))


def holds(text: str, word: str) -> bool:
    if "가" <= word[0] <= "힣":
        return word in text
    return set(tokens(word)) <= set(tokens(text))


if __name__ == "__main__":
    main()
