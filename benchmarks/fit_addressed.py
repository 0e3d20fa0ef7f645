"""Fit whom a message is for: `python -m benchmarks.fit_addressed [--write]`.

The threads of the talk corpora are played through the application; every line that calls nobody is decided as it should
be, and what was seen of it is kept. The weights (`agent/reasoning/rules/judging/addressee.json`) are fitted on one half
of each; what they do on the others is told and changes nothing. The least likelihood that is answered is
chosen on the fitted half, each thread of it weighed by what was fitted without it.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.reasoning.rules.judging import addressee
from agent.reasoning.rules.judging.addressee import Seen
from benchmarks.fit_leaning import auc
from benchmarks.talk_sets import CORPORA, HALVES, Line, Player, Thread, prepare, threads
from bot.app import open_engine
from bot.settings import Settings

RIDGE = 0.6
FOLDS = 10
SILENT = 0.984
"""Share of people's lines that must be left alone: what is promised (`conduct.MOST_TALK`), by a standard error more."""


@dataclass(frozen=True)
class Case:
    thread: Thread
    fold: int
    text: str
    seen: Seen
    wanted: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--show", action="store_true", help="print what is decided wrongly in the fitted half")
    given = parser.parse_args()
    halves = [[asyncio.run(seen_in(corpus, half)) for corpus in CORPORA] for half in HALVES]
    mine, held_out = [case for cases in halves[0] for case in cases], halves[1]
    names = sorted({name for case in mine for name in case.seen.figures})
    apart = folded(mine, names)
    least = chosen(mine, apart)
    told("fitted, each thread by the others", mine, apart, least)
    weights = fit(mine, names)
    for corpus, cases in zip(CORPORA, held_out, strict=True):
        told(f"{corpus}, held out", cases, [likely(case.seen, weights) for case in cases], least)
    if given.show:
        for case, p in sorted(zip(mine, apart, strict=True), key=lambda each: each[1]):
            if (p >= least) != case.wanted:
                print(f"{p:.2f} {'+' if case.wanted else '-'} {case.thread.name} {case.text}")
    if given.write:
        file = Path(addressee.__file__).with_name("addressee.json")
        rounded = {"least": round(least, 3), "weights": {name: round(w, 3) for name, w in weights.items()}}
        file.write_text(json.dumps(rounded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


async def seen_in(corpus: str, half: str) -> list[Case]:
    """Return what is seen of each line that calls nobody and is not plainly said to somebody else."""
    found: list[Case] = []
    now: list[tuple[int, Thread, Line]] = []

    def noted(seen: Seen, *, replies: bool = False) -> bool:
        place, thread, line = now[-1]
        found.append(Case(thread, place % FOLDS, line.text, seen, line.wanted))
        return line.wanted

    usual, addressee.is_for_weft = addressee.is_for_weft, noted
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with open_engine(Settings.load(data=Path(folder))) as engine:
                await prepare(engine, corpus)
                player = Player(engine)
                for place, thread in enumerate(threads(corpus, half)):
                    for number, line in enumerate(thread.lines):
                        now.append((place, thread, line))
                        await player.say(thread, number)
    finally:
        addressee.is_for_weft = usual
    return found


def folded(cases: Sequence[Case], names: Sequence[str]) -> list[float]:
    """Return how likely each case is by what was fitted without its fold."""
    weights = [fit([case for case in cases if case.fold != fold], names) for fold in range(FOLDS)]
    return [likely(case.seen, weights[case.fold]) for case in cases]


def chosen(cases: Sequence[Case], told: Sequence[float]) -> float:
    """Return the least likelihood that is answered: as low as people's lines allow that must be left alone."""
    talk = np.sort([p for case, p in zip(cases, told, strict=True) if not case.wanted])
    return float((talk[int(SILENT * len(talk))] + talk[min(len(talk) - 1, int(SILENT * len(talk)) + 1)]) / 2)


def told(name: str, cases: Sequence[Case], likelihoods: Sequence[float], least: float) -> None:
    talk = [p >= least for case, p in zip(cases, likelihoods, strict=True) if not case.wanted]
    asked = [p >= least for case, p in zip(cases, likelihoods, strict=True) if case.wanted]
    figure = auc([(p, case.wanted) for case, p in zip(cases, likelihoods, strict=True)])
    print(
        f"{name:36} AUC {figure:.3f}, least {least:.2f}: people's lines {sum(talk)} of {len(talk)}, "
        f"follow-ups {sum(asked)} of {len(asked)}"
    )


def fit(cases: Sequence[Case], names: Sequence[str]) -> dict[str, float]:
    """Return the weights of a logistic regression with an L2 penalty, by Newton's method; both classes count alike."""
    cases = [case for case in cases if case.seen.asks and not case.seen.about_answer]
    x = np.array([[case.seen.figures[name] for name in names] for case in cases])
    y = np.array([float(case.wanted) for case in cases])
    counts: NDArray[np.float64] = np.where(y == 1, len(y) / (2 * y.sum()), len(y) / (2 * (1 - y).sum()))
    w: NDArray[np.float64] = np.zeros(len(names))
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (counts * (p - y)) + RIDGE * w
        curve = (x * (counts * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(len(names))
        w = w - np.linalg.solve(curve, slope)
    return dict(zip(names, w.tolist(), strict=True))


def likely(seen: Seen, weights: dict[str, float]) -> float:
    if seen.about_answer:
        return 1.0
    if not seen.asks:
        return 0.0
    return Regression(0.0, weights).of(seen.figures)


if __name__ == "__main__":
    main()
