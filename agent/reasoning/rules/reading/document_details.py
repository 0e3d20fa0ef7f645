"""Whether a message tells what was asked for a document. What it tells is read by the team that asked."""

import re

from agent.addressing import asks
from agent.packs.labelled_answers import labelled
from agent.reasoning.contract import Message
from agent.reasoning.rules.reading.message_text import plain
from agent.reasoning.rules.reading.slots import slots_of
from agent.types import Pending, Settled

_ANYWAY = re.compile(
    r"^\W*(?:ok(?:ay)?,? |please |no,? )?(?:just|simply) (?:write|draft|make|finish|send) (?:it|that|the \w+)"
    r"(?: (?:anyway|as is|please|now))?\W*$"
    r"|^\W*(?:write|draft) it (?:anyway|without (?:it|them|that))\W*$"
    r"|^\W*leave (?:it|them|that|the \w+) (?:blank|open|empty)\W*$"
    r"|^\W*(?:그냥|일단|바로|그대로|빈 ?칸(?:으로)?|비워(?:서| ?두고)?) ?(?:써|작성|만들|둬|두|놔|해)\S*(?: ?\S{1,4})?"
    r"\W*$"
    r"|^\W*(?:나머지는? ?)?(?:비워 ?둬|빈 ?칸으로)\S*(?: \S{1,4})?\W*$",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^\W*(?:please |now |and |then )*(?:draft|write|prepare|create|compose|make|summari[sz]e|analy[sz]e)\s+"
    r"(?!(?:it|this|that|them)\b)\S+|(?:써|작성해|만들어|정리해|요약해|분석해)\s?(?:줘|주세요|줄래|주실래)\S*\W*$",
    re.IGNORECASE,
)


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
    if labelled(message.text, specs)[0]:
        return Settled(kind="detail")
    if "?" in text or "？" in text:
        return Settled(kind="new")
    if slots_of(text, specs):
        return Settled(kind="detail")
    return Settled(kind="new") if orders(text) or asks(text) else Settled(kind="detail")


def orders(text: str) -> bool:
    """Tell whether a message wants something written: a document, a summary, an analysis."""
    return _ORDER.search(text) is not None
