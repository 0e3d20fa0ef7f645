"""Reply without documents."""

from langgraph.runtime import Runtime

from agent.context import Context
from agent.errors import ModelError
from agent.language import say
from agent.nodes.understand import SIDE_TALK, message_of
from agent.reasoning.contract import answered, found_nothing
from agent.reasoning.message.smalltalk import DOCUMENTS
from agent.reasoning.rules.reading.answer_request import about_answer
from agent.retrieval.scopes import collections_of
from agent.state import State, Update
from agent.text import language_of
from agent.trace import told
from agent.types import FollowUp, Language, SearchFilter

LISTED = 20
"""Documents that are named at once."""


async def respond(state: State, runtime: Runtime[Context]) -> Update:
    """Greet, thank, help, decline; in mode `llm`, let the model speak."""
    context = runtime.context
    message = message_of(state, context)
    if context.request.mode == "llm":
        try:
            return {"answer": await context.reasoner.chat(message)}
        except ModelError as error:
            return _without_words(error, context)
    assert state.understood is not None  # noqa: S101 - the graph's order
    if state.settled is not None and state.settled.kind == "late":
        return {"answer": say("too_late", state.understood.language)}
    if state.settled is not None and state.settled.kind == "finished":
        return {"answer": _finished(state, context)}
    if wants_way(state, context):
        return {"answer": await way_of(state, context)}
    if state.understood.intent.name == DOCUMENTS:
        return {"answer": await _documents(state.understood.language, context)}
    if state.understood.followup is not None:
        return {"answer": say("cannot_translate", state.understood.language)}
    if state.understood.reason == SIDE_TALK:
        return {"answer": ""}
    return {"answer": await context.reasoner.respond(message, state.understood)}


def _finished(state: State, context: Context) -> str:
    """Say what can be done about a document that was made, and how one of its fields is put right."""
    assert state.understood is not None and state.pending is not None  # noqa: S101 - it was settled what is meant
    language, given = state.understood.language, state.pending.given
    titles = (field.title.of(language) for name, field in context.pack.fields.items() if name in given)
    return say("document_finished", language, field=next(titles, "…"))


def _without_words(error: ModelError, context: Context) -> Update:
    """Say why the model has no words: there is none, it may not be asked before a limit ends, or it failed."""
    language = language_of(context.request.text, context.request.default_language)
    if context.without_model is None:
        return {"answer": say("llm_mode_needs_model", language), "errors": (str(error),)}
    from agent.reasoning.model.transport.usage import (
        BudgetError,  # brings the vendor's library, which a model has loaded
    )

    if isinstance(error, BudgetError) and error.told:
        return {"answer": error.told}
    return {"answer": say("llm_mode_failed", language), "errors": (str(error),)}


async def _documents(language: Language, context: Context) -> str:
    """Return how many documents there are for who reads along, and what the latest are called."""
    filter = SearchFilter(collections=collections_of(context.pack))
    count, titles = await context.knowledge.titles(context.request.audience, filter, LISTED)
    if not count:
        return say("no_documents", language)
    lines = [f"- {title}" for title in sorted(dict.fromkeys(titles), key=str.casefold)]
    key = "documents_here" if count <= LISTED else "documents_latest"
    return "\n".join([say(key, language, count=count), "", *lines])


def wants_way(state: State, context: Context) -> bool:
    """Tell whether it is asked how the answer before was found, or why it is so and nothing else."""
    followup = state.understood.followup if state.understood else None
    if followup is None or followup.kind != "why":
        return followup is not None and followup.kind == "how"
    return about_answer(context.request.text) == followup


async def way_of(state: State, context: Context) -> str:
    """Tell how the answer before was found, of the passages those that all who read along may read now.

    Who asks why it is so is told that the documents do not say it.
    """
    assert state.understood is not None  # noqa: S101 - the graph's order
    language, in_vain = state.understood.language, found_nothing(state.earlier)
    turn = in_vain or answered(state.earlier)
    if state.understood.followup == FollowUp(kind="why") and turn is not None and not in_vain:
        return say("no_reason", language)
    response = (
        await context.answers.response(turn.turn_id) if turn is not None and context.answers is not None else None
    )
    if response is None:
        return say("way_unknown", language)
    wanted = [each["reference"] for each in response.receipt.get("passages", ())]
    known = await context.knowledge.passages(wanted, context.request.audience)
    way = told(response, language, readable=frozenset(passage.reference for passage in known))
    return f"{say('way_told', language)}\n\n{way}"
