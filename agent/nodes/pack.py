"""Choose the passages that the answer may rest on."""

from dataclasses import replace

from langgraph.runtime import Runtime

from agent.cases import Lookup, joined
from agent.citing import renumbered
from agent.context import Context
from agent.language import say
from agent.packs.pack import FURTHER
from agent.reasoning.combined_choices import chosen
from agent.reasoning.rules.reading.profile_match import contradicts
from agent.results import Told
from agent.retrieval.pack import Left, Packed, excluded, meant, merged, of_days, pack, titles, whole_blocks
from agent.state import State, Update
from agent.types import Block, Hit, Passage

NEAR = 3
"""Cases that are named where none holds what was asked for."""


async def pack_context(state: State, runtime: Runtime[Context]) -> Update:
    """Number the best passages of all steps, within the pack's budget; what the asker chose comes first.

    What only serves other steps is not among them; what a team wrote itself brings its own passages along.
    """
    assert state.plan is not None  # noqa: S101 - the graph's order
    limits = runtime.context.pack.limits
    silent = {step.id for step in state.plan.steps if step.purpose == "evidence"}
    silent |= {outcome.step_id for outcome in state.outcomes if outcome.whole}  # its team has written the summary
    lookup = looked_up(state)
    if lookup is not None:
        return _of_cases(lookup, state)
    if summed_up(state):
        return _of_whole(state, limits.context_characters if runtime.context.without_model is not None else None)
    hits = merged(outcome.hits for outcome in state.outcomes if outcome.step_id not in silent)
    hits, others = _for_asker(hits, state, runtime.context)
    found = hits
    if state.standalone is not None:
        hits = of_days(_besides(found, state, runtime.context), state.standalone.text)
    kept = {hit.passage.id for hit in hits}
    of_other_days = [Left(passage=hit.passage, reason="rank") for hit in found if hit.passage.id not in kept]
    hits = _of_choice(hits, state)
    wide = 2 if sum(step.team == "search" and step.id not in silent for step in state.plan.steps) > 1 else 1
    further = FURTHER if runtime.context.without_model is not None else 1
    packed = pack(hits, passages=wide * limits.passages, characters=wide * limits.context_characters, further=further)
    for_others = (Left(passage=hit.passage, reason="profile") for hit in others)
    packed = replace(packed, left=(*packed.left, *of_other_days, *for_others))
    left = excluded((outcome.search for outcome in state.outcomes if outcome.search), packed)
    blocks, told = packed.blocks, list[Told]()
    several = sum(step.purpose == "answer" for step in state.plan.steps) > 1
    for outcome in state.outcomes:
        if outcome.told is not None:
            part, blocks = renumbered(outcome.told, blocks)
            if not part.title and several and outcome.step is not None:
                part = replace(part, title=outcome.step.task)  # what found no table says of what
            told.append(part)
    update: Update = {"blocks": blocks, "told": tuple(told), "left": left, "nearest": titles(hits)}
    if others and state.understood is not None:
        said = say("not_for_asker", state.understood.language, titles=", ".join(titles(others)))
        update["warnings"] = (said,)
    return update


def _of_choice(hits: list[Hit], state: State) -> list[Hit]:
    """Return the hits that speak of what was chosen, where something was that the turn before asked or offered."""
    if state.pending is None or state.settled is None:
        return hits
    picked = chosen(state.pending, state.settled)
    return meant(hits, picked, state.pending.meanings) if picked else hits


def _besides(hits: list[Hit], state: State, context: Context) -> list[Hit]:
    """Return the hits that were not cited for the question before, where that is not wanted again.

    Without a model each of their paragraphs is looked at, and only what was quoted is left out.
    """
    unwanted = frozenset(state.standalone.besides if state.standalone and context.without_model is not None else ())
    return [hit for hit in hits if hit.passage.reference not in unwanted]


def _for_asker(hits: list[Hit], state: State, context: Context) -> tuple[list[Hit], list[Hit]]:
    """Return the hits that may be for the asker, and those that are for others by what the asker told."""
    known, slots = state.profile.slots, context.pack.slots
    if state.understood is None or state.standalone is None or not context.pack.flags.query_rewrite_enabled:
        return hits, []  # the flag: everybody is told alike
    question = f"{state.understood.question}\n{state.standalone.text}"
    wrong = {hit.passage.id for hit in hits if contradicts(hit.passage, known, slots, question)}
    return [hit for hit in hits if hit.passage.id not in wrong], [hit for hit in hits if hit.passage.id in wrong]


def looked_up(state: State) -> Lookup | None:
    """Return the cases that the question looks up, where this is all that it asks, be it one thing or several."""
    if len(state.outcomes) == 1:
        return state.outcomes[0].lookup
    steps = {step.id: step for step in state.plan.steps} if state.plan else {}
    found = [
        (steps[outcome.step_id].description, outcome.lookup)
        for outcome in state.outcomes
        if outcome.lookup is not None and outcome.step_id in steps
    ]
    return joined(tuple(found)) if len(found) == len(state.outcomes) > 1 else None


def summed_up(state: State) -> tuple[Passage, ...]:
    """Return the passages of the documents that are to be summed up, where this is all that is asked."""
    steps = {step.id for step in state.plan.steps if step.purpose == "answer"} if state.plan else set()
    told = [outcome.whole for outcome in state.outcomes if outcome.step_id in steps]
    return tuple(passage for whole in told for passage in whole) if told and all(told) else ()


def _of_whole(state: State, characters: int | None) -> Update:
    """Return the passages of what is to be summed up, in their order; the others of what was found are left out."""
    blocks = whole_blocks(summed_up(state), characters)
    kept = {block.passage.id for block in blocks}
    hits = {hit.passage.id: hit.passage for outcome in state.outcomes for hit in outcome.hits}
    left = tuple(Left(passage=each, reason="rank") for each in hits.values() if each.id not in kept)
    searches = (outcome.search for outcome in state.outcomes if outcome.search)
    near = tuple(dict.fromkeys(block.passage.title for block in blocks))
    return {"blocks": blocks, "told": (), "left": excluded(searches, Packed(blocks=blocks, left=left)), "nearest": near}


def _of_cases(lookup: Lookup, state: State) -> Update:
    """Return the passages that are told of the cases, in their order; the others of what was found are left out."""
    told = {passage.id: passage for passage in lookup.told}
    hits = {hit.passage.id: hit for outcome in state.outcomes for hit in outcome.hits}
    blocks = tuple(
        Block(n=n, passage=passage, score=hits[passage.id].score if passage.id in hits else 0.0)
        for n, passage in enumerate(told.values(), start=1)
    )
    packed = Packed(
        blocks=blocks,
        left=tuple(Left(passage=hit.passage, reason="rank") for hit in hits.values() if hit.passage.id not in told),
    )
    left = excluded((outcome.search for outcome in state.outcomes if outcome.search), packed)
    near = tuple(dict.fromkeys(case.title for case in lookup.near))[:NEAR]
    return {"blocks": blocks, "told": (), "left": left, "nearest": near}
