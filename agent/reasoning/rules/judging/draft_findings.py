"""What is found in a draft by rules: dates that cannot be, and words that it should do without.

Promises, absolutes, insults, personal data that nobody needs; days of no calendar, past ones, an end before its
start.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agent.language import say
from agent.language.lexicon import pattern
from agent.packs.template import FieldSpec
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.results import Risk
from agent.values.dates import dates


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A risk of a draft, in the asker's words, and what should be done about it."""

    text: str
    risk: Risk
    advice: str = ""


_RESIDENT = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{2})\s?-?\s?[1-8]\d{6}(?!\d)")
_CARD = re.compile(r"(?<![\d-])(?:\d[ -]?){14,19}(?![\d-])")
_PHONE = re.compile(
    r"(?<![\w.-])(?:\+82[ -]?|0)(?:1[016789]|2|[3-6]\d|70)[ -]?\d{3,4}[ -]?\d{4}(?!\d)"
    r"|(?<![\w.-])\+\d{1,3}(?:[ -]?\d{2,4}){2,5}(?!\d)"
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")


def own_words(cue: str, name: str, risk: Risk, brief: DocumentBrief, drafted: Drafted) -> Iterator[Finding]:
    """Yield the words of a cue that stand in the draft; what a cited passage says itself may be repeated."""
    language = brief.brief.language
    cited = {place.block for sentences in drafted.sections.values() for each in sentences for place in each.support}
    source = "\n".join(block.passage.text for block in drafted.blocks if block.n in cited).casefold()
    found = pattern(f"judging.{cue}").finditer(drafted.text)
    said = [" ".join(match.group().split()).rstrip(".,;:!?)\"'") for match in found]
    for words in dict.fromkeys(said):
        if words.casefold() not in source:
            yield Finding(
                text=say(f"review_{name}", language, words=words), risk=risk, advice=say(f"advice_{name}", language)
            )


def personal(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    """Yield personal data: numbers that no letter needs, and contacts in a field that does not ask for them."""
    language = brief.brief.language
    advice = say("advice_personal", language)
    text = "\n".join((drafted.text, *brief.fields.values()))
    if any(_is_birthday(*match.groups()) for match in _RESIDENT.finditer(text)):
        yield Finding(text=say("review_resident_number", language), risk="high", advice=advice)
    if any(_is_card(match.group()) for match in _CARD.finditer(text)):
        yield Finding(text=say("review_card_number", language), risk="high", advice=advice)
    for field in brief.template.fields:
        told = brief.fields.get(field.name, "")
        if pattern("judging.contact_fields").search(f"{field.name} {field.title}"):
            continue
        if _PHONE.search(told) or _MAIL.search(told):
            text = say("review_contact", language, field=field.title.of(language))
            yield Finding(text=text, risk="medium", advice=advice)


def _is_birthday(year: str, month: str, day: str) -> bool:
    try:
        dt.date(2000 + int(year), int(month), int(day))
    except ValueError:
        return False
    return True


def _is_card(written: str) -> bool:
    """Tell whether digits are a card's number: 14 to 19 of them, with Luhn's check digit (ISO/IEC 7812-1)."""
    digits = [int(char) for char in written if char.isdigit()]
    if not 14 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [digit if n % 2 == 0 else sum(divmod(2 * digit, 10)) for n, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


_PAIRS = (
    ("start", "end"),
    ("begin", "end"),
    ("first", "last"),
    ("from", "until"),
    ("from", "to"),
    ("departure", "return"),
)


def dates_amiss(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
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
