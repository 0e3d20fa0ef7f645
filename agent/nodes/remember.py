"""End the turn: the response, and what the conversation keeps of it."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import chain

from langgraph.runtime import Runtime

from agent import strategy
from agent.citing import written
from agent.context import KEPT_TURNS, Context
from agent.language import say
from agent.nodes.compose import nothing_to_tell
from agent.nodes.pack import looked_up
from agent.nodes.understand import message_of
from agent.nodes.untold_parts import name_beside, untold
from agent.packs.pack import Pack
from agent.pointed_messages import told_of
from agent.reasoning.contract import Conversing, answered
from agent.results import Told
from agent.retrieval.scopes import collections_of
from agent.state import VERSION, State, Update
from agent.text import language_of
from agent.trace import receipt, validation
from agent.types import (
    Block,
    Citation,
    Clarification,
    Draft,
    Grade,
    Language,
    Memory,
    Pending,
    Response,
    ResponseType,
    SearchFilter,
    Sentence,
    Summary,
    TurnRecord,
    Understood,
    reference_of,
)

NEAREST = 3
"""Passages of what was found that a turn keeps the documents of."""


async def remember(state: State, runtime: Runtime[Context]) -> Update:
    """Put the response together and write the conversation's fields, in one update."""
    context = runtime.context
    if state.offers and not _is_told(state):
        state = replace(state, clarification=None, asking=None)  # beside no answer nothing is offered
    response = await _response(state, context)
    checked = {"validation": validation(response, context.pack.limits)}
    response = replace(response, receipt={**response.receipt, **checked})
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
        evidence=tuple(reference_of(citation.collection, citation.passage_id) for citation in response.citations),
        titles=tuple(dict.fromkeys(citation.title for citation in response.citations)),
        documents=_rests_on(response.citations, state.blocks),
        confidence=response.confidence,
    )
    if not state.pointing or _stands_alone(state):  # what others said is none of the asker's memory
        await _keep_memory(record, response, state, context)
    turns = placed(state.turns, record)
    return {
        "turns": turns[-KEPT_TURNS:],
        "summary": await summarised(state.before, turns[:-KEPT_TURNS], context.reasoner),
        "pending": state.asking or _made(state, record) or _still_open(state, context),
        "version": VERSION,
        "response": response,
    }


def _is_told(state: State) -> bool:
    """Tell whether anything is answered: in words, or by a team."""
    return bool(state.told or (state.draft and state.draft.sentences))


def _stands_alone(state: State) -> bool:
    """Tell whether the question is all its asker's own, though messages of others stood before it."""
    if state.aim is not None or state.standalone is None or state.understood is None:
        return False
    return state.standalone.text == state.understood.question


def _made(state: State, record: TurnRecord) -> Pending | None:
    """Return what the documents of this turn were made of."""
    documents = [outcome.document for outcome in state.outcomes if outcome.document is not None]
    given = {f"{each.template}.{name}": value for each in documents for name, value in each.fields.items()}
    if not given:
        return None
    return Pending(
        question=record.standalone, asked_back="", choices=(), slot="", asked_of=record.asked_by,
        turn_id=record.turn_id, message_id=record.message_id, asked_at=record.at, given=given,
    )  # fmt: skip


def _still_open(state: State, context: Context) -> Pending | None:
    """Return the question back that this turn was not about: of somebody else, or before "what do you know of me?"."""
    pending = state.pending
    if state.settled is not None and state.settled.kind == "finished":
        return pending
    settled = state.settled is not None and state.settled.kind != "new"
    aside = state.understood is not None and bool(state.understood.personal)
    if pending is None or settled or (pending.asked_of == context.request.asked_by and not aside):
        return None
    return pending


def _rests_on(citations: Sequence[Citation], blocks: Sequence[Block]) -> tuple[str, ...]:
    """Return ids of the documents that an answer cites, then of the best that was found.

    What was found is kept also where nothing was told of it: the next question is mostly about the same.
    """
    cited = {(citation.collection, citation.passage_id) for citation in citations}
    passages = [block.passage for block in blocks]
    told = [passage for passage in passages if (passage.collection, passage.public_id) in cited]
    return tuple(dict.fromkeys(passage.document_id for passage in (*told, *passages[:NEAREST])))


def placed(turns: Sequence[TurnRecord], record: TurnRecord) -> list[TurnRecord]:
    """Return the conversation with this turn in it: in the place of its first asking, or at the end."""
    readable = [turn for turn in turns if isinstance(turn, TurnRecord)]
    if any(turn.message_id == record.message_id for turn in readable):
        return [record if turn.message_id == record.message_id else turn for turn in readable]
    return [*readable, record]


async def summarised(before: Summary | None, leaving: Sequence[TurnRecord], reasoner: Conversing) -> Summary | None:
    """Return the summary with the turns in it that are no longer kept word for word."""
    if not leaving:
        return before
    return Summary(
        text=await reasoner.summarise(before, leaving),
        turns=(before.turns if before else 0) + len(leaving),
        until=max([before.until if before else 0.0, *(turn.at for turn in leaving)]),
    )


async def _keep_memory(record: TurnRecord, response: Response, state: State, context: Context) -> None:
    """Keep what was asked and answered for its asker, where documents answered it.

    Of what was written or computed its heading alone: it has figures of its own, and whether an answer still holds is
    told by whether its figures stand in its sources.
    """
    if context.memory is None or not response.citations:
        return
    if response.route not in ("research", "contextualize"):  # "shorter" is no question to remember
        return
    own = any(outcome.document or outcome.analysis for outcome in state.outcomes)
    memory = Memory(
        turn_id=record.turn_id,
        question=record.standalone or record.question,
        answer=record.answer.partition("\n\n")[0] if own else record.answer,
        at=record.at,
        evidence=record.evidence,
    )
    await context.memory.keep(context.request.user, context.pack.name, memory)


async def _response(state: State, context: Context) -> Response:
    request, understood = context.request, state.understood
    language: Language = understood.language if understood else language_of(request.text, request.default_language)
    strategy_told = _strategy(state, language)
    answer, citations, warnings = await _answer(state, context, language)
    if state.target is not None and state.standalone is not None and answer:
        answer = f"{told_of(state.target, state.standalone.text, language)}\n\n{answer}"
    if state.overheard and citations:
        answer = f"**{say('told_here', language)}**\n\n{answer}"
    answer, asked_back = framed(answer, state.clarification, request.text, context.pack, language)
    outcomes = state.outcomes
    files = tuple(chain.from_iterable(outcome.files for outcome in outcomes))
    failed = bool(state.errors) and not citations and not files and asked_back is None
    mode_failed = request.mode == "llm" and bool(state.errors)
    declined = _declined(state, context)
    kind: ResponseType = "declined" if declined or (understood and understood.route == "decline") else "answer"
    if asked_back is not None and not _is_told(state):
        kind = "clarification"
    elif not (state.draft and state.draft.sentences) and state.told:
        kind = "document" if any(outcome.document for outcome in outcomes) else "analysis"
    elif state.draft is not None and declined is None:
        kind = _kind_of(state.draft)
    searches = [outcome.search for outcome in outcomes if outcome.search is not None]
    grade = state.grade
    return Response(
        thread_id=str(request.key),
        turn_id=request.turn_id,
        pack=context.pack.name,
        mode=request.mode,
        language=language,
        route="clarify" if kind == "clarification" else understood.route if understood else "llm",
        answer=answer,
        response_type="error" if failed or mode_failed else kind,
        status="failed" if failed or mode_failed else "completed",
        intent=understood.intent if understood else None,
        standalone_query=state.standalone.text if state.standalone else request.text,
        slots=understood.slots if understood else {},
        # What is searched for besides a question may be the words of others, which are not kept.
        expansion=() if state.pointing else tuple(outcome.expansion for outcome in outcomes if outcome.expansion),
        plan=state.plan,
        citations=citations,
        clarification=asked_back,
        nearest=() if citations or asked_back or declined else state.nearest,
        structured_data=_structured(answer, citations, state),
        excluded_blocks=strategy.shown(state.left),
        search_strategy=strategy_told,
        keyword_freq=strategy.frequencies(searches),
        keyword_block_counts=strategy.block_counts(searches),
        grounding=state.grounding,
        grade=grade.check if grade else None,
        quality=_quality(grade),
        confidence=_confidence(state, citations),
        retry_count=state.retry_count,
        iteration_count=state.iteration_count,
        files=files,
        web_search_performed=any(outcome.web for outcome in outcomes),
        failed_teams=tuple(
            dict.fromkeys(step.team for step in (state.plan.steps if state.plan else ()) if step.status == "failed")
        ),
        receipt=receipt(
            understood.reason if understood else "", () if state.pointing else state.blocks, citations, state.left
        ),
        warnings=tuple(dict.fromkeys((*state.warnings, *context.notices(), *warnings))),
        errors=state.errors,
    )


def framed(
    answer: str, asked_back: Clarification | None, text: str, pack: Pack, language: Language
) -> tuple[str, Clarification | None]:
    """Return an answer and a question back behind what must be told first, and before what must always be told.

    No route, setting or model takes that away: whoever writes of an emergency is told whom to call.
    """
    if not answer and asked_back is None:  # people talked to each other
        return answer, asked_back
    alarms = [each.text.of(language) for each in pack.emergencies if each.is_told_in(text)]
    first = "\n\n".join(f"**{alarm}**" for alarm in alarms)
    if first:
        answer = f"{first}\n\n{answer}".rstrip()
        asked_back = replace(asked_back, question=f"{first}\n\n{asked_back.question}") if asked_back else None
    if pack.disclaimer_always and pack.disclaimer and pack.disclaimer.of(language) not in answer:
        answer = f"{answer}\n\n_{pack.disclaimer.of(language)}_".lstrip()
    return answer, asked_back


def _declined(state: State, context: Context) -> Understood | None:
    """Return how a message is read that is likely none of the pack's business, where no document answers it either."""
    understood = state.understood
    if understood is None or not understood.outside or context.request.mode == "llm" or state.pointing:
        return None
    told = _is_told(state) or state.clarification or state.errors
    steps = [step for step in state.plan.steps if step.purpose == "answer"] if state.plan else []
    if told or state.draft is None or len(steps) > 1:
        return None
    return replace(understood, route="decline", intent=replace(understood.intent, name=understood.outside))


def _strategy(state: State, language: Language) -> str:
    """Return how was searched, in words."""
    searches = [outcome.search for outcome in state.outcomes if outcome.search is not None]
    must_have = [word for outcome in state.outcomes if outcome.expansion for word in outcome.expansion.must_have]
    return strategy.told(searches, state.blocks, state.left, must_have, language, looked_up(state))


async def _answer(
    state: State, context: Context, language: Language
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """Return the answer, its citations, and notices in the asker's language."""
    sentences = state.draft.sentences if state.draft else ()
    open_parts = untold(state, language)
    warnings = tuple(say(key, language) for key in state.draft.warnings) if state.draft else ()
    if sentences or state.told:
        named = [Sentence(text=f"**{name}**", lead="")] if (name := name_beside(state)) else []
        lead = [replace(sentences[0], lead=f"\n\n{sentences[0].lead.lstrip()}"), *sentences[1:]] if named else sentences
        answer, citations = written([*named, *lead, *parts(state.told)], state.blocks)
        answer = "\n\n".join([*open_parts, answer])
        if looked_up(state) is not None:
            answer = f"{answer}\n\n_{say('strategy_shown', language, strategy=_strategy(state, language))}_"
        if context.pack.disclaimer:
            answer = f"{answer}\n\n_{context.pack.disclaimer.of(language)}_"
        if state.clarification is not None:
            answer = f"{answer}\n\n{_asked(state.clarification)}"
        return answer, citations, warnings
    if state.clarification is not None:
        return "\n\n".join([*open_parts, _asked(state.clarification)]), (), ()
    if state.draft is None:
        return state.answer, (), ()
    if open_parts and nothing_to_tell(state):
        return "\n\n".join(open_parts), (), warnings
    filter = SearchFilter(collections=collections_of(context.pack))
    if not state.nearest and await context.knowledge.empty(context.request.audience, filter):
        return say("no_documents", language), (), warnings
    if state.errors and not state.nearest:
        several = state.plan is not None and sum(step.purpose == "answer" for step in state.plan.steps) > 1
        return "\n\n".join([say("search_failed", language), *(open_parts if several else ())]), (), warnings
    if (declined := _declined(state, context)) is not None:
        return await context.reasoner.respond(message_of(state, context), declined), (), warnings
    besides = state.standalone is not None and bool(state.standalone.besides)
    lines = ["\n\n".join([*open_parts, say("nothing_else" if besides else "no_answer", language)])]
    if state.nearest:
        lines += ["", say("nearest", language), "", *(f"- {title}" for title in state.nearest)]
    if looked_up(state) is not None and (told := _strategy(state, language)):
        lines += ["", f"_{say('strategy_shown', language, strategy=told)}_"]
    return "\n".join(lines), (), warnings


def parts(told: Sequence[Told]) -> list[Sentence]:
    """Return what the teams wrote as the sentences that follow the answer, each part under its title."""
    out: list[Sentence] = []
    for part in told:
        if part.title:
            out.append(Sentence(text=f"**{part.title}**", lead="\n\n"))
        out.extend(
            replace(sentence, lead="\n\n") if part.title and n == 0 and sentence.lead.strip(" ") == "" else sentence
            for n, sentence in enumerate(part.sentences)
        )
    return out


def _quality(grade: Grade | None) -> dict[str, float]:
    if grade is None:
        return {}
    terms = {
        "score": grade.score, "length": grade.length,
        "evidence": grade.evidence, "personalization": grade.personalization,
    }  # fmt: skip
    return {name: round(value, 3) for name, value in terms.items() if value is not None}


def _asked(clarification: Clarification) -> str:
    """Return a question back as text, for the record and for who reads no buttons."""
    options = [f"{number}. {option}" for number, option in enumerate(clarification.options, start=1)]
    parts = [
        clarification.question,
        "\n".join(options),
        f"_{clarification.assumption}_" if clarification.assumption else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _kind_of(draft: Draft) -> ResponseType:
    """Return whether documents answer, whether that is only what comes closest, or whether nothing was found."""
    if not draft.sentences:
        return "not_found"
    return "passages" if all(sentence.hedged for sentence in draft.sentences) else "answer"


def _confidence(state: State, citations: tuple[Citation, ...]) -> float:
    """Return how likely the answer holds what was asked for: another form of one is as likely as that was."""
    if not citations:
        return 0.0
    if state.grade is not None:
        return state.grade.confidence
    computed = [outcome.analysis.confidence for outcome in state.outcomes if outcome.analysis is not None]
    if computed and not (state.draft and state.draft.sentences):  # figures alone tell how sure they are
        return min(computed)
    held = state.grounding.score if state.grounding else 0.0
    before = answered(state.earlier) if state.understood and state.understood.followup else None
    return held if before is None else round(held * before.confidence, 3)


def _structured(answer: str, citations: tuple[Citation, ...], state: State) -> dict[str, object]:
    confidence = _confidence(state, citations)
    return {
        "sections": [{"text": part} for part in answer.split("\n\n") if part.strip()],
        "documents": [asdict(outcome.document) for outcome in state.outcomes if outcome.document],
        "cases": strategy.cases_shown(looked_up(state)),
        "analyses": [asdict(outcome.analysis) for outcome in state.outcomes if outcome.analysis],
        "metadata": {"confidence": confidence, "sources": [citation.title for citation in citations]},
    }
