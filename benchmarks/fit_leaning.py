"""Fit how a message leans on its thread: `python -m benchmarks.fit_leaning DATA [--without NAME...] [--write]`.

DATA has `cast/`, `mtrag/` and `realdocs/`. A message leans where the human rewrite of it takes words of earlier turns,
or where it is a follow-up; it does not where it begins a topic, also behind another one. A word of the thread is meant
where the rewrite takes it. Figures are told of what was fitted and of what was left out; `--write` writes the weights
(`agent/reasoning/rules/thread/context_dependence.json`): no text of any set is in them.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.reasoning.rules.thread import context_dependence
from agent.reasoning.rules.thread.context_dependence import Features
from agent.reasoning.rules.thread.history import Past, Word, content
from benchmarks.answers import QUESTIONS
from benchmarks.conversation import DIALOGUES, cast_2019, cast_2020

FITTED = ("cast 2019", "cast 2020", "uv", "skt", "own")
TESTED = ("clef", "govuk", "law", "react", "mtrag clapnq", "mtrag cloud")
RIDGE = 1.0
OFTEN = {"own": 2, "skt": 3, "uv": 3}
"""How often a small set counts: only two have Korean in them."""


@dataclass(frozen=True)
class Case:
    """A message in a thread, and the same in full; None where nothing of the thread is meant."""

    message: str
    past: tuple[Past, ...]
    full: str | None
    leans: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--without", nargs="*", default=[], help="sets to leave out, of those that are fitted")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    cases = {name: list(cases_of(name, given.data)) for name in (*FITTED, *TESTED)}
    used = [name for name in FITTED if name not in given.without]
    weighed = [c for n in used for c in cases[n] for _ in range(OFTEN.get(n, 1))]
    message = fit([(context_dependence.message_features(c.message, c.past), c.leans) for c in weighed])
    words = [example for n in used for c in cases[n] for example in word_examples(c, message)]
    fitted = {hangul: fit([(f, y) for f, y, korean in words if korean is hangul]) for hangul in (False, True)}
    for name, those in cases.items():
        kind = "fitted" if name in used else "left out"
        told = [(figure(context_dependence.message_features(c.message, c.past), message), c.leans) for c in those]
        chosen = [(figure(f, fitted[hangul]), y) for c in those for f, y, hangul in word_examples(c, message)]
        print(
            f"{name:14} {kind:9} {len(those):4}  leans: AUC {auc(told):.3f}, right {right(told):.3f}"
            f"   words: AUC {auc(chosen):.3f}, best F1 {best(chosen)}"
        )
    if given.write:
        file = Path(context_dependence.__file__).with_name("context_dependence.json")
        named = {"message": message, "word": fitted[False], "korean": fitted[True]}
        rounded = {name: {n: round(w, 3) for n, w in weights.items()} for name, weights in named.items()}
        file.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def cases_of(name: str, data: Path) -> Iterator[Case]:
    if name.startswith("cast"):
        yield from of_cast(name, data)
    elif name.startswith("mtrag"):
        yield from of_mtrag(data / "mtrag" / name.split()[1])
    elif name == "own":
        yield from of_dialogues()
        yield from of_handbook()
    else:
        yield from of_documents(next((data / "realdocs").glob(f"*/{name}")))


def of_cast(name: str, data: Path) -> Iterator[Case]:
    turns = list((cast_2019 if name == "cast 2019" else cast_2020)(data / "cast"))
    before: tuple[Past, ...] = ()
    full: dict[str, str] = {}
    for turn in turns:
        if len(turn.earlier) == 1 and before:  # a conversation begins, here behind the one before it
            yield Case(turn.earlier[0], before[-3:], None, leans=False)
            full = {turn.earlier[0]: turn.earlier[0]}
        full.setdefault(turn.earlier[0], turn.earlier[0])
        before = tuple(Past(text, full.get(text, text)) for text in turn.earlier)
        full[turn.raw] = turn.human
        yield Case(turn.raw, before, turn.human, leans=bool(taken(turn.raw, turn.human, before)))


def of_mtrag(folder: Path) -> Iterator[Case]:
    full = {row["_id"]: row["text"] for row in rows(folder / "rewrite.jsonl")}
    for row in rows(folder / "questions.jsonl"):
        *earlier, last = [text.strip() for text in row["text"].split("|user|:") if text.strip()]
        if earlier:
            human, past = full[row["_id"]].removeprefix("|user|:").strip(), tuple(Past(t, t) for t in earlier[-8:])
            yield Case(last, past, human, leans=bool(taken(last, human, past)))


def of_documents(folder: Path) -> Iterator[Case]:
    threads: dict[str, list[dict[str, str]]] = {}
    for row in rows(folder / "questions.jsonl"):
        threads.setdefault(row["thread"], []).append(row)
    for those in threads.values():
        past: tuple[Past, ...] = ()
        for row in those:
            if past and "standalone" in row:
                yield Case(row["text"], past, row["standalone"], leans=True)
            past = (*past, Past(row["text"], row.get("standalone", row["text"]), row["answer"]))
    firsts = [those[0] for those in threads.values()]
    for one, two in pairwise(firsts):
        yield Case(two["text"], (Past(one["text"], one["text"], one["answer"]),), None, leans=False)


def of_dialogues() -> Iterator[Case]:
    for language in ("en", "ko"):
        for row in rows(DIALOGUES / f"{language}.jsonl"):
            past: tuple[Past, ...] = ()
            for turn in row["turns"]:
                wanted = " ".join(word.split("|")[0] for word in turn.get("wants", ()))
                alone = turn.get("kind") == "alone"
                if past and "kind" in turn and turn["kind"] not in ("list", "return"):
                    yield Case(turn["q"], past, None if alone else f"{turn['q']} {wanted}", leans=not alone)
                past = (*past, Past(turn["q"], f"{turn['q']} ({wanted})" if wanted else turn["q"], turn["a"]))


def of_handbook() -> Iterator[Case]:
    """Yield the questions on the sample handbook, each behind another one that it has nothing to do with."""
    asked = [row["text"] for row in rows(QUESTIONS)]
    for n, text in enumerate(asked):
        for step in (1, 7):
            before = asked[(n + step) % len(asked)]
            yield Case(text, (Past(before, before),), None, leans=False)


def rows(file: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def candidates(case: Case) -> dict[str, Word]:
    """Return the words of the thread that the message lacks, each as it was said last."""
    known = {word.key for word in content(case.message)}
    return {w.key: w for turn in case.past for w in content(turn.asked) if w.key not in known}


def taken(message: str, full: str, past: Sequence[Past]) -> set[str]:
    earlier = {word.key for turn in past for word in content(turn.asked)}
    return (earlier & {word.key for word in content(full)}) - {word.key for word in content(message)}


def word_examples(case: Case, weights: dict[str, float]) -> Iterator[tuple[Features, bool, bool]]:
    wanted = taken(case.message, case.full, case.past) if case.full else set()
    lean = figure(context_dependence.message_features(case.message, case.past), weights)
    for key, word in candidates(case).items():
        yield context_dependence.word_features(word, case.message, case.past, lean), key in wanted, word.hangul


def fit(examples: Sequence[tuple[Features, bool]]) -> dict[str, float]:
    """Return the weights of a logistic regression with an L2 penalty, by Newton's method."""
    names = sorted({name for features, _ in examples for name in features})
    x = np.array([[features.get(name, 0.0) for name in names] for features, _ in examples])
    y = np.array([float(wanted) for _, wanted in examples])
    w: NDArray[np.float64] = np.zeros(len(names))
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (p - y) + RIDGE * w
        curve = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(len(names))
        w = w - np.linalg.solve(curve, slope)
    return dict(zip(names, w.tolist(), strict=True))


def figure(features: Features, weights: dict[str, float]) -> float:
    return float(1 / (1 + np.exp(-sum(weights[name] * value for name, value in features.items()))))


def auc(told: Sequence[tuple[float, bool]]) -> float:
    good, bad = (np.array([p for p, y in told if y is wanted]) for wanted in (True, False))
    if not len(good) or not len(bad):
        return float("nan")
    return float((good[:, None] > bad).mean() + (good[:, None] == bad).mean() / 2)


def right(told: Sequence[tuple[float, bool]]) -> float:
    return sum((p >= context_dependence.LEANS) == y for p, y in told) / max(1, len(told))


def best(told: Sequence[tuple[float, bool]]) -> str:
    def f1(least: float) -> float:
        hit = sum(p >= least and y for p, y in told)
        return 2 * hit / max(1, sum(p >= least for p, _ in told) + sum(y for _, y in told))

    return ", ".join(f"{least} {f1(least):.3f}" for least in (0.3, 0.4, 0.5, 0.6))


if __name__ == "__main__":
    main()
