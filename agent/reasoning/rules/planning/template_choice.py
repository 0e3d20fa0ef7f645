"""Which of a pack's templates an order to write means."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from agent.language import lexicon
from agent.language.ko.letters import is_hangul
from agent.language.ko.stems import stem_of
from agent.packs.template import Template
from agent.reasoning.rules.reading.lexicon import stem
from agent.reasoning.rules.reading.work_orders import Order, order_of
from agent.text import ENGLISH_STOP_WORDS, language_of, normalise, words

KIND = 2.0
"""What the kind of document weighs (a reply, a report) against a word of its topic."""
APART = 1.5
"""What the word before it weighs, which tells documents of one kind apart: a sales contract, a lease contract."""
FITS = 0.4
"""Share of an order's weight that a template's words must hold."""
_ORDERING = lexicon.words("planning.ordering")
_ANY = lexicon.words("planning.any_document")
_LEAD = lexicon.pattern("reading.order_lead", "ko")
_FOR_WHOM = lexicon.pattern("reading.for_whom")
_PART = re.compile(r"[,;\n]\s*")


def fitting(order: Order, templates: Sequence[Template]) -> Template | None:
    """Return the template that an order fits best, by its examples and its title, of equals that of the plainest title.

    The kind of document must be one that the template's own words name, or an example must be said nearly again. One
    that is written about any topic is fitted by its kind alone; a document of no kind is one that asks for nothing.
    """
    before, noun, behind = _parted(_FOR_WHOM.sub(" ", _bare(order)), order.noun)
    wanted = _words(f"{before} {noun}" if noun and is_hangul(noun) else f"{before} {noun} {behind}")
    kind = _stem(order.noun.split()[-1]) if order.noun else ""
    apart = _stem(before.split()[-1].lower()) if before.split() else ""
    best: tuple[float, Template] | None = None
    plainest = sorted(templates, key=lambda each: len(_words(str(each.title))))
    for template in plainest:
        titles = _words(f"{template.title} {template.name.replace('_', ' ')}")
        examples = [_words(example) for example in template.examples]
        score = max(_share(wanted, titles | each, kind, apart) for each in (frozenset[str](), *examples))
        if score >= FITS and (best is None or score > best[0] + 1e-9):
            best = (score, template)
    return best[1] if best else next(_of_kind(kind, plainest), None)


def _of_kind(kind: str, templates: Sequence[Template]) -> Iterator[Template]:
    """Yield the templates of a kind that are written about any topic."""
    for template in templates:
        if kind in _ANY:
            fits = all(field.optional for field in template.fields)
        else:
            fits = any(_same(kind, other) for other in _words(str(template.title)))
        if fits and any(section.question is None for section in template.sections):
            yield template


def ordered(text: str, templates: Sequence[Template]) -> Order | None:
    """Return the order that a text gives for a document which only a template has a name for; None for any other text.

    With a word that every document is called by in the place of that name it must be an order.
    """
    language = language_of(text)
    if language not in lexicon.word_sets("planning.any_document"):
        return None
    general = lexicon.ordered("planning.any_document", language)[0]
    for template in templates:
        name = template.title.of(language).split()[-1]
        form = re.compile(re.escape(name) if is_hangul(name) else rf"\b{re.escape(name)}\b", re.IGNORECASE)
        order = order_of(form.sub(general, text)) if form.search(text) else None
        if order is not None and order.kind == "document":
            order = replace(order, text=text, noun=name.lower())
            return order if fitting(order, (template,)) is not None else None
    return None


def _bare(order: Order) -> str:
    """Return an order without the details that are told beside it: other parts than that of the noun, and numbers."""
    parts = [part for part in _PART.split(order.text) if not order.noun or order.noun in part.lower()]
    words = (parts[-1] if parts else order.text).split()
    return " ".join(word for word in words if not any(character.isdecimal() for character in word))


def _parted(text: str, noun: str) -> tuple[str, str, str]:
    """Return an order before and behind the kind of document, whether it is written together with what is before it."""
    at = text.lower().rfind(noun) if noun else -1
    if at < 0 or (at > 0 and not text[at - 1].isspace() and not is_hangul(text[at - 2 : at])):
        return "", "", text
    if at > 0 and not text[at - 1].isspace() and text[:at].split()[-1] == text[at - 1]:
        return "", "", text  # one syllable makes no word: 재계약서
    before = _LEAD.sub("", text[:at].strip()) if is_hangul(noun) else text[:at]
    return before, text[at : at + len(noun)], text[at + len(noun) :]


def _share(wanted: frozenset[str], held: frozenset[str], kind: str, apart: str) -> float:
    weights = {word: APART if word == apart else 1.0 for word in wanted} | ({kind: KIND} if kind else {})
    total = sum(weights.values())
    common = sum(weight for word, weight in weights.items() if any(_same(word, other) for other in held))
    if not total or (
        kind and kind not in _ANY and not any(_same(kind, other) for other in held) and common < 0.7 * total
    ):
        return 0.0
    return common / total


@cache
def _kinds() -> Mapping[str, frozenset[str]]:
    """Return the stems of the names that a kind of document has, by each of them; a name joins its lines."""
    out: dict[str, frozenset[str]] = {}
    for line in lexicon.groups("planning.document_kinds"):
        names = frozenset(_stem(name) for name in line)
        names = names.union(*(out.get(name, ()) for name in names))
        out.update(dict.fromkeys(names, names))
    return out


def _same(a: str, b: str) -> bool:
    if a == b or b in _kinds().get(a, frozenset()):
        return True
    return is_hangul(a) and is_hangul(b) and len(a) > 1 and len(b) > 1 and (a in b or b in a)


def _words(text: str) -> frozenset[str]:
    """Return the words of an order or an example by stem, without those of ordering itself."""
    out = set[str]()
    for word, _, _ in words(normalise(text).lower()):
        if word in _ORDERING or word in ENGLISH_STOP_WORDS:
            continue
        out.add(_stem(word))
    return frozenset(out - _ORDERING)


def _stem(word: str) -> str:
    return stem_of(word) if is_hangul(word) else stem(word)
