"""`weft collections` and `weft groups`, and what they say when something is wrong."""

import json

import pytest
from click.testing import CliRunner

from agent.errors import UsageError
from bot.cli import main
from bot.operator.access import parse_members, parse_readers

PACK = "{name: rules, title: {en: Rules, ko: 규정}, description: {en: The rules., ko: 규정입니다.}}"


@pytest.fixture
def weft(own_place, tmp_path):
    """Run a command on a data folder of its own, with a pack that has no documents."""
    (tmp_path / "pay.md").write_text("# Pay\n\nThe salary of grade seven is 71,000 euros a year.\n")
    return lambda *args: CliRunner().invoke(main, args)


def refused(result) -> str:
    assert result.exit_code == 2 and "Traceback" not in result.output, result.output
    (line,) = result.stderr.strip().splitlines()
    return line


def found(weft, *who: str) -> bool:
    return bool(json.loads(weft("search", "salary of grade seven", "--json", *who).stdout)["hits"])


def test_a_collection_that_is_made_first_is_closed_from_its_first_document_on(weft):
    made = weft("collections", "create", "hr", "--readers", "channel:slack:T1:C1", "user:slack:T1:U1", "--json")
    assert json.loads(made.stdout)["readers"] == ["channel:slack:T1:C1", "user:slack:T1:U1"]
    assert weft("ingest", "pay.md", "--collection", "hr").exit_code == 0
    (listed,) = json.loads(weft("collections", "list", "--json").stdout)
    assert listed == {
        "name": "hr", "documents": 1, "passages": 1, "sample": False,
        "readers": ["channel:slack:T1:C1", "user:slack:T1:U1"],
    }  # fmt: skip
    assert "channel:slack:T1:C1, user:slack:T1:U1" in weft("collections", "list").stdout
    assert found(weft) and found(weft, "--as", "slack:T1:U1") and found(weft, "--channel", "slack:T1:C1")
    assert not found(weft, "--as", "slack:T1:U2") and not found(weft, "--channel", "slack:T1:C2")
    assert not found(weft, "--as", "slack:T1:U1", "--channel", "slack:T1:C2")  # the others there may not


def test_readers_are_shown_added_removed_and_replaced(weft):
    weft("collections", "create", "hr")
    weft("ingest", "pay.md", "--collection", "hr")
    assert weft("collections", "readers", "hr").stdout == "hr is read by everyone\n"
    opened = weft("collections", "readers", "hr", "--add", "user:slack:T1:U1")
    assert "open to everyone" in opened.stderr  # to add a reader closes nothing
    weft("collections", "readers", "hr", "--remove", "everyone")
    assert found(weft, "--as", "slack:T1:U1") and not found(weft, "--as", "slack:T1:U2")
    shown = weft("collections", "readers", "hr", "--set", "workspace:slack:T1,group:finance", "--json")
    assert json.loads(shown.stdout)["readers"] == ["group:finance", "workspace:slack:T1"]
    assert "nobody is in group:finance yet" in shown.stderr
    assert found(weft, "--as", "slack:T1:U2") and not found(weft, "--as", "slack:T2:U2")
    assert "was no reader" in weft("collections", "readers", "hr", "--remove", "user:slack:T1:U9").stderr
    assert weft("collections", "readers", "hr", "--set", "nobody").stdout == "hr is read by nobody but the operator\n"
    assert found(weft) and not found(weft, "--as", "slack:T1:U2")


def test_a_group_opens_and_closes_for_its_members(weft):
    weft("collections", "create", "hr", "--readers", "group:finance")
    weft("ingest", "pay.md", "--collection", "hr")
    assert not found(weft, "--as", "slack:T1:U1")
    assert weft("groups", "add", "finance", "user:slack:T1:U1", "channel:slack:T1:C1").stdout == "2 added to finance\n"
    assert found(weft, "--as", "slack:T1:U1") and found(weft, "--channel", "slack:T1:C1")
    assert not found(weft, "--channel", "slack:T1:C2")
    members = ["channel:slack:T1:C1", "user:slack:T1:U1"]
    assert json.loads(weft("groups", "list", "--json").stdout) == [{"name": "finance", "members": members}]
    assert weft("groups", "list").stdout == "finance\tchannel:slack:T1:C1, user:slack:T1:U1\n"
    weft("groups", "remove", "finance", "user:slack:T1:U1")
    assert not found(weft, "--as", "slack:T1:U1") and found(weft, "--channel", "slack:T1:C1")
    assert "hr still names group:finance" in weft("groups", "remove", "finance").stderr
    assert not found(weft, "--channel", "slack:T1:C1") and weft("groups", "list").stdout == ""


def test_guests_lose_what_the_workspace_may_read(weft):
    weft("collections", "create", "hr", "--readers", "workspace:slack:T1")
    weft("ingest", "pay.md", "--collection", "hr")
    assert found(weft, "--channel", "slack:T1:C9")
    weft("groups", "add", "guests", "channel:slack:T1:C9")
    assert not found(weft, "--channel", "slack:T1:C9") and found(weft, "--channel", "slack:T1:C1")


def test_a_collection_is_removed_with_its_documents_after_asking(weft):
    weft("ingest", "pay.md", "--collection", "hr")
    assert "--yes" in refused(weft("collections", "remove", "hr")) and found(weft)
    assert weft("collections", "remove", "hr", "--yes").stdout.startswith("removed hr with 1 document;")
    assert not found(weft) and weft("documents", "list").stdout == ""
    weft("ingest", "pay.md", "--collection", "hr")
    assert found(weft)  # the file is read again


@pytest.mark.parametrize("question", ["What is the salary of grade seven?", "Who won the football cup?", "salary"])
def test_closed_documents_change_nothing_in_what_is_answered(weft, tmp_path, question):
    """Not the answer, not a score, not a count, not a title: the response is the same to the letter."""

    def ask() -> str:
        response = json.loads(weft("ask", question, "--as", "slack:T1:U1", "--json").stdout)
        for name in ("thread_id", "turn_id", "timings", "total_ms"):
            del response[name]
        (response["plan"] or {}).pop("estimated_total_ms", None)  # it grows out of what was asked before
        for step in (response["plan"] or {"steps": ()})["steps"]:
            del step["started_at"], step["completed_at"]
        for step in response["receipt"]["path"]:
            del step["at"], step["ms"]
            step["changed"].pop("memories", None)  # that it was asked before
        return json.dumps(response, ensure_ascii=False)

    weft("ingest", "pay.md")
    before = ask()
    weft("collections", "create", "hr", "--readers", "group:finance")
    (tmp_path / "closed").mkdir()
    for n in range(5):
        (tmp_path / "closed" / f"{n}.md").write_text(
            f"# Football {n}\n\nThe salary of grade {n} won the cup of grade seven.\n"
        )
    assert weft("ingest", "closed", "--collection", "hr").exit_code == 0
    assert ask() == before


def test_the_packs_own_collection_stays(weft, monkeypatch):
    monkeypatch.delenv("WEFT_PACK")
    assert "belongs to the pack" in refused(weft("collections", "remove", "handbook", "--yes"))
    listed = weft("collections", "list").stdout
    assert listed.startswith("handbook\t") and listed.endswith("\teveryone\tsample\n")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("collections", "create", "hr", "--readers", "slack:T1"), "write everyone, workspace:slack:T1"),
        (("collections", "create", "hr", "--readers", "channel:slack:T1"), "names nobody"),
        (("collections", "create", "hr", "--readers", "channel:slack:T1:#general"), "ids, not names"),
        (("collections", "create", "hr", "--readers", "channel:slcak:T1:C1"), "no platform 'slcak'"),
        (("collections", "create", "hr", "everyone"), "--readers"),
        (("collections", "create", "two words"), "cannot be a collection"),
        (("collections", "readers", "nowhere"), "no collection 'nowhere'"),
        (("collections", "readers", "hr", "--add", "everyone", "--set", "everyone"), "--set replaces"),
        (("collections", "readers", "hr", "everyone"), "belongs to no option"),
        (("collections", "remove", "nowhere", "--yes"), "no collection 'nowhere'"),
        (("groups", "add", "finance", "group:other"), "cannot be in a group"),
        (("groups", "add", "finance", "everyone"), "cannot be in a group"),
        (("groups", "add", "a:b", "user:slack:T1:U1"), "cannot be a group"),
        (("groups", "remove", "nowhere"), "no group 'nowhere'"),
    ],
)
def test_what_is_wrong_is_one_line_that_says_what_to_write(weft, args, words):
    assert words in refused(weft(*args))


def test_a_wrong_reader_changes_nothing(weft):
    weft("collections", "create", "hr", "--readers", "nobody")
    refused(weft("collections", "readers", "hr", "--add", "everyone", "--add", "slack:T1"))
    assert json.loads(weft("collections", "list", "--json").stdout)[0]["readers"] == []
    assert "a collection 'hr' already" in refused(weft("collections", "create", "hr"))
    weft("groups", "add", "finance", "user:slack:T1:U1")
    assert "is not in finance" in refused(weft("groups", "remove", "finance", "user:slack:T1:U9"))


def test_principals_are_stored_as_audiences_hold_them():
    assert parse_readers(["everyone"]) == parse_readers(["*"]) == {"*"}
    assert parse_readers(["group:재무, user:discord:@me:7"]) == {"group:재무", "user:discord:@me:7"}
    assert parse_readers(["nobody"]) == parse_readers([]) == frozenset()
    with pytest.raises(UsageError):
        parse_members(["workspace:slack:T1"])
