"""Check the draft against what it cites."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.context import Context
from agent.events import DraftWithdrawn
from agent.nodes.compose import brief_of
from agent.reasoning.brief import Brief
from agent.reasoning.grounding.citation_support import check_all, findings
from agent.state import State, Update
from agent.types import Draft, QualityCheck, Sentence


async def ground(state: State, runtime: Runtime[Context]) -> Update:
    """Judge the draft; when it may not be written again, keep only what is supported."""
    context = runtime.context
    assert state.draft is not None  # noqa: S101 - the graph's order
    if not state.draft.sentences:
        return {"grounding": QualityCheck(is_valid=True, score=0.0, reason="nothing was claimed")}
    brief = brief_of(state, context)
    check = await _judged(state.draft.sentences, brief, context)
    hopeless = check.score == 0.0 and state.retry_count > 0 and context.without_model is not None
    retry = not check.is_valid and check.needs_retry and may_retry(state, context) and not hopeless
    check = replace(check, needs_retry=retry)
    if check.is_valid or retry:
        return {"grounding": check}
    kept = tuple(sentence for sentence in state.draft.sentences if _stands(sentence, brief, check))
    warnings = tuple(dict.fromkeys((*state.draft.warnings, "unsupported_left_out")))
    if not kept and context.without_model is not None:
        # Not one sentence of the model's stands in the documents, though it was told once what is wrong: that may have
        # been its marks alone. What does stand there may still answer.
        runtime.context.tell(DraftWithdrawn(reason=check.reason))
        sentences = tuple([s async for s in context.without_model.compose(brief)])
        check = await context.without_model.check_grounding(sentences, brief)
        return {"grounding": check, "draft": Draft(sentences=sentences, warnings=("model_fallback",))}
    return {"grounding": check, "draft": Draft(sentences=kept, warnings=warnings)}


async def _judged(sentences: Sequence[Sentence], brief: Brief, context: Context) -> QualityCheck:
    """Return the verdict; of the rules alone, where there is no time for another."""
    try:
        async with asyncio.timeout(max(context.left(), context.reserve / 4)):
            return await context.reasoner.check_grounding(sentences, brief)
    except TimeoutError:
        return await asyncio.to_thread(check_all, sentences, brief.blocks, brief.question)


def may_retry(state: State, context: Context) -> bool:
    """Tell whether the answer may be written once more: both checks share one budget.

    Writing it again must have changed something the last time.
    """
    return not state.stuck and state.retry_count < context.pack.limits.max_retries and context.left() > 0


def _stands(sentence: Sentence, brief: Brief, check: QualityCheck) -> bool:
    """Tell whether nothing is proven against it and the check does not object to it."""
    blamed = any(each.kind == "unsupported" and each.about == sentence.text for each in check.suggestions)
    return not blamed and not findings(sentence, brief.blocks, brief.question).proven
