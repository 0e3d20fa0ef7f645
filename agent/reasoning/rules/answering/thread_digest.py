"""What a thread says, told by its own messages: the most telling ones, what was decided, what somebody said."""

from collections.abc import Sequence
from dataclasses import replace

from agent.language import say
from agent.reasoning.brief import Brief
from agent.reasoning.message.thread_messages import assents, decides, is_decided, telling
from agent.reasoning.rules.answering import readable
from agent.text import sentences, tokens
from agent.types import Aim, Block, Language, Sentence, Support

MOST: dict[Aim, int] = {"summary": 7, "decision": 4, "said": 5}
"""Messages that are quoted."""
FEW = 5
"""Messages that are all told, however little they tell; not those that only say yes."""
LAST = 3
"""Of a thread in which nothing was decided."""
LENGTH = 280
"""Characters of one message that are quoted, whole sentences."""
SAME = 0.6
"""Share of its terms that a message may have in common with a more telling one."""


def tell(brief: Brief) -> list[Sentence]:
    """Return what the blocks, the messages of a thread, tell of it; none where there is none."""
    if brief.aim == "decision":
        return _decided(brief)
    if brief.aim == "said":
        few = len(brief.blocks) <= FEW
        return _quoted(brief.blocks if few else _most_telling(brief.blocks, MOST["said"]), "")
    if len(brief.blocks) == 1 and len(brief.blocks[0].passage.text) > LENGTH:
        return _of_one(brief.blocks[0], brief.language)
    chosen = _most_telling(brief.blocks, MOST["summary"], first=True)
    return _quoted(chosen, _heading("thread_summary", brief))


def _heading(key: str, brief: Brief) -> str:
    people = {block.passage.entities for block in brief.blocks}
    size = say("thread_size", brief.language, messages=f"{len(brief.blocks):,}", people=len(people))
    return f"**{say(key, brief.language)}** · {size}"


def _decided(brief: Brief) -> list[Sentence]:
    """Return the messages that say what was decided, the latest last; else the last ones, as what comes closest."""
    blocks = brief.blocks
    found = [n for n in range(len(blocks)) if is_decided(n, blocks)]
    if found:
        latest = [blocks[n] for n in found[-MOST["decision"] :]]
        return _quoted(latest, _heading("thread_decided", brief), decisive=True)
    last = [block for block in blocks if not assents(block.passage.text)][-LAST:]
    told = _quoted(last, f"**{say('thread_undecided', brief.language)}**")
    return [replace(sentence, hedged=True) for sentence in told]


def _most_telling(blocks: Sequence[Block], most: int, *, first: bool = False) -> list[Block]:
    """Return the most telling messages in their order, each with something of its own; `first`: what began it, too."""
    scores = telling([block.passage.text for block in blocks])
    terms = [frozenset(tokens(block.passage.text)) for block in blocks]
    chosen: list[int] = []
    for n in sorted(range(len(blocks)), key=lambda n: (first and n > 0, -scores[n], -len(terms[n]))):
        alike = any(len(terms[n] & terms[other]) > SAME * (len(terms[n]) or 1) for other in chosen)
        tells = scores[n] > 0 or (len(chosen) < FEW and not assents(blocks[n].passage.text))
        if len(chosen) < most and not alike and (tells or not chosen):
            chosen.append(n)
    return [blocks[n] for n in sorted(chosen)]


def _quoted(blocks: Sequence[Block], heading: str, *, decisive: bool = False) -> list[Sentence]:
    """Return messages as the items of a list, each under its author's name."""
    out = []
    for block in blocks:
        start, end = _part(block.passage.text, decisive=decisive)
        name = block.passage.entities[0] if block.passage.entities else block.passage.title
        text = readable.tidy(block.passage.text[start:end], links=True)
        if text:
            place = Support(block=block.n, start=start, end=end)
            out.append(Sentence(text=text, support=(place,), lead=f"\n- **{name}**: "))
    if out and heading:
        out[0] = replace(out[0], lead=f"{heading}\n{out[0].lead}")
    return out


def _part(text: str, *, decisive: bool) -> tuple[int, int]:
    """Return the place of what is quoted of a message: all of a short one, else the sentences that tell most."""
    spans = list(sentences(text))
    if decisive and len(text) <= LENGTH // 2:
        decisive = False
    deciding = [place for place in spans if decides(text[place[0] : place[1]])] if decisive else []
    if deciding and deciding[-1][1] - deciding[0][0] <= LENGTH:
        return deciding[0][0], deciding[-1][1]
    if not spans or len(text) <= LENGTH:
        return (spans[0][0], spans[-1][1]) if spans else (0, len(text))
    scores = telling([text[start:end] for start, end in spans])
    best = deciding[0] if deciding else spans[max(range(len(spans)), key=lambda n: (scores[n], -n))]
    start, end = best
    for _, behind in spans[spans.index(best) + 1 :]:
        if behind - start > LENGTH:
            break
        end = behind
    return start, min(end, start + 2 * LENGTH)


def _of_one(block: Block, language: Language) -> list[Sentence]:
    """Return the most telling sentences of one long message, in their order."""
    text = block.passage.text
    spans = list(sentences(text))
    scores = telling([text[start:end] for start, end in spans])
    best = sorted(sorted(range(len(spans)), key=lambda n: -scores[n])[: MOST["summary"]])
    out = []
    for start, end in (spans[n] for n in best):
        place = Support(block=block.n, start=start, end=min(end, start + 2 * LENGTH))
        shown = readable.tidy(text[place.start : place.end], links=True)
        out.append(Sentence(text=shown, support=(place,), lead="\n- "))
    name = block.passage.entities[0] if block.passage.entities else block.passage.title
    out[0] = replace(out[0], lead=f"**{say('thread_summary', language)}** · {name}\n{out[0].lead}")
    return out
