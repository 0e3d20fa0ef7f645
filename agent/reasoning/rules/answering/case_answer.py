"""An answer that lists cases: of a few their findings and sections, of many one line each. All of it quoted."""

from dataclasses import replace

from agent.cases import LISTED, Lookup
from agent.language import say
from agent.reasoning.brief import Brief
from agent.reasoning.rules.answering.passage_units import Shape, units_of
from agent.types import Block, Sentence, Support


def compose(brief: Brief) -> list[Sentence]:
    """Return the sentences of the answer, each a passage; none where there is no case of it."""
    lookup = brief.lookup
    blocks = {block.passage.id: block for block in brief.blocks}
    if lookup is None or not lookup.told or not blocks:
        return []
    if lookup.asked:
        return _apart(lookup, brief)
    told = _in_full(lookup, blocks) if lookup.in_full else _listed(lookup, blocks, brief)
    first = told[0]
    doubt = "" if lookup.sure else f"{say('closest', brief.language)}\n\n"
    told[0] = replace(first, lead=f"{doubt}{first.lead.lstrip()}")
    return [replace(each, hedged=not lookup.sure) for each in told]


def _apart(lookup: Lookup, brief: Brief) -> list[Sentence]:
    """Return what each of several look-ups found under its words; of one that found nothing it is said elsewhere."""
    out: list[Sentence] = []
    for words, each in lookup.asked:
        told = [replace(sentence, part=words) for sentence in compose(replace(brief, lookup=each))]
        if told:
            told[0] = replace(told[0], lead=f"\n\n**{words}**\n\n{told[0].lead}")
        out += told
    return [replace(out[0], lead=out[0].lead.lstrip()), *out[1:]] if out else []


def _in_full(lookup: Lookup, blocks: dict[int, Block]) -> list[Sentence]:
    out: list[Sentence] = []
    for case in lookup.cases:
        above = f"\n\n**{case.title}**"
        for name, part in lookup.parts(case):
            above += f"\n\n**{name}**" if name else ""
            for passage in part:
                if passage.id in blocks:
                    out.append(_quoted(blocks[passage.id], f"{above}\n\n- " if above else "\n- "))
                    above = ""
    return out


def _listed(lookup: Lookup, blocks: dict[int, Block], brief: Brief) -> list[Sentence]:
    more = len(lookup.cases) - LISTED
    heading = say("cases_found", brief.language, count=len(lookup.cases))
    if more > 0:
        heading = f"{heading} {say('cases_more', brief.language, count=more)}"
    out = [
        _quoted(blocks[case.first.id], f"\n- **{case.title}**: ")
        for case in lookup.cases[:LISTED]
        if case.first.id in blocks
    ]
    return [replace(out[0], lead=f"{heading}\n{out[0].lead}"), *out[1:]]


def _quoted(block: Block, lead: str) -> Sentence:
    """Return what a passage says below its heading."""
    text = block.passage.text
    units = [unit for unit in units_of(block.passage) if unit.shape is not Shape.HEADING] or list(
        units_of(block.passage)
    )
    start, end = units[0].start, units[-1].end
    support = Support(block=block.n, start=start, end=end)
    return Sentence(text=text[start:end], support=(support,), lead=lead)
