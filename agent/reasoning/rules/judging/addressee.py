"""Whether a message that calls nobody is said to Weft: people talk to each other in its threads, too.

What is certain is a rule: who calls somebody else, or asks nothing, does not ask Weft. The rest is one logistic
regression over what is plainly seen of the message, of the thread, and of what the documents hold for it. Its weights
(`addressed.json`) are fitted by `benchmarks/fit_addressed.py`.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agent.addressing import asks
from agent.language.lexicon import regex
from agent.reasoning.rules.answering import ranked_quotes
from agent.reasoning.rules.answering.likelihood import fitted
from agent.reasoning.rules.answering.weighted_question import asked, terms_in
from agent.reasoning.rules.fitted.logistic_regression import Regression
from agent.reasoning.rules.reading.pointed_request import aim_of
from agent.reasoning.rules.thread.context_dependence import leans
from agent.reasoning.rules.thread.history import content, past_of
from agent.text import language_of, normalise, words
from agent.types import Around, Block, Language, Standalone, TurnRecord, Understood

READ = 600
"""Characters that are read: who writes more than that to colleagues does not ask in passing."""
Figures = Mapping[str, float]

_SIGNS = {
    "mark": r"[?？]",
    "laughs": r"[😀-🙏🚀-🛿🤀-🧿☀-➿]|[:;]-?[)(DP]",
    "link": r"https?://|```|\b[A-Z]{2,}-\d+\b.*\?$",
    "exclaims": r"!",
    "several": r"[.!?,…]\s+\S",
    "number": r"\d",
}
"""What is seen of a message in any language."""
_CUES = (
    "question word", "opens asking", "order", "polite ending", "plain ending", "about", "you", "asks you", "we", "i",
    "anybody", "he or she", "past", "ing", "day", "honours", "request ending", "proposes", "laughs", "thanks", "name",
)  # fmt: skip
"""What is seen of it by the words of its language, which are entries of these names."""
_FORMS = frozenset(("shorter", "longer", "list", "table", "translate"))


def is_for_others(text: str, around: Around) -> bool:
    """Tell whether a message is plainly said to somebody else, or to nobody: it has no words."""
    if around.calls_others or len(text) > READ or not any(ch.isalpha() for ch in text):
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


@lru_cache(maxsize=1)
def _form() -> Mapping[str, re.Pattern[str]]:
    """Return by which pattern each figure of a message's form is seen."""
    cues = {name: regex(f"judging.{name.replace(' ', '_')}") for name in _CUES}
    cues["opens asking"] = rf"^\W*(?:{regex('judging.leading_in')}\W+)*{cues['opens asking']}"
    found = {name: "|".join(each[name] for each in (_SIGNS, cues) if name in each) for name in (*_SIGNS, *cues)}
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in found.items()}


def wants_thread(text: str, around: Around) -> bool:
    """Tell whether a message orders what only Weft does unasked: to sum up the thread as such, or what it decided.

    Who asks whoever will ("can someone"), or somebody spoken to just now ("can you"), asks a person.
    """
    aimed = aim_of(text)
    if aimed is None or aimed.aim not in ("summary", "decision") or not aimed.names_thread or aimed.about:
        return False
    to_people = [_form()["anybody"], _form()["we"], *([_form()["you"]] if around.since else [])]
    return asks(text) and not any(form.search(text) for form in to_people)


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """What the documents hold for a message, each within 0..1."""

    likely: float = 0.0
    """How likely they answer it, read in its thread."""
    own: float = 0.0
    """Which part of its own words, by how rare they are, stands in what would be quoted."""


def held_by(
    text: str, question: Standalone, blocks: Sequence[Block], *, language: Language, rarity: Mapping[str, float]
) -> Held:
    """Return what these passages hold for a message, of which `question` is the reading in its thread."""
    if not blocks:
        return Held()
    in_thread = asked(question.text, language, blocks, rarity=rarity, inherited=question.terms)
    found = ranked_quotes.find(in_thread, blocks, model=fitted("words"))
    passages = [quote.block.passage for quote in found.told[:2]]
    there = {term for each in passages for term in terms_in(f"{each.title} {each.section} {each.text}")}
    return Held(likely=found.likely, own=asked(text, language, blocks, rarity=rarity).share(there))


def figures(
    text: str, around: Around, turns: Sequence[TurnRecord], *, asked_by: str, understood: Understood, held: Held
) -> Figures:
    """Return what is seen of a message: how it is put, where it stands, what it is about."""
    text = normalise(text)[:READ]
    korean = language_of(text) == "ko"
    form = {name: float(pattern.search(text) is not None) for name, pattern in _form().items()}
    own = {word.key for word in content(text)}
    last = turns[-1] if turns else None
    known = {word.key for word in content(f"{last.question} {last.answer}")} if last else set[str]()
    others = [author for author in around.since if author != asked_by]
    spoken = sum(1 for _ in words(text))
    put = float(asks(text) or form["question word"] > 0)
    return {
        "bias": 1.0,
        "korean": float(korean),
        **form,
        **{
            f"{name}, korean": float(korean) * form[name] for name in ("mark", "question word", "polite ending", "past")
        },
        "asks": put,
        "short": 1 / max(1, spoken),
        "long": min(3.0, spoken / 10),
        "words": min(1.0, len(own) / 4),
        "known": len(own & known) / max(1, len(own)),
        "leans": leans(text, past_of(turns)),
        "first": float(last is None),
        "next": float(last is not None and not around.since),
        "next, same": float(last is not None and not around.since and last.asked_by == asked_by),
        "same": float(last is not None and last.asked_by == asked_by),
        "asked here": sum(turn.asked_by == asked_by for turn in turns) / max(1, len(turns)),
        "behind another": float(bool(around.since) and around.since[-1] != asked_by),
        "talk": min(1.0, len(around.since) / 4),
        "others": float(bool(others)),
        "late": math.log1p(around.minutes or 0.0) / 5,
        "about the answer": float(understood.followup is not None),
        "form of the answer": float(understood.followup is not None and understood.followup.kind in _FORMS),
        "leaves": float(understood.route in ("direct", "decline")),
        "held": held.likely,
        "held, asks": held.likely * put,
        "held, talk": held.likely * min(1.0, len(around.since) / 4),
        "own": held.own,
        "own, asks": held.own * put,
        "own, held": held.own * held.likely,
        "own, follows": held.own * float(bool(last) and not around.since),
    }


def is_for_weft(seen: Figures, *, replies: bool = False) -> bool:
    """Tell whether a message of which this is seen is to be answered; a reply to Weft is where it asks anything."""
    if is_about_the_answer(seen) or (replies and seen["asks"] > 0):
        return True
    regression, least = _fitted()
    return seen["asks"] > 0 and regression.of(seen) >= least


def is_about_the_answer(seen: Figures) -> bool:
    """Tell whether a message wants another form of Weft's answer, or asks about it right behind it."""
    return seen["first"] == 0 and (seen["form of the answer"] > 0 or seen["about the answer"] * seen["next"] > 0)


@lru_cache(maxsize=1)
def _fitted() -> tuple[Regression, float]:
    data = json.loads(Path(__file__).with_name("addressee.json").read_text("utf-8"))
    return Regression(0.0, data["weights"]), data["least"]
