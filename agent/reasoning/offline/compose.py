"""An answer made of what the documents say, word for word: whole paragraphs, lists and tables, each with its place."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.reasoning.contract import Brief
from agent.reasoning.offline import answering, quoting
from agent.reasoning.offline.abroad import in_other_words
from agent.reasoning.offline.answering import Found
from agent.reasoning.offline.asked import asked
from agent.reasoning.offline.parts import compares, is_name, parts_of
from agent.reasoning.offline.question import Kind
from agent.reasoning.offline.quotes import Quote
from agent.types import Block, Language, Sentence
from agent.words import say

LEAST = 50
"""Words that each of several parts may have."""
LABEL = 80
"""Characters of a part that its answer is labelled with."""
LENGTHS = {"short": 0.4, "": 1.0, "long": 2.0}
"""How many words there may be for somebody who wants it short, or in detail."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the questions of a message, and what the evidence holds for it."""

    text: str
    found: Found


def compose(brief: Brief) -> list[Sentence]:
    """Return the sentences of the answer; none when the blocks hold nothing near.

    Of several questions each is answered from its own evidence; which of them have no answer the end of the turn tells.
    """
    parts = answers(brief)
    told = [part for part in parts if part.found.near]
    if not told:
        return []
    labelled = len(told) > 1 or (len(parts) > 1 and _compares(brief.question, [part.text for part in parts]))
    out: list[Sentence] = []
    for part in told:
        sentences = [replace(each, part=part.text) for each in sentences_of(part.found, brief.language)]
        if labelled:
            first = sentences[0]
            sentences[0] = replace(first, lead=f"\n\n**{_headed(part.text)}**\n\n{first.lead.lstrip()}")
        out.extend(sentences)
    return [replace(out[0], lead=out[0].lead.lstrip("\n")), *out[1:]]


def answers(brief: Brief) -> list[Part]:
    """Return what the evidence holds for each part of the question."""
    parts = parts_of(brief.question)
    room = round(answering.ROOM * LENGTHS[brief.profile.preferences.length])
    if len(parts) > 1:
        room = max(LEAST, round(1.5 * room / len(parts)))
    every = [Part(part, found_for(part, brief, room=room)) for part in parts]
    likeliest: dict[tuple[int, int], float] = {}
    for part in every:
        for place, likely in _likely(part).items():
            likeliest[place] = max(likely, likeliest.get(place, 0.0))
    out: list[Part] = []
    for part in every:  # what several may quote is told of the one that it is likeliest of, and what is first of each
        mine, (first, more) = _likely(part), (part.found.told[:1], part.found.told[1:])
        own = tuple(quote for quote in more if mine[_place(quote)] >= likeliest[_place(quote)])
        out.append(replace(part, found=replace(part.found, told=(*first, *own))))
    return out


def _likely(part: Part) -> dict[tuple[int, int], float]:
    told = {_place(quote) for quote in part.found.told}
    return {place: each.likely for each in part.found.rated if (place := _place(each.quote)) in told}


def _place(quote: Quote) -> tuple[int, int]:
    return quote.block.n, quote.units[0].start


def found_for(part: str, brief: Brief, *, room: int = answering.ROOM, blocks: Sequence[Block] | None = None) -> Found:
    """Return what the evidence holds for one question; in the other language's words where its own find nothing."""
    blocks = brief.blocks if blocks is None else blocks
    inherited = brief.inherited if part == brief.question else ()
    mine = asked(_mended(part, brief.read_as), brief.language, blocks, rarity=brief.rarity, inherited=inherited)
    found = answering.find(mine, blocks, room=room)
    if not found.near:
        foreign = [block for block in blocks if block.passage.language != mine.language]
        other = in_other_words(mine, foreign)
        if other is not None:
            abroad = answering.find(other, foreign, room=room)
            found = max(found, abroad, key=lambda each: each.likely)
    return found


def sentences_of(found: Found, language: Language) -> list[Sentence]:
    """Return the quotes as sentences, those of one passage together under its place, led by a word of doubt."""
    order = list(dict.fromkeys(quote.block.n for quote in found.told))
    out: list[Sentence] = []
    for n in order:
        mine = sorted((quote for quote in found.told if quote.block.n == n), key=lambda quote: quote.units[0].start)
        sentences = [quoting.sentence_of(quote) for quote in mine]
        place = f"\n\n**{quoting.place_of(mine[0].block.passage)}**\n\n"
        out.extend([replace(sentences[0], lead=place), *sentences[1:]])
    out = [replace(sentence, hedged=not found.sure) for sentence in out]
    doubt = say("closest", language) if not found.sure else ""
    if not doubt and Kind.YES_NO in found.asked.kinds:
        doubt = say("documents_say", language)
    if doubt:
        out[0] = replace(out[0], lead=f"{doubt}\n\n{out[0].lead.lstrip()}")
    return out


def _mended(text: str, read_as: Mapping[str, str]) -> str:
    """Return a question with its misspelt words as they were read."""
    return re.sub(r"\w+", lambda word: read_as.get(word.group(), word.group()), text) if read_as else text


def _compares(question: str, parts: Sequence[str]) -> bool:
    return len(parts) > 1 and (compares(question) or all(is_name(part) for part in parts))


def _headed(part: str) -> str:
    short = _short(part)
    return short[:1].upper() + short[1:]


def _short(part: str) -> str:
    part = part.strip().rstrip("?.!")
    return part if len(part) <= LABEL else part[: LABEL - 1].rsplit(" ", 1)[0] + "…"
