"""Read the message: language, intent, slots, route."""

from dataclasses import replace

from langgraph.runtime import Runtime

from agent.addressing import asks
from agent.context import Context
from agent.reasoning.contract import Message
from agent.state import State, Update
from agent.text import language_of, normalise
from agent.types import Intent, Standalone, Understood

SIDE_TALK = "side_talk"


def message_of(state: State, context: Context) -> Message:
    """Return what was said, and after what."""
    request = context.request
    return Message(text=request.text, pack=context.pack, turns=state.earlier, locale=request.locale)


def side_talk(text: str, context: Context) -> Understood:
    """Return the reading of what people say to each other."""
    return Understood(
        question=normalise(text),
        language=language_of(text, context.request.default_language),
        intent=Intent(name=SIDE_TALK, confidence=1.0),
        route="decline",
        reason=SIDE_TALK,
    )


async def understand(state: State, runtime: Runtime[Context]) -> Update:
    """Read the message; until it is rewritten its words stand for themselves.

    A question that stands alone keeps its words, but is searched with faint terms of the conversation before it.
    """
    context = runtime.context
    message = message_of(state, context)
    if not context.request.addressed and not asks(message.text):
        return {"understood": side_talk(message.text, context)}
    understood = await context.reasoner.understand(message)
    standalone = Standalone(text=understood.question)
    if understood.route == "research" and state.earlier and context.pack.flags.query_routing_enabled:
        standalone = replace(await context.reasoner.resolve(message), text=understood.question, changed=False)
    return {"understood": understood, "standalone": standalone}
