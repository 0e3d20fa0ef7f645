"""Whether a message that calls nobody is said to Weft: people talk to each other in its threads, too.

What is certain is a rule: who calls somebody else does not ask Weft. The rest is one sum of trees over what is plainly
seen of the message, of the thread, and of what the documents hold for it; how the message is worded (`wording.py`) is
among these figures. The trees (`addressee.json`) are fitted by `benchmarks/fit_addressed.py`.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from agent.addressing import asks
from agent.language.lexicon import pattern, regex
from agent.reasoning.message.message_text import tidied
from agent.reasoning.rules.answering import ranked_quotes
from agent.reasoning.rules.answering.likelihood import fitted
from agent.reasoning.rules.answering.weighted_question import asked, terms_in
from agent.reasoning.rules.fitted.symmetric_trees import Tree, Trees
from agent.reasoning.rules.judging.wording import wording
from agent.reasoning.rules.reading.pointed_request import aim_of
from agent.reasoning.rules.thread.context_dependence import leans
from agent.reasoning.rules.thread.history import content, past_of
from agent.reasoning.rules.thread.restated_question import restated
from agent.text import normalise, tokens, words
from agent.types import Around, Block, Language, Passage, Standalone, TurnRecord, Understood

READ = 600
"""Characters that are read: who writes more than that to colleagues does not ask in passing."""
CLEARLY = 1.0
"""Log likelihood ratio from which on a wording is plainly that of what is said to Weft."""
Figures = Mapping[str, float]

_LINK = re.compile(r"```.*?(?:```|$)|https?://\S+", re.DOTALL)
"""What is shown rather than said."""
_FORMS = frozenset(("shorter", "longer", "simpler", "list", "table", "translate"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What is seen of a message that calls nobody."""

    asks: bool
    """Whether it is put as a question or a request."""
    about_answer: bool = False
    """Whether it wants another form of Weft's answer, or right behind it asks about it or puts its question right."""
    figures: Figures = field(default_factory=dict)
    """How it is put, where it stands, what it is about."""


def is_for_others(text: str, around: Around) -> bool:
    """Tell whether a message is plainly said to somebody else, or to nobody: it has no words."""
    if around.calls_others or len(text) > READ or not any(ch.isalpha() for ch in _LINK.sub(" ", text)):
        return True
    return any(_calls(name, text) for name in around.names)


def _calls(name: str, text: str) -> bool:
    """Tell whether a text calls somebody by a name, or by a part of it."""
    called = regex("judging.called")
    return any(
        re.search(called.replace("{name}", re.escape(part)), text, re.IGNORECASE) is not None
        for part in {name, *name.split()}
        if len(part) > 1
    )


def wants_thread(text: str, around: Around) -> bool:
    """Tell whether a message orders what only Weft does unasked: to sum up the thread as such, or what it decided.

    Who asks whoever will ("can someone"), or somebody spoken to just now ("can you"), asks a person.
    """
    aimed = aim_of(text)
    if aimed is None or aimed.aim not in ("summary", "decision") or not aimed.names_thread or aimed.about:
        return False
    to_people = [pattern("judging.anybody"), pattern("judging.we"), *([pattern("judging.you")] if around.since else [])]
    return asks(text) and not any(form.search(text) for form in to_people)


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """What the documents hold for a message, within 0..1 but for `matched`."""

    likely: float = 0.0
    """How likely they answer it, read in its thread."""
    own: float = 0.0
    """Which part of its words that say something, by how rare they are, stands in what would be quoted."""
    matched: float = 0.0
    """How many of its words stand there, those of its thread included, as log(1 + n)."""
    strange: float = 1.0
    """Which part of these words stands in nothing that was found."""


def held_by(
    text: str, question: Standalone, blocks: Sequence[Block], *, language: Language, rarity: Mapping[str, float]
) -> Held:
    """Return what these passages hold for a message, of which `question` is the reading in its thread."""
    if not blocks:
        return Held()
    in_thread = asked(question.text, language, blocks, rarity=rarity, inherited=question.terms)
    found = ranked_quotes.find(in_thread, blocks, model=fitted("words"))
    quoted = _terms_of(quote.block.passage for quote in found.told[:2])
    anywhere = _terms_of(block.passage for block in blocks)
    weights = asked(text, language, blocks, rarity=rarity).weights
    own = content(tidied(normalise(text)))
    said = [{term: weights.get(term, 0.0) for term in tokens(word.text)} for word in own]
    total = sum(max(terms.values(), default=0.0) for terms in said)
    held = sum(max((weight for term, weight in terms.items() if term in quoted), default=0.0) for terms in said)
    best = found.figures_of(found.told[0]) if found.told else {}
    return Held(
        likely=found.likely,
        own=held / total if total else 0.0,
        matched=best.get("matched", 0.0),
        strange=sum(bool(terms) and anywhere.isdisjoint(terms) for terms in said) / max(1, len(said)),
    )


def _terms_of(passages: Iterable[Passage]) -> Set[str]:
    return {term for each in passages for term in terms_in(f"{each.title} {each.section} {each.text}")}


def seen_of(
    text: str, around: Around, turns: Sequence[TurnRecord], *, asked_by: str, understood: Understood, held: Held
) -> Seen:
    """Return what is seen of a message: how it is put, where it stands, what it is about."""
    text = tidied(normalise(_LINK.sub(" ", text))[:READ])
    followup = understood.followup if turns else None
    placed, past = _placed(around, turns, asked_by), past_of(turns)
    if followup is not None and followup.kind == "another":
        meant = bool(placed["next, same"])  # what somebody else refuses may be what they said themselves
    else:
        meant = followup is not None and (followup.kind in _FORMS or not around.since)
    if placed["next, same"] and past and restated(text, past[-1]):
        meant = True  # its asker puts right what was asked, or gives another value for it
    question = asks(text) and (meant or followup is None)  # behind talk "why?" asks whoever talked
    return Seen(
        asks=question,
        about_answer=meant,
        figures={
            "asks": float(question),
            "long": min(3.0, sum(1 for _ in words(text)) / 10),
            **wording().of(text, asks=question),
            **placed,
            **_about(text, turns, held),
        },
    )


def _placed(around: Around, turns: Sequence[TurnRecord], asked_by: str) -> Figures:
    """Return where a message stands: what of the thread is its author's, and who wrote since Weft's answer."""
    same = bool(turns) and turns[-1].asked_by == asked_by
    return {
        "next, same": float(same and not around.since),
        "same": float(same),
        "asked here": sum(turn.asked_by == asked_by for turn in turns) / max(1, len(turns)),
        "turns": float(len(turns)),
        "askers": float(len({turn.asked_by for turn in turns})),
        "talk": float(len(around.since)),
        "behind another": float(bool(around.since) and around.since[-1] != asked_by),
        "others": float(len({*around.since} - {asked_by})),
    }


def _about(text: str, turns: Sequence[TurnRecord], held: Held) -> Figures:
    """Return what a message is about: the turn before it, and what the documents hold."""
    own = {word.key for word in content(text)}
    known = {word.key for word in content(f"{turns[-1].question} {turns[-1].answer}")} if turns else set[str]()
    return {
        "words": min(1.0, len(own) / 4),
        "known": len(own & known) / max(1, len(own)),
        "leans": leans(text, past_of(turns)),
        "likely": held.likely,
        "held": held.own,
        "matched": held.matched,
        "strange": held.strange,
    }


def is_for_weft(seen: Seen, *, replies: bool = False) -> bool:
    """Tell whether a message of which this is seen is to be answered; a reply to Weft is where it asks anything.

    Not all who ask put a question: of a reply it is enough that it is plainly worded as what is said to Weft.
    """
    if seen.about_answer or (replies and (seen.asks or seen.figures["wording"] > CLEARLY)):
        return True
    trees, least = learnt()
    return trees.of(seen.figures) >= least[seen.asks]


@lru_cache(maxsize=1)
def learnt() -> tuple[Trees, Mapping[bool, float]]:
    """Return the trees, and from which likelihood on a message is answered, by whether it is put as a question."""
    data = json.loads(Path(__file__).with_name("addressee.json").read_text("utf-8"))
    least = data["least"]
    return Trees([Tree(cuts, leaves) for cuts, leaves in data["trees"]]), {
        True: least["question"],
        False: least["other"],
    }
