"""What is risky about a draft, by rules: each tells what it found, how grave that is, and what to do about it."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from agent.language import say
from agent.language.registry import profile
from agent.packs.patterns import LONGEST
from agent.packs.template import CheckSpec
from agent.reasoning.document_contract import DocumentBrief, Drafted
from agent.reasoning.grounding.citation_support import check_sentence
from agent.reasoning.rules.judging.draft_findings import Finding, dates_amiss, own_words, personal
from agent.reasoning.rules.reading.slots import compiled_once
from agent.results import Compliance, Review, Risk
from agent.types import Language, Sentence
from agent.values.amounts import amounts

_ORDER: tuple[Risk, ...] = ("low", "medium", "high")
PAGES = 4
"""That people read in one go: a longer document is hard to check."""


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
            found.append(Finding(text=say("review_own_rule", language, rule=words), risk=check.risk))
    found.sort(key=lambda finding: -_ORDER.index(finding.risk))
    return Review(
        risk_level=found[0].risk if found else "low",
        risks=tuple(dict.fromkeys(finding.text for finding in found)),
        recommendations=tuple(dict.fromkeys(finding.advice for finding in found if finding.advice)),
        compliance_check=tuple(held),
    )


def _support(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    language = brief.brief.language
    advice = say("advice_unsupported", language)
    for sentence in _sentences(drafted):
        if not check_sentence(sentence, drafted.blocks):
            continue
        figures = _other_figures(sentence, drafted)
        key, more = ("review_figure", {"figures": ", ".join(figures)}) if figures else ("review_unsupported", {})
        yield Finding(text=say(key, language, sentence=sentence.text, **more), risk="high", advice=advice)


def _complete(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    language, template = brief.brief.language, brief.template
    titles = {field.name: field.title.of(language) for field in template.fields}
    for name in drafted.blanks:
        text = say("review_blank", language, field=titles.get(name, name))
        yield Finding(text=text, risk="medium", advice=say("advice_blank", language))
    for section in template.sections:
        if not section.optional and not drafted.sections.get(section.name):
            text = say("review_section", language, section=section.title.of(language))
            yield Finding(text=text, risk="medium", advice=say("advice_section", language))


def longest(language: Language) -> int:
    """Return the characters of a document that people read in one go."""
    return PAGES * profile(language).page


def _length(brief: DocumentBrief, drafted: Drafted) -> Iterable[Finding]:
    language = brief.brief.language
    most = longest(language)
    if len(drafted.text) > most:
        text = say("review_long", language, length=len(drafted.text), most=most)
        yield Finding(text=text, risk="low", advice=say("advice_long", language))


Rule = Callable[[DocumentBrief, Drafted], Iterable[Finding]]
_RULES: tuple[tuple[str, Rule], ...] = (
    ("rule_support", _support),
    ("rule_complete", _complete),
    ("rule_dates", dates_amiss),
    ("rule_personal", personal),
    ("rule_promises", partial(own_words, "promises", "promise", "medium")),
    ("rule_absolute", partial(own_words, "absolutes", "absolute", "low")),
    ("rule_tone", partial(own_words, "insults", "tone", "high")),
    ("rule_length", _length),
)


def _sentences(drafted: Drafted) -> list[Sentence]:
    return [sentence for sentences in drafted.sections.values() for sentence in sentences]


def _other_figures(sentence: Sentence, drafted: Drafted) -> list[str]:
    """Return the numbers of a sentence that nothing it cites gives."""
    cited = {place.block for place in sentence.support}
    source = " ".join(block.passage.text for block in drafted.blocks if block.n in cited)
    known = {amount.value for amount in amounts(source)}
    return [amount.written for amount in amounts(sentence.text) if amount.value not in known]


def _breaks(check: CheckSpec, text: str) -> bool:
    """Tell whether a text breaks a rule of its template; patterns are searched in each line by itself."""
    must, must_not = check.must, check.must_not
    if must_not is not None:
        return _stands(must_not, text)
    return must is not None and not _stands(must, text)


def _stands(pattern: str, text: str) -> bool:
    made = compiled_once(pattern)
    return any(made.search(part) for part in _parts(text))


def _parts(text: str) -> Sequence[str]:
    """Return the lines of a text, long ones in pieces: no pattern is searched in more than `LONGEST` characters."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line[at : at + LONGEST] for line in lines for at in range(0, len(line) or 1, LONGEST)]
