"""Which way a message goes: answered at once, declined, asked back about, read in its context, or looked up."""

from dataclasses import dataclass, replace

from agent.addressing import puts_question
from agent.language.lexicon import pattern
from agent.packs.pack import ABOUT_ANSWERS, Pack
from agent.reasoning.message.smalltalk import is_unreadable, small_talk, without_laughter
from agent.reasoning.rules.reading.intents import Guess, Intents, stems
from agent.text import says_anything
from agent.types import Route

SURE = 0.6
"""Confidence from which a direct intent, or one that is declined, is believed."""
LIKELY = 0.5
"""Confidence from which a message is likelier a declined one than not: not enough to leave it unsearched."""
SAID = 0.62
"""Nearness from which a message says what an example of a direct intent says."""
SAID_AGAIN = 0.8
"""The same, where the message might lean on the conversation."""
OUTSIDE = 0.3
"""Nearness to an out-of-scope example from which a message may be declined that has no word of its own."""
OUTSIDE_WITH_MORE = 0.55
"""The same for one with words that the examples lack."""
NEAR_OUTSIDE = 0.15
"""The same for one that is declined only where nothing is found."""
INSULT = 6
"""Words of a message that may be nothing but an insult."""
UNKNOWN = "question"
"""The intent of a message that is none of the pack's kinds."""


@dataclass(frozen=True, slots=True)
class Routed:
    """Where a message goes, as which intent, how surely, and why."""

    route: Route
    intent: str
    confidence: float
    reason: str
    outside: str = ""
    """The declined intent that a message is likelier than not, where it is looked up all the same."""


def route(text: str, pack: Pack, intents: Intents, *, leans: str) -> Routed:
    """Return the route of a message; `leans` says how it depends on earlier turns, empty when it does not."""
    if not pack.flags.query_routing_enabled:
        routed = _researched(text, intents, intents.best(text), "research", "routing is switched off")
        return replace(routed, outside="")
    if is_unreadable(text):
        return Routed("decline", "unreadable", 1.0, "unreadable")
    text = without_laughter(text)
    if _only_insults(text):
        return Routed("decline", "unclear", 1.0, "unclear")
    talk = small_talk(text)
    guess = intents.best(text)
    spec = intents.specs.get(guess.name)
    sure = spec is not None and guess.inside and guess.confidence >= SURE
    if talk:
        own = intents.specs.get(talk)
        if own is None and sure and spec is not None and spec.route == "direct" and spec.reply is not None:
            # The pack calls it otherwise, and has words of its own for it.
            return Routed("direct", spec.name, guess.confidence, f"the message is only a {talk}")
        return Routed(own.route if own else "direct", talk, 1.0, f"the message is only a {talk}")
    if sure and spec is not None and spec.route == "decline" and _is_outside(text, spec.name, intents, leans):
        return Routed("decline", spec.name, guess.confidence, "declined")
    if sure and spec is not None and spec.route in ("direct", "clarify", *ABOUT_ANSWERS):
        near = intents.nearness(text)[spec.name]
        if near >= (SAID_AGAIN if leans and spec.route == "direct" else SAID) and not intents.strange(spec.name, text):
            return Routed(spec.route, spec.name, guess.confidence, f"the message is only a {spec.name}")
    if leans:
        return _researched(text, intents, guess, "contextualize", f"leans on the conversation: {leans}")
    return _researched(text, intents, guess, "research", "stands alone")


def _only_insults(text: str) -> bool:
    """Tell whether a few words insult whom they are said to, and ask nothing: "lazy loading" insults nobody."""
    insults = pattern("judging.insults")
    if len(text.split()) > INSULT or puts_question(text) or not insults.search(text):
        return False
    return not says_anything(insults.sub(" ", text)) or pattern("reading.you").search(text) is not None


def _researched(text: str, intents: Intents, guess: Guess, way: Route, reason: str) -> Routed:
    """Return the route of what is looked up: an intent that was not believed must not name the question."""
    shares = {
        name: share
        for name, share in guess.shares.items()
        if intents.specs[name].route in ("research", "contextualize")
    }
    name = max(shares, key=lambda each: shares[each], default="")
    none = 1.0 - sum(guess.shares.values())
    declined = guess.inside and intents.specs[guess.name].route == "decline" and guess.confidence >= LIKELY
    near = declined and (
        _is_mostly_known(text, guess.name, intents) or intents.nearness(text)[guess.name] >= NEAR_OUTSIDE
    )
    outside = guess.name if near else ""
    if not name or shares[name] < none:
        return Routed(way, UNKNOWN, none if guess.name else 0.0, reason, outside)
    return Routed(way, name, shares[name], reason, outside)


def _is_outside(text: str, name: str, intents: Intents, leans: str) -> bool:
    """Tell whether a message is plainly none of the pack's business; a pointer to documents keeps it in."""
    meant, strange = stems(text), intents.strange(name, text)
    if not meant:
        return False
    if pattern("planning.about_documents").search(text) and strange:
        return False
    near = intents.nearness(text)
    inside = max((value for other, value in near.items() if intents.specs[other].route == "research"), default=0.0)
    if inside >= 0.6 * near[name]:
        return False
    if leans:
        return near[name] >= SAID_AGAIN
    return near[name] >= (OUTSIDE_WITH_MORE if strange else OUTSIDE) and _is_mostly_known(text, name, intents)


def _is_mostly_known(text: str, name: str, intents: Intents) -> bool:
    """Tell whether an intent's examples have most of the words of a message that mean something."""
    return 2 * len(intents.strange(name, text)) < len(stems(text))
