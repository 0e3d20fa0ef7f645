"""A message of a thread so that it can be read alone, and what its search takes from the turns before it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.reasoning.message.smalltalk import small_talk
from agent.reasoning.rules.reading.answer_request import about_answer
from agent.reasoning.rules.reading.work_orders import order_of
from agent.reasoning.rules.thread import answer_points, context_dependence
from agent.reasoning.rules.thread.context_dependence import LEANS, meant, turns_elsewhere
from agent.reasoning.rules.thread.history import READ, Past, Word, content
from agent.reasoning.rules.thread.restated_question import of_person, replaced, restated
from agent.text import lowered, normalise, says_anything, tokens
from agent.types import Standalone, WeightedTerm
from agent.values.amounts import amounts

LEANING = 0.35
"""Weight of the last turn's words in the search of a message that leans on it entirely."""
FAINTLY = 0.18
"""The same for one that does not lean on it at all."""
FADE = 0.7
"""What inherited words keep with every turn that passes."""
OPENING = 0.7
"""What words of the first question keep at least: threads mostly stay with it."""
SURE = 0.75
"""How much the second half of a message leans on the first where that is written into it."""
CHOSEN = 0.35
"""From which likelihood a word of the thread is written behind a message that leaves it out."""
LEAST = 0.25
LEAST_KOREAN = 0.15
"""The same for the likeliest: a message that leans means something. Korean was fitted on few, and dares less."""
MOST = 6
"""Words that are written behind a message."""
IN_SO_MANY = 3
"""Words of a point of a list that tell what is meant without those of the thread."""
RESTS = 1.0
"""How much more the best document of the last turn counts for a message that leans on it entirely."""
RESTS_FAINTLY = 0.3
TOLD = 3
"""Passages of the last answer that are looked at for the next: as many as an answer quotes."""
GONE = 0.3
"""What words and documents keep of the turns before the one that began another topic."""
UNTOLD = 0.6
"""What a word keeps that the answer to its question does not have, where it has others of it."""
NEXT = 0.7
"""What a document keeps of that for every better one of its turn."""
_FORMS = frozenset({"shorter", "list", "table", "repeat", "translate"})
"""What is wanted of an answer that names nothing to look up: the question before it is asked again."""


def standalone(text: str, past: Sequence[Past], sure: float = LEANS) -> Standalone:
    """Return the question with what it takes from the turns before it, oldest first.

    Its words change only where it leans on them at least as much as `sure`.
    """
    question = normalise(text)
    if not past or small_talk(question) or not says_anything(question) or turns_elsewhere(question):
        return Standalone(text=question)
    wanted = about_answer(question)
    if wanted is not None and wanted.kind in _FORMS:  # there is no evidence to put in another form
        last = past[-1].told
        terms = inherited(left_out(last, past).values(), 1.0)
        return Standalone(text=last, terms=terms, changed=True, before=documents(last, past, 1.0), told=_told(past))
    if wanted is not None and wanted.kind == "another":
        last = past[-1].told
        told = tuple(dict.fromkeys(name for turn in past if turn.told == last for name in turn.evidence))
        return Standalone(text=last, changed=True, besides=told)
    lean, written_out = leans(question, past)
    full = written_out or question
    words = left_out(question, past).values()
    named = len(full.split()) - len(question.split()) >= IN_SO_MANY
    whole = of_answer(full)
    says_all = full == restated(question, past[-1])
    complete = whole or named or full.endswith(")") or says_all
    if not complete and lean >= sure and len(question) <= READ:
        missing = left_out(full, past).values() if written_out else words
        full = completed(full, missing, past, max(lean, LEANS))
    return Standalone(
        text=full,
        terms=() if says_all else inherited(words, lean),
        changed=full != question,
        before=documents(question, past, lean),
        told=() if written_out else _told(past),
        thread="\n".join([*((turn.told if whole else turn.asked)[:READ] for turn in past), question[:READ]]),
        leans=lean,
    )


def _told(past: Sequence[Past]) -> tuple[str, ...]:
    """Return references of what the last answer that cites something rests on."""
    return next((turn.evidence[:TOLD] for turn in reversed(past) if turn.evidence), ())


def of_answer(question: str) -> bool:
    """Tell whether a message orders a document without a word of what: the answer before is what it is to hold."""
    order = order_of(question)
    return order is not None and order.kind == "document" and not order.topic


def leans(question: str, past: Sequence[Past]) -> tuple[float, str]:
    """Return how much a message leans on its thread, and how it reads where that is plain.

    It is where it means points by their number, puts right what was asked about, gives another value for the one that
    was, or only supposes a value.
    """
    if not past or len(question) > READ:
        return context_dependence.leans(question, past), ""
    full = answer_points.written_out(question, past) or of_person(question, past[-1]) or restated(question, past[-1])
    return (1.0 if full else context_dependence.leans(question, past)), full


def after(text: str, before: str) -> str:
    """Return a text so that it can be read without the question before it."""
    return standalone(text, [Past(before, before)], SURE).text


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A word of an earlier question that a message lacks, as it was said last."""

    word: Word
    age: int
    """Turns since then, from 0."""
    share: float
    """What it counts: less with every turn, more when said again."""
    told: float
    """What it keeps of that by whether the answer to its question has it."""


def left_out(question: str, past: Sequence[Past]) -> Mapping[str, LeftOut]:
    """Return the words of earlier questions that this one lacks and puts nothing in the place of, by key."""
    gone = {word.key for word in content(question)}.union(*(replaced(question, turn.asked) for turn in past))
    turns = [{word.key: word for word in content(turn.asked) if word.key not in gone} for turn in past]
    said = Counter(key for turn in turns for key in turn)
    out: dict[str, LeftOut] = {}
    first = opening(question, past)
    for age, turn in enumerate(reversed(turns)):
        answer = past[len(past) - 1 - age].answer
        held = {key for key in turn if key in answer or key in _terms_of(answer)}
        for key, word in turn.items():
            told = 1.0 if key in held or not held else UNTOLD
            share = _fade(age, first, past) * min(2, said[key]) * told
            out.setdefault(key, LeftOut(word, age, max(share, OPENING) if key in turns[first] else share, told))
    return out


@lru_cache(maxsize=64)  # each message of a thread asks it of the same answers several times
def _terms_of(answer: str) -> frozenset[str]:
    return frozenset(tokens(answer))


def _fade(age: int, first: int, past: Sequence[Past]) -> float:
    """Return what words and documents of a turn keep, by the turns since then and where the topic of now began."""
    return FADE**age * (1.0 if len(past) - age > first else GONE)


def opening(question: str, past: Sequence[Past]) -> int:
    """Return which turn began what a thread is about now.

    That is the last one that leans on none, has no word of those before it and rests on another document, unless the
    message goes back behind it by a word.
    """
    mine = {word.key for word in content(question)}
    said = [{word.key for word in content(turn.asked)} for turn in past]
    for n in range(len(past) - 1, 0, -1):
        known = frozenset[str]().union(*said[:n])
        rested = {document for turn in past[:n] for document in turn.documents[:1]}
        elsewhere = rested and past[n].documents and past[n].documents[0] not in rested
        if elsewhere and known.isdisjoint(said[n] | mine) and context_dependence.leans(past[n].asked, past[:n]) < LEANS:
            return n
    return 0


def completed(question: str, words: Iterable[LeftOut], past: Sequence[Past], lean: float) -> str:
    """Return a question with the words in brackets behind it that it likely leaves out, in the order they were said.

    One that only names another thing ("and Apache?") asks the same of it. A number, and what a question counts in ("how
    many weeks"), tell nothing of what it is about.
    """
    past = past[opening(question, past) :]
    words = [each for each in words if each.age < len(past) and not _is_of_amount(each.word)]
    beside = {age for age, turn in enumerate(reversed(past)) if replaced(question, turn.asked)}
    chosen = [each for each in words if each.age == min((each.age for each in words if each.age in beside), default=-1)]
    if not chosen:
        likely = {each.word.key: each.told * meant(each.word, question, past, lean) for each in words}
        best = sorted(words, key=lambda each: -likely[each.word.key])[:MOST]
        least = LEAST_KOREAN if best and best[0].word.hangul else LEAST
        chosen = [each for n, each in enumerate(best) if likely[each.word.key] >= (CHOSEN if n else least)]
    chosen.sort(key=lambda each: (-each.age, each.word.start))
    names = " ".join(each.word.key if each.word.hangul else each.word.text for each in chosen)
    return f"{question} ({names})" if names else question


def _is_of_amount(word: Word) -> bool:
    return word.text[0].isdigit() or any(amount.unit for amount in amounts(f"1 {word.text}"))


def inherited(words: Iterable[LeftOut], lean: float) -> tuple[WeightedTerm, ...]:
    """Return words of earlier questions as terms of a search."""
    weight = FAINTLY + (LEANING - FAINTLY) * lean
    return tuple(WeightedTerm(text=lowered(each.word.text), weight=round(weight * each.share, 4)) for each in words)


def documents(question: str, past: Sequence[Past], lean: float) -> dict[str, float]:
    """Return how much more the documents of earlier turns count, by id."""
    weight = RESTS_FAINTLY + (RESTS - RESTS_FAINTLY) * lean
    out: dict[str, float] = {}
    first = opening(question, past)
    for age, turn in enumerate(reversed(past)):
        for rank, document in enumerate(turn.documents):
            out[document] = max(out.get(document, 0.0), round(weight * _fade(age, first, past) * NEXT**rank, 4))
    return out
