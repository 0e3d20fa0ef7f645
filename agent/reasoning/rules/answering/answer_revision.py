"""The answer before, written otherwise: shorter, as a list or a table, one of its points, its sources, its reasons.

The answer is taken apart by its citation marks, and every piece found again in the passage that it
cites; what is no longer there, or no longer readable, is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.language import say
from agent.language.registry import languages
from agent.reasoning.contract import Brief, answered, answers_of
from agent.reasoning.rules.answering import quote_features, quote_markdown, readable
from agent.reasoning.rules.answering.composition import DOUBTS, VERDICTS, answers, compose
from agent.reasoning.rules.answering.passage_units import Shape, units_of
from agent.reasoning.rules.answering.quotes import Quote
from agent.reasoning.rules.answering.ranked_quotes import Found
from agent.reasoning.rules.answering.weighted_question import terms_in
from agent.reasoning.rules.planning.wants import parts_of
from agent.reasoning.rules.thread.answer_points import BULLET, NAME, apart, cut, places
from agent.text import sentences as spans
from agent.types import Block, FollowUp, Language, Sentence, Support, TurnRecord

REASONS = 2
"""Sentences that may give a reason."""
RECALLED = 8
"""Answers of a thread that are told again, the latest."""
NEAR = 0.5
"""Share of the best match from which a sentence with words of cause is about the question."""
_MARKS = re.compile(r"(?:\[\d{1,3}\])+")
_NUMBER = re.compile(r"\d{1,3}")
_LABELLED = re.compile(r"^(?P<label>[^:：|]{2,60})[:：]\s+(?P<value>\S.*)$", re.DOTALL)
_STEP = re.compile(r"\s*(\d{1,3})[.)]\s")
_TOLD_ANEW = ("source", "why", "recap")
"""What is written from the passages, as sure or unsure as they are; the rest is another form of the same answer."""
_OWN = frozenset(say(key, language) for key in (*DOUBTS, *VERDICTS.values()) for language in languages())
"""What an answer says besides its quotes."""


def holds(brief: Brief) -> bool:
    """Tell whether the blocks hold what the follow-up asks for."""
    return bool(revise(brief))


def revise(brief: Brief) -> list[Sentence]:
    """Return the sentences of the new answer; none where the earlier evidence does not give one."""
    turn = answered(brief.turns)
    if turn is None or brief.followup is None or not brief.blocks:
        return []
    told = _written(brief, brief.followup, turn)
    doubt = "" if brief.followup.kind in _TOLD_ANEW else _doubt_in(turn.answer)
    return _in_doubt(told, doubt, brief.language) if doubt else told


def _written(brief: Brief, followup: FollowUp, turn: TurnRecord) -> list[Sentence]:
    said = _pieces(turn, brief.blocks)
    match followup.kind:
        case "repeat":
            return _led(said)
        case "shorter":
            return _shorter(brief, turn)
        case "recap":
            return _recap(brief)
        case "list":
            return _listed(said)
        case "table":
            return _table(said, brief.blocks, brief.language)
        case "point":
            return _part(brief, turn) or _point(brief, said)
        case "section":
            return _sections(brief, followup, said)
        case "longer" | "simpler":  # in more detail, or in the words of the answer, where that said more
            told = compose(_of_turn(brief, turn, length="long"), settled=True)
            if not told and followup.kind == "longer":
                return []  # it is searched for again
            return max(told, _led(said), key=lambda each: sum(len(sentence.text) for sentence in each))
        case "source":
            return _sources(brief, turn)
        case "why":
            return _reasons(brief, turn)
        case "translate":
            same = followup.language == brief.blocks[0].passage.language
            return _led(said) if same else []
        case "how" | "another":
            return []


def _doubt_in(answer: str) -> str:
    """Return which word of doubt an answer was told with; empty for none."""
    return next((key for key in DOUBTS if any(say(key, language) in answer for language in languages())), "")


def _in_doubt(told: Sequence[Sentence], key: str, language: Language) -> list[Sentence]:
    """Return sentences with this word of doubt: another form of an answer is no surer than it was."""
    hedged = [replace(sentence, hedged=True) for sentence in told]
    doubt = say(key, language)
    return [replace(each, lead=f"{doubt}\n\n{each.lead.lstrip()}") for each in hedged[:1]] + hedged[1:]


def as_preferred(brief: Brief) -> list[Sentence]:
    """Return an answer as its asker wants answers to be: short, in detail, as a list, as a table."""
    sentences = compose(brief)
    wanted = brief.profile.preferences
    if wanted.format == "list":
        return _listed(sentences)
    doubted = {sentence.hedged for sentence in sentences}
    if wanted.format != "table" or len(doubted) > 1:  # rows do not tell which of them are sure
        return sentences
    table = _table(sentences, brief.blocks, brief.language)
    return _in_doubt(table, _doubt_in(sentences[0].lead), brief.language) if True in doubted else table


def _of_turn(brief: Brief, turn: TurnRecord, *, length: str = "") -> Brief:
    """Return what the answer before was written from, to be written anew."""
    preferences = replace(brief.profile.preferences, length=length)  # type: ignore[arg-type]
    profile = replace(brief.profile, preferences=preferences)
    return replace(brief, question=turn.standalone or turn.question, followup=None, profile=profile)


def _pieces(turn: TurnRecord, blocks: Sequence[Block]) -> list[Sentence]:
    """Return what the answer said with each of its citation marks, found again in the passages of now.

    Of what stands before a mark these are the paragraphs that stand in its passage; the names above them do not.
    """
    by_id = {block.passage.reference: block for block in blocks}
    cited = {n: by_id[name] for n, name in enumerate(turn.evidence, start=1) if name in by_id}
    out: list[Sentence] = []
    at = 0
    for mark in _MARKS.finditer(turn.answer):
        text, at = turn.answer[at : mark.start()].strip(), mark.end()
        known = [block for number in _NUMBER.findall(mark.group()) if (block := cited.get(int(number))) is not None]
        for paragraph in _paragraphs(text):
            support = [
                Support(block=block.n, start=start, end=end)
                for block in known
                for start, end in places(paragraph, block.passage.text)
            ]
            if support:
                bullet = BULLET.match(paragraph) if "\n" not in paragraph else None
                lead = f"\n{bullet.group().strip()} " if bullet else "\n\n"
                paragraph = BULLET.sub("", paragraph) if bullet else paragraph
                out.append(Sentence(text=paragraph, support=tuple(support), lead=lead))
    return out


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of an answer that quote: names and own words are none, and code is not cut."""
    out: list[str] = []
    for paragraph in text.split("\n\n"):
        if out and out[-1].count("```") % 2:
            out[-1] += f"\n\n{paragraph}"
        else:
            out.append(paragraph)
    return [paragraph for paragraph in out if paragraph not in _OWN and not NAME.match(paragraph)]


def _led(pieces: Sequence[Sentence]) -> list[Sentence]:
    return [replace(piece, lead=piece.lead.lstrip() if n == 0 else piece.lead) for n, piece in enumerate(pieces)]


def _shorter(brief: Brief, turn: TurnRecord) -> list[Sentence]:
    """Return of each part the sentence that answers; of a list every point, in its first sentence; a table whole."""
    out: list[Sentence] = []
    parts = answers(_of_turn(brief, turn))
    for part in parts:
        if not part.found.told:
            continue
        quote = _first_told(part.found, turn) if len(parts) == 1 else part.found.told[0]
        listed = quote.shape is Shape.ITEM and sum(unit.shape is Shape.ITEM for unit in quote.units) > 1
        table = any(unit.header >= 0 for unit in quote.units) and quote.units[quote.best].header < 0
        if listed or table:  # of a table no row may speak more than its header, which says nothing alone
            out.append(cut(quote_markdown.sentence_of(quote)))
        else:
            out.append(quote_markdown.best_of(quote))
    return _led(list(dict.fromkeys(out)))


def _recap(brief: Brief) -> list[Sentence]:
    """Return of each answer of the thread the sentence that answers, below its question."""
    out: list[Sentence] = []
    for turn in answers_of(brief.turns)[-RECALLED:]:
        cited = [block for block in brief.blocks if block.passage.reference in turn.evidence]
        told, doubt = _shorter(replace(brief, blocks=cited), turn), _doubt_in(turn.answer)
        told = [replace(each, hedged=each.hedged or bool(doubt)) for each in told]
        out += [replace(each, lead=f"\n\n**{turn.question}**\n\n{each.lead.lstrip()}") for each in told[:1]] + told[1:]
    return _led(out)


def _first_told(found: Found, turn: TurnRecord) -> Quote:
    """Return the best quote of what an answer cites first: in its thread that may not be the likeliest by itself."""
    cited = [each.quote for each in found.rated if each.quote.block.passage.reference in turn.evidence[:1]]
    return (cited or found.told)[0]


def _listed(pieces: Sequence[Sentence]) -> list[Sentence]:
    """Return the pieces as points: of a paragraph every sentence; a list, a table or code has a form already."""
    out: list[Sentence] = []
    for piece in pieces:
        if "\n" in piece.text or BULLET.match(f"{piece.lead.strip()} "):
            out.append(piece)
        else:
            text = piece.text.replace("**", "")
            points = [f"- {text[start:end]}" for start, end in spans(text)]
            out.append(replace(piece, text="\n".join(points), lead=piece.lead.rstrip(" ") or "\n\n"))
    return _led(out)


def _table(pieces: Sequence[Sentence], blocks: Sequence[Block], language: Language) -> list[Sentence]:
    """Return the pieces as rows: by their own labels where all have one, else each beside its source.

    What has a table already keeps it, alone where it stands first.
    """
    tables = [piece for piece in pieces if piece.text.lstrip().startswith("|")]
    if pieces[:1] == tables[:1]:
        return _led(tables)
    pieces = [piece for piece in pieces if piece not in tables]
    lines = [(line, piece) for piece in pieces for line in piece.text.split("\n") if line.strip(" …")]
    if not lines:  # all that is said besides is that something was left out
        return _led(tables)
    texts = [readable.tidy(line).replace("|", "/") for line, _ in lines]
    labelled = [_LABELLED.match(text) for text in texts]
    steps = [_STEP.match(line) for line, _ in lines]
    if len(texts) > 2 and all(steps[1:]):  # a procedure, with or without what leads to it
        first = "" if steps[0] else texts[0].strip(" *").rstrip(":：")
        numbered = [(step[1], text) for step, text in zip(steps, texts, strict=True) if step]
        rows = [f"| {number} | {text} |" for number, text in numbered]
        header = f"|  | {first} |"
    elif all(labelled) and len(texts) > 1:
        rows = [f"| {found['label'].strip(' *')} | {found['value']} |" for found in labelled if found]
        header = "|  |  |"
    elif len({place.block for piece in pieces for place in piece.support}) == 1:  # where, its citation tells
        rows = [f"| {text} |" for text in texts]
        header = f"| {say('table_point', language)} |"
    else:
        titles = {block.n: (block.passage.title or block.passage.document_id).replace("|", "/") for block in blocks}
        rows = [f"| {text} | {titles[piece.support[0].block]} |" for text, (_, piece) in zip(texts, lines, strict=True)]
        header = f"| {say('table_point', language)} | {say('table_source', language)} |"
    places = dict.fromkeys(place for piece in pieces for place in piece.support)
    support = tuple(_from_its_number(place, blocks) for place in places) if all(steps[1:]) else tuple(places)
    ruler = "| --- " * (header.count("|") - 1) + "|"
    return _led([Sentence(text="\n".join([header, ruler, *rows]), support=support, lead="\n\n"), *tables])


def _from_its_number(place: Support, blocks: Sequence[Block]) -> Support:
    """Return the place of a step with the number before it."""
    text = next(block.passage.text for block in blocks if block.n == place.block)
    line = text.rfind("\n", 0, place.start) + 1
    return replace(place, start=line) if _STEP.match(text, line, place.start) else place


def _nth(point: int, count: int) -> int | None:
    """Return the place, from 0, of a point of so many; None where they are no two, or it is none of them."""
    place = point - 1 if point > 0 else count - 1
    return place if count > 1 and 0 <= place < count else None


def _part(brief: Brief, turn: TurnRecord) -> list[Sentence]:
    """Return what answers one of several questions of a message: "answer only the second one"."""
    assert brief.followup is not None  # noqa: S101 - `revise` has looked
    parts = parts_of(turn.question)
    place = _nth(brief.followup.point, len(parts))
    return [] if place is None else compose(replace(_of_turn(brief, turn), question=parts[place]), settled=True)


def _point(brief: Brief, said: Sequence[Sentence]) -> list[Sentence]:
    """Return one point of a list that the answer told, as a whole."""
    assert brief.followup is not None  # noqa: S101 - `revise` has looked
    points = [point for piece in said for point in apart(piece, brief.blocks)]
    points = [piece for piece in points if BULLET.match(f"{piece.lead.strip()} ")] or points
    place = _nth(brief.followup.point, len(points))
    return [] if place is None else _led([replace(points[place], lead=" ")])


def _sections(brief: Brief, followup: FollowUp, said: Sequence[Sentence]) -> list[Sentence]:
    """Return what the answer told below these headings, of all documents or of one, each with its place above it."""
    passages = {block.n: block.passage for block in brief.blocks}
    documents = list(dict.fromkeys(passages[piece.support[0].block].document for piece in said))
    if followup.point:
        documents = documents[followup.point - 1 :][:1] if followup.point > 0 else documents[-1:]
    out: list[Sentence] = []
    document = section = ""
    for piece in said:
        passage = passages[piece.support[0].block]
        named = quote_markdown.section_of(passage)
        if passage.document not in documents or named not in followup.sections:
            continue
        above = [] if passage.document_id == document else [passage.title or passage.document_id]
        above += [] if not above and named == section else [named]
        document, section = passage.document_id, named
        lead = "".join(f"\n\n**{name}**" for name in above)
        out.append(replace(piece, lead=f"{lead}\n\n{piece.lead.lstrip()}") if lead else piece)
    return _led(out)


def _sources(brief: Brief, turn: TurnRecord) -> list[Sentence]:
    """Return where the answer stands, one line a passage, in the documents' own words."""
    blocks = {block.n: block for block in brief.blocks}
    out: dict[int, Sentence] = {}
    for part in answers(_of_turn(brief, turn, length="long")):
        for each in part.found.rated:
            n = each.quote.block.n
            if n not in out:
                told = quote_markdown.best_of(each.quote)
                place = told.support[0]
                said = blocks[n].passage.text[place.start : place.end]
                quote = readable.tidy(said) if each.quote.shape is not Shape.ROW else told.text
                where = quote_markdown.place_of(blocks[n].passage)
                out[n] = Sentence(text=f"“{quote}”", support=(place,), lead=f"\n- **{where}**: ")
    return [out[n] for n in sorted(out)]


def _reasons(brief: Brief, turn: TurnRecord) -> list[Sentence]:
    """Return the sentences of the evidence that speak of the question and give a reason."""
    asked = [part.found.asked for part in answers(_of_turn(brief, turn))]
    found: list[tuple[float, Sentence]] = []
    best = 0.0
    for block in brief.blocks:
        headings = terms_in(f"{block.passage.title}\n{block.passage.section}")
        for unit in units_of(block.passage):
            text = block.passage.text[unit.start : unit.end]
            held = terms_in(text) | headings
            share = max(each.share(held) for each in asked)
            best = max(best, share)
            if unit.shape in (Shape.SENTENCE, Shape.ITEM) and quote_features.has_cue("reasons", text):
                place = Support(block=block.n, start=unit.start, end=unit.end)
                found.append((share, Sentence(text=readable.tidy(text), support=(place,))))
    near = [each for each in found if each[0] >= NEAR * best > 0]
    return _led([sentence for _, sentence in sorted(near, key=lambda each: -each[0])[:REASONS]])
