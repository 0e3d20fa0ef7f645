"""Fit whom a message is for: `python -m benchmarks.fit_addressed [--write]`.

The threads of the talk corpora are played through the application; every line that calls nobody is decided as it should
be, and what was seen of it is kept. The trees (`agent/reasoning/rules/judging/addressee.json`) are fitted on all of
it but for the sets that are left out; what they do on these is told and changes nothing. The least likelihood that is
answered is chosen with each quarter weighed by what was fitted without it.
"""

import argparse
import asyncio
import json
import math
import tempfile
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from agent.reasoning.rules.fitted.symmetric_trees import Trees
from agent.reasoning.rules.judging import addressee
from agent.reasoning.rules.judging import wording as learnt_wording
from agent.reasoning.rules.judging.addressee import Seen
from agent.reasoning.rules.judging.wording import NaiveBayes, Wording, frame, letters, spoken
from benchmarks.boosting import boosted
from benchmarks.conduct import MOST_TALK
from benchmarks.talk_sets import CORPORA, LEFT_OUT, Line, Player, Thread, prepare, threads
from bot.app import open_engine
from bot.settings import Settings

FOLDS = 4
SAID, FRAMED = 5, 3
"""How many lines must hold a piece of letters, and a part of a frame, for anything to be read from it."""
COMMON = 3
"""How many sets of talk must hold a word for it to be one that is said about anything."""
TELLS = 0.15
"""Least log likelihood ratio of what is kept."""

KINDS = {"question": True, "other": False}
"""By name, whether a line is put as a question: frames are told apart within each, and each has its own bar."""
REMARKS = ("remarks", "notes", "stays", "crews", "yards", "tellers")
"""The sets in which people say about an answer, or tell of the documents, most of what they say: from them it is read
how likely a line that is no question must be, for there is more of it everywhere than in talk that was written to be
hard. For that they count twice, too."""


@dataclass(frozen=True)
class Case:
    corpus: str
    thread: Thread
    fold: int
    """Threads that stand side by side are of one workplace, and in one fold."""
    text: str
    seen: Seen
    wanted: bool


@dataclass(frozen=True)
class Model:
    """What is fitted."""

    wording: Wording
    trees: Trees

    def likely(self, case: Case) -> float:
        """Return how likely a line is said to Weft."""
        if case.seen.about_answer:
            return 1.0
        figures = {**case.seen.figures, **self.wording.of(case.text, asks=case.seen.asks)}
        return self.trees.of(figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--show", action="store_true", help="print what is decided wrongly of what is fitted on")
    given = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        seen = dict(zip((*CORPORA, *LEFT_OUT), pool.map(seen_in, (*CORPORA, *LEFT_OUT)), strict=True))
    mine = [case for corpus in CORPORA for case in seen[corpus]]
    apart = folded(mine)
    least = chosen(mine, apart)
    for corpus in CORPORA:
        told(corpus, *of(mine, apart, corpus=corpus), least)
    told("each quarter by the others", mine, apart, least)
    model = fit(mine)
    left = [case for corpus in LEFT_OUT for case in seen[corpus]]
    likely = [model.likely(case) for case in left]
    for corpus in LEFT_OUT:
        told(f"{corpus}, left out", *of(left, likely, corpus=corpus), least)
    for name, asks in KINDS.items():
        told(f"all left out, {name}", *of(left, likely, asks=asks), least)
    told("all left out", left, likely, least)
    if given.show:
        for case, p in sorted(zip(mine, apart, strict=True), key=lambda each: each[1]):
            if (p >= least[case.seen.asks]) != case.wanted:
                print(f"{p:.2f} {'+' if case.wanted else '-'} {case.thread.name} {case.text}")
    if given.write:
        file = Path(addressee.__file__).with_suffix(".json")
        trees = [json.dumps([tree.cuts, tree.leaves]) for tree in model.trees.trees]
        lines = ",\n  ".join(trees)
        bars = json.dumps({kind: round(least[asks], 3) for kind, asks in KINDS.items()})
        file.write_text(f'{{\n "least": {bars},\n "trees": [\n  {lines}\n ]\n}}\n', encoding="utf-8")
        learned = model.wording
        _write(
            learnt_wording.FILE,
            {
                "common": sorted(learned.common),
                **{
                    kind: {"letters": learned.letters[asks].weights, "frames": learned.frames[asks].weights}
                    for kind, asks in KINDS.items()
                },
            },
        )


def _write(file: Path, data: Mapping[str, object]) -> None:
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def of(
    cases: Sequence[Case], likelihoods: Sequence[float], *, corpus: str | None = None, asks: bool | None = None
) -> tuple[Sequence[Case], Sequence[float]]:
    """Return those of one corpus, or of one kind."""
    own = [
        (case, p)
        for case, p in zip(cases, likelihoods, strict=True)
        if corpus in (None, case.corpus) and asks in (None, case.seen.asks)
    ]
    return [case for case, _ in own], [p for _, p in own]


def seen_in(corpus: str) -> list[Case]:
    """Return what is seen of each line that calls nobody and is not plainly said to somebody else."""
    return asyncio.run(_seen_in(corpus))


async def _seen_in(corpus: str) -> list[Case]:
    found: list[Case] = []
    now: list[tuple[int, Thread, Line]] = []
    played = list(threads(corpus))

    def noted(seen: Seen, *, replies: bool = False) -> bool:
        place, thread, line = now[-1]
        found.append(Case(corpus, thread, place * FOLDS // len(played), line.text, seen, line.wanted))
        return line.wanted

    usual, addressee.is_for_weft = addressee.is_for_weft, noted
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with open_engine(Settings.load(data=Path(folder))) as engine:
                await prepare(engine, corpus)
                player = Player(engine)
                for place, thread in enumerate(played):
                    for number, line in enumerate(thread.lines):
                        now.append((place, thread, line))
                        await player.say(thread, number)
    finally:
        addressee.is_for_weft = usual
    return found


def folded(cases: Sequence[Case]) -> list[float]:
    """Return how likely each case is by what was fitted without its fold."""
    models = [fit([case for case in cases if case.fold != fold]) for fold in range(FOLDS)]
    return [models[case.fold].likely(case) for case in cases]


def chosen(cases: Sequence[Case], told: Sequence[float]) -> dict[bool, float]:
    """Return the least likelihood that is answered, for what is put as a question and what is not.

    As low as people's lines allow that must be left alone: of all that they say no more than is promised
    (`conduct.MOST_TALK`), a standard error less; of remarks half as much, for who is answered without having asked
    minds most.
    """
    talk = [(case, p) for case, p in zip(cases, told, strict=True) if not case.wanted]
    other = [(case, p) for case, p in talk if not case.seen.asks]
    remarks = [p for case, p in other if case.corpus in REMARKS and not case.seen.about_answer]
    least = _above(remarks, _most(len(remarks)) // 2)
    answered = sum(p >= least for _, p in other)
    return {False: least, True: _above([p for case, p in talk if case.seen.asks], _most(len(talk)) - answered)}


def _most(lines: int) -> int:
    return int(lines * MOST_TALK - math.sqrt(lines * MOST_TALK * (1 - MOST_TALK)))


def _above(likelihoods: Sequence[float], most: int) -> float:
    """Return a bar that at most so many reach."""
    ranked = sorted(likelihoods, reverse=True)
    return (ranked[most - 1] + ranked[most]) / 2


def told(name: str, cases: Sequence[Case], likelihoods: Sequence[float], least: Mapping[bool, float]) -> None:
    answered = [p >= least[case.seen.asks] for case, p in zip(cases, likelihoods, strict=True)]
    talk = [yes for case, yes in zip(cases, answered, strict=True) if not case.wanted]
    asked = [yes for case, yes in zip(cases, answered, strict=True) if case.wanted]
    print(f"{name:36} people's lines {sum(talk)} of {len(talk)}, follow-ups {sum(asked)} of {len(asked)}")


def fit(cases: Sequence[Case]) -> Model:
    """Return the wording, and the weights of figures among which is that of wordings learnt without their fold."""
    cases = [case for case in cases for _ in range(1 + (case.corpus in REMARKS)) if not case.seen.about_answer]
    folds = {case.fold for case in cases}
    apart = {fold: learnt([case for case in cases if case.fold != fold]) for fold in folds}
    rows = [{**case.seen.figures, **apart[case.fold].of(case.text, asks=case.seen.asks)} for case in cases]
    return Model(learnt(cases), boosted(rows, [case.wanted for case in cases]))


def learnt(cases: Sequence[Case]) -> Wording:
    """Return what the wording of lines tells."""
    places: dict[str, set[str]] = {}
    for case in cases:
        for word in spoken(case.text):
            places.setdefault(word, set()).add(case.corpus)
    common = frozenset(word for word, corpora in places.items() if len(corpora) >= COMMON)
    kinds = {asks: [case for case in cases if case.seen.asks == asks] for asks in KINDS.values()}
    return Wording(
        letters={
            asks: told_apart([(letters(case.text), case.wanted) for case in some], least=SAID)
            for asks, some in kinds.items()
        },
        common=common,
        frames={
            asks: told_apart([(frame(case.text, common), case.wanted) for case in some], least=FRAMED)
            for asks, some in kinds.items()
        },
    )


def told_apart(lines: Sequence[tuple[Collection[str], bool]], *, least: int) -> NaiveBayes:
    """Return the log likelihood ratios of what lines hold, smoothed by half a line that holds it."""
    held: Mapping[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for features, wanted in lines:
        held[wanted].update(features)
    counted = Counter(wanted for _, wanted in lines)
    found: dict[str, float] = {}
    for feature in sorted(held[True].keys() | held[False].keys()):
        if held[True][feature] + held[False][feature] >= least:
            share = {
                kind: (held[kind][feature] + 0.5 * many / len(lines)) / (many + 0.5) for kind, many in counted.items()
            }
            ratio = math.log(share[True] / share[False])
            if abs(ratio) >= TELLS:
                found[feature] = round(ratio, 2)
    return NaiveBayes(found)


if __name__ == "__main__":
    main()
