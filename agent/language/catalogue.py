"""Every word that Weft says by itself, chosen by the asker's language: `messages.yaml` of each language's folder.

`say("no_answer", "ko")` returns a text; named values go in as `say("too_long", "en", limit=8000)`. A language whose
words change with what is put beside them has an `inserted.py`, whose function of that name makes a value fit.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from agent.language.registry import DEFAULT, ROOTS, Language, read


def say(key: str, language: Language, **values: object) -> str:
    """Return the words for a key. Raises KeyError for a key or a value that is missing."""
    own: str | None = read(language, "messages").get(key)
    text: str = own or read(DEFAULT, "messages")[key]
    insert = _inserting(language if own else DEFAULT)
    return text.format(**{name: insert(value) for name, value in values.items()}) if values else text


@cache
def _inserting(language: Language) -> Callable[[object], object]:
    """Return what makes a value fit into a text of a language."""
    if not (ROOTS[0] / language / "inserted.py").is_file():
        return lambda value: value
    made: Callable[[object], object] = import_module(f"agent.language.{language}.inserted").inserted
    return made


def keys() -> tuple[str, ...]:
    """Return every key of the catalogue."""
    return tuple(read(DEFAULT, "messages"))
