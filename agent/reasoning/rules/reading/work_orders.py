"""Orders in a message: a document to write, figures to analyse or to chart. Everything else is a question."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agent.language.lexicon import first, pattern, patterns, regex
from agent.text import language_of

READ = 240
"""Characters of an order; what is longer is no order, or a paste behind one."""
Kind = Literal["document", "analysis"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made, and about what; `topic` is empty where the order names none."""

    kind: Kind
    text: str
    topic: str = ""
    noun: str = ""
    """What kind of document."""
    context: str = ""
    """What was told behind the order: the letter that is to be answered."""


_NO_DOCUMENT = pattern("reading.no_document")
_TEXT_TO_READ = pattern("reading.text_to_read")
_EMPTY = re.compile(rf"^(?:{regex('reading.no_topic')}\s*+)*+$", re.IGNORECASE)
"""The longest word that fits, for good: many ways to divide a text into words are as many to try."""
_AS_DOCUMENT = pattern("reading.as_document")
_TO_DO = pattern("reading.order_to_do")
_REQUESTS = pattern("reading.requests")
_TOPIC = pattern("reading.order_topic")
_AROUND_NOUN = pattern("reading.around_noun")
_CHART_ORDER = pattern("reading.chart_order")
_ANALYSIS_ORDER = pattern("reading.analysis_order", "en")
_TREND_QUESTION = pattern("reading.trend_question")
_STANDS_OUT = pattern("reading.stands_out")
_ANALYSE_FIRST = pattern("reading.analyse_first")
_MADE_OF = pattern("reading.made_of")
_BEFORE_TOPIC = pattern("reading.before_topic", "en")
_BEHIND_TOPIC = patterns("reading.behind_topic")
_HOW_TO = pattern("reading.order_how", "ko")
_KOREAN_LEAD = pattern("reading.order_lead", "ko")
_FOR_WHOM = pattern("reading.for_whom")
_BEHIND_ORDER_TOPIC = pattern("reading.behind_order_topic", "ko")


@lru_cache(maxsize=512)
def order_of(clause: str) -> Order | None:
    """Return the order that a clause gives; None for a question."""
    text = clause.strip()
    if not text or len(text) > READ:
        return None
    if _STANDS_OUT.match(text):
        return Order("analysis", text)
    if language_of(text) == "ko":
        return _korean(text)
    return _english_document(text) or _english_analysis(text)


def _english_document(text: str) -> Order | None:
    match = first("reading.document_order", text, "en")
    if match is None or _NO_DOCUMENT.search(text):
        return None
    rest = _FOR_WHOM.sub(" ", _AS_DOCUMENT.sub("", match["rest"]))
    kind = _bare(_before_noun(match["what"], match["noun"]))
    done = _TO_DO.match(rest) if _REQUESTS.fullmatch(match["noun"]) else None
    about = done or _TOPIC.search(rest)
    topic = _bare(about["topic"]) if about else ""
    if kind and (not topic or any(ch.isdigit() for ch in topic)):  # a leave request for 3 to 5 August is about leave
        topic = kind
    return Order("document", text, topic, match["noun"].lower())


def _before_noun(what: str, noun: str) -> str:
    """Return what tells a document apart: `leave` of `a leave request`."""
    before = what[: -len(noun)] if what.lower().endswith(noun.lower()) else ""
    return _AROUND_NOUN.sub(" ", before)


def _english_analysis(text: str) -> Order | None:
    charted = _CHART_ORDER.match(text)
    if charted:
        return Order("analysis", text, _bare(charted["of"]))
    match = _ANALYSIS_ORDER.match(text)
    if match is None:
        asked = _TREND_QUESTION.match(text)
        return Order("analysis", text, _bare(asked["of"] or asked["how"])) if asked else None
    what = match["of"] or match["made"]
    if _ANALYSE_FIRST.match(text) and _TEXT_TO_READ.search(what):
        return None
    return Order("analysis", text, _bare(_MADE_OF.sub("", what)))


def _korean(text: str) -> Order | None:
    if _HOW_TO.search(text):
        return None
    made = first("reading.document_order", text, "ko")
    if made and not _NO_DOCUMENT.search(text):
        return Order("document", text, _about(made["before"]), made["noun"])
    match = first("reading.analysis_order", text, "ko")
    if match is None or _TEXT_TO_READ.search(match["before"][-8:]):
        return None
    return Order("analysis", text, _about(match["before"]))


def _about(before: str) -> str:
    """Return what a Korean order is about, from what stands before the thing to be made."""
    topic = _BEHIND_ORDER_TOPIC.sub("", _FOR_WHOM.sub(" ", _KOREAN_LEAD.sub("", before.strip())).strip())
    topic = _BEHIND_TOPIC["ko"].sub("", topic.strip())
    return "" if _EMPTY.match(topic) else topic.strip(" ,")


def _bare(topic: str) -> str:
    topic = " ".join(_BEHIND_TOPIC["en"].sub("", topic).strip(" ,.;:!?\"'").split())
    return "" if _EMPTY.match(topic) else _BEFORE_TOPIC.sub("", topic)
