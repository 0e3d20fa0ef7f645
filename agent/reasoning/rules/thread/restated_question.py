"""The question before under what a message says of it: another value, person or row, or what was meant instead."""

import re
from collections.abc import Set
from functools import lru_cache
from itertools import pairwise

from agent.language import say
from agent.language.ko.letters import is_hangul
from agent.language.lexicon import forms as forms_of
from agent.language.lexicon import pattern, patterns
from agent.reasoning.rules.reading.answer_type import Kind, read
from agent.reasoning.rules.reading.question_form import is_question
from agent.reasoning.rules.thread import answer_points, context_dependence
from agent.reasoning.rules.thread.history import READ, Past, content
from agent.text import ENGLISH_STOP_WORDS, language_of, normalise, words
from agent.values.amounts import Amount, amounts
from agent.values.dates import weekdays

NAMING = 3
"""Words of a message that only names a row of a table."""
_SCALED = re.compile(r"\d\s?[^\W\d_]")
"""A number that is no bare one though it has no unit: 3억, 20 million."""
_COMPLETION = re.compile(r"\s?\([^()]*\)$")
"""What `completed` writes behind a question."""
_BARE = re.compile(r"(?<![\w.,/-])(?!(?:19|20)\d\d\b)(\d+)(?![.,]?\d|\s*\w)")
"""A number that nothing follows, and that is no year."""
_ROW = re.compile(r"\| |[-*•] |\d{1,2}[.)] ")
"""The beginning of a table's row, or a list's item."""
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_PERSON = re.compile(r"(?<![\w-])[A-Z][\w'’-]*[a-z](?: [A-Z][\w'’.-]*[a-z]){1,2}(?![\w-])")
"""Two or three words with capitals."""


def of_person(question: str, before: Past) -> str:
    """Return a question about "her" with the first person whom the answer before has in bold; empty for any other.

    Only who asked for a person was told of one: other names are of places. Where the question before names somebody,
    that is who is meant.
    """
    pointing = pattern("thread.persons")
    if (
        not pointing.search(question)
        or Kind.PERSON not in read(before.told).kinds
        or _PERSON.search(before.told)
        or any(map(context_dependence.is_name, content(question)))
    ):
        return ""
    lines = (line for line in before.answer.split("\n") if not answer_points.NAME.match(line))
    bold = (text for line in lines for text in _BOLD.findall(line))
    name = next((name for text in bold for name in _PERSON.findall(text)), "")
    return pointing.sub(lambda word: f"{name}'s" if word["of"] else name, question) if name else ""


def restated(question: str, before: Past) -> str:
    """Return the question before under the value of a message: in the place of its own, or behind it as supposed.

    Empty where the message asks anything itself, or says what was not asked.
    """
    text = normalise(before.told)
    if len(question) > READ or len(text) > READ:
        return ""
    chosen = before.asked == before.told  # then what stands in brackets is a choice, and may be the wrong one
    return (
        _put_right(question, _COMPLETION.sub("", text) if chosen else text, before.answer)
        or _swapped(question, text)
        or _supposed(question, text)
        or _of_row(question, text, before.answer)
    )


def _put_right(question: str, text: str, answer: str) -> str:
    """Return the question before about what a message says that it is about, in the place of what it is not."""
    language = language_of(question)
    forms = forms_of("thread.means_instead", language)
    found = next((match for form in forms if (match := form.search(question))), None)
    if found is None or language_of(text) != language:
        return ""
    told = found.groupdict(default="")
    said, gone = told["said"].rstrip(" ?.!"), told.get("gone", "")
    whole = told.get("lead", "") + said
    instead = re.sub(rf"\b{re.escape(gone)}", lambda _: said, text, count=1, flags=re.IGNORECASE) if gone else text
    if instead == text:  # what it is not is only pointed at, or not said
        instead = _in_place(said, _beside(said, text, answer) or replaced(f"… {whole}", text), text)
    return instead if instead != text else say("supposed", language, said=whole, question=text.rstrip(" ?.!"))


def _beside(said: str, text: str, answer: str) -> Set[str]:
    """Return the keys of words of a question that stand in another row, or item, of its answer than what is said now.

    What heads a table is of each of its rows.
    """
    mine = {word.key for word in content(said)}
    told = [*answer.split("\n"), ""]
    rows = [row for row, below in pairwise(told) if _ROW.match(row) and not below.startswith("| ---")]
    lines = [{word.key for word in content(row)} for row in rows]
    theirs = [line for line in lines if mine <= line]
    if not mine or not theirs:
        return frozenset()
    shared = frozenset().union(*theirs)
    others = frozenset().union(*(line for line in lines if line not in theirs))
    return {word.key for word in content(text) if word.key in others - shared}


def _in_place(said: str, gone: Set[str], text: str) -> str:
    """Return a question with what is said in the place of its one word that is gone; as it is where there are more."""
    places = [word for word in content(text) if word.key in gone]
    return f"{text[: places[0].start]}{said}{text[places[0].end :]}" if len(places) == 1 else text


def _swapped(question: str, text: str) -> str:
    """Return the question before with the one value of a message in the place of its one; a bare number is of its unit.

    Empty where the message says anything else that was not asked.
    """
    mine, theirs = _values(question), _values(text)
    bare = _BARE.search(question) if not mine else None
    mine = mine or tuple(each for each in amounts(question) if bare and each.start == bare.start(1))
    if len(mine) != 1 or len(theirs) != 1 or not (bare or _alike(mine[0], theirs[0])):
        return ""
    new, old = mine[0], theirs[0]
    said = {word.key for word in content(text)}
    beside = [word for word in content(question) if not new.start <= word.start <= new.end + 1]  # there is its unit
    others = {word.key for word in beside if not pattern("thread.of_values").match(word.text)}
    before = {word for word, *_ in words(question[: new.start]) if not is_hangul(word)} - ENGLISH_STOP_WORDS
    others |= {word for word in before if not pattern("thread.of_values").match(word)}
    if not others <= said:
        return ""
    unit = old.written.lstrip("0123456789,. ") if bare else ""
    return text[: old.start] + question[new.start : new.end] + unit + text[old.end :]


def _supposed(question: str, text: str) -> str:
    """Return the question before with what a message supposes of a value, where that is all that it says."""
    language = language_of(question)
    supposing = patterns("thread.supposing").get(language)
    found = supposing.search(question) if supposing else None
    if found is None or not _values(question) or language_of(text) != language:
        return ""
    if any(_alike(new, old) for new in _values(question) for old in _values(text)):
        return ""  # which of the two is meant then is not said
    return say("supposed", language, said=found["said"].rstrip(" ?.!"), question=text.rstrip(" ?.!"))


def _of_row(question: str, text: str, answer: str) -> str:
    """Return the question before about a row of the table in its answer that a message only names: "I am an intern".

    Where that names a row itself, the message names another one, and that is read otherwise.
    """
    mine = {word.key for word in content(question) if not context_dependence.is_common(word)}
    language = language_of(question)
    if not 0 < len(mine) <= NAMING or is_question(question) or language_of(text) != language:
        return ""
    rows = [{word.key for word in content(line)} for line in answer.split("\n") if line.startswith("| ")][2:]
    asked = {word.key for word in content(text) if not context_dependence.is_common(word)}
    if not any(mine <= row for row in rows) or any(asked & row for row in rows):
        return ""
    return say("supposed", language, said=question.rstrip(" ?.!"), question=text.rstrip(" ?.!"))


def replaced(question: str, asked: str) -> Set[str]:
    """Return the keys of words of an earlier question that a message puts others in the place of.

    That is what stood behind the same word ("on macOS"), else its one name, unless that is all that it speaks of.
    """
    roles = {word.role for word in content(question)}
    gone = [word for word in content(asked) if context_dependence.is_replaced(word, question)]
    keys = {word.key for word in gone if word.role in roles}
    if not keys and len(gone) == 1 < len(content(asked)):
        keys = {gone[0].key}
    return keys | other_values(question, asked)


def other_values(question: str, asked: str) -> Set[str]:
    """Return the keys of words of an earlier question that are a value, or a day, of which a message gives another."""
    mine = _values(question[:READ])
    gone = [each for each in _values(normalise(asked[: 2 * READ])[:READ]) if any(_alike(each, new) for new in mine)]
    said = content(asked)
    keys = {word.key for word in said if any(each.start <= word.start < each.end for each in gone)}
    return keys | {word.key for word in said if weekdays(question) and weekdays(word.text)}


@lru_cache(maxsize=128)
def _values(text: str) -> tuple[Amount, ...]:
    return tuple(each for each in amounts(text) if each.unit or each.is_rate or _SCALED.search(each.written))


def _alike(one: Amount, other: Amount) -> bool:
    return one.unit == other.unit and one.is_rate == other.is_rate
