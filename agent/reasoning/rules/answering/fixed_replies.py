"""Replies that need no documents."""

import time
from collections.abc import Sequence

from agent.language import say
from agent.packs.pack import Pack
from agent.reasoning.contract import Message
from agent.reasoning.profile_summary import profile_summary
from agent.text import clipped
from agent.types import Language, Memory, Understood

BARE_CHOICE = "bare_choice"
"""The intent of a message that picks a choice where none is offered."""
NOTHING_YET = "nothing_yet"
"""The intent of a message that wants the answers of its thread, where there are none."""
_CATALOGUE = {"greeting", "thanks", "closing", "help"}


def reply(pack: Pack, understood: Understood) -> str:
    """Return a greeting, thanks, what Weft can do, or a refusal: the pack's own words first."""
    language = understood.language
    spec = next((intent for intent in pack.intents if intent.name == understood.intent.name), None)
    if spec is not None and spec.reply is not None:
        return spec.reply.of(language)
    if understood.intent.name == BARE_CHOICE:
        return say("too_late", language)
    if understood.intent.name == NOTHING_YET:
        return say("nothing_answered_yet", language)
    if understood.route == "decline":
        key = understood.reason if understood.reason in ("unreadable", "unclear") else "declined"
        return _with_examples(say(key, language, topic=pack.title.of(language)), pack, language)
    name = understood.intent.name if understood.intent.name in _CATALOGUE else "help"
    text = say(name, language, topic=pack.title.of(language))
    return text if name in ("thanks", "closing") else _with_examples(text, pack, language)


def _with_examples(text: str, pack: Pack, language: Language) -> str:
    prompts = [prompt.of(language) for prompt in pack.suggested_prompts[:3]]
    if not prompts:
        return text
    return "\n".join([text, "", say("try_asking", language), *(f"- {prompt}" for prompt in prompts)])


QUESTION, ANSWER = 160, 300
"""Characters of an old question, and of what was answered, that are shown."""


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
