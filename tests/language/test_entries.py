"""Every entry of a language's files says what it is for, and holds what it can be asked for."""

from pathlib import Path

import pytest
import yaml

from agent.language import lexicon
from agent.language.lexicon import HOLDS
from agent.language.registry import ROOTS, languages, profile, read, scripts

FILES = sorted(path for path in ROOTS[0].glob("*/*.yaml") if path.stem not in ("language", "messages"))
ENTRIES = [(path, name) for path in FILES for name in read(path.parent.name, path.stem)]


def of(path: Path, name: str) -> dict:
    return read(path.parent.name, path.stem)[name]


@pytest.mark.parametrize(("path", "name"), ENTRIES, ids=lambda each: getattr(each, "stem", each))
def test_an_entry_is_well_formed(path, name):
    entry = of(path, name)
    assert set(entry) >= {"about"} and entry["about"].strip()
    (holds,) = set(entry) - {"about"}
    assert holds in HOLDS
    asked, code = f"{path.stem}.{name}", path.parent.name
    if holds == "patterns":  # a colon and a space in a pattern without quotes make a mapping of it
        assert all(
            isinstance(piece, str) for each in entry[holds] for piece in ([each] if isinstance(each, str) else each)
        )
    elif holds == "map":
        assert lexicon.mapping(asked, code) and all(isinstance(key, str) for key in entry[holds])
    elif holds == "groups":
        assert lexicon.groups(asked, code)
    else:
        assert all(isinstance(word, str) for word in lexicon.ordered(asked, code)) and lexicon.words(asked, code)


@pytest.mark.parametrize("path", sorted(ROOTS[0].glob("*/*.yaml")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_file_has_no_name_twice_and_no_long_line(path):
    text = path.read_text("utf-8")
    keys = [key.value for key, _ in yaml.compose(text, yaml.CSafeLoader).value]
    assert len(keys) == len(set(keys))
    assert max(map(len, text.splitlines())) <= 120


def test_every_language_has_a_script():
    assert all(profile(code).script in scripts() for code in languages())
