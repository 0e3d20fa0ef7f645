"""Fit how tokens match: `python -m benchmarks.fit_matching DATA [--more FOLDER ...] [--apart FOLDER ...] [--write]
[--folds FOLDER]`.

DATA and the folders are those of `benchmarks.likelihood`. Every question is searched by words, and the pieces of what
is found are told apart: which of them tell what was asked. The maps of tokens (`adapters/services/token_matching.py`)
are fitted so that these come first, and so that the best piece of a question that nothing answers matches less; then
the centres of the codes that are kept of them. What is not fitted on is only measured, beside tokens as the model has
them. With --folds FOLDER the maps that were fitted without a set are written there, for `benchmarks.likelihood --maps`.
Needs the extra `local`.
"""

import argparse
import asyncio
import math
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from adapters.services.bundled_encoder import Encoder
from adapters.services.bundled_weights import Floats, Weights
from adapters.services.token_matching import FILE, PARTS, Codebook, TokenMatcher, Turn
from agent.reasoning.rules.answering.quotes import pieces_of
from benchmarks import answer_sets
from benchmarks.answer_sets import REALDOCS, Set, is_file, plain, told
from benchmarks.likelihood import TRAIN, WEIGHT, auc, case_of, set_of
from benchmarks.report import Report
from bot.app import open_engine
from bot.operator.ingesting import ingest_paths
from bot.settings import Settings

FOLDS = 4
"""Groups of sets that maps are fitted without."""
RANK = 16
ROUNDS = 3
OF_KORQUAD = 700
"""Questions that are taken of it."""
LONGEST = 320
"""Tokens of a piece that are looked at."""
AT_ONCE = 16
"""Questions a step."""
STEP = 6e-4
"""How far Adam moves (Kingma, Ba 2015); the bar of telling moves further, it begins anywhere."""
BAR_STEP = 0.05
STEEP = 20.0
"""What a match counts in log odds at first; a match is within -1..1."""
OF_A_CASE = 60
"""Tokens of its texts that the codes are fitted on."""
WEIGHED = 3.0
"""What the weight of a token counts, so that it is fitted as fast as the maps."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the pieces that were found for it."""

    set: str
    question: Floats
    """(tokens, width), each of length 1."""
    texts: Floats
    """(tokens, width) of all pieces, one after the other."""
    bounds: NDArray[np.int64]
    """Where each piece begins, and the end of the last."""
    shares: Floats
    """Of what was asked, what each piece tells."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--more", nargs="+", type=Path, default=[], metavar="FOLDER")
    parser.add_argument("--apart", nargs="+", type=Path, default=[], metavar="FOLDER", help="only measured")
    parser.add_argument("--folds", type=Path, metavar="FOLDER", help="maps for each set that were fitted without it")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    folders = [answer_sets.of_folder(folder) for folder in [*given.more, *given.apart]]
    train = {*TRAIN, *(folder.name for folder in given.more)}
    with tempfile.TemporaryDirectory() as work:
        own = [set_of(given.data, name, Path(work)) for name in dict.fromkeys([*REALDOCS, *TRAIN]) if name != "korquad"]
        own.append(answer_sets.korquad(given.data, Path(work), sample=OF_KORQUAD))
        cases = asyncio.run(_gathered([*own, *folders], Path(work)))
    fitted_on = [case for case in cases if case.set in train]
    model = fit(fitted_on)
    report = Report("How well tokens match")
    for name in dict.fromkeys(case.set for case in cases):
        some = [case for case in cases if case.set == name]
        place = "fitted on" if name in train else "held out"
        for what, matcher in (("as they are", _plain(some[0].question.shape[1])), ("fitted", model)):
            first, area = measured(matcher, some)
            report.add(f"{name} ({place}), {what}: a piece that tells it first", first, f"of {len(some)}")
            report.add(f"{name} ({place}), {what}: AUC of the best match", area, "")
    report.show(given.json)
    if given.write:
        _write(FILE, model, fitted_on)
    if given.folds:
        names = sorted(train)
        for fold in (names[n::FOLDS] for n in range(FOLDS)):
            others = [case for case in fitted_on if case.set not in fold]
            apart = fit(others)
            for name in fold:
                _write(given.folds / f"{name}.npz", apart, others)


def _write(path: Path, model: TokenMatcher, fitted_on: Sequence[Case]) -> None:
    parts: dict[str, Any] = {
        "question_down": model.question.down, "question_up": model.question.up,
        "text_down": model.text.down, "text_up": model.text.up, "weight": model.weight,
        "centres": codebook(model, fitted_on).centres,
    }  # fmt: skip
    with path.open("wb") as file:
        np.savez(file, **{name: part.astype(np.float16) for name, part in parts.items()})


async def _gathered(sets: Sequence[Set], work: Path) -> list[Case]:
    """Return every question that something was found for, asked in full."""
    encoder = Encoder(Weights.read(), threads=2)
    known: dict[str, Floats] = {}
    out = []
    for questions in sets:
        settings = Settings.load(data=work / questions.name)
        await ingest_paths(settings, questions.documents, "documents", as_json=True)
        async with open_engine(settings) as engine:
            for question in questions.questions:
                case = await case_of(questions, question, engine)
                texts, shares = [], []
                for block in case.blocks:
                    passage = block.passage
                    right = question.answerable and is_file(passage.source, passage.document_id, question.files)
                    for text in pieces_of(passage):
                        if text not in known:
                            known[text] = encoder.states("passage", text)[:LONGEST]
                        tells = [right and told(fact, plain(text)) for fact in question.facts]
                        texts.append(known[text])
                        shares.append(sum(tells) / max(1, len(tells)))
                if texts:
                    asked = encoder.states("query", case.asked.text)
                    out.append(as_case(questions.name, asked, texts, shares))
    return out


def as_case(name: str, question: Floats, texts: Sequence[Floats], shares: Sequence[float]) -> Case:
    """Return a case of the tokens of a question and of its pieces."""
    bounds = np.cumsum([0, *map(len, texts)])
    return Case(name, question, np.concatenate(texts), bounds, np.array(shares, dtype=np.float32))


def _plain(width: int) -> TokenMatcher:
    """Return what takes tokens as the model has them."""
    nothing = Turn(np.zeros((width, 1), dtype=np.float32), np.zeros((1, width), dtype=np.float32))
    return TokenMatcher(question=nothing, text=nothing, weight=np.zeros(width, dtype=np.float32))


def matches(matcher: TokenMatcher, case: Case) -> Floats:
    """Return how well each piece matches: (pieces,)."""
    return matcher.matches(case.question, matcher.text.of(case.texts), case.bounds[:-1])


def measured(matcher: TokenMatcher, cases: Sequence[Case]) -> tuple[float, float]:
    """Return for how many questions the piece that tells most comes first, and how well the best match tells that."""
    rows = [(matches(matcher, case), case.shares) for case in cases]
    tops = np.array([float(found.max()) for found, _ in rows])
    tells = np.array([float(shares[found.argmax()]) for found, shares in rows])
    first = sum(shares.max() > 0 and tell == shares.max() for tell, (_, shares) in zip(tells, rows, strict=True))
    return float(first), auc(tops[tells > 0], tops[tells == 0])


def fit(cases: Sequence[Case]) -> TokenMatcher:
    """Fit the maps by Adam; a question of a set that is worded like its passages counts `WEIGHT`."""
    width = cases[0].question.shape[1]
    chance, order = np.random.default_rng(0), random.Random(0)
    fitted = {
        "question_down": 0.02 * chance.standard_normal((width, RANK)), "question_up": np.zeros((RANK, width)),
        "text_down": 0.02 * chance.standard_normal((width, RANK)), "text_up": np.zeros((RANK, width)),
        "weight": np.zeros(width), "steep": np.array(math.log(STEEP)), "bar": np.array(-STEEP),
    }  # fmt: skip
    means = {name: (np.zeros_like(part), np.zeros_like(part)) for name, part in fitted.items()}
    steps = 0
    for _ in range(ROUNDS):
        shuffled = order.sample(list(cases), len(cases))
        for begin in range(0, len(shuffled), AT_ONCE):
            some = shuffled[begin : begin + AT_ONCE]
            slopes = [_slopes(fitted, case) for case in some]
            steps += 1
            for name, (first, second) in means.items():
                weights = [WEIGHT.get(case.set, 1.0) / len(some) for case in some]
                slope = sum(weight * each[name] for weight, each in zip(weights, slopes, strict=True))
                first += 0.1 * (slope - first)
                second += 0.001 * (slope * slope - second)
                speed = BAR_STEP if name == "bar" else STEP
                ahead = np.sqrt(second / (1 - 0.999**steps)) + 1e-8
                fitted[name] = fitted[name] - speed * first / (1 - 0.9**steps) / ahead
    return _matcher(fitted)


def codebook(model: TokenMatcher, cases: Sequence[Case]) -> Codebook:
    """Return the centres of the codes of texts, by k-means (faiss)."""
    chance = np.random.default_rng(0)
    some = [chance.choice(case.texts, min(OF_A_CASE, len(case.texts)), replace=False) for case in cases]
    tokens = model.text.of(np.concatenate(some))
    quantizer = faiss.ProductQuantizer(tokens.shape[1], PARTS, 8)
    quantizer.train(tokens)
    return Codebook(faiss.vector_to_array(quantizer.centroids).reshape(PARTS, 256, -1))


def _matcher(fitted: dict[str, NDArray[np.float64]]) -> TokenMatcher:
    part = {name: value.astype(np.float32) for name, value in fitted.items()}
    return TokenMatcher(
        question=Turn(part["question_down"], part["question_up"]),
        text=Turn(part["text_down"], part["text_up"]),
        weight=np.float32(WEIGHED) * part["weight"],
    )


def _slopes(fitted: dict[str, NDArray[np.float64]], case: Case) -> dict[str, NDArray[np.float64]]:
    """Return the slopes of a case's loss, by what is fitted.

    The loss is the cross entropy of which piece tells most, and of each piece that it tells anything, the likeliest
    counting most.
    """
    matcher, steep = _matcher(fitted), math.exp(float(fitted["steep"]))
    asked, texts = case.question.astype(np.float64), case.texts
    turned = asked + asked @ fitted["question_down"] @ fitted["question_up"]
    lengths = np.linalg.norm(turned, axis=1, keepdims=True)
    question, counts = turned / lengths, matcher.counts(case.question).astype(np.float64)
    near = matcher.text.of(texts) @ question.T.astype(np.float32)
    nearest = np.stack([begin + near[begin:end].argmax(axis=0) for begin, end in pairwise(case.bounds.tolist())])
    best = np.take_along_axis(near, nearest, axis=0).astype(np.float64)
    scores = steep * best @ counts
    likely = np.exp(scores - scores.max())
    likely /= likely.sum()
    shares = case.shares.astype(np.float64)
    first = likely - shares / shares.sum() if shares.sum() else np.zeros_like(likely)
    tells = likely * (1 / (1 + np.exp(-np.clip(scores + float(fitted["bar"]), -30, 30))) - shares)
    slope = first + tells
    of_best = steep * slope[:, None] * counts
    of_counts = steep * slope @ best
    of_logarithms = counts * (of_counts - counts @ of_counts)
    # Only the nearest tokens of each piece have a slope.
    places, place = np.unique(nearest, return_inverse=True)
    place = place.reshape(nearest.shape)
    some = texts[places].astype(np.float64)
    some_turned = some + some @ fitted["text_down"] @ fitted["text_up"]
    some_lengths = np.linalg.norm(some_turned, axis=1, keepdims=True)
    found = some_turned / some_lengths
    of_question = np.einsum("pt,ptw->tw", of_best, found[place])
    of_found = np.zeros_like(found)
    np.add.at(of_found, place.ravel(), (of_best[..., None] * question).reshape(-1, found.shape[1]))
    of_turned = _through_length(question, of_question) / lengths
    of_some = _through_length(found, of_found) / some_lengths
    return {
        "question_down": asked.T @ (of_turned @ fitted["question_up"].T),
        "question_up": (asked @ fitted["question_down"]).T @ of_turned,
        "text_down": some.T @ (of_some @ fitted["text_up"].T),
        "text_up": (some @ fitted["text_down"]).T @ of_some,
        "weight": WEIGHED * asked.T @ of_logarithms,
        "steep": np.array(slope @ scores),
        "bar": np.array(tells.sum()),
    }


def _through_length(unit: NDArray[np.float64], slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the slope before rows were made of length 1, but for their lengths."""
    along: NDArray[np.float64] = slope - unit * (unit * slope).sum(axis=1, keepdims=True)
    return along


if __name__ == "__main__":
    main()
