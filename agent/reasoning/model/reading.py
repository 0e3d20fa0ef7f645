"""What a model makes of a message: one call that serves understanding, resolving and expanding."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from agent.packs.pack import IntentSpec, Pack
from agent.reasoning.contract import Message
from agent.reasoning.model.endpoint import Said
from agent.reasoning.model.quoting import Quoting
from agent.reasoning.offline.reading import plain
from agent.text import language_of, normalise
from agent.types import Intent, Language, Query, Route, Standalone, Step, Understood

STANDALONE_CHARACTERS = 1000
VARIATIONS = 3
VARIATION_WEIGHT = 0.3
"""Beside the question's own 1.0, as the offline rewordings weigh: more of them was measured to lose."""
_EXAMPLES = 4
_TURNS = 6
_TURN_CHARACTERS = 600
_MESSAGE_CHARACTERS = 8000
_SUMMARY_CHARACTERS = 1500
LANGUAGES: dict[Language, str] = {"en": "English", "ko": "Korean"}
"""Their names in a prompt."""


def _few(items: list[str]) -> list[str]:
    return [text for item in items if (text := normalise(item)[:200])][:8]


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


Few = Annotated[list[str], AfterValidator(_few)]


class Reading(BaseModel):
    """The model's answer; what it may leave out has a default."""

    model_config = ConfigDict(extra="ignore")

    intent: str = ""
    confidence: Annotated[float, AfterValidator(_share)] = 0.5
    uses_conversation: bool = False
    standalone: Annotated[str, AfterValidator(normalise)]
    variations: Few = []
    keywords: Few = []
    wants_several: bool = False
    entities: Few = []


def language_in(message: Message) -> Language:
    """Return the asker's language: that of the message, else of the turn before it, else of the locale."""
    usual: Language = "ko" if message.locale.lower().startswith("ko") else "en"
    if message.turns:
        usual = language_of(message.turns[-1].question, usual)
    return language_of(message.text, usual)


def request(message: Message) -> list[Said]:
    """Return what the model is asked about a message."""
    quoting = Quoting()
    pack = message.pack
    intents = "\n".join(
        f"- `{intent.name}`: such as {'; '.join(intent.examples[:_EXAMPLES])}" for intent in pack.intents
    )
    topic = pack.title.of(language_in(message))
    parts = (
        quoting.block("earlier", message.summary.text[:_SUMMARY_CHARACTERS]) if message.summary else "",
        quoting.conversation(message.turns, most=_TURNS, characters=_TURN_CHARACTERS),
        quoting.block("message", message.text[:_MESSAGE_CHARACTERS]),
    )
    return [
        quoting.prompt("understand", topic=topic, intents=intents or "(none)"),
        {"role": "user", "content": "\n".join(part for part in parts if part)},
    ]


def objection(reading: Reading) -> str:
    """Say what is wrong with a reading of the right shape, or nothing."""
    if not reading.standalone:
        return "standalone: must not be empty"
    if len(reading.standalone) > STANDALONE_CHARACTERS:
        return f"standalone: must not be longer than {STANDALONE_CHARACTERS} characters"
    return ""


def understood(reading: Reading, message: Message) -> Understood:
    """Return the reading as the graph wants it. The pack's intents decide about the route, not the model."""
    question = plain(message.text)
    spec = intent_named(reading.intent, message.pack)
    route: Route = "research"
    reason = "no intent of the pack"
    if spec is not None:
        route, reason = spec.route, f"intent {spec.name}"
    if not message.pack.flags.query_routing_enabled or route == "contextualize":
        route = "research"
    if route == "research" and _resolved(reading, message) != question:
        route, reason = "contextualize", "the message leans on the conversation"
    return Understood(
        question=question,
        language=language_in(message),
        intent=Intent(
            name=spec.name if spec else "question",
            confidence=reading.confidence,
            keywords=tuple(reading.keywords),
            entities=tuple(reading.entities),
        ),
        route=route,
        reason=reason,
    )


def standalone(reading: Reading, message: Message) -> Standalone:
    """Return the question as it reads alone; a first message is never rewritten."""
    text = _resolved(reading, message)
    return Standalone(text=text, changed=text != plain(message.text))


def queries(reading: Reading | None, step: Step, question: Standalone) -> tuple[Query, ...]:
    """Return the searches of a step: what it asks, then the model's other wordings where that is the whole question."""
    if step.description not in ("", question.text):
        return (Query(text=step.description),)
    out = [Query(text=question.text, terms=question.terms)]
    known = {question.text.lower()}
    for wording in reading.variations[:VARIATIONS] if reading else ():
        if wording.lower() not in known:
            known.add(wording.lower())
            out.append(Query(text=wording, weight=VARIATION_WEIGHT))
    return tuple(out)


def intent_named(name: str, pack: Pack) -> IntentSpec | None:
    """Return the pack's intent of this name."""
    return next((intent for intent in pack.intents if intent.name == name), None)


def _resolved(reading: Reading, message: Message) -> str:
    if message.turns and reading.uses_conversation:
        return reading.standalone
    return plain(message.text)
