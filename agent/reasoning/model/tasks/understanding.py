"""What a model makes of a message: one call that serves understanding, resolving and expanding."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, WithJsonSchema, create_model

from agent.packs.pack import IntentSpec, Pack
from agent.prompts import load
from agent.reasoning.contract import Message
from agent.reasoning.message.message_text import language_asked, plain
from agent.reasoning.model.tasks.untrusted_text import Quoting
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.text import normalise, tokens
from agent.types import Intent, Query, Route, Standalone, Step, Understood

STANDALONE_CHARACTERS = 1000
OTHER_WORDS = 0.3
"""Their weight beside the question's own 1.0, as that of the offline rewordings: more was measured to lose."""
_EXAMPLES = 4
_TURNS = 6
_TURN_CHARACTERS = 600
_MESSAGE_CHARACTERS = 8000
_SUMMARY_CHARACTERS = 1500
_TOKENS = 700
_CONFIDENCE = 0.5
"""Of an intent that a model names: it does not tell how sure it is, and what it would tell means little."""

Words = Annotated[str, AfterValidator(lambda text: normalise(text)[:200])]


class Reading(BaseModel):
    """The model's answer about a message that nothing was said before. Short: what is answered waits for it."""

    intent: str
    several: bool = False
    words: Words = ""


class ReadingInThread(BaseModel):
    """The same about a message in a conversation."""

    intent: str
    standalone: Annotated[str, AfterValidator(normalise)] = ""
    """Empty: the message stands alone. It comes before what it is asked in other words."""
    several: bool = False
    words: Words = ""


AnyReading = Reading | ReadingInThread
Shape = TypeVar("Shape", Reading, ReadingInThread)


async def read(endpoint: Endpoint, message: Message) -> AnyReading:
    """Return what the model makes of a message. Raises ModelError."""
    asked, intents = request(message), [intent.name for intent in message.pack.intents]
    if not message.turns:
        return await endpoint.ask("small", asked, shape=of_intents(Reading, intents), tokens=_TOKENS)
    shape = of_intents(ReadingInThread, intents)
    return await endpoint.ask("small", asked, shape=shape, tokens=_TOKENS, objection=objection)


def of_intents(shape: type[Shape], names: Sequence[str]) -> type[Shape]:
    """Return the shape with these intents and none besides; another name is read as none of them."""
    narrowed: type[Shape] = _narrowed(shape, tuple(names))
    return narrowed


@lru_cache(maxsize=128)
def _narrowed(shape: type[BaseModel], names: tuple[str, ...]) -> Any:
    known = ["", *names]
    listed = WithJsonSchema({"type": "string", "enum": known})
    one: Any = Annotated[str, AfterValidator(lambda name: name if name in known else ""), listed]
    return create_model(shape.__name__, __base__=shape, intent=(one, ...))


def request(message: Message) -> list[Said]:
    """Return what the model is asked about a message."""
    quoting = Quoting()
    pack = message.pack
    intents = "\n".join(
        f"- `{intent.name}`: such as {'; '.join(intent.examples[:_EXAMPLES])}" for intent in pack.intents
    )
    topic = pack.title.of(language_asked(plain(message.text), message))
    parts = (
        quoting.block("earlier", message.summary.text[:_SUMMARY_CHARACTERS]) if message.summary else "",
        quoting.conversation(message.turns, most=_TURNS, characters=_TURN_CHARACTERS),
        quoting.block("message", message.text[:_MESSAGE_CHARACTERS]),
    )
    return quoting.request(
        "understand",
        parts,
        topic=topic,
        standalone=f"\n{load('standalone')}" if message.turns else "",
        intents=intents or "(none)",
    )


def objection(reading: ReadingInThread) -> str:
    """Say what is wrong with a reading of the right shape, or nothing."""
    if len(reading.standalone) > STANDALONE_CHARACTERS:
        return f"standalone: must not be longer than {STANDALONE_CHARACTERS} characters"
    return ""


def understood(reading: AnyReading, message: Message) -> Understood:
    """Return the reading as the graph wants it. The pack's intents decide about the route, not the model."""
    question = plain(message.text)
    spec = intent_named(reading.intent, message.pack)
    route: Route = "research"
    reason = "no intent of the pack"
    if spec is not None:
        route, reason = spec.route, f"intent {spec.name}"
    if not message.pack.flags.query_routing_enabled or route not in ("direct", "decline"):  # the rest the rules know
        route = "research"
    if route == "research" and _resolved(reading, message) != question:
        route, reason = "contextualize", "the message leans on the conversation"
    return Understood(
        question=question,
        language=language_asked(question, message),
        intent=Intent(name=spec.name if spec else "question", confidence=_CONFIDENCE),
        route=route,
        reason=reason,
    )


def standalone(reading: AnyReading, message: Message) -> Standalone:
    """Return the question as it reads alone; a first message is never rewritten."""
    text = _resolved(reading, message)
    return Standalone(text=text, changed=text != plain(message.text))


def queries(reading: AnyReading | None, step: Step, question: Standalone) -> tuple[Query, ...]:
    """Return the searches of a step: what it asks, then the model's other words where that is the whole question."""
    if step.description not in ("", question.text):
        return (Query(text=step.description),)
    asked = Query(text=question.text, terms=(*question.terms, *question.of_asker))
    known = set(tokens(question.text))
    other = " ".join(word for word in (reading.words if reading else "").split() if not known.issuperset(tokens(word)))
    return (asked, Query(text=other, weight=OTHER_WORDS)) if other else (asked,)


def intent_named(name: str, pack: Pack) -> IntentSpec | None:
    """Return the pack's intent of this name."""
    return next((intent for intent in pack.intents if intent.name == name), None)


def _resolved(reading: AnyReading, message: Message) -> str:
    alone = reading.standalone if isinstance(reading, ReadingInThread) else ""
    return alone or plain(message.text)
