"""Messages about the asker: what is known of them, forget it, answer me like this from now on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agent.addressing import asks
from agent.language.lexicon import has, pattern, patterns
from agent.language.registry import languages
from agent.packs.pack import Pack
from agent.reasoning.rules.reading.answer_type import Term
from agent.reasoning.rules.reading.own_facts import Facts, about_others, kinds_of, values_of
from agent.reasoning.rules.reading.question_form import content_of, is_question, opens_question
from agent.reasoning.rules.reading.slots import named_values, places_of, slots_of
from agent.text import language_of, tokens
from agent.types import Preferences

_MOST_WORDS = 20

_FORGET = pattern("reading.forget_me")
_ABOUT = pattern("reading.about_me")
_RECOLLECT = pattern("reading.asked_before")
_ALWAYS = pattern("reading.always")
_KEEP = pattern("reading.keep_answers")
_ANSWER = pattern("reading.of_answers")
_WISHES = tuple(
    (pattern(f"reading.wish_{name}_{value}"), name, value)
    for name, value in (
        *(("language", code) for code in languages() if has(f"reading.wish_language_{code}")),
        ("length", "short"),
        ("length", "long"),
        ("format", "list"),
        ("format", "table"),
    )
)
_TELLS = patterns("reading.tells_of_me")
_TELLS_OF_OTHERS = patterns("reading.tells_of_others")
_HAS = pattern("reading.has")
_CORRECTS = pattern("profile.corrects")
_MORE = 1
"""Words that may stand beside what is told and kept, before a message is taken to be about something else."""


@dataclass(frozen=True, slots=True)
class AboutMe:
    """What a message wants of the memory of its author."""

    kind: Literal["about", "forget", "unlearn", "prefer", "recollect", "tell", "other"]
    preferences: Preferences | None = None

    @property
    def reason(self) -> str:
        """Why the message is taken so."""
        return "it tells something of the asker" if self.kind == "tell" else f"about the asker: {self.kind}"


def about_me(text: str, pack: Pack, told: Mapping[str, Any] | None = None) -> AboutMe | None:
    """Return what a message wants of the memory of its author; None for any other message.

    What it only tells of them (`told`, by the pack's slots) is to be remembered; what it only tells of others is not.
    """
    if not 0 < len(text.split()) <= _MOST_WORDS or len(text) > 200:
        return None
    if wants_unlearnt(text, pack):
        return AboutMe("unlearn")
    if _FORGET.search(text):
        return AboutMe("forget")
    if _ABOUT.search(text):
        return AboutMe("about")
    if _RECOLLECT.search(text):
        return AboutMe("recollect")
    wishes = _wishes(text)
    if wishes is not None:
        return AboutMe("prefer", wishes)
    if asks(text) or is_question(text):
        return None
    if told:
        return AboutMe("tell") if _only_tells(text, told, pack) else None
    return AboutMe("other") if pack.slots and _only_tells_of_others(text, pack) else None


def _wishes(text: str) -> Preferences | None:
    """Return how somebody wants to be answered from now on; None for a message that says nothing of the sort.

    One that opens as a question is one: "what does it list by default".
    """
    is_wish = _KEEP.search(text) or (_ALWAYS.search(text) and _ANSWER.search(text))
    if "?" in text or opens_question(text) or not is_wish:
        return None
    found: dict[str, Any] = {}
    for form, name, value in _WISHES:
        if form.search(text):
            found.setdefault(name, value)
    return Preferences(**found) if found else None


def _only_tells(text: str, told: Mapping[str, Any], pack: Pack) -> bool:
    """Tell whether a statement only tells what is kept of its author: "I work in the Berlin office"."""
    has = _HAS.search(text) is not None  # what somebody has may be a trouble, too
    form = _TELLS.get(language_of(text))
    if not has and not _CORRECTS.search(text) and not (form and form.search(text)):
        return False
    return len(_besides(text, told, pack)) <= (0 if has else _MORE)


def _only_tells_of_others(text: str, pack: Pack) -> bool:
    """Tell whether a statement only tells something of somebody else: "my mother has diabetes"."""
    told, form = slots_of(text, pack.slots), _TELLS_OF_OTHERS.get(language_of(text))
    if not told or form is None or not form.search(text) or not about_others(text):
        return False
    return len(_besides(text, told, pack)) <= _MORE


def _besides(text: str, told: Mapping[str, Any], pack: Pack) -> list[Term]:
    """Return what a message is about besides what it tells for these slots."""
    specs = [spec for spec in pack.slots if spec.name in told]
    kept = f"{' '.join(str(value) for value in told.values())} " + " ".join(
        f"{spec.name} {spec.title} {' '.join(name for each in spec.choices for name in each.names)}" for spec in specs
    )
    known = set(tokens(kept))
    places = [
        text[start:end] for spec in specs for (start, end), _, _ in places_of(text, spec)
    ]  # as it is called there
    known.update(tokens(" ".join(places)))
    return [
        term for term in content_of(text)
        if not known.intersection(tokens(term.word)) and not (_TELLS["ko"].search(term.word) or _HAS.search(term.word))
    ]  # fmt: skip


_THAT = pattern("reading.forget_that")
_THING = pattern("reading.forget_thing")


def forgets_last(text: str) -> bool:
    """Tell whether a message wants forgotten what was said last, and names nothing."""
    return _THAT.search(text) is not None


def wants_unlearnt(text: str, pack: Pack) -> bool:
    """Tell whether a message wants forgotten what was told last, or one thing that it names."""
    return forgets_last(text) or (_THING.search(text) is not None and bool(_named(text, pack)))


def unlearnt(text: str, known: Mapping[str, Any], last: Facts, pack: Pack) -> dict[str, tuple[Any, ...]]:
    """Return the values that a message wants forgotten: those it names, else those that were told `last`."""
    named = _named(text, pack)
    if not named and forgets_last(text):
        return {name: values_of(value) for name, value in last.told.items()}
    held = {name: values_of(known.get(name)) for name in named}
    wanted = {name: kinds_of(values, held[name]) if values else held[name] for name, values in named.items()}
    return {name: values for name, values in wanted.items() if values}


def _named(text: str, pack: Pack) -> dict[str, tuple[Any, ...]]:
    """Return the slots that a message names, each with the values that it names; none where it names all of them."""
    said = set(tokens(text))
    out: dict[str, tuple[Any, ...]] = {}
    for spec in pack.slots:
        values = named_values(text, spec)
        titles = [set(tokens(title)) for title in spec.title.texts.values()]
        if values:
            out[spec.name] = tuple(values)
        elif any(title and title <= said for title in titles):
            out[spec.name] = ()
    return out
