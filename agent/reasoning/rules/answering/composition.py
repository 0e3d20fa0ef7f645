"""An answer made of what the documents say, word for word: whole paragraphs, lists and tables, each with its place."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agent.language import say
from agent.reasoning.contract import Brief
from agent.reasoning.document_contract import DocumentBrief, question_of
from agent.reasoning.rules.answering import quote_markdown, ranked_quotes, versions
from agent.reasoning.rules.answering.number_verdict import allowed, proving
from agent.reasoning.rules.answering.other_names import unnamed_in
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.ranked_quotes import Found
from agent.reasoning.rules.answering.weighted_question import Asked, asked, terms_in
from agent.reasoning.rules.planning.things import bare_names, name_of
from agent.reasoning.rules.planning.wants import parts_of
from agent.reasoning.rules.reading import answer_type, bilingual_terms
from agent.reasoning.rules.reading.answer_type import Kind, Term
from agent.reasoning.rules.reading.bilingual_terms import Trade
from agent.reasoning.rules.reading.question_form import is_name, named_in, stands
from agent.reasoning.rules.reading.trade_synonyms import Synonyms
from agent.reasoning.rules.thread.context_dependence import named_alone
from agent.retrieval.general_words import names_not_held
from agent.text import normalise, shortened, tokens
from agent.types import Block, Language, Sentence, Support, WeightedTerm

Rarity = tuple[tuple[str, float], ...]
DRAFTED = 0.75
"""Share of the likelihood of a sure answer from which a section of a document is made."""
LEAST = 50
"""Words that each of several parts may have."""
LABEL = 80
"""Characters of a part that its answer is labelled with."""
LENGTHS = {"short": 0.4, "": 1.0, "long": 2.0}
"""How many words there may be for somebody who wants it short, or in detail."""
_ASIDE = re.compile(r"(?<=\?)\s*\([^()]*\)$")
"""What a part takes from the one before it, in brackets: it is searched for, and not said."""


VERDICTS = {True: "documents_allow", False: "documents_refuse", None: "documents_say"}
"""What stands before what the documents say to a question for yes or no."""
DOUBTS = ("closest", "probable")
"""What stands before what is not told as an answer."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the questions of a message, and what the evidence holds for it."""

    text: str
    found: Found


def compose(brief: Brief, *, settled: bool = False) -> list[Sentence]:
    """Return the sentences of the answer; none when the blocks hold nothing near.

    Of several questions each is answered from its own evidence; which of them have no answer the end of the turn tells.
    `settled`: these blocks answered it before, so that how near they are is not asked again; which of them answered
    which of several questions is not known.
    """
    parts = answers(brief)
    if settled and len(parts) == 1:
        parts = [replace(part, found=replace(part.found, likely=1.0)) for part in parts]
    told = [part for part in parts if part.found.near]
    if not told:
        return []
    named = _together(told)
    labelled = len(named) > 1 or (len(parts) > 1 and all(is_name(part.text) for part in parts))
    out: list[Sentence] = []
    for name, asks, found in named:
        sentences = [replace(each, part=asks) for each in sentences_of(found, brief.language)]
        if labelled:
            first = sentences[0]
            sentences[0] = replace(first, lead=f"\n\n**{name}**\n\n{first.lead.lstrip()}")
        out.extend(sentences)
    return [replace(out[0], lead=out[0].lead.lstrip("\n")), *out[1:]]


def answers(brief: Brief) -> list[Part]:
    """Return what the evidence holds for each part of the question, every quote for one of them."""
    parts = parts_of(brief.question)
    room = round(ranked_quotes.ROOM * LENGTHS[brief.profile.preferences.length])
    if len(parts) > 1:
        room = max(LEAST, round(1.5 * room / len(parts)))
    found = [found_for(part, brief, room=room) for part in parts]
    found = _each_its_own(found, room)
    told = {_place(each.told[0]) for each in found if each.near}  # what a part is best answered by is told with it
    out: list[Part] = []
    for part, each in zip(parts, found, strict=True):
        more = _without(each.told[1:], told)
        told.update(_place(quote) for quote in more if each.near)
        out.append(Part(part, replace(each, told=(*each.told[:1], *more))))
    return out


def _each_its_own(found: Sequence[Found], room: int) -> list[Found]:
    """Return what is found for parts of a message, of which each best quote is told for the part it speaks most of.

    What surely answers one part is not the closest of another. A part that has nothing else as sure keeps what it has,
    and is told together with the other.
    """
    near = [each for each in found if each.near]
    sure = {_place(each.told[0]) for each in near if each.sure}
    most: dict[tuple[int, int], float] = {}
    for each in near:
        best = each.told[0]
        most[_sentence(best)] = max(each.figures_of(best)["inside"], most.get(_sentence(best), 0.0))
    out: list[Found] = []
    for each in found:
        doubted = set() if each.sure else sure
        others = [
            rated.quote
            for rated in each.rated
            if _place(rated.quote) in doubted or rated.figures["inside"] < most.get(_sentence(rated.quote), 0.0)
        ]
        if not each.near or each.told[0] not in others:
            out.append(each)
            continue
        own = ranked_quotes.find_other(each, others, room=room)
        out.append(own if _place(each.told[0]) in doubted or (own.near and own.sure >= each.sure) else each)
    return out


def _without(quotes: Sequence[Quote], places: Collection[tuple[int, ...]]) -> tuple[Quote, ...]:
    return tuple(quote for quote in quotes if _place(quote) not in places)


def _place(quote: Quote) -> tuple[int, ...]:
    """Return what is quoted of which block; of one table each part of a message may have rows of its own."""
    return quote.block.n, *(unit.start for unit in quote.units)


def _sentence(quote: Quote) -> tuple[int, int]:
    return quote.block.n, quote.units[quote.best].start


def _together(parts: Sequence[Part]) -> list[tuple[str, str, Found]]:
    """Return what is told under which name, and of which part; parts that one quote answers best are told together."""
    same: dict[tuple[int, ...], list[Part]] = {}
    for part in parts:
        same.setdefault(_place(part.found.told[0]), []).append(part)
    out: list[tuple[str, str, Found]] = []
    for each in same.values():
        quotes = {_place(quote): quote for part in each for quote in part.found.told}
        least = min((part.found for part in each), key=lambda found: found.likely)
        name = " · ".join(_headed(part.text) for part in each)
        asks = "\n".join(part.text for part in each)
        out.append((name, asks, replace(least, told=tuple(quotes.values()))))
    return out


def found_for(part: str, brief: Brief, *, room: int = ranked_quotes.ROOM) -> Found:
    """Return what the evidence holds for one question."""
    inherited = tuple(brief.inherited) if part == brief.question else ()
    text, rarity, pack = _mended(part, brief.read_as), tuple(brief.rarity.items()), brief.pack

    def found_with(*more: WeightedTerm) -> Found:
        terms = (*inherited, *more)
        return found_in(text, brief.language, brief.quotable, rarity, terms, room, pack.trade, pack.synonyms)

    found = found_with()
    if brief.told:
        found = ranked_quotes.find_other(found, _told_in(brief.told, found), room=room)
    if brief.of_asker and part == brief.question and found.told:
        theirs = [terms_in(term.text) for term in brief.of_asker]
        found = ranked_quotes.with_theirs(found, found_with(*brief.of_asker), theirs)
    doubted = brief.doubted or bool(brief.told) or bool(_lacks(found, list(bare_names(found.asked.text).values())))
    doubted = (
        doubted or (bool(inherited) and _speaks_of_another(found, part)) or _is_of_another_name(found, brief.quotable)
    )
    likely = min(found.likely, found.model.sure) if doubted else found.likely
    found = replace(found, doubted=doubted, likely=likely, least=max(brief.pack.quality.held, brief.least))
    found = ranked_quotes.with_others(found, room)
    several = brief.several or part != brief.question
    named = named_in(found.asked.text) if several and not found.sure else []
    return replace(found, told=()) if named and len(_lacks(found, named)) == len(named) else found


def _told_in(answers: Sequence[str], found: Found) -> list[Quote]:
    """Return the quotes of which the best sentence, or row, stands in one of some answers."""
    said = normalise(re.sub(r"\*\*|\[\d{1,3}\]", " ", "\n".join(answers)))
    return [each.quote for each in found.rated if normalise(each.quote.best_unit.replace("**", "")) in said]


def _lacks(found: Found, named: Sequence[Term]) -> list[Term]:
    """Return what is named, and not spoken of where the quotes stand: by none of its names."""
    passages = [quote.block.passage for quote in found.told]
    held = found.asked.meant("\n".join(f"{each.title}\n{each.section}\n{each.text}" for each in passages))
    return [term for term in named if not any(stands(name, within=held) for name in (term.word, *term.similar))]


def _is_of_another_name(found: Found, blocks: Sequence[Block]) -> bool:
    """Tell whether a code, an identifier or a numbered name of the question stands nowhere where it is answered.

    Or a name, in none of the blocks: it is found by its name, where it stands.
    """
    question = answer_type.without_aside(found.asked.text)
    passages = [quote.block.passage for quote in found.told]
    text = "\n".join(f"{each.title}\n{each.section}\n{each.text}\n{each.source}" for each in passages)
    return bool(passages) and bool(unnamed_in(text, question) or names_not_held(question, _held(tuple(blocks))))


@lru_cache(maxsize=8)
def _held(blocks: tuple[Block, ...]) -> frozenset[str]:
    """Return the terms of some blocks."""
    return frozenset().union(*(terms_in(f"{b.passage.title}\n{b.passage.section}\n{b.passage.text}") for b in blocks))


def _speaks_of_another(found: Found, message: str) -> bool:
    """Tell whether a message only names another thing, and the best passage for it has no word of that."""
    named = {term for word in named_alone(answer_type.without_aside(message)) for term in tokens(word.text)}
    if not found.told or not named & found.asked.weights.keys():  # in another language it is called otherwise
        return False
    passage = found.told[0].block.passage
    return not named & found.asked.meant(f"{passage.title}\n{passage.section}\n{passage.text}")


@lru_cache(maxsize=32)  # a turn asks the same of the same evidence several times: to ask back, to answer, to grade
def found_in(
    text: str,
    language: Language,
    blocks: tuple[Block, ...],
    rarity: Rarity,
    inherited: tuple[WeightedTerm, ...],
    room: int,
    trade: Trade,
    synonyms: Synonyms,
) -> Found:
    """Return what blocks hold for one question: what is in other languages is held against it in their words."""
    own = [block for block in blocks if not block.only_abroad]
    in_thread = any(block.resumed for block in blocks)
    mine = asked(text, language, own, rarity=dict(rarity), inherited=inherited, synonyms=synonyms)
    found = ranked_quotes.find(mine, own, room=room, in_thread=in_thread)
    foreign = _by_own_words(blocks, mine.language)
    if other := in_other_words(mine, foreign, rarity, inherited, trade):
        abroad = ranked_quotes.find(other, foreign, room=room, in_thread=in_thread)
        found = ranked_quotes.likelier(found, abroad)
    found = versions.asked_for_first(found)
    return _proven(found, synonyms) if found.near and Kind.YES_NO in found.asked.kinds else found


def _by_own_words(blocks: Sequence[Block], language: Language) -> list[Block]:
    """Return the blocks in other languages, as the question in their words found them, where it did."""
    found = [
        replace(each, score=each.abroad[0], words=each.abroad[1], near=None, matched=())
        for each in blocks
        if each.abroad
    ]
    return sorted(found, key=lambda each: -each.score) or [each for each in blocks if each.passage.language != language]


def _proven(found: Found, synonyms: Synonyms) -> Found:
    """Return what was found for a yes or a no, led by the quote that proves one; what was replaced proves nothing."""
    quotes = [each.quote for each in found.rated if not versions.superseded(each.quote, found.told)]
    proof = proving(found.asked.text, [quote.sentence for quote in quotes], synonyms)
    if proof is None:
        return replace(found, verdict=allowed(found.asked.text, found.told[0].sentence))
    first, verdict = quotes[proof[0]], proof[1]  # it speaks of all that is asked
    told = (first, *(quote for quote in found.told if quote != first))
    return replace(found, told=told, likely=max(found.likely, found.model.sure), verdict=verdict)


def sentences_of(found: Found, language: Language) -> list[Sentence]:
    """Return the quotes as sentences, those of one passage together under its place, led by a word of doubt."""
    lead = say(VERDICTS[found.verdict], language) if Kind.YES_NO in found.asked.kinds else ""
    if not found.sure:
        lead = say("probable" if found.probable else "closest", language)
    out = quoted(found)
    return [replace(out[0], lead=f"{lead}\n\n{out[0].lead.lstrip()}"), *out[1:]] if lead else out


def quoted(found: Found) -> list[Sentence]:
    """Return the quotes as sentences, those of one section together under its place, in the document's order."""
    sections: dict[tuple[str, str], list[Quote]] = {}
    for quote in (*(first.grown for first in found.told[:1]), *found.told[1:]):
        passage = quote.block.passage
        sections.setdefault((passage.document_id, passage.section), []).append(quote)
    out: list[Sentence] = []
    above = ""
    told = [quote.block.passage for quote in found.told]
    for (document, _), quotes in sections.items():
        mine = sorted(quotes, key=lambda quote: (quote.block.passage.position, quote.units[0].start))
        passage = mine[0].block.passage
        date = f" ({told_of})" if (told_of := versions.date_beside(passage, told)) else ""
        where = quote_markdown.section_of(passage) if document == above else quote_markdown.place_of(passage)
        above = document
        before = ""
        for quote in mine:
            heading = quote_markdown.heading_of(quote)
            place = quote_markdown.BELOW.join(filter(None, (where, heading if heading != before else "")))
            lead = f"\n\n**{place}**{date}\n\n" if place else "\n\n"
            out.append(replace(quote_markdown.sentence_of(quote), lead=lead))
            before, where, date = heading, "", ""
    return [replace(sentence, hedged=not found.sure) for sentence in out]


def _mended(text: str, read_as: Mapping[str, str]) -> str:
    """Return a question with its misspelt words as they were read."""
    return re.sub(r"\w+", lambda word: read_as.get(word.group(), word.group()), text) if read_as else text


def _headed(part: str) -> str:
    short = shortened(name_of(_ASIDE.sub("", part.strip())).rstrip("?.!"), LABEL)
    return short[:1].upper() + short[1:]


def in_other_words(
    mine: Asked, blocks: Sequence[Block], rarity: Rarity, inherited: Sequence[WeightedTerm] = (), trade: Trade = ()
) -> Asked | None:
    """Return the question in the words of the language that blocks are in; None where these have none of them."""
    held = _held(tuple(blocks))

    def translated(text: str) -> str:
        ways = filter(None, bilingual_terms.in_other_language(answer_type.read(text, mine.language).terms, trade))
        return " ".join(next((word for word in called if terms_in(word) <= held), called[0]) for called in ways)

    text = translated(mine.text)
    if not terms_in(text) & held:
        return None
    handed = [replace(each, text=words) for each in inherited if (words := translated(each.text))]
    language = blocks[0].passage.language
    return replace(asked(text, language, blocks, rarity=dict(rarity), inherited=handed), kinds=mine.kinds)


def drafted(brief: DocumentBrief) -> Mapping[str, Sequence[Sentence]]:
    """Return the sentences of each section; none for a section that the blocks do not answer nearly surely.

    What one section tells is not told again by the next.
    """
    out: dict[str, Sequence[Sentence]] = {}
    told: set[tuple[Support, ...]] = set()
    for section in brief.template.sections:
        parts = answers(replace(brief.brief, question=question_of(section, brief)))
        sentences = [each for part in parts for each in quoted(_for_draft(part.found))]
        out[section.name] = [sentence for sentence in sentences if sentence.support not in told]
        told.update(sentence.support for sentence in sentences)
    return out


def _for_draft(found: Found) -> Found:
    """Return what a section of a document is made of: what is sure, or the best quote where that is nearly so.

    Its author reads it over, and sees below which heading it stands.
    """
    if found.sure:
        return found
    nearly = found.near and found.likely >= DRAFTED * max(found.model.sure, found.least)
    return replace(found, told=found.told[:1] if nearly else ())
