"""Which of the messages that were read a question is about, and what it wants of them."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from agent.addressing import asks, puts_question
from agent.language.lexicon import pattern
from agent.pointed_messages import GONE, Pointed
from agent.reasoning.message.smalltalk import small_talk
from agent.reasoning.rules.reading.answer_request import about_answer
from agent.reasoning.rules.reading.pointed_request import Aimed, aim_of
from agent.text import clipped, normalise, says_anything, sentences, strip_particle, tokens, words
from agent.types import Aim, Said

WORDS = 500
"""Characters of somebody's statement or question that are taken up, and told again in the answer."""
_LEAST_WORDS = 3
"""Of a message that states something: "ok, thanks" does not."""
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted, of which messages."""

    aim: Aim
    messages: tuple[Said, ...] = ()
    """Those that are told of: of a summary, a decision, what somebody said."""
    target: Said | None = None
    """Whose statement is to be checked, or question to be answered; None: there is none."""
    words: str = ""
    """That statement or question."""


def wish_of(text: str, pointed: Pointed, *, answered: bool) -> Wish | None:
    """Return what a message wants of what it points at; None for one that asks something of its own.

    `answered`: whether Weft gave an answer in this thread; then it is that which "is that correct?" is about, where
    nothing else is pointed at. What was pointed at and is gone is not made up for by another message.
    """
    aimed = aim_of(text)
    if aimed is None:
        return None
    gone = pointed.trouble == GONE
    if not (pointed.target or aimed.names_thread or gone) and (small_talk(text) or (answered and about_answer(text))):
        return None
    mine, topic = named(aimed.about, pointed.said)
    messages = tuple(each for each in _saying(pointed.said) if not mine or each.author.id in mine)
    if aimed.aim == "summary":
        return Wish("summary", messages) if aimed.names_thread or not topic else None
    if aimed.aim in ("decision", "said"):
        return _told(aimed, messages, topic, by_somebody=bool(mine))
    if topic:
        return None
    pointed_at = [each for each in pointed.said if each.id in pointed.target and (not mine or each.author.id in mine)]
    latest = None if gone else _stated(messages) if aimed.aim == "check" else _asked(messages)
    found, bare = pointed_at[0] if pointed_at else latest, not says_anything(text)
    if found is None:
        return None if answered and not (bare or gone) else Wish(aimed.aim)
    return _about(aimed.aim, found, bare=bare)


def lent(pointed: Pointed) -> Said | None:
    """Return the message that a question of its own may lean on: the one pointed at, or the last question."""
    for each in pointed.said:
        if each.id in pointed.target:
            return each
    return next((each for each in reversed(_saying(pointed.said)) if asks(each.text)), None)


def plain(text: str) -> str:
    """Return the words of a message on one line, without the marks of quotations, clipped to `WORDS`."""
    return clipped(normalise(_QUOTED.sub("", text)), WORDS)


def _told(aimed: Aimed, messages: tuple[Said, ...], topic: Sequence[str], *, by_somebody: bool) -> Wish | None:
    """Return the wish for a part of a thread; None where the thread is not about the topic: the documents may be."""
    if topic:
        wanted = [tokens(strip_particle(word)) for word in topic]
        terms = [(each, frozenset(tokens(each.text))) for each in messages]
        held = [(each, sum(own.issuperset(word) for word in wanted)) for each, own in terms]
        most = max((count for _, count in held), default=0)
        if 2 * most < len(topic):
            return None
        if aimed.aim == "said":
            messages = tuple(each for each, count in held if 2 * count >= most)
    elif aimed.aim == "said" and not by_somebody and not aimed.names_thread:
        return None
    return Wish(aimed.aim, messages)


def _about(aim: Aim, target: Said, *, bare: bool) -> Wish:
    """Return the wish about one message: a question in it is answered, and no less what an answer is asked for.

    With a bare mention a statement is checked.
    """
    put = [target.text[start:end] for start, end in sentences(target.text) if asks(target.text[start:end])]
    if put and (aim == "answer" or puts_question(target.text)):
        return Wish("answer", target=target, words=plain(" ".join(put)))
    return Wish("check" if bare else aim, target=target, words=plain(target.text))


def _saying(messages: Sequence[Said]) -> list[Said]:
    """Return the messages without those that only point at others, as what Weft was asked in the thread before."""
    aims = [(each, aim_of(plain(each.text))) for each in messages]
    return [each for each, aimed in aims if aimed is None or aimed.about]


def _stated(messages: Sequence[Said]) -> Said | None:
    """Return the latest message that states something."""
    return next((each for each in reversed(messages) if not puts_question(each.text) and _says_something(each)), None)


def _asked(messages: Sequence[Said]) -> Said | None:
    """Return the latest message that asks something, else the first that tells of anything."""
    asked = (each for each in reversed(messages) if asks(each.text))
    return next(asked, None) or next((each for each in messages if _says_something(each)), None)


def _says_something(said: Said) -> bool:
    return sum(1 for _ in words(said.text)) >= _LEAST_WORDS and not small_talk(said.text)


def named(about: Sequence[str], messages: Sequence[Said]) -> tuple[Collection[str], list[str]]:
    """Return the ids of the authors that are named, and the words that name nobody."""
    parts = {each.author.id: {word for word, _, _ in words(each.author.name)} for each in messages}
    mine: set[str] = set()
    topic = []
    for word in about:
        bare = pattern("thread.titles").sub("", strip_particle(word))
        ids = {id for id, names in parts.items() if word in names or bare in names}
        mine |= ids
        if not ids:
            topic.append(word)
    return mine, topic
