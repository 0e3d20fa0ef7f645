"""What a message wants of the memory of its author: tell it, forget it, keep a preference."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from agent.context import Context
from agent.language import say
from agent.nodes.understand import message_of
from agent.ports import Profiles
from agent.reasoning.profile_summary import profile_summary
from agent.reasoning.profile_terms import told_in
from agent.reasoning.rules.answering.fixed_replies import QUESTION
from agent.reasoning.rules.reading.own_facts import Facts
from agent.reasoning.rules.reading.self_description import forgets_last, unlearnt
from agent.state import State, Update
from agent.text import clipped
from agent.types import Language, Memory, Preferences, Profile, TurnRecord

SHOWN = 5
"""Past questions that are shown at once."""


async def personal(state: State, runtime: Runtime[Context]) -> Update:
    """Answer from the memory of the asker alone; in front of others without what was said elsewhere."""
    context = runtime.context
    assert state.understood is not None  # noqa: S101 - the graph's order
    language, user = state.understood.language, context.request.user
    if state.understood.personal == "tell":  # what this message says, and nothing that is known besides
        return {"answer": _kept(state, context, language)}
    if state.understood.personal == "other":
        return {"answer": say("told_of_others", language)}
    memory = context.memory
    if state.understood.personal == "forget" and context.profiles is not None:  # also where nothing is remembered now
        count = await context.profiles.forget(user)
        nothing = "nothing_known" if memory is not None else "no_memory"
        return {"answer": say("forgotten" if count else nothing, language)}
    if memory is None:
        return {"answer": say("no_memory", language)}
    match state.understood.personal:
        case "unlearn":
            return {"answer": await _unlearn(memory, state, context, language)}
        case "prefer":
            wanted = _joined(state.profile.preferences, state.understood.preferences)
            await memory.prefer(user, wanted)
            return {"answer": say("preference_kept", wanted.language or language)}
    if not context.request.private:
        return {"answer": say("ask_in_private", language)}
    message = message_of(state, context)
    text = state.understood.question if state.understood.personal == "recollect" else ""
    found = await memory.memories(user, context.pack.name, text, k=4 * SHOWN)
    readable = (await _readable(found, context))[:SHOWN]
    return {"answer": await context.reasoner.recollect(message, state.understood, readable)}


def _kept(state: State, context: Context, language: Language) -> str:
    """Return what the message told, and what it took back."""
    assert state.understood is not None  # noqa: S101 - the graph's order
    parts = (("told_kept", state.understood.own), ("unlearnt", state.understood.not_own))
    told = [(key, profile_summary(Profile(slots=slots), context.pack, language)) for key, slots in parts]
    return "\n\n".join(f"{say(key, language)}\n\n{lines}" for key, lines in told if lines)


async def _unlearn(memory: Profiles, state: State, context: Context, language: Language) -> str:
    """Forget what the message names of what its author told, or else what they told last in this thread."""
    request, pack = context.request, context.pack
    mine = [turn for turn in state.earlier if turn.asked_by == request.asked_by]
    last = Facts(told_in(mine[-1:], pack, request.asked_by))
    known = {**told_in(mine, pack, request.asked_by), **(await memory.load(request.user, pack.name)).slots}
    gone = unlearnt(request.text, known, last, pack)
    if not gone:
        return await _forgotten_turn(memory, mine, bool(known), context, language)
    await memory.fill(request.user, pack.name, {}, gone=gone)
    return f"{say('unlearnt', language)}\n\n{profile_summary(Profile(slots=gone), pack, language)}"


async def _forgotten_turn(
    memory: Profiles, mine: Sequence[TurnRecord], known: bool, context: Context, language: Language
) -> str:
    """Forget the question that is remembered of the asker's last turn, where a message means no more than that."""
    request = context.request
    kept = {each.turn_id: each for each in await memory.memories(request.user, context.pack.name, "", k=4 * SHOWN)}
    last = next((kept[turn.turn_id] for turn in reversed(mine) if turn.turn_id in kept), None)
    if last is None or not forgets_last(request.text):
        return say("nothing_of_that" if known or kept else "nothing_known", language)
    await memory.drop(last.turn_id)
    return f"{say('unlearnt', language)}\n\n- {clipped(last.question, QUESTION)}"


def _joined(old: Preferences, new: Preferences | None) -> Preferences:
    if new is None:
        return old
    return Preferences(
        language=new.language or old.language, length=new.length or old.length, format=new.format or old.format
    )


async def _readable(memories: Sequence[Memory], context: Context) -> list[Memory]:
    """Return the old answers of which everything that they rest on is still open to their asker."""
    wanted = list(dict.fromkeys(reference for memory in memories for reference in memory.evidence))
    found = await context.knowledge.passages(wanted, context.request.audience)
    open_now = {passage.reference for passage in found}
    return [memory for memory in memories if open_now.issuperset(memory.evidence)]
