"""Every word in both languages, with the same gaps to fill, and none that nobody says."""

import re
import string
from pathlib import Path

import pytest

from agent.language import keys, say

ROOT = Path(__file__).parents[1]


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", keys())
def test_both_languages_say_it_with_the_same_gaps(key):
    english, korean = say(key, "en"), say(key, "ko")
    assert english.strip() and korean.strip() and gaps(english) == gaps(korean)
    assert re.search("[가-힣]", korean) or not re.search("[A-Za-z]{2}", re.sub(r"\{[^}]*\}", "", korean))


def test_every_key_is_used():
    code = "\n".join(
        path.read_text()
        for folder in ("bot", "agent", "adapters", "storage")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".js", ".yaml"} and path.name != "messages.yaml"
    )
    built = set(re.findall(r"[`\"']([a-z]+_(?:[a-z]+_)?)\$?\{", code))  # some names are put together
    assert [key for key in keys() if key not in code and not any(key.startswith(stem) for stem in built)] == []


def test_an_unknown_key_is_an_error():
    with pytest.raises(KeyError):
        say("no such key", "en")
