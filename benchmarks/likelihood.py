"""Fit how likely quotes hold the answer: `python -m benchmarks.likelihood DATA [--more FOLDER ...] [--write]`.

DATA has `realdocs/`, `clapnq/`, `korquad/`; a further FOLDER has `docs/` and `questions.jsonl`, as
`benchmarks.help_sets` makes them, and is trained on. Every question is searched as the application searches it. Quotes
and answers made of them are told apart by logistic regressions: a quote's target is the share of the facts that it
tells, an answer's whether it tells all of them. The regression of answers is fitted on quotes that were rated without
their own set. A third one tells how likely a quote answers in a thread: every follow-up is asked once more after the
questions before it, and some questions of their own in threads about something else. The sets that it is not trained on
are only measured. With --meaning the search compares meanings too, by the model of the extra `local`. With --maps
FOLDER the regression of answers is fitted on what the maps of tokens in FOLDER/SET.npz match (`benchmarks.fit_matching
--folds`): those in the package know too much of the sets that they were fitted on. With --write the weights replace
those in the package.

With --threads FOLDER ... nothing is fitted: what a passage counts that was told last is tried at several weights, on
sets that nothing was fitted on. The fit of threads leaves that weight as it is in the package.
"""

import argparse
import asyncio
import json
import random
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from adapters.services import bundled_matching
from adapters.services.bundled_encoder import Encoder
from adapters.services.bundled_matching import BundledMatching
from adapters.services.bundled_weights import Weights
from adapters.services.token_matching import Codes
from agent.nodes.remember import NEAREST
from agent.ports import Vectors
from agent.reasoning.contract import Message
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.answering import ranked_quotes
from agent.reasoning.rules.answering.likelihood import FILE, Evidence, Likelihood, fitted
from agent.reasoning.rules.answering.quote_features import features, seen
from agent.reasoning.rules.answering.quotes import Quote, quotes_of
from agent.reasoning.rules.answering.ranked_quotes import Rated
from agent.reasoning.rules.answering.weighted_question import Asked, asked
from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.retrieval import matching
from agent.retrieval.pack import pack
from agent.state import TeamTask
from agent.teams.search import expanded
from agent.types import Audience, Block, Standalone, TurnRecord
from benchmarks import answer_sets
from benchmarks.answer_sets import REALDOCS, Question, Set, is_file, plain, told
from benchmarks.report import Report
from bot.app import Engine, open_engine
from bot.operator.ingesting import ingest_paths
from bot.settings import Settings

TRAIN = ("govuk", "law", "clapnq", "korquad")
WEIGHT = {"clapnq": 0.3, "korquad": 0.3}
"""What a question of these counts against one of real documents: theirs are worded like their passages."""
SMALL = 6
"""Documents of a small collection, such as a new team has: every set is also asked about so many at a time."""
ELSEWHERE = 4
"""Questions that other documents of the set answer, which a small collection is asked too."""
RIDGE = 10.0
"""How strongly weights are drawn to 0, for figures of unit variance."""
RIDGE_OF_ANSWERS = 100.0
"""The same for answers, of which there are fewer than of quotes; on sets left out it does better than a tenth of it."""
RIGHT = 0.8
"""Share of the answers that are told as such which should tell what was asked, whole or in part."""
LOST = 0.005
"""Share of the whole answers that may be held back as nothing found."""
TURNED = 0.02
"""What a question that leaves the matter of its thread counts against one that stays with it: there are some six for
each, and in a thread one in ten is likelier."""
TOLD = (0.0, 0.3, 0.5, 0.7, 0.9, 1.1)
"""Weights that are tried for what was told last."""
PATIENCE = 600.0
"""Seconds that a question waits for its quotes to be matched: what is fitted may not hang on how busy a machine is."""
Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what was found for it."""

    set: str
    small: bool
    thread: float
    """What it counts as a question in a thread; 0 for one that is asked alone."""
    question: Question
    asked: Asked
    blocks: Sequence[Block]
    quotes: Sequence[tuple[Quote, Mapping[str, float], tuple[bool, ...]]]
    """Each with its figures, and which of the facts it tells."""

    @property
    def resumes(self) -> bool:
        """Tell whether something was found in what the turns before rest on."""
        return any(block.resumed for block in self.blocks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--more", nargs="+", type=Path, default=[], metavar="FOLDER")
    parser.add_argument(
        "--apart", nargs="+", type=Path, default=[], metavar="FOLDER", help="sets that are only measured"
    )
    parser.add_argument("--train", nargs="+", default=TRAIN)
    parser.add_argument(
        "--threads",
        nargs="+",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="try weights of what was told last on these",
    )
    parser.add_argument("--meaning", action="store_true")
    parser.add_argument("--maps", type=Path, metavar="FOLDER", help="of tokens, fitted without the set that they match")
    parser.add_argument("--vectors", type=Path, help="a file that keeps vectors from run to run")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    evidence: Evidence = "tokens" if given.meaning else "words"
    if given.threads:
        _try_threads([answer_sets.of_folder(folder) for folder in given.threads], evidence, given.json)
        return
    apart = [answer_sets.of_folder(folder) for folder in given.apart]
    more = [answer_sets.of_folder(folder) for folder in given.more]
    train = [*given.train, *(each.name for each in more)]
    more = [*more, *apart]
    names = list(dict.fromkeys([*REALDOCS, *train, *(each.name for each in apart)]))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sets = [*(set_of(given.data, name, work) for name in names if name not in {each.name for each in more}), *more]
        embedding = "local" if given.meaning else ""
        cases = asyncio.run(gathered(sets, work, embedding=embedding, vectors=given.vectors))
        unknown: list[Case] = []
        if given.maps:
            trained = [each for each in sets if each.name in train]
            gathering = gathered(trained, work / "apart", embedding=embedding, vectors=given.vectors, maps=given.maps)
            unknown = asyncio.run(gathering)
    model = fit([case for case in cases if case.set in train], fitted(evidence), unknown)
    cases = [case for case in cases if not case.small]
    threads = [case for case in cases if case.thread]
    cases = [case for case in cases if not case.thread]
    report = Report(f"How likely quotes hold the answer, trained on {', '.join(train)}")
    for part in ("trained on", "not trained on"):
        for name in names:
            if (name in train) == (part == "trained on"):
                _measure(f"{name} ({part})", [case for case in cases if case.set == name], model, report)
        some = [case for case in cases if (case.set in train) == (part == "trained on") and case.set not in WEIGHT]
        _measure(f"real documents {part}", some, model, report)
    for name, kept in (("follow-ups", 1.0), ("questions that turn to something else", TURNED)):
        for part in ("trained on", "not trained on"):
            some = [case for case in threads if case.thread == kept and (case.set in train) == (part == "trained on")]
            _measure(f"{name}, of sets {part}", some, model, report)
    report.show(given.json)
    if given.write:
        known = json.loads(FILE.read_text(encoding="utf-8"))
        known[evidence] = _as_data(model)
        FILE.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def _try_threads(sets: Sequence[Set], evidence: Evidence, file: Path | None) -> None:
    """Measure follow-ups, and questions that turn elsewhere, by several weights of what was told last."""
    model = fitted(evidence)
    with tempfile.TemporaryDirectory() as work:
        cases = asyncio.run(_threads_of(sets, Path(work), "local" if evidence == "tokens" else ""))
    report = Report(f"How likely quotes hold the answer in threads, on {', '.join(each.name for each in sets)}")
    for weight in TOLD:
        for name, kept in (("follow-ups", 1.0), ("turned elsewhere", TURNED)):
            mine = [case for case in cases if case.thread == kept]
            _measure(f"{name}, told at {weight}", mine, _with_told(model, weight), report)
    report.show(file)


def _with_told(model: Likelihood, weight: float) -> Likelihood:
    """Return a model in whose threads a passage that was told last counts so much."""
    return replace(model, thread=replace(model.thread, weights={**model.thread.weights, "told": weight}))


async def _threads_of(sets: Sequence[Set], work: Path, embedding: str) -> list[Case]:
    matching.PATIENCE = PATIENCE
    out: list[Case] = []
    for questions in sets:
        settings = Settings.load(data=work / questions.name, embedding_model=embedding)
        await ingest_paths(settings, questions.documents, "documents", as_json=True)
        async with open_engine(settings) as engine:
            out.extend([case async for case in _in_threads(questions, engine)])
    return out


def set_of(data: Path, name: str, work: Path) -> Set:
    """Return a set that lies in DATA."""
    if name in REALDOCS:
        return answer_sets.realdocs(data, name)
    return (answer_sets.clapnq if name == "clapnq" else answer_sets.korquad)(data, work)


async def gathered(
    sets: Sequence[Set], work: Path, *, embedding: str = "", vectors: Path | None = None, maps: Path | None = None
) -> list[Case]:
    """Return every question of these sets with what the application finds for it, in all documents and in a few."""
    matching.PATIENCE = PATIENCE
    out: list[Case] = []
    for questions in sets:
        few = [] if questions.name in WEIGHT else list(_few(questions, work / f"{questions.name}-few"))
        with _matched_by(maps / f"{questions.name}.npz") if maps else nullcontext():
            for n, each in enumerate([questions, *few]):
                settings = Settings.load(data=work / questions.name / str(n), embedding_model=embedding)
                with answer_sets.kept_vectors(settings.data, vectors):
                    out.extend([case async for case in _asked(each, settings, small=n > 0)])
    return out


@contextmanager
def _matched_by(maps: Path) -> Iterator[None]:
    """Have what is opened meanwhile match tokens by these maps."""
    encoder = Encoder(Weights.read(), threads=1, maps=maps)
    with mock.patch.object(bundled_matching, "BundledMatching", partial(MatchingApart, encoder)):
        yield


class MatchingApart(BundledMatching):
    """Matches by an encoder of this process, which may have other maps than those in the package."""

    def __init__(self, encoder: Encoder, **models: Any) -> None:
        super().__init__(**models)
        self._encoder = encoder
        self._read = cache(self._codes_of)

    async def match(self, questions: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Return (questions, texts)."""
        if not texts:
            return np.empty((len(questions), 0), dtype=np.float32)
        return self._encoder.match(questions, [self._read(text) for text in texts])

    async def prepare(self, texts: Sequence[str]) -> None:
        """Read nothing before it is asked about."""

    def _codes_of(self, text: str) -> Codes:
        return self._encoder.codes([text])[0]


async def _asked(questions: Set, settings: Settings, *, small: bool) -> AsyncIterator[Case]:
    await ingest_paths(settings, questions.documents, "documents", as_json=True)
    async with open_engine(settings) as engine:
        for question in questions.questions:
            yield await case_of(questions, question, engine, small=small)
        if not small and questions.name not in WEIGHT:
            async for case in _in_threads(questions, engine):
                yield case


async def _in_threads(questions: Set, engine: Engine) -> AsyncIterator[Case]:
    """Yield every follow-up after the questions before it, and every first question after one about something else."""
    firsts: list[tuple[Question, TurnRecord]] = []
    turns: list[TurnRecord] = []
    for question in questions.questions:
        if question.kind != "follow-up":
            turns = []
        case = await case_of(questions, question, engine, turns=turns)
        if turns:
            yield replace(case, thread=1.0)
        turns = [*turns, _turn(case)]
        if len(turns) == 1:
            firsts.append((question, turns[0]))
    for (question, _), (_, other) in zip(firsts, [*firsts[1:], *firsts[:1]], strict=True):
        yield replace(await case_of(questions, question, engine, turns=[other]), thread=TURNED)


def _turn(case: Case) -> TurnRecord:
    """Return a question as the conversation remembers it: what it was answered from, then what else was found best."""
    found = ranked_quotes.find(case.asked, case.blocks)
    passages = [*(quote.block.passage for quote in found.told), *(block.passage for block in case.blocks[:NEAREST])]
    return TurnRecord(
        turn_id=case.question.id,
        message_id=case.question.id,
        asked_by="",
        question=case.question.text,
        standalone=case.asked.text,
        answer="\n\n".join(quote.text for quote in found.told),
        route="research",
        at=0.0,
        documents=tuple(dict.fromkeys(passage.document_id for passage in passages)),
        evidence=tuple(dict.fromkeys(quote.block.passage.reference for quote in found.told)),
    )


def _few(questions: Set, work: Path) -> Iterator[Set]:
    """Yield the set's documents a few at a time, with the questions that these answer, and some that they do not.

    Most of what is asked where there are few documents stands in none of them, however near they come to it.
    """
    (docs,) = questions.documents
    files = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*.*") if path.is_file())
    chance = random.Random(1)
    chance.shuffle(files)
    unanswered = [question for question in questions.questions if not question.answerable]
    for n, start in enumerate(range(0, len(files), SMALL)):
        some = files[start : start + SMALL]
        asked = [each for each in questions.questions if each.answerable and set(each.files) <= set(some)]
        if not asked:
            continue
        text = plain("\n".join((docs / file).read_text(encoding="utf-8") for file in some))
        elsewhere = [
            replace(each, answerable=False)
            for each in questions.questions
            if each.answerable and not set(each.files) & set(some) and not all(told(fact, text) for fact in each.facts)
        ]
        for file in some:
            place = work / str(n) / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes((docs / file).read_bytes())
        none = unanswered[n % len(unanswered)]
        others = chance.sample(elsewhere, min(ELSEWHERE, len(elsewhere)))
        yield replace(questions, documents=(work / str(n),), questions=(*asked, none, *others))


async def case_of(
    questions: Set, question: Question, engine: Engine, *, small: bool = False, turns: Sequence[TurnRecord] = ()
) -> Case:
    """Return a question with what is found for it: after these turns, or asked in full."""
    reasoner, limits = OfflineReasoner(), engine.pack.limits
    message = Message(text=question.text if turns else question.alone or question.text, pack=engine.pack, turns=turns)
    understood = await reasoner.understand(message)
    standalone = await reasoner.resolve(message) if turns else Standalone(text=understood.question)
    plan = await reasoner.plan(standalone, understood, engine.pack)
    step = next(step for step in plan.steps if step.team == "search")
    if len(plan.steps) > 1:  # its parts are answered by themselves; the figures are those of the question as a whole
        step = type(step)(id=step.id, team="search", task="", description=standalone.text)
    task = TeamTask(step=step, question=standalone, understood=understood)
    request = (await expanded(task, reasoner, engine.pack))[1]
    found = await engine.knowledge.search(request, Audience(principals=frozenset(), operator=True))
    blocks = pack(found.hits, passages=limits.passages, characters=limits.context_characters).blocks
    mine = asked(standalone.text, understood.language, blocks, rarity=found.rarity, inherited=standalone.terms)
    quotes, shared = [], seen(mine, blocks)
    for rank, block in enumerate(blocks):
        right = question.answerable and is_file(block.passage.source, block.passage.document_id, question.files)
        for quote in quotes_of(mine, block, rank):
            text = plain(f"{quote.heading}\n{quote.text}")
            tells = tuple(right and told(fact, text) for fact in question.facts)
            quotes.append((quote, features(mine, quote, shared), tells))
    return Case(questions.name, small, 0.0, question, mine, blocks, quotes)


def fit(cases: Sequence[Case], known: Likelihood, apart: Sequence[Case] = ()) -> Likelihood:
    """Return the regressions, and where an answer is sure and where it is near; what was told last counts as known.

    How likely answers are is fitted on `apart` where there are such: the same questions, matched by maps that do not
    know their set.
    """
    answers = [case for case in apart or cases if not case.thread and case.quotes]
    threads = [case for case in cases if case.thread]
    cases = [case for case in cases if not case.thread]
    sets = list(dict.fromkeys(case.set for case in cases))
    resumed: list[Mapping[str, float]] = []
    held, counts = [], []
    rows: list[Mapping[str, float]] = []
    targets, wholes, weights, wider, names = [], [], [], [], []
    for name in sets:
        others = [case for case in cases if case.set != name] or list(cases)
        model = _of_quotes(others)
        for case in (case for case in threads if case.set == name and case.resumes):
            for quote, figures, facts in case.quotes:
                seen_here = ranked_quotes.resumed(model.of(figures), quote.block, figures)
                resumed.append({name: value for name, value in seen_here.items() if name != "told"})
                held.append(sum(facts) / max(1, len(facts)))
                counts.append(20 * case.thread / len(case.quotes))
        for case in (case for case in answers if case.set == name):
            rated, shares = rate(case, model)
            answer = ranked_quotes.chosen(rated, ranked_quotes.ROOM)
            if answer:
                rows.append(ranked_quotes.figures(case.asked, rated, answer))
                targets.append(shares(answer))
                wholes.append(float(targets[-1] == 1.0))
                weights.append(WEIGHT.get(name, 1.0))
                wider.append(float(shares(ranked_quotes.maybe(rated, ranked_quotes.ROOM)) == 1.0))
                names.append(name)
    answer_model = _regression(rows, np.array(wholes), np.array(weights), RIDGE_OF_ANSWERS)
    owners, shown = np.array(names), np.array(targets)
    chances = _apart(rows, np.array(wholes), np.array(weights), owners)
    real = ~np.isin(owners, list(WEIGHT))
    reals = np.unique(owners[real])
    without = [real & (owners != name) for name in reals] if len(reals) > 1 else [real]
    sure = round(float(np.median([_sure(chances[kept], shown[kept]) for kept in without])), 3)
    thread = _regression(resumed, np.array(held), np.array(counts))
    unlikely = chances < sure
    near = _near(chances[real], np.where(unlikely, wider, wholes)[real], sure)
    more = _gain(chances[unlikely], np.array(wider)[unlikely], np.array(weights)[unlikely])
    fresh = Likelihood(quote=_of_quotes(cases), thread=thread, answer=answer_model, sure=sure, near=near, wider=more)
    told = known.thread.weights.get("told")
    return fresh if told is None else _with_told(fresh, told)


def _apart(rows: Sequence[Mapping[str, float]], targets: Rows, weights: Rows, sets: NDArray[np.str_]) -> Rows:
    """Return the chance of each answer by a regression that was fitted without its set, where there are several."""
    out = np.zeros(len(rows))
    for name in np.unique(sets):
        own = sets == name
        known = own if own.all() else ~own
        mine = [row for row, each in zip(rows, known, strict=True) if each]
        model = _regression(mine, targets[known], weights[known], RIDGE_OF_ANSWERS)
        out[own] = [model.of(row) for row, each in zip(rows, own, strict=True) if each]
    return out


def _gain(chances: Rows, right: Rows, weights: Rows) -> float:
    """Return the log odds to be added to chances so that as many are right as they say."""
    odds, gain = np.log(chances / (1 - chances)), 0.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-odds - gain))
        step = float((weights * (right - p)).sum() / max(1e-9, (weights * p * (1 - p)).sum()))
        gain += step
        if abs(step) < 1e-8:
            break
    return round(gain, 3)


def rate(
    case: Case, model: Regression, thread: Regression | None = None
) -> tuple[list[Rated], Callable[[Sequence[Rated]], float]]:
    """Return the quotes of a case, the likeliest first, and what tells the share of the facts that some tell."""

    def likely(quote: Quote, seen: Mapping[str, float]) -> float:
        alone = model.of(seen)
        return thread.of(ranked_quotes.resumed(alone, quote.block, seen)) if thread and case.resumes else alone

    rated = sorted((Rated(quote, seen, likely(quote, seen)) for quote, seen, _ in case.quotes), key=_likeliest)
    tells = {id(quote): facts for quote, _, facts in case.quotes}

    def share(answer: Sequence[Rated]) -> float:
        if not case.question.answerable or not case.question.facts:
            return 0.0
        held = [any(tells[id(each.quote)][n] for each in answer) for n in range(len(case.question.facts))]
        return sum(held) / len(held)

    return rated, share


def _likeliest(rated: Rated) -> float:
    return -rated.likely


def _of_quotes(cases: Sequence[Case]) -> Regression:
    """Fit the regression of quotes; a question counts the same however many quotes it has."""
    rows = [_alone(seen) for case in cases for _, seen, _ in case.quotes]
    targets = [sum(facts) / max(1, len(facts)) for case in cases for _, _, facts in case.quotes]
    weights = [20 * WEIGHT.get(case.set, 1.0) / len(case.quotes) for case in cases for _ in case.quotes]
    return _regression(rows, np.array(targets), np.array(weights))


def _alone(seen: Mapping[str, float]) -> Mapping[str, float]:
    return {name: value for name, value in seen.items() if name not in ranked_quotes.IN_THREAD}


def _regression(
    rows: Sequence[Mapping[str, float]], targets: Rows, weights: Rows, strength: float = RIDGE
) -> Regression:
    """Fit by Newton's method with a ridge on standardised figures (Hastie, Tibshirani, Friedman 2009, 4.4.1)."""
    names = list(rows[0])
    raw = np.array([[row[name] for name in names] for row in rows])
    mean, spread = raw.mean(axis=0), raw.std(axis=0)
    spread[spread < 1e-9] = np.inf
    x = np.hstack([(raw - mean) / spread, np.ones((len(raw), 1))])
    ridge = np.diag([strength] * len(names) + [1e-6])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weights * (targets - p)) - ridge @ beta
        step = np.linalg.solve((x * (weights * p * (1 - p))[:, None]).T @ x + ridge, gradient)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    scaled = beta[:-1] / spread
    weight = {name: round(float(w), 5) for name, w in zip(names, scaled, strict=True) if w}
    return Regression(bias=round(float(beta[-1] - scaled @ mean), 5), weights=weight)


def _sure(chances: Rows, shares: Rows) -> float:
    """Return from which chance on answers are told as such; one set more or less moves it by some .03."""
    order = np.argsort(-chances)
    right = np.cumsum(shares[order] > 0) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(right >= RIGHT)
    return round(float(chances[order][enough[-1]]), 3) if len(enough) else 1.0


def _near(chances: Rows, whole: Rows, sure: float) -> float:
    """Return below which chance nothing was found, by whether all that would be told holds the whole answer."""
    told = np.sort(chances[whole == 1.0])
    return min(round(float(told[int(LOST * len(told))]), 3), sure) if len(told) else 0.0


def _measure(name: str, cases: Sequence[Case], model: Likelihood, report: Report) -> None:
    if not cases:
        return
    chances, near, whole, held, answerable, words = [], [], [], [], [], []
    for case in cases:
        rated, share = rate(case, model.quote, model.thread)
        chance, answer = ranked_quotes.weigh(case.asked, rated, ranked_quotes.ROOM, model)
        near.append(chance >= model.near)
        if answer and chance < model.sure:
            chance = model.of_wider(chance)
        chances.append(chance)
        whole.append(share(answer) == 1.0)
        held.append(share(answer) > 0)
        answerable.append(case.question.answerable)
        words.append(sum(each.quote.size for each in answer))
    p, y, some, real = np.array(chances), np.array(whole), np.array(held), np.array(answerable)
    sure, told_ = p >= model.sure, np.array(near)
    report.add(f"{name}: told whole", float((y & told_).sum()), f"of {int(real.sum())}")
    report.add(f"{name}: sure", float(sure.sum()), f"of {len(p)}")
    report.add(f"{name}: sure and whole, or in part", float((sure & some).sum()) / max(1, int(sure.sum())), "")
    report.add(f"{name}: sure and whole", float((sure & y).sum()), "")
    report.add(f"{name}: sure of the unanswerable", float((sure & ~real).sum()), f"of {int((~real).sum())}")
    report.add(f"{name}: AUC", auc(p[told_ & y], p[told_ & ~y]), "")
    report.add(f"{name}: calibration error", calibration_error(p[told_], y[told_]), "")
    report.add(f"{name}: words, median", float(np.median(words)), "")


def auc(good: Rows, bad: Rows) -> float:
    """Return the area under the ROC curve; a tie counts half."""
    if not len(good) or not len(bad):
        return float("nan")
    return float((good[:, None] > bad).mean() + 0.5 * (good[:, None] == bad).mean())


def calibration_error(chances: Rows, right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error over ten bins (Naeini, Cooper, Hauskrecht 2015)."""
    bins = np.minimum((chances * 10).astype(int), 9)
    return float(sum(abs(chances[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins)))


def _as_data(model: Likelihood) -> dict[str, object]:
    return {
        "sure": model.sure,
        "near": model.near,
        "wider": model.wider,
        "quote": {"bias": model.quote.bias, "weights": dict(model.quote.weights)},
        "thread": {"bias": model.thread.bias, "weights": dict(model.thread.weights)},
        "answer": {"bias": model.answer.bias, "weights": dict(model.answer.weights)},
    }


if __name__ == "__main__":
    main()
