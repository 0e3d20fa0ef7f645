"""A message of a thread so that it can be read alone, and what its search takes from the turns before it."""

from collections import Counter
from collections.abc import Sequence

from agent.language import lexicon
from agent.language.lexicon import pattern
from agent.reasoning.message.smalltalk import small_talk
from agent.reasoning.rules.reading.answer_request import about_answer
from agent.reasoning.rules.reading.work_orders import order_of
from agent.reasoning.rules.thread import another_value, answer_points, context_dependence
from agent.reasoning.rules.thread.context_dependence import LEANS
from agent.reasoning.rules.thread.history import READ, Past, Word, content
from agent.text import normalise, says_anything
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
NAME = 3
"""Words up to which a phrase of the thread can stand in a pronoun's place."""
RESTS = 1.0
"""How much more the best document of the last turn counts for a message that leans on it entirely."""
RESTS_FAINTLY = 0.3
NEXT = 0.7
"""What a document keeps of that for every better one of its turn."""
_OWNERS = lexicon.words("thread.owners")
_FORMS = frozenset({"shorter", "list", "table", "repeat", "translate"})
"""What is wanted of an answer that names nothing to look up: the question before it is asked again."""


def standalone(text: str, past: Sequence[Past], sure: float = LEANS) -> Standalone:
    """Return the question with what it takes from the turns before it, oldest first.

    Its words change only where it leans on them at least as much as `sure`.
    """
    question = normalise(text)
    if not past or small_talk(question) or not says_anything(question):
        return Standalone(text=question)
    wanted = about_answer(question)
    if wanted is not None and wanted.kind in _FORMS:  # there is no evidence to put in another form
        last = past[-1].told
        return Standalone(text=last, terms=inherited(last, past, 1.0), changed=True, before=documents(past, 1.0))
    lean, written_out = leans(question, past)
    full = written_out or question
    named = len(full.split()) - len(question.split()) >= NAME  # a point in so many words tells what is meant
    whole = of_answer(full)
    complete = whole or named or full.endswith(")") or full == another_value.swapped(question, past[-1].told)
    if not complete and lean >= sure and len(question) <= READ:
        full = written(full, chosen(full, past, max(lean, LEANS)))
    return Standalone(
        text=full,
        terms=inherited(question, past, lean),
        changed=full != question,
        before=documents(past, lean),
        thread="\n".join([*((turn.told if whole else turn.asked)[:READ] for turn in past), question[:READ]]),
        leans=lean,
    )


def of_answer(question: str) -> bool:
    """Tell whether a message orders a document without a word of what: the answer before is what it is to hold."""
    order = order_of(question)
    return order is not None and order.kind == "document" and not order.topic


def leans(question: str, past: Sequence[Past]) -> tuple[float, str]:
    """Return how much a message leans on its thread, and how it reads where that is plain.

    It is where it means points by their number, or gives another value for the one that was asked about.
    """
    if not past or len(question) > READ:
        return context_dependence.leans(question, past), ""
    full = answer_points.written_out(question, past) or another_value.swapped(question, past[-1].told)
    return (1.0 if full else context_dependence.leans(question, past)), full


def after(text: str, before: str) -> str:
    """Return a text so that it can be read without the question before it."""
    return standalone(text, [Past(before, before)], SURE).text


def chosen(question: str, past: Sequence[Past], lean: float) -> list[tuple[Past, Word]]:
    """Return the words of the thread that a message means and leaves out, in the order they were said last."""
    known = {word.key for word in content(question)}
    latest = {word.key: (turn, word) for turn in past for word in content(turn.asked) if word.key not in known}
    replaced = _replaced(past, question)
    replaced.update(*(another_value.replaced(question, turn.asked) for turn in past))
    latest = {key: each for key, each in latest.items() if key not in replaced}
    for turn in reversed(past):
        asked = content(turn.asked)
        rest = [(turn, word) for word in asked if word.key in latest]
        if len(rest) == sum(word.key not in known for word in asked):
            break
        if rest:  # "and in Berlin?" asks all the rest again, also of the turn before "and in Rome?"
            return rest[:MOST]
    likely = {key: context_dependence.meant(word, question, past, lean) for key, (_, word) in latest.items()}
    # What a question counts in ("how many weeks") tells nothing of what it is about.
    likely = {key: each for key, each in likely.items() if not any(a.unit for a in amounts(f"1 {latest[key][1].text}"))}
    best = sorted(likely, key=lambda key: -likely[key])[:MOST]
    if not best or likely[best[0]] < _least(latest[best[0]][1]):
        return []
    first = next((key for key in best if another_value.around(*latest[key]) is None), "")  # a value tells of no thing
    best = [key for key in best if likely[key] >= (CHOSEN if key != first else _least(latest[key][1]))]
    place = {id(turn): n for n, turn in enumerate(past)}
    return sorted((latest[key] for key in best), key=lambda each: (place[id(each[0])], each[1].start))


def _least(word: Word) -> float:
    return LEAST_KOREAN if word.hangul else LEAST


def _replaced(past: Sequence[Past], question: str) -> set[str]:
    """Return the words of the thread that a message puts others in the place of.

    Where these would be all, only those go that stood behind the same word: "on" Windows is in the place of "on" macOS.
    Of several names in one question it is not told which another name stands for.
    """
    mine = content(question)
    known, roles = {word.key for word in mine}, {word.role for word in mine}
    words: list[Word] = []
    gone: set[str] = set()
    for turn in past:
        lacked = [word for word in content(turn.asked) if word.key not in known]
        found = [word for word in lacked if context_dependence.is_replaced(word, question)]
        names = {word.key for word in found if word.role not in roles}
        gone |= {word.key for word in found} - (names if len(names) > 1 else set())
        words += lacked
    if any(word.key not in gone for word in words):
        return gone
    beside = {word.before for word in mine}
    same = {word.key for word in words if word.key in gone and word.before in beside}
    return same if same != gone else set()


def written(question: str, words: Sequence[tuple[Past, Word]]) -> str:
    """Return a question with words in the place of its one pronoun, or else in brackets behind it."""
    parts = _side_by_side(words)
    if len(parts) == 1 and len(words) <= NAME:
        place = pattern("thread.pronouns").search(question)
        inner = place is not None and context_dependence.points_inside(question, place.start())
        if place is not None and not inner and len(pattern("thread.any_pronouns").findall(question)) == 1:
            name = parts[0] + ("'s" if place.group().lower() in _OWNERS else "")
            return question[: place.start()] + name + question[place.end() :]
    return f"{question} ({', '.join(parts)})" if parts else question


def _side_by_side(words: Sequence[tuple[Past, Word]]) -> list[str]:
    """Return words as phrases: those that stood side by side stay together."""
    parts: list[str] = []
    last: tuple[Past, Word] | None = None
    for turn, word in words:
        value = another_value.around(turn, word)
        text = value or (word.key if word.hangul else word.text)
        beside = last is not None and last[0] is turn
        if value and beside and last and another_value.around(*last) == value:
            pass
        elif beside and last and normalise(turn.asked)[last[1].end : word.start] in (" ", "-"):
            parts[-1] = f"{parts[-1]} {text}"
        else:
            parts.append(text)
        last = (turn, word)
    return parts


def inherited(question: str, past: Sequence[Past], lean: float) -> tuple[WeightedTerm, ...]:
    """Return the words of earlier questions that this one lacks: weaker with every turn, stronger when said again."""
    known = {word.key for word in content(question)}
    turns = [{word.key: word.text for word in content(turn.asked) if word.key not in known} for turn in past]
    gone = _replaced(past, question)
    gone.update(*(another_value.replaced(question, turn.asked) for turn in past))
    turns = [{key: text for key, text in turn.items() if key not in gone} for turn in turns]
    said = Counter(key for turn in turns for key in turn)
    weight = FAINTLY + (LEANING - FAINTLY) * lean
    out: dict[str, WeightedTerm] = {}
    for age, turn in enumerate(reversed(turns)):
        for key, text in turn.items():
            share = FADE**age * min(2, said[key])
            kept = max(share, OPENING) if key in turns[0] else share
            out.setdefault(key, WeightedTerm(text=text.lower(), weight=round(weight * kept, 4)))
    return tuple(out.values())


def documents(past: Sequence[Past], lean: float) -> dict[str, float]:
    """Return how much more the documents of earlier turns count, by id."""
    weight = RESTS_FAINTLY + (RESTS - RESTS_FAINTLY) * lean
    out: dict[str, float] = {}
    for age, turn in enumerate(reversed(past)):
        for rank, document in enumerate(turn.documents):
            out[document] = max(out.get(document, 0.0), round(weight * FADE**age * NEXT**rank, 4))
    return out
