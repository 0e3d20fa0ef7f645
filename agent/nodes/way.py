"""Tell the way of the answer before, or of a search in vain: what was searched, what it rests on, how sure it is."""

from agent.context import Context
from agent.language import say
from agent.reasoning.contract import answered, found_nothing
from agent.reasoning.rules.reading.answer_request import about_answer
from agent.state import State
from agent.trace import told


def wants_way(state: State, context: Context) -> bool:
    """Tell whether it is asked how the answer before was found, or why it is so and nothing else."""
    followup = state.understood.followup if state.understood else None
    if followup is None or followup.kind != "why":
        return followup is not None and followup.kind == "how"
    return about_answer(context.request.text) == followup


async def way_of(state: State, context: Context) -> str:
    """Tell how the answer before was found, of the passages those that all who read along may read now."""
    assert state.understood is not None  # noqa: S101 - the graph's order
    language, turn = state.understood.language, found_nothing(state.earlier) or answered(state.earlier)
    response = (
        await context.answers.response(turn.turn_id) if turn is not None and context.answers is not None else None
    )
    if response is None:
        return say("way_unknown", language)
    wanted = [each["reference"] for each in response.receipt.get("passages", ())]
    known = await context.knowledge.passages(wanted, context.request.audience)
    way = told(response, language, readable=frozenset(passage.reference for passage in known))
    return f"{say('way_told', language)}\n\n{way}"
