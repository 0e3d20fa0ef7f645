"""Whether a message tells what was asked for a document. What it tells is read by the team that asked."""

from agent.addressing import asks
from agent.language.lexicon import pattern
from agent.packs.labelled_answers import headed, labelled
from agent.reasoning.contract import Message
from agent.reasoning.message.message_text import plain
from agent.reasoning.rules.reading.slots import slots_of
from agent.types import Pending, Settled

_ANYWAY = pattern("reading.write_anyway")
_ORDER = pattern("reading.orders_text")


def settle(message: Message, pending: Pending) -> Settled:
    """Return `detail` for what fills a field, `assume` for "just write it", `new` for a message of its own.

    The words are no part of the question: it is searched as it was asked.
    """
    text = plain(message.text)
    if _ANYWAY.match(text):
        return Settled(kind="assume")
    asked = {*pending.wanted, *pending.given}
    specs = [
        field for template in message.pack.templates for field in template.fields
        if f"{template.name}.{field.name}" in asked
    ]  # fmt: skip
    if labelled(message.text, specs, message.pack.synonyms)[0]:
        return Settled(kind="detail")
    if "?" in text or "？" in text:
        return Settled(kind="new")
    if slots_of(text, specs) or (headed(text, specs, message.pack.synonyms)[0] and not asks(text)):
        return Settled(kind="detail")
    return Settled(kind="new") if orders(text) or asks(text) else Settled(kind="detail")


def orders(text: str) -> bool:
    """Tell whether a message wants something written: a document, a summary, an analysis."""
    return _ORDER.search(text) is not None
