"""How well messages are understood, offline: `python -m benchmarks.intents DATA [--json FILE]`.

DATA has `clinc/train_val.json` (150 intents, and questions outside of all of them) and
`3i4k/fci_train_val.txt` (kinds of Korean utterances). The splits are the files' own for CLINC150:
`train` is the pack, `val` and the out-of-scope questions are asked; `CLINC150+outside` has `oos_train`
as examples of a pack's own out-of-scope intent, and is asked `oos_val`. Of 3i4K every tenth line of a
fixed shuffle is asked. All goes through a real pack and `OfflineReasoner.understand`; the handbook's
own examples are asked one by one of a classifier that was trained without them.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.packs.load import builtin, load_pack
from agent.packs.pack import Flags, IntentSpec, Pack, Words
from agent.reasoning.contract import Message
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.planning.routes import UNKNOWN
from agent.reasoning.rules.reading.intents import Intents
from agent.text import language_of
from agent.types import Language, Understood
from benchmarks.report import Report, percentile

OUTSIDE = "out_of_scope"
Labelled = Sequence[tuple[str, str]]
"""A text and its intent, many times."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    report = Report("Intents, offline")
    handbook(report)
    asyncio.run(measure(given.data, report))
    report.add("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB")
    report.show(given.json)


async def measure(data: Path, report: Report) -> None:
    clinc: dict[str, Labelled] = json.loads((data / "clinc" / "train_val.json").read_text())
    first, second = texts(clinc["oos_train"]), texts(clinc["oos_val"])
    await ask("CLINC150", clinc["train"], clinc["val"], [*first, *second], report, targets=True)
    outside = [(text, OUTSIDE) for text in first]
    await ask("CLINC150+outside", [*clinc["train"], *outside], clinc["val"], second, report)
    for each in (10, 30):
        await ask(f"CLINC150, {each} each", some(clinc["train"], each), clinc["val"], [*first, *second], report)
    known, asked = split((data / "3i4k" / "fci_train_val.txt").read_text(encoding="utf-8"))
    await ask("3i4K", known, asked, [], report)


async def ask(
    name: str, examples: Labelled, inside: Labelled, outside: Sequence[str], report: Report, *, targets: bool = False
) -> None:
    """Make a pack of the examples, ask it what is inside and outside of it, and note what it understood."""
    pack = pack_of(examples)
    reasoner = OfflineReasoner()
    started = time.perf_counter()
    await reasoner.understand(Message(text="hello", pack=pack))
    report.add(f"{name}: training on {len(examples):,}", time.perf_counter() - started, "s", "< 60")
    took: list[float] = []

    async def understood(text: str) -> Understood:
        begun = time.perf_counter()
        found = await reasoner.understand(Message(text=text, pack=pack))
        took.append((time.perf_counter() - begun) * 1000)
        return found

    read = [(await understood(text), label) for text, label in inside]
    right = [found.intent.name == label for found, label in read]
    wanted = ">= .92 (SVM .92, paper .91, BERT .962)" if targets else ""
    report.add(f"{name}: in scope", statistics.mean(right), "of 1", wanted)
    refused = statistics.mean(found.intent.name in (UNKNOWN, OUTSIDE) for found, _ in read)
    report.add(f"{name}: wrongly refused", refused, "of 1")
    report.add(f"{name}: calibration error", gap([found.intent.confidence for found, _ in read], right), "of 1")
    labels = {label for _, label in inside}
    report.add(f"{name}: macro F1", macro_f1([(found.intent.name, label) for found, label in read], labels), "of 1")
    if outside:
        told = [(await understood(text)).intent.name not in labels for text in outside]
        wanted = ">= .42 -> .55 (paper .145, BERT .523)" if targets else ""
        report.add(f"{name}: out-of-scope recall", statistics.mean(told), "of 1", wanted)
    report.add(f"{name}: one message, p50", percentile(took, 0.5), "ms")
    report.add(f"{name}: one message, p95", percentile(took, 0.95), "ms")


def handbook(report: Report) -> None:
    """Ask the handbook's own examples, each of a classifier that has not seen it."""
    pack = load_pack(builtin("handbook"))
    Intents(pack.intents)
    times = []
    for _ in range(5):
        started = time.process_time()
        Intents(pack.intents)
        times.append((time.process_time() - started) * 1000)
    report.add("handbook: training, median of 5", statistics.median(times), "ms", "< 30")
    right: dict[Language, list[bool]] = {"en": [], "ko": []}
    for spec in pack.intents:
        for example in spec.examples:
            others = [
                each.model_copy(update={"examples": tuple(text for text in each.examples if text != example)})
                for each in pack.intents
            ]
            right[language_of(example)].append(Intents(others).best(example).name == spec.name)
    for language, found in right.items():
        report.add(f"handbook: each example by the others, {language}", statistics.mean(found), "of 1")


def pack_of(examples: Labelled) -> Pack:
    """Return a pack with these intents; without routing, so that each message shows its intent."""
    by_label: dict[str, list[str]] = defaultdict(list)
    for text, label in examples:
        by_label[label].append(text)
    words = Words(en="Benchmark", ko="벤치마크")
    intents = tuple(
        IntentSpec(name=label, examples=tuple(found), route="decline" if label == OUTSIDE else "research")
        for label, found in by_label.items()
    )
    flags = Flags(query_routing_enabled=False)
    return Pack(name="benchmark", title=words, description=words, intents=intents, flags=flags)


def some(examples: Labelled, each: int) -> Labelled:
    """Return the first examples of each intent."""
    seen: dict[str, int] = defaultdict(int)
    kept = []
    for text, label in examples:
        seen[label] += 1
        if seen[label] <= each:
            kept.append((text, label))
    return kept


def split(lines: str) -> tuple[Labelled, Labelled]:
    """Return nine tenths of the utterances and the last tenth, in a shuffle that is always the same."""
    rows = [line.partition("\t") for line in lines.splitlines()]
    labelled = [(text, f"kind_{label}") for label, _, text in rows if text.strip()]
    random.Random(7).shuffle(labelled)
    tenth = len(labelled) // 10
    return labelled[tenth:], labelled[:tenth]


def texts(labelled: Iterable[tuple[str, str]]) -> list[str]:
    return [text for text, _ in labelled]


def gap(confidences: Sequence[float], right: Sequence[bool]) -> float:
    """Return how far confidence is from being right, over ten classes of confidence (expected calibration error)."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for confidence, is_right in zip(confidences, right, strict=True):
        bins[min(9, int(confidence * 10))].append((confidence, is_right))
    return sum(
        len(found) / len(right) * abs(statistics.mean(c for c, _ in found) - statistics.mean(r for _, r in found))
        for found in bins.values()
    )


def macro_f1(told: Sequence[tuple[str, str]], labels: Iterable[str]) -> float:
    """Return the mean F1 of the labels, each counting the same."""
    scores = []
    for label in labels:
        both = sum(name == label == truth for name, truth in told)
        either = sum(name == label for name, _ in told) + sum(truth == label for _, truth in told)
        scores.append(2 * both / either if either else 0.0)
    return statistics.mean(scores)


if __name__ == "__main__":
    main()
