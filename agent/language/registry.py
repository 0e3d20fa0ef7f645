"""The languages that Weft speaks: a folder each, of data that a person can edit.

A folder is named by its code and holds `language.yaml` (its name, its script), `messages.yaml` (what Weft says) and one
file for each room of the code that reads words (`reading.yaml`, ...). What a language lacks, it does without: English
stands in for messages, and a cue that it does not have is not recognised in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Language = str
"""The code of a language: one of `languages()`."""
DEFAULT = "en"
"""The language that stands in where another lacks a message, and of a text that has none."""
ROOTS: list[Path] = [Path(__file__).parent]
"""Folders in which the languages' folders are. Words are read when modules load: add to it before they do."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a language as a whole."""

    code: str
    name: str
    endonym: str
    """Its name in itself."""
    script: str
    """A key of `scripts.yaml`."""
    verb_last: bool = False
    """Whether the verb stands last in a sentence: what is wanted is told by its end, and not by how it begins."""
    page: int = 2250
    """Characters of a page, as people write one."""
    locale: str = ""
    """What files that Weft makes are marked with, such as `en-GB`; the code where it is empty."""


@dataclass(frozen=True, slots=True)
class Script:
    """The letters that a text is written in."""

    letters: str
    """As inside the brackets of a regular expression."""
    weight: float
    """How many Latin letters one of them carries as much as."""


@cache
def languages() -> tuple[Language, ...]:
    """Return the codes of all languages, the default first."""
    found = sorted(path.parent.name for root in ROOTS for path in root.glob("*/language.yaml"))
    return (DEFAULT, *(code for code in dict.fromkeys(found) if code != DEFAULT))


def registered(code: str) -> Language:
    """Return the code of a language, as somebody wrote it. Raises ValueError for one that has no folder."""
    if code not in languages():
        raise ValueError(f"{code!r} is no language that Weft speaks; there are {', '.join(languages())}")
    return code


@cache
def profile(code: str) -> Profile:
    """Return what is known of a language. Raises KeyError for one that has no folder."""
    if code not in languages():
        raise KeyError(code)
    return Profile(code=code, **read(code, "language"))


@cache
def scripts() -> Mapping[str, Script]:
    """Return every script by name, the heaviest first."""
    files = [path for root in ROOTS if (path := root / "scripts.yaml").is_file()]
    data = {name: each for path in files for name, each in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader).items()}
    ordered = sorted(data.items(), key=lambda item: -item[1]["weight"])
    return {name: Script(**each) for name, each in ordered}


@cache
def read(code: str, name: str) -> Mapping[str, Any]:
    """Return a file of a language's folder; empty where there is none. Raises ValueError for one that is no mapping."""
    for root in reversed(ROOTS):
        path = root / code / f"{name}.yaml"
        if path.is_file():
            data = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
            if not isinstance(data, dict):
                raise ValueError(f"{path}: a mapping of names is expected")
            return data
    return {}
