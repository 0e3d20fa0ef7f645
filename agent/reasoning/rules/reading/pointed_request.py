"""What a message wants of the messages that it points at: "summarize this thread", "이거 맞아?", a bare mention."""

import re
from dataclasses import dataclass

from agent.language.ko.letters import is_hangul
from agent.language.lexicon import pattern
from agent.language.lexicon import words as listed
from agent.text import normalise, says_anything, strip_particle, words
from agent.types import Aim

READ = 300
"""Characters of a message that are read; a longer one asks something of its own."""


@dataclass(frozen=True, slots=True)
class Aimed:
    """What is wanted, and what else the message says."""

    aim: Aim
    about: tuple[str, ...] = ()
    """The words that are left: whom or what it is about."""
    names_thread: bool = False
    """Whether it speaks of the thread as such."""


_THREAD = pattern("reading.thread_names")
_AIMS: tuple[Aim, ...] = ("decision", "check", "said", "summary", "answer")
"""The first of which a message holds a cue is its aim."""
_CUES = tuple((aim, pattern(f"reading.aim_{aim}")) for aim in _AIMS)
_FILLER = listed("reading.pointed_filler")
_NOT_NAMED = listed("reading.not_named")
_NOT_SAID = re.compile(r"<?https?://\S+|@\S+|^[ \t]*>.*$", re.MULTILINE)


def aim_of(text: str) -> Aimed | None:
    """Return what a message wants of the messages it points at; None for one that asks something of its own.

    One without a word wants what it points at to be answered.
    """
    said = normalise(_NOT_SAID.sub(" ", text)).replace("’", "'")
    if len(said) > READ:
        return None
    if not says_anything(said):
        return Aimed("answer")
    for aim, cue in _CUES:
        found = cue.search(said)
        if found is not None:
            return Aimed(aim, _left(said, found, aim), _THREAD.search(said) is not None)
    return None


def words_besides(said: str, cue: re.Match[str]) -> tuple[str, ...]:
    """Return the words of a message that stand outside of a cue and name something."""
    return _naming(_outside(said, cue))


def _left(said: str, cue: re.Match[str], aim: Aim) -> tuple[str, ...]:
    """Return the words that neither the cue nor the thread's name takes; whom a cue names is among them."""
    rest = _outside(said, cue)
    if aim in ("check", "said"):  # "is Bob right?", "what did Bob say?"
        rest = said.replace(cue.group(), " ".join(_named(cue.group())))
    return _naming(_THREAD.sub(" ", rest))


def _outside(said: str, cue: re.Match[str]) -> str:
    return f"{said[: cue.start()]} {said[cue.end() :]}"


def _naming(text: str) -> tuple[str, ...]:
    return tuple(word for word, _, _ in words(text) if word not in _FILLER and strip_particle(word) not in _FILLER)


def _named(cue: str) -> list[str]:
    """Return the words of a cue that may be somebody's name."""
    return [word for word, _, _ in words(cue) if word not in _NOT_NAMED and not is_hangul(word)]
