"""Reply without documents."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import ModelError
from agent.nodes.understand import SIDE_TALK, message_of
from agent.state import State, Update
from agent.text import language_of
from agent.words import say


async def respond(state: State, runtime: Runtime[Context]) -> Update:
    """Greet, thank, help, decline; in mode `llm`, let the model speak."""
    context = runtime.context
    message = message_of(state, context)
    if context.request.mode == "llm":
        try:
            return {"answer": await context.reasoner.chat(message)}
        except ModelError as error:
            language = language_of(message.text, context.request.default_language)
            key = "llm_mode_failed" if context.without_model is not None else "llm_mode_needs_model"
            return {"answer": say(key, language), "errors": (str(error),)}
    assert state.understood is not None  # noqa: S101 - the graph's order
    if state.settled is not None and state.settled.kind == "late":
        return {"answer": say("too_late", state.understood.language)}
    if state.understood.followup is not None:
        return {"answer": say("cannot_translate", state.understood.language)}
    if state.understood.reason == SIDE_TALK:
        return {"answer": ""}
    return {"answer": await context.reasoner.respond(message, state.understood)}
