"""End the turn: the response, and what the conversation keeps of it."""

from langgraph.runtime import Runtime

from agent.citing import written
from agent.context import KEPT_TURNS, Context
from agent.state import VERSION, State, Update
from agent.text import language_of
from agent.types import Citation, Language, Response, ResponseType, SearchFilter, TurnRecord
from agent.words import say


async def remember(state: State, runtime: Runtime[Context]) -> Update:
    """Put the response together and write the conversation's fields, in one update."""
    context = runtime.context
    response = await _response(state, context)
    if not response.answer:  # people talked to each other: none of this is the conversation's
        return {"response": response}
    record = TurnRecord(
        turn_id=response.turn_id,
        message_id=context.request.message_id,
        asked_by=context.request.asked_by,
        question=state.understood.question if state.understood else context.request.text,
        standalone=response.standalone_query,
        answer=response.answer,
        route=response.route,
        at=context.now(),
        evidence=tuple(citation.passage_id for citation in response.citations),
        titles=tuple(dict.fromkeys(citation.title for citation in response.citations)),
    )
    return {"turns": kept(state.turns, record, limit=KEPT_TURNS), "version": VERSION, "response": response}


def kept(turns: list[TurnRecord], record: TurnRecord, *, limit: int) -> list[TurnRecord]:
    """Return the conversation with this turn in it: in the place of its first asking, or at the end."""
    readable = [turn for turn in turns if isinstance(turn, TurnRecord)]
    if any(turn.message_id == record.message_id for turn in readable):
        return [record if turn.message_id == record.message_id else turn for turn in readable]
    return [*readable, record][-limit:]


async def _response(state: State, context: Context) -> Response:
    request, understood = context.request, state.understood
    language: Language = understood.language if understood else language_of(request.text, request.default_language)
    answer, citations, warnings = await _answer(state, context, language)
    failed = bool(state.errors) and not citations
    mode_failed = request.mode == "llm" and bool(state.errors)
    kind: ResponseType = "declined" if understood and understood.route == "decline" else "answer"
    return Response(
        thread_id=str(request.key),
        turn_id=request.turn_id,
        pack=context.pack.name,
        mode=request.mode,
        language=language,
        route=understood.route if understood else "llm",
        answer=answer,
        response_type="error" if failed or mode_failed else kind,
        status="failed" if failed or mode_failed else "completed",
        intent=understood.intent if understood else None,
        standalone_query=state.standalone.text if state.standalone else request.text,
        slots=understood.slots if understood else {},
        expansion=tuple(result.expansion for result in state.found if result.expansion),
        plan=state.plan,
        citations=citations,
        nearest=() if citations else state.nearest,
        structured_data=_structured(answer, citations, state),
        grounding=state.grounding,
        confidence=state.grounding.score if state.grounding and citations else 0.0,
        retry_count=state.retry_count,
        failed_teams=tuple(
            dict.fromkeys(step.team for step in (state.plan.steps if state.plan else ()) if step.status == "failed")
        ),
        warnings=(*state.warnings, *context.notices(), *warnings),
        errors=state.errors,
    )


async def _answer(
    state: State, context: Context, language: Language
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """Return the answer, its citations, and notices in the asker's language."""
    if state.draft is None:
        return state.answer, (), ()
    warnings = tuple(say(key, language) for key in state.draft.warnings)
    if state.draft.sentences:
        answer, citations = written(state.draft.sentences, state.blocks)
        if context.pack.disclaimer:
            answer = f"{answer}\n\n_{context.pack.disclaimer.of(language)}_"
        return answer, citations, warnings
    filter = SearchFilter(collections=context.pack.collections)
    if not state.nearest and await context.knowledge.empty(context.request.audience, filter):
        return say("no_documents", language), (), warnings
    if state.errors and not state.nearest:
        return say("search_failed", language), (), warnings
    lines = [say("no_answer", language)]
    if state.nearest:
        lines += ["", say("nearest", language), "", *(f"- {title}" for title in state.nearest)]
    return "\n".join(lines), (), warnings


def _structured(answer: str, citations: tuple[Citation, ...], state: State) -> dict[str, object]:
    confidence = state.grounding.score if state.grounding and citations else 0.0
    return {
        "sections": [{"text": part} for part in answer.split("\n\n") if part.strip()],
        "metadata": {"confidence": confidence, "sources": [citation.title for citation in citations]},
    }
