"""Words of a draft that it should do without: promises, absolutes, insults, personal data that nobody needs."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator

from agent.language import say
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.rules.judging.review_finding import Finding
from agent.results import Risk

_PROMISES = re.compile(
    r"\b(?:we|i|weft) (?:hereby )?(?:guarantee|promise|warrant|assure)\b|\bguarantee[ds]?\b|\bwithout fail\b"
    r"|\b(?:risk[- ]free|no risk)\b"
    r"|(?:반드시|확실히|틀림없이|무조건)(?: \S+){0,4}? ?(?:보장|약속|지급|승인|해 드리|처리)\S*"
    r"|보장(?:합니다|해 드|드립|하겠)\S*|약속(?:합니다|드립|하겠)\S*|장담\S*",
    re.IGNORECASE,
)
_ABSOLUTES = re.compile(
    r"\b(?:always|never|in every case|under no circumstances|without exception|absolutely"
    r"|completely safe|100 ?% (?:sure|safe|certain))\b"
    r"|절대(?:로|적으로)?|무조건|예외 없이|언제나|어떤 경우에도|완벽(?:하게|히)",
    re.IGNORECASE,
)
_INSULTS = re.compile(
    r"\b(?:stupid|idiot(?:ic|s)?|moron(?:ic|s)?|dumb|imbecile|incompetent|shut up|loser|pathetic|ridiculous"
    r"|damn|bullshit|crap|asshole|bastard|fuck\w*|shit\w*|lazy)\b"
    r"|멍청\S*|바보\S*|한심\S*|무능\S*|닥쳐\S*|병신\S*|새끼\S*|꺼져\S*|미친 ?(?:놈|년|소리)\S*|개소리\S*"
    r"|쓰레기 ?같\S*|어이없\S*",
    re.IGNORECASE,
)
_RESIDENT = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{2})\s?-?\s?[1-8]\d{6}(?!\d)")
_CARD = re.compile(r"(?<![\d-])(?:\d[ -]?){14,19}(?![\d-])")
_PHONE = re.compile(
    r"(?<![\w.-])(?:\+82[ -]?|0)(?:1[016789]|2|[3-6]\d|70)[ -]?\d{3,4}[ -]?\d{4}(?!\d)"
    r"|(?<![\w.-])\+\d{1,3}(?:[ -]?\d{2,4}){2,5}(?!\d)"
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_CONTACT = re.compile(r"phone|mail|contact|mobile|tel(?:ephone)?\b|address|연락|전화|메일|번호|휴대", re.IGNORECASE)


def promises(brief: DocumentBrief, drafted: Drafted) -> Iterator[Finding]:
    """Yield words that bind more than the documents do; what a cited passage says itself may be repeated."""
    yield from _own_words(_PROMISES, "review_promise", "advice_promise", "medium", brief, drafted)


def absolutes(brief: DocumentBrief, drafted: Drafted) -> Iterator[Finding]:
    """Yield words that allow for no exception, where no cited passage uses them."""
    yield from _own_words(_ABSOLUTES, "review_absolute", "advice_absolute", "low", brief, drafted)


def tone(brief: DocumentBrief, drafted: Drafted) -> Iterator[Finding]:
    """Yield insults."""
    yield from _own_words(_INSULTS, "review_tone", "advice_tone", "high", brief, drafted)


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
        if _CONTACT.search(f"{field.name} {field.title.en} {field.title.ko}"):
            continue
        if _PHONE.search(told) or _MAIL.search(told):
            text = say("review_contact", language, field=field.title.of(language))
            yield Finding(text=text, risk="medium", advice=advice)


def _own_words(
    pattern: re.Pattern[str], key: str, advice: str, risk: Risk, brief: DocumentBrief, drafted: Drafted
) -> Iterator[Finding]:
    """Yield the words of a pattern that stand in the draft and in no passage that it cites."""
    language = brief.brief.language
    cited = {place.block for sentences in drafted.sections.values() for each in sentences for place in each.support}
    source = "\n".join(block.passage.text for block in drafted.blocks if block.n in cited).casefold()
    said = [" ".join(match.group().split()).rstrip(".,;:!?)\"'") for match in pattern.finditer(drafted.text)]
    for words in dict.fromkeys(said):
        if words.casefold() not in source:
            yield Finding(text=say(key, language, words=words), risk=risk, advice=say(advice, language))


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
