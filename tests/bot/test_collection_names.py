"""Which names a collection may have, and that an odd one that is there stays in use."""

import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from bot.cli import main


def weft(data, *words):
    return CliRunner().invoke(main, [*words, "--data", str(data)])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# A\n\nThe gate closes at nine.\n")
    return tmp_path


COMMANDS = {
    "ingest": ("ingest", "a.md", "--collection"),
    "watch": ("watch", "add", "a.md", "--collection"),
    "create": ("collections", "create"),
}


@pytest.mark.parametrize("name", ["web", "Web", "attached"])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_reserved_name_is_refused_with_a_sentence(folder, name, command):
    result = weft(folder / "data", *command, name)
    assert result.exit_code == 2 and f"{name!r} is what answers cite" in result.stderr
    assert not (folder / "data").exists()


@pytest.mark.parametrize("name", ["", "Bad Name!", "a b/c", "x" * 81])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_an_odd_name_is_refused_with_the_names_that_may_be(folder, name, command):
    result = weft(folder / "data", *command, name)
    assert result.exit_code == 2, result.output
    assert f"{name!r} cannot be a collection: write letters, digits and . _ - @ +, at most 80" in result.stderr
    assert weft(folder / "data", "watch", "list").stdout == ""
    made = weft(folder / "data", "collections", "list").stdout.splitlines()
    assert not any(line.startswith(f"{name}\t") for line in made)


@pytest.mark.parametrize(
    "command",
    [("documents", "list"), ("documents", "show", "a.md"), ("documents", "remove", "a.md"), ("search", "gate")],
    ids=" ".join,
)
def test_an_empty_name_is_never_taken_as_none_given(folder, command):
    assert weft(folder / "data", "ingest", "a.md").exit_code == 0
    result = weft(folder / "data", *command, "--collection", "")
    assert result.exit_code == 2 and "empty" in result.stderr, result.output
    assert "\ta.md\t" in weft(folder / "data", "documents", "list").stdout


@pytest.mark.parametrize("command", [("ingest",), ("watch", "add")], ids=" ".join)
def test_an_empty_path_is_not_the_folder_that_somebody_is_in(folder, command):
    result = weft(folder / "data", *command, "")
    assert result.exit_code == 2 and "empty" in result.stderr, result.output
    assert weft(folder / "data", "watch", "list").stdout == ""
    assert "a.md" not in weft(folder / "data", "documents", "list").stdout


@pytest.mark.parametrize("name", ["schedule", "watch", "groups", "channels"])
def test_an_empty_list_is_said_to_be_one(folder, name):
    result = weft(folder / "data", name, "list")
    assert (result.exit_code, result.stdout) == (0, "") and f"`weft {name} " in result.stderr


def test_an_odd_collection_that_is_there_is_read_brought_up_to_date_and_removed(folder):
    data, odd = folder / "data", "Bad Name!"
    assert weft(data, "ingest", "a.md", "--collection", "team").exit_code == 0
    with closing(sqlite3.connect(data / "weft.db")) as database, database:
        database.execute("UPDATE collections SET name=? WHERE name='team'", (odd,))
    assert "gate" in weft(data, "search", "gate", "--collection", odd).stdout
    assert weft(data, "ingest", "a.md", "--collection", odd).exit_code == 0
    assert weft(data, "watch", "add", "a.md", "--collection", odd).exit_code == 0
    assert f"{odd!r}, " in weft(data, "documents", "list", "--collection", "none").stderr
    assert weft(data, "documents", "remove", "a.md", "--collection", odd).stdout == "removed a.md\n"
    assert weft(data, "collections", "remove", odd).exit_code == 0
    assert weft(data, "ingest", "a.md", "--collection", odd).exit_code == 2
