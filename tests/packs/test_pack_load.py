import shutil

import pytest

from agent.errors import PackError
from agent.packs.load import available, builtin, load_pack
from agent.packs.pack import Limits, Pack

IN_FILE = [name for name in Pack.model_fields if name not in ("folder", "templates")]

GOOD = """\
name: mine
title: {en: Mine, ko: 내 팩}
description: {en: About us., ko: 우리에 관하여.}
intents:
  - name: greeting
    route: direct
    examples: [hi, hello, 안녕]
    reply: {en: Hello!, ko: 안녕하세요!}
limits:
  passages: 5
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


def test_sub_folders_named_like_collections_are_collections(folder):
    scope = "scopes:\n  - {name: law, title: {en: Law, ko: 법}, collections: [legal], keywords: [law]}\n"
    for name in ("legal/a.md", "en/b.md", "c.md"):
        file = folder / "documents" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# A\n")
    root = folder.resolve() / "documents"
    assert loaded(folder, GOOD + scope).holdings() == {"mine": (root / "c.md", root / "en"), "legal": (root / "legal",)}
    assert loaded(folder, GOOD).holdings() == {"mine": (root,)}
    (root / "c.md").unlink()
    shutil.rmtree(root / "en")
    assert loaded(folder, GOOD + scope).holdings() == {"legal": (root / "legal",)}
    shutil.rmtree(root)
    assert loaded(folder, GOOD + scope).holdings() == {}


def loaded(folder, text):
    (folder / "pack.yaml").write_text(text, encoding="utf-8")
    return load_pack(folder)


def problems(folder, text):
    """Return the lines of the error, without the name of the file that each begins with."""
    with pytest.raises(PackError) as caught:
        loaded(folder, text)
    start = f"{folder / 'pack.yaml'}:"
    lines = str(caught.value).splitlines()
    assert all(line.startswith(start) for line in lines)
    return [line.removeprefix(start).strip() for line in lines]


def test_a_pack_is_read_with_its_folder_and_defaults(folder):
    pack = loaded(folder, GOOD)
    assert (pack.name, pack.title.of("ko"), pack.languages) == ("mine", "내 팩", ("en", "ko"))
    assert pack.documents == folder / "documents"
    assert (pack.limits.passages, pack.limits.max_retries) == (5, 3)
    assert pack.intents[0].reply.of("en") == "Hello!"
    assert load_pack(folder / "pack.yaml") == pack


def test_every_mistake_is_told_by_line_key_and_what_is_allowed(folder):
    text = GOOD.replace("route: direct", "route: ask").replace("passages: 5", "passages: 99\n  pasages: 3")
    text = text.replace("[hi, hello, 안녕]", "[hi]").replace("name: mine", "name: My Pack") + "colections: [a]\n"
    found = problems(folder, text)
    assert found == [
        "1: name: 'My Pack' is not allowed; use small letters, digits and _, beginning with a letter",
        "6: intents.0.route: 'ask' is not allowed; use 'direct', 'decline', 'contextualize', "
        "'research', 'explain', 'followup' or 'clarify'",
        "7: intents.0.examples: list should have at least 3 items, not 1",
        "10: limits.passages: should be less than or equal to 50",
        f"11: limits.pasages: unknown key (did you mean passages?); allowed are {', '.join(Limits.model_fields)}",
        f"12: colections: unknown key (did you mean collections?); allowed are {', '.join(IN_FILE)}",
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("{en: Mine, ko: 내 팩}", "Mine", '2: title: must say its language: write {en: "Mine"}'),
        ("{en: Mine, ko: 내 팩}", "{en: Mine}", "2: title.ko: is missing"),
        (
            "{en: Mine, ko: 내 팩}",
            "{en: Mine, ko: 7}",
            "2: title.ko: is a number or date to YAML, and should be a text: put it",
        ),
        ("name: greeting", "name: off", "5: intents.0.name: is a yes or no to YAML, and should be a text: put it"),
        (
            "{en: Mine, ko: 내 팩}",
            "{en: A, ko: B, fr: C}",
            "2: title.fr: 'fr' is no language that Weft speaks; there are en, ko",
        ),
        (
            "title: {",
            "languages: [en, fr]\ntitle: {",
            "2: languages.1: 'fr' is no language that Weft speaks; there are en, ko",
        ),
        ("name: mine\n", "", "1: name: is missing"),
        ("name: mine\n", "name: web\n", "1: name: the name 'web' is taken by Weft; choose another"),
        ("  - name: greeting", "  - nam: greeting", "5: intents.0.name: is missing"),
        ("limits:\n  passages: 5", "intents_: 3", "9: intents_: unknown key (did you mean intents?)"),
        ("limits:\n", "people: {slack: '@hr'}\nlimits:\n", "9: people.slack: '@hr' is no id of a user group: write S0"),
        ("limits:\n", "people: {discord: hr}\nlimits:\n", "9: people.discord: 'hr' is no id of a role: write digits"),
        ("limits:\n", "people: {irc: hr}\nlimits:\n", "9: people.irc: unknown key"),
        ("limits:\n", "folder: /etc\nlimits:\n", "9: folder: unknown key"),
    ],
)
def test_one_mistake(folder, old, new, problem):
    assert problems(folder, GOOD.replace(old, new))[0].startswith(problem)


def test_two_intents_of_one_name_are_refused(folder):
    twice = GOOD.replace("limits:", "  - {name: greeting, examples: [a, b, c]}\nlimits:")
    told = "9: intents.1.name: 'greeting' is the name of another one; give each of the intents its own"
    assert problems(folder, twice) == [told]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "slots: [{name: day, title: {en: D, ko: 날}, type: date, required_for: [rental]}]\n",
            "11: slots.0.required_for: 'rental' is no intent; there are greeting",
        ),
        (
            "scopes:\n  - {name: a, title: {en: A, ko: 가}, collections: [mine], intents: [b]}\n",
            "12: scopes.0.intents: 'b' is no intent; there are greeting",
        ),
        ("synonyms:\n  - [a, b]\n  - [c, B]\n", "13: synonyms.1: 'b' stands in several groups; put what means"),
        ("collection: [a]\n", "11: collection: unknown key (did you mean collections?); allowed are name, title"),
        ("이름: a\n", "11: 이름: unknown key; allowed are name, title"),
    ],
)
def test_what_does_not_fit_together_is_told_by_its_line(folder, text, problem):
    assert problems(folder, GOOD + text)[0].startswith(problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: [a\ntitle: b\n", "2: not YAML"),
        ("name: a\n\tb: c\n", "2: not YAML"),
        ("name: !!python/object:os.system {}\n", "1: not YAML"),
        ("name: a\0", "not YAML"),
        ("", "a pack is a mapping of keys"),
        ("- a\n", "a pack is a mapping of keys"),
    ],
)
def test_what_is_no_pack_at_all(folder, text, problem):
    assert problems(folder, text)[0].startswith(problem)


def test_a_folder_without_a_pack_and_a_file_that_is_no_text(folder):
    with pytest.raises(PackError, match=r"pack\.yaml: there is no such file"):
        load_pack(folder)
    (folder / "pack.yaml").write_bytes(b"name: \xff")
    with pytest.raises(PackError, match="not UTF-8 at byte 6"):
        load_pack(folder)


def test_an_unknown_name_lists_those_there_are():
    assert "handbook" in available()
    for name in ("nonsense", "../packs/handbook", ""):
        with pytest.raises(PackError, match=r"Available: .*handbook"):
            builtin(name)


def test_a_copy_of_a_pack_is_a_pack(tmp_path):
    shutil.copytree(builtin("handbook"), tmp_path / "copy")
    assert load_pack(tmp_path / "copy").documents == tmp_path / "copy" / "documents"


def test_a_pack_tells_words_of_its_trade_in_english(folder):
    pack = loaded(folder, GOOD + "translations:\n  안식휴직, 안식월: sabbatical, long leave\n")
    assert pack.trade == (("안식휴직, 안식월", "sabbatical, long leave"),)
    assert problems(folder, GOOD + "translations: [안식휴직]\n") and not loaded(folder, GOOD).trade
