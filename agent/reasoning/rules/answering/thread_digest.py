"""What a thread says, told by its own messages: the most telling ones, what was decided, what somebody said."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from agent.addressing import asks
from agent.language import say
from agent.reasoning.brief import Brief
from agent.reasoning.rules.answering import readable
from agent.text import sentences, tokens
from agent.types import Aim, Block, Language, Sentence, Support
from agent.values.amounts import amounts

MOST: dict[Aim, int] = {"summary": 7, "decision": 4, "said": 5}
"""Messages that are quoted."""
LAST = 3
"""Of a thread in which nothing was decided."""
LENGTH = 280
"""Characters of one message that are quoted, whole sentences."""
SAME = 0.6
"""Share of its terms that a message may have in common with a more telling one."""
_DECIDES = re.compile(
    r"\b(?:decided?|decision|agreed|we agree|going with|go with|went with|settled on|final|finali[sz]ed|approved"
    r"|confirmed|conclusion|we(?:'ll| will| are going to)|it is settled)\b"
    r"|기로\s?(?:했|하|결정|합의)|결정(?!할|해야|이\s?필요|하지)|합의|확정|승인|결론",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\b(?:not|n't|never|nothing|no)\b.{0,20}\b(?:decided?|decision|agreed|final)|(?:결정|합의|확정)\S*\s?(?:안|못|않)",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\blet'?s\b|\blet us\b|\bhow about\b|\b(?:shall|should) we\b|\bi(?:'d)? (?:propose|suggest)\b"
    r"|\bwe (?:should|could)\b|합시다|하시죠|하죠|갑시다|가시죠|할까요|갈까요|어때요|어떨까요|하면\s?어떨|제안",
    re.IGNORECASE,
)
_ASSENT = re.compile(
    r"\W*(?:\+1|y(?:es|ep|eah)|ok(?:ay)?|agreed?|sounds good|works for me|fine(?: (?:by|with) me)?|deal|done|perfect"
    r"|great|sure|lgtm|네+|넵|예|좋아요?|좋습니다|동의(?:합니다|해요)?|그렇게 (?:하죠|합시다|해요)|ㅇㅋ|오케이"
    r"|찬성(?:합니다|이에요)?|👍|✅)(?:\W+\w+){0,3}\W*",
    re.IGNORECASE,
)
_SHORT = 60
"""Characters of a message that says yes, and nothing more."""


def telling(texts: Sequence[str]) -> list[float]:
    """Return for each message of a thread, oldest first, how much it tells of it; 0 and more.

    What several messages speak of counts, figures, decisions, and what began the thread.
    """
    held = [set(tokens(text)) for text in texts]
    count = Counter(term for terms in held for term in terms)
    worth = {term: math.log(n) for term, n in count.items() if n > 1}
    central = [sum(worth.get(term, 0.0) for term in terms) / math.sqrt(len(terms) + 4) for terms in held]
    most = max(central, default=0.0) or 1.0
    return [
        central[n] / most
        + 0.3 * min(2, len(amounts(text)))
        + 1.5 * decides(text)
        + 0.3 * (_PROPOSES.search(text) is not None)
        + 0.6 * (n == 0)
        - 0.6 * (len(held[n]) < 3)
        for n, text in enumerate(texts)
    ]


def fitting(blocks: Sequence[Block], characters: int, aim: Aim) -> Sequence[Block]:
    """Return messages of at most so many characters in all, the most telling ones, in their order; at least one.

    Where a decision is asked for, what tells of one comes before all others.
    """
    if sum(len(block.passage.text) for block in blocks) <= characters:
        return blocks
    scores = telling([block.passage.text for block in blocks])
    decisive = {n for n in range(len(blocks)) if aim == "decision" and (_is_decided(n, blocks))}
    kept: list[int] = []
    for n in sorted(range(len(blocks)), key=lambda n: (n not in decisive, -scores[n])):
        if not kept or len(blocks[n].passage.text) <= characters:
            kept.append(n)
            characters -= len(blocks[n].passage.text)
    return [blocks[n] for n in sorted(kept)]


def decides(text: str) -> bool:
    """Tell whether a text says that something was decided; one that asks whether it was does not."""
    return any(
        _DECIDES.search(each) is not None and not _UNDECIDED.search(each) and not asks(each)
        for each in (text[start:end] for start, end in sentences(text))
    )


def tell(brief: Brief) -> list[Sentence]:
    """Return what the blocks, the messages of a thread, tell of it; none where there is none."""
    if brief.aim == "decision":
        return _decided(brief)
    if brief.aim == "said":
        return _quoted(_most_telling(brief.blocks, MOST["said"]), "")
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
    found = [n for n in range(len(blocks)) if _is_decided(n, blocks)]
    if found:
        latest = [blocks[n] for n in found[-MOST["decision"] :]]
        return _quoted(latest, _heading("thread_decided", brief), decisive=True)
    last = [block for block in blocks if not _assents(block.passage.text)][-LAST:]
    told = _quoted(last, f"**{say('thread_undecided', brief.language)}**")
    return [replace(sentence, hedged=True) for sentence in told]


def _is_decided(n: int, blocks: Sequence[Block]) -> bool:
    """Tell whether a message says what was decided, or proposes something and the next one of another says yes."""
    proposal = blocks[n].passage
    if decides(proposal.text):
        return True
    if not _PROPOSES.search(proposal.text):
        return False
    behind = [block.passage for block in blocks[n + 1 : n + 3] if block.passage.entities != proposal.entities]
    return bool(behind) and _assents(behind[0].text)


def _assents(text: str) -> bool:
    return len(text) <= _SHORT and _ASSENT.fullmatch(text) is not None


def _most_telling(blocks: Sequence[Block], most: int, *, first: bool = False) -> list[Block]:
    """Return the most telling messages in their order, each with something of its own; `first`: what began it, too."""
    scores = telling([block.passage.text for block in blocks])
    terms = [frozenset(tokens(block.passage.text)) for block in blocks]
    chosen: list[int] = []
    for n in sorted(range(len(blocks)), key=lambda n: (first and n > 0, -scores[n])):
        alike = any(len(terms[n] & terms[other]) > SAME * (len(terms[n]) or 1) for other in chosen)
        if len(chosen) < most and not alike and (scores[n] > 0 or not chosen):
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
