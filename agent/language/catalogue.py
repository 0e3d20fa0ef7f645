"""Every word that Weft says by itself, chosen by the asker's language: `messages.yaml` of each language's folder.

`say("no_answer", "ko")` returns a text; named values go in as `say("too_long", "en", limit=8000)`.
"""

from agent.language.registry import DEFAULT, read
from agent.types import Language


def say(key: str, language: Language, **values: object) -> str:
    """Return the words for a key. Raises KeyError for a key or a value that is missing."""
    text: str = read(language, "messages").get(key) or read(DEFAULT, "messages")[key]
    return text.format(**values) if values else text


def keys() -> tuple[str, ...]:
    """Return every key of the catalogue."""
    return tuple(read(DEFAULT, "messages"))
