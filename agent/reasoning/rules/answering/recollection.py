"""What is known of somebody, told to nobody but them."""

import time
from collections.abc import Sequence

from agent.language import say
from agent.reasoning.contract import Message
from agent.reasoning.profile_summary import profile_summary
from agent.text import clipped
from agent.types import Memory, Understood

QUESTION = 160
ANSWER = 300


def recollect(message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
    """Return profile, preferences and past questions; for a question about the past, what was answered then."""
    language = understood.language
    if understood.personal == "recollect":
        if not memories:
            return say("nothing_asked_before", language)
        parts = [f"**{_day(memory)}** {clipped(memory.question, QUESTION)}\n{_quoted(memory)}" for memory in memories]
        return "\n\n".join([say("asked_before", language), *parts])
    lines = profile_summary(message.profile, message.pack, language).splitlines()
    if memories:
        asked = [f"- {_day(memory)}: {clipped(memory.question, QUESTION)}" for memory in memories]
        lines += [*([""] if lines else []), say("latest_questions", language), "", *asked]
    if not lines:
        return say("nothing_known", language)
    return "\n".join([say("known_about_you", language), "", *lines, "", say("how_to_forget", language)])


def _day(memory: Memory) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(memory.at))


def _quoted(memory: Memory) -> str:
    return "\n".join(f"> {line}" for line in clipped(memory.answer, ANSWER).splitlines())
