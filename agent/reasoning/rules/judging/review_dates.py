"""Dates of a draft that cannot be: no day of the calendar, already over, or an end before its start."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping

from agent.language import say
from agent.packs.template import FieldSpec
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.rules.judging.review_finding import Finding
from agent.values.dates import dates

_PAIRS = (
    ("start", "end"),
    ("begin", "end"),
    ("first", "last"),
    ("from", "until"),
    ("from", "to"),
    ("departure", "return"),
)


def look(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    """Yield what is wrong with the dates of the fields, and with every date that stands in the text."""
    language = brief.brief.language
    advice = say("advice_dates", language)
    fields = {field.name: field for field in brief.template.fields if field.type == "date"}
    for name, field in fields.items():
        told = brief.fields.get(name, "")
        if brief.today and (date := _whole(told)) and date.isoformat() < brief.today:
            yield Finding(
                text=say("review_past", language, field=field.title.of(language)), risk="medium", advice=advice
            )
    for first, last in _pairs(fields):
        begins, ends = _whole(brief.fields.get(first, "")), _whole(brief.fields.get(last, ""))
        if begins and ends and ends < begins:
            text = say(
                "review_reversed",
                language,
                first=fields[first].title.of(language),
                last=fields[last].title.of(language),
            )
            yield Finding(text=text, risk="high", advice=advice)
    told = "\n".join(value for value in brief.fields.values() if value)
    for written in dict.fromkeys((*impossible(drafted.text), *impossible(told))):
        yield Finding(text=say("review_no_date", language, date=written), risk="high", advice=advice)


def _whole(told: str) -> dt.date | None:
    """Return the day of a full date; None for a part of one, or for other words."""
    try:
        return dt.date.fromisoformat(told) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", told) else None
    except ValueError:
        return None


def _pairs(fields: Mapping[str, FieldSpec]) -> Iterator[tuple[str, str]]:
    """Yield the fields that are start and end of one thing, by their names: start_date and end_date."""
    for name in fields:
        for first, last in _PAIRS:
            if re.search(rf"(?:^|_){first}(?:_|$)", name):
                other = re.sub(rf"(^|_){first}(_|$)", rf"\g<1>{last}\g<2>", name, count=1)
                if other in fields:
                    yield name, other


def impossible(text: str) -> Iterator[str]:
    """Yield what is written as a date and no calendar has."""
    for found in dates(text):
        if found.day and not found.exists:
            yield " ".join(found.written.split())
