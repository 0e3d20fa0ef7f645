"""Days that a question names by how far they are from today, as the passages write them.

"Who is on duty tomorrow?" is about the rota's row of that date or of that day of the week. A day counts where a passage
has it beside another word of the question, or the question has no other: else it is when something is asked.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from agent.language import lexicon
from agent.language.ko.stems import meant_of
from agent.ports import LexicalIndex, Passages
from agent.retrieval.mending import texts_with
from agent.text import language_of, stop_words, term_of_day, tokens, words
from agent.types import Audience, Query
from agent.values.dates import weekdays
from agent.values.names import day_name, weekday_name
from agent.values.relative_days import RelativeDay, relative_days


async def dated(
    queries: Sequence[Query], today: date, *, lexical: LexicalIndex, passages: Passages, audience: Audience
) -> Mapping[str, str]:
    """Return words of queries that stand for a day, each with that day behind it. Raises StorageError."""
    out: dict[str, str] = {}
    for query in queries:
        for found in relative_days(query.text, today):
            language, others = language_of(query.text), _others(query.text, found)
            names = {day_name(found.day, language): _is_dated}
            if not found.named:
                names = {weekday_name(found.day.weekday(), language): _is_weekly, **names}
            behind = []
            for name, holds in names.items():
                texts = await texts_with(name, lexical, passages, audience)
                if any(holds(text, found.day) and (not others or others & set(tokens(text))) for text in texts):
                    behind.append(name)
            if behind:
                word = next(query.text[i:j] for _, i, j in words(query.text) if i <= found.start < j)
                out[word] = " ".join([word, *behind])
    return out


def _others(text: str, found: RelativeDay) -> set[str]:
    """Return the terms of a question that say something besides the day."""
    beside = (word for word, start, end in words(text) if end <= found.begin or start >= found.end)
    said = map(meant_of, beside)
    told = [word for word in said if word not in lexicon.words("reading.faint")]
    return set(tokens(" ".join(told))) - stop_words(language_of(text))


def _is_dated(text: str, day: date) -> bool:
    return term_of_day(day) in tokens(text)


def _is_weekly(text: str, day: date) -> bool:
    return day.weekday() in weekdays(text)
