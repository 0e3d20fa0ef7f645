"""Dates of a draft that cannot be: no day of the calendar, already over, or an end before its start."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping

from agent.language import say
from agent.packs.template import FieldSpec
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.rules.judging.review_finding import Finding

_MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d-])(?P<y>\d{4})\s?[-./년]\s?(?P<m>\d{1,2})\s?[-./월]\s?(?P<d>\d{1,2})(?![\d-])",
        r"(?<![\d년월] )(?<!\d)(?P<m>\d{1,2})월\s?(?P<d>\d{1,2})일",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_NAME}(?:,? (?P<y>\d{{4}}))?\b",
        rf"\b{_NAME} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}}))?\b",
    )
)
_LEAP_YEAR = 2024
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
    for pattern in _WRITTEN:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            named = parts.get("name")
            month = _MONTHS[named[:3].lower()] if named else int(parts["m"])
            try:
                dt.date(int(parts.get("y") or _LEAP_YEAR) or 1, month, int(parts["d"]))
            except ValueError:
                yield " ".join(match.group().split())
