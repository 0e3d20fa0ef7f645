"""What is known of somebody, told to nobody but them."""

import time
from collections.abc import Sequence
from typing import Any

from agent.packs.pack import Pack
from agent.reasoning.contract import Message
from agent.types import Language, Memory, Preferences, Understood
from agent.words import say

_WISHES = {
    "en": "wish_en",
    "ko": "wish_ko",
    "short": "wish_short",
    "long": "wish_long",
    "list": "wish_list",
    "table": "wish_table",
}
QUESTION = 160
ANSWER = 300


def recollect(message: Message, understood: Understood, memories: Sequence[Memory]) -> str:
    """Return profile, preferences and past questions; for a question about the past, what was answered then."""
    language = understood.language
    if understood.personal == "recollect":
        if not memories:
            return say("nothing_asked_before", language)
        parts = [f"**{_day(memory)}** {_clipped(memory.question, QUESTION)}\n{_quoted(memory)}" for memory in memories]
        return "\n\n".join([say("asked_before", language), *parts])
    lines = [*_slots(message, language), *_wishes(message.profile.preferences, language)]
    if memories:
        asked = [f"- {_day(memory)}: {_clipped(memory.question, QUESTION)}" for memory in memories]
        lines += [*([""] if lines else []), say("latest_questions", language), "", *asked]
    if not lines:
        return say("nothing_known", language)
    return "\n".join([say("known_about_you", language), "", *lines, "", say("how_to_forget", language)])


def _slots(message: Message, language: Language) -> list[str]:
    titles = _titles(message.pack, language)
    return [f"- {titles.get(name, name)}: {_value(value)}" for name, value in message.profile.slots.items()]


def _titles(pack: Pack, language: Language) -> dict[str, str]:
    return {slot.name: slot.title.of(language) for slot in pack.slots}


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_value(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(each)}" for name, each in value.items())
    return str(value)


def _wishes(preferences: Preferences, language: Language) -> list[str]:
    wishes = [preferences.language or "", preferences.length, preferences.format]
    told = [say(_WISHES[wish], language) for wish in wishes if wish]
    return [f"- {say('preferences', language)}: {', '.join(told)}"] if told else []


def _day(memory: Memory) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(memory.at))


def _quoted(memory: Memory) -> str:
    return "\n".join(f"> {line}" for line in _clipped(memory.answer, ANSWER).splitlines())


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
