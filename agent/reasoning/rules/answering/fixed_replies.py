"""Replies that need no documents."""

from agent.language import say
from agent.packs.pack import Pack
from agent.types import Language, Understood

BARE_CHOICE = "bare_choice"
"""The intent of a message that picks a choice where none is offered."""
_CATALOGUE = {"greeting", "thanks", "help"}


def reply(pack: Pack, understood: Understood) -> str:
    """Return a greeting, thanks, what Weft can do, or a refusal: the pack's own words first."""
    language = understood.language
    spec = next((intent for intent in pack.intents if intent.name == understood.intent.name), None)
    if spec is not None and spec.reply is not None:
        return spec.reply.of(language)
    if understood.intent.name == BARE_CHOICE:
        return say("too_late", language)
    if understood.route == "decline":
        key = "unreadable" if understood.reason == "unreadable" else "declined"
        return _with_examples(say(key, language, topic=pack.title.of(language)), pack, language)
    name = understood.intent.name if understood.intent.name in _CATALOGUE else "help"
    text = say(name, language, topic=pack.title.of(language))
    return text if name == "thanks" else _with_examples(text, pack, language)


def _with_examples(text: str, pack: Pack, language: Language) -> str:
    prompts = [prompt.of(language) for prompt in pack.suggested_prompts[:3]]
    if not prompts:
        return text
    return "\n".join([text, "", say("try_asking", language), *(f"- {prompt}" for prompt in prompts)])
