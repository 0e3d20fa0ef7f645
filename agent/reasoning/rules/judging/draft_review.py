"""What is risky about a draft, by rules: each tells what it found, how grave that is, and what to do about it."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from agent.language import say
from agent.language.lexicon import pattern
from agent.language.registry import profile
from agent.packs.patterns import LONGEST
from agent.packs.template import CheckSpec
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.rules.reading.slots import compiled_once
from agent.results import Compliance, Review, Risk
from agent.types import Language
from agent.values.amounts import amounts
from agent.values.dates import dates

_ORDER: tuple[Risk, ...] = ("low", "medium", "high")
PAGES = 4
"""That people read in one go: a longer document is hard to check."""
_RESIDENT = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{2})\s?-?\s?[1-8]\d{6}(?!\d)")
_CARD = re.compile(r"(?<![\d-])(?:\d[ -]?){14,19}(?![\d-])")
_PHONE = re.compile(
    r"(?<![\w.-])(?:\+82[ -]?|0)(?:1[016789]|2|[3-6]\d|70)[ -]?\d{3,4}[ -]?\d{4}(?!\d)"
    r"|(?<![\w.-])\+\d{1,3}(?:[ -]?\d{2,4}){2,5}(?!\d)"
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_WHOLE_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_PAIRS = (
    ("start", "end"),
    ("begin", "end"),
    ("first", "last"),
    ("from", "until"),
    ("from", "to"),
    ("departure", "return"),
)
"""Words in the names of two fields that are the start and the end of one thing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A risk of a draft, in the asker's words, and what should be done about it."""

    text: str
    risk: Risk
    advice: str = ""


def review(brief: DocumentBrief, drafted: Drafted) -> Review:
    """Return the risks of a draft, the gravest first, what to do about them, and every rule with its outcome."""
    language = brief.brief.language
    held: list[Compliance] = []
    found: list[Finding] = []
    for rule, look in _RULES:
        own = list(look(brief, drafted))
        found += own
        held.append(Compliance(rule=say(rule, language), passed=not own, note="; ".join(each.text for each in own)))
    for check in brief.template.checks:
        broken = _breaks(check, drafted.text)
        words = check.rule.of(language)
        held.append(Compliance(rule=words, passed=not broken))
        if broken:
            found.append(Finding(say("review_own_rule", language, rule=words), check.risk))
    found.sort(key=lambda finding: -_ORDER.index(finding.risk))
    return Review(
        risk_level=found[0].risk if found else "low",
        risks=tuple(dict.fromkeys(finding.text for finding in found)),
        recommendations=tuple(dict.fromkeys(finding.advice for finding in found if finding.advice)),
        compliance_check=tuple(held),
    )


def impossible(text: str) -> Iterator[str]:
    """Yield what is written as a date and no calendar has."""
    return (" ".join(found.written.split()) for found in dates(text) if found.day and not found.exists)


def longest(language: Language) -> int:
    """Return the characters of a document that people read in one go."""
    return PAGES * profile(language).page


def _finding(brief: DocumentBrief, risk: Risk, name: str, advice: str, **values: object) -> Finding:
    """Return a finding as the catalogue has it."""
    language = brief.brief.language
    return Finding(say(f"review_{name}", language, **values), risk, say(f"advice_{advice}", language))


def _support(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    for sentence in (each for sentences in drafted.sections.values() for each in sentences):
        if not check_sentence(sentence, drafted.blocks):
            continue
        known = {amount.value for amount in amounts(_cited(drafted, {place.block for place in sentence.support}))}
        figures = [amount.written for amount in amounts(sentence.text) if amount.value not in known]
        name, more = ("figure", {"figures": ", ".join(figures)}) if figures else ("unsupported", {})
        yield _finding(brief, "high", name, "unsupported", sentence=sentence.text, **more)


def _complete(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    language, template = brief.brief.language, brief.template
    titles = {field.name: field.title.of(language) for field in template.fields}
    for name in drafted.blanks:
        yield _finding(brief, "medium", "blank", "blank", field=titles.get(name, name))
    for section in template.sections:
        if not section.optional and not drafted.sections.get(section.name):
            yield _finding(brief, "medium", "section", "section", section=section.title.of(language))


def _dates(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    """Yield what is wrong with the dates of the fields, and with every date that stands in the text."""
    titles = {each.name: each.title.of(brief.brief.language) for each in brief.template.fields if each.type == "date"}
    told = {name: date for name in titles if _WHOLE_DATE.fullmatch(date := brief.fields.get(name, ""))}
    for name, date in told.items():
        if brief.today and date < brief.today:
            yield _finding(brief, "medium", "past", "dates", field=titles[name])
    for first, last in _pairs(told):
        if told[last] < told[first]:
            yield _finding(brief, "high", "reversed", "dates", first=titles[first], last=titles[last])
    values = "\n".join(filter(None, brief.fields.values()))
    for written in dict.fromkeys((*impossible(drafted.text), *impossible(values))):
        yield _finding(brief, "high", "no_date", "dates", date=written)


def _pairs(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the fields that are start and end of one thing, by their names: start_date and end_date."""
    for name, (first, last) in product(fields, _PAIRS):
        other = re.sub(rf"(^|_){first}(_|$)", rf"\g<1>{last}\g<2>", name, count=1)
        if other != name and other in fields:
            yield name, other


def _personal(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    """Yield personal data: numbers that no letter needs, and contacts in a field that does not ask for them."""
    text = "\n".join((drafted.text, *brief.fields.values()))
    if any(_is_birthday(*match.groups()) for match in _RESIDENT.finditer(text)):
        yield _finding(brief, "high", "resident_number", "personal")
    if any(_is_card(match.group()) for match in _CARD.finditer(text)):
        yield _finding(brief, "high", "card_number", "personal")
    for field in brief.template.fields:
        told = brief.fields.get(field.name, "")
        asked_for = pattern("judging.contact_fields").search(f"{field.name} {field.title}")
        if not asked_for and (_PHONE.search(told) or _MAIL.search(told)):
            yield _finding(brief, "medium", "contact", "personal", field=field.title.of(brief.brief.language))


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


def _words(cue: str, name: str, risk: Risk, brief: DocumentBrief, drafted: Drafted) -> Iterator[Finding]:
    """Yield the words of a cue that stand in the draft; what a cited passage says itself may be repeated."""
    cited = {place.block for sentences in drafted.sections.values() for each in sentences for place in each.support}
    source = _cited(drafted, cited).casefold()
    found = pattern(f"judging.{cue}").finditer(drafted.text)
    for words in dict.fromkeys(" ".join(match.group().split()).rstrip(".,;:!?)\"'") for match in found):
        if words.casefold() not in source:
            yield _finding(brief, risk, name, name, words=words)


def _length(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    most = longest(brief.brief.language)
    if len(drafted.text) > most:
        yield _finding(brief, "low", "long", "long", length=len(drafted.text), most=most)


Rule = Callable[[DocumentBrief, Drafted], Iterable[Finding]]
_RULES: tuple[tuple[str, Rule], ...] = (
    ("rule_support", _support),
    ("rule_complete", _complete),
    ("rule_dates", _dates),
    ("rule_personal", _personal),
    ("rule_promises", partial(_words, "promises", "promise", "medium")),
    ("rule_absolute", partial(_words, "absolutes", "absolute", "low")),
    ("rule_tone", partial(_words, "insults", "tone", "high")),
    ("rule_length", _length),
)


def _cited(drafted: Drafted, numbers: set[int]) -> str:
    return "\n".join(block.passage.text for block in drafted.blocks if block.n in numbers)


def _breaks(check: CheckSpec, text: str) -> bool:
    """Tell whether a text breaks a rule of its template; patterns are searched in each line by itself."""
    if check.must_not is not None:
        return _stands(check.must_not, text)
    return check.must is not None and not _stands(check.must, text)


def _stands(pattern: str, text: str) -> bool:
    made = compiled_once(pattern)
    return any(made.search(part) for part in _parts(text))


def _parts(text: str) -> Sequence[str]:
    """Return the lines of a text, long ones in pieces: no pattern is searched in more than `LONGEST` characters."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line[at : at + LONGEST] for line in lines for at in range(0, len(line) or 1, LONGEST)]
