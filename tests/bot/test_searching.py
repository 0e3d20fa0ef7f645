"""`weft search` and `weft documents`: filters, batches, what a terminal shows, what is said of a mistake."""

import json
import sqlite3

import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from bot.cli import main
from bot.operator.snippets import matches, printable, snippet

LEAVE = "# Leave\n\n## Annual leave\n\nFull-time staff of Orchard Ltd get 26 days of annual leave a year.\n"
TRIP = "# 출장\n\n## 식비\n\n국내 출장의 식비는 하루 45,000원까지 지급합니다.\n"
LINES = [
    {"id": "old", "title": "Old rule", "text": "Leave requests go to the desk.", "date": "2024-03-01", "team": "desk"},
    {"id": "new", "title": "New rule", "text": "Leave requests go to the portal.", "date": "2025-03-01", "team": "web"},
]


@pytest.fixture
def weft(own_place, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text(LEAVE)
    (tmp_path / "docs" / "출장.md").write_text(TRIP)
    (tmp_path / "rules.jsonl").write_text("\n".join(json.dumps(line) for line in LINES))

    def run(*args: str, stdin: str | None = None):
        return CliRunner().invoke(main, args, input=stdin)

    return run


@pytest.fixture
def stored(weft, tmp_path):
    assert weft("ingest", "docs").exit_code == 0
    assert weft("ingest", "rules.jsonl", "--collection", "rules").exit_code == 0
    with sqlite3.connect(tmp_path / "data" / "weft.db") as database:  # whatever ingest takes for a document's date
        database.execute("UPDATE documents SET date=coalesce(json_extract(metadata, '$.date'), '')")
    database.close()
    return weft


def refused(result) -> str:
    assert result.exit_code == 2 and "Traceback" not in result.output, result.output
    (line,) = result.stderr.strip().splitlines()
    return line


def ids(weft, *args: str) -> list[str]:
    result = weft("search", *args, "--json")
    assert result.exit_code == 0, result.output
    return [hit["document_id"] for hit in json.loads(result.stdout)["hits"]]


def test_every_filter_can_be_given(stored):
    assert set(ids(stored, "leave")) == {"docs/leave.md", "old", "new"}
    assert set(ids(stored, "leave", "--collection", "rules")) == {"old", "new"}
    assert len(ids(stored, "leave", "--collection", "rules", "--collection", "documents")) == 3
    assert ids(stored, "leave", "--entity", "Orchard Ltd") == ["docs/leave.md"]
    assert ids(stored, "출장 leave", "--language", "ko") == ["docs/출장.md"]
    assert ids(stored, "leave requests", "--since", "2025-01-01") == ["new"]
    assert ids(stored, "leave requests", "--until", "20241231") == ["old"]
    assert len(ids(stored, "leave", "--k", "1")) == 1
    assert set(ids(stored, "leave", "--kind", "chunk", "--category", "paragraph")) == {"docs/leave.md", "old", "new"}


def test_a_filter_that_leaves_nothing_is_said_in_words(stored):
    found = json.loads(stored("search", "leave", "--since", "2099-01-01", "--json").stdout)
    assert found["warnings"] == ["Nothing matched the search filter, so I searched without it."] and found["hits"]
    korean = stored("search", "출장 식비", "--since", "2099-01-01")
    assert "조건" in korean.stderr and "식비" in korean.stdout


def test_must_have_words_bring_their_own_results_as_ids(stored):
    found = json.loads(stored("search", "leave", "--must", "portal", "--json").stdout)
    assert {"must_have", "target_documents", "findings", "sections", "excluded"} <= found.keys()
    assert all(isinstance(each, str) for each in (*found["findings"], *found["excluded"]))
    assert "must_have" not in json.loads(stored("search", "leave", "--json").stdout)


def test_a_batch_line_may_carry_options_of_its_own(stored):
    lines = [
        {"id": 7, "query": "leave requests", "collection": "rules", "k": 1, "until": "2024-12-31"},
        {"id": "b", "query": "leave", "collection": ["documents"]},
        {"query": "식비", "as": "kim"},
    ]
    batch = "\n".join(json.dumps(line) for line in lines)
    result = stored("search", "--batch", "-", "--json", "--k", "5", stdin=batch)
    out = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["id"] for line in out] == [7, "b", "3"]
    assert [[hit["document_id"] for hit in line["hits"]] for line in out] == [
        ["old"],
        ["docs/leave.md"],
        ["docs/출장.md"],
    ]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--pages", "7-3"), "--pages: '7-3' is no range"),
        (("--pages", "a"), "write 3 or 3-7"),
        (("--pages", "0"), "counted from 1"),
        (("--since", "March"), "--since: 'March' is no date"),
        (("--since", "2025-02-01", "--until", "2025-01-01"), "is after"),
        (("--category", "poem"), "'poem' is none of heading, paragraph"),
        (("--kind", "poem"), "'poem' is none of chunk, finding"),
        (("--language", "de"), "'de' is none of en, ko"),
        (("--k", "0"), "--k: must be a number from 1 to 1000"),
        (("--collection", "nowhere"), "no collection 'nowhere'; there is none yet"),
        (("--must", " "), "--must"),
        (("--as", ""), "--as: is empty"),
        (("--as", "slack:U1"), "slack:T1:U1"),
    ],
)
def test_a_wrong_option_is_named(weft, args, words):
    assert words in refused(weft("search", "leave", *args))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": "x"}', 'needs an object with "id" and "query"'),
        ('{"query": 5}', 'needs an object with "id" and "query"'),
        ("nonsense", 'needs an object with "id" and "query"'),
        ('{"query": "x", "colection": "rules"}', "unknown key 'colection'"),
        ('{"query": "x", "k": "many"}', "k: must be a number"),
        ('{"query": "x", "collection": ["rules", 5]}', "collection: must be a text"),
        ('{"query": "x", "collection": "nowhere"}', "no collection 'nowhere'"),
        ('{"query": "x", "as": "slack:U1"}', "is no user"),
    ],
)
def test_a_wrong_batch_line_is_named_before_anything_is_searched(weft, tmp_path, line, words):
    (tmp_path / "batch.jsonl").write_text('{"query": "leave"}\n' + line)
    result = weft("search", "--batch", "batch.jsonl", "--json")
    assert words in refused(result) and "batch.jsonl:2 " in result.stderr and not result.stdout


def test_scores_of_those_who_may_not_read_all_tell_their_rank_alone(stored):
    own = json.loads(stored("search", "annual leave", "--as", "kim", "--json").stdout)["hits"]
    assert [hit["score"] for hit in own] == [round(1 / (60 + rank), 6) for rank in range(1, len(own) + 1)]


def test_that_nothing_is_found_for_a_name_of_the_consoles_own_is_told_as_that(stored):
    stored("collections", "readers", "rules", "--set", "user:slack:T1:U1")
    told = stored("search", "reimbursement", "--collection", "rules", "--as", "bad").stderr
    assert told == "nothing found for 'bad' of the console; slack:T1:bad would be of a platform\n"


def test_the_asker_in_a_room_hears_how_much_more_there_is_and_the_room_does_not(stored):
    stored("collections", "readers", "rules", "--set", "user:slack:T1:U1")
    found = stored("search", "leave requests", "--as", "slack:T1:U1", "--channel", "slack:T1:C1", "--json")
    out = json.loads(found.stdout)
    assert out["only_asker"] == 2 and [hit["document_id"] for hit in out["hits"]] == ["docs/leave.md"]
    shown = stored("search", "leave requests", "--as", "slack:T1:U1", "--channel", "slack:T1:C1")
    assert "2 more passages that only you may read" in shown.stderr and "rule" not in shown.output
    asked = stored("ask", "Where do leave requests go?", "--as", "slack:T1:U1", "--channel", "slack:T1:C1")
    assert "2 more passages that only you may read" in asked.stderr and "desk" not in asked.output
    for who in (("--as", "slack:T1:U1"), ("--channel", "slack:T1:C1"), ()):
        assert "only_asker" not in json.loads(stored("search", "leave requests", *who, "--json").stdout)


def test_people_read_places_and_the_words_that_matched(stored):
    shown = stored("search", "annual leave", "--collection", "documents").stdout
    assert "  1  Leave › Annual leave  [docs/leave.md#0]\n" in shown and "26 days" in shown
    assert stored("search", "xyzzy").stderr == "nothing found\n"


# --- documents


def test_documents_are_listed_with_their_dates_in_any_order(stored):
    listed = stored("documents", "list", "--collection", "rules", "--sort", "date").stdout.splitlines()
    assert listed == ["rules\told\tOld rule\t2024-03-01\t1 passages", "rules\tnew\tNew rule\t2025-03-01\t1 passages"]
    assert [line.split("\t")[1] for line in stored("documents", "list", "--sort", "title").stdout.splitlines()] == [
        "docs/leave.md", "new", "old", "docs/출장.md",
    ]  # fmt: skip
    entry = json.loads(stored("documents", "list", "--collection", "rules", "--json").stdout)[0]
    assert entry["date"] == "2025-03-01" and entry["findings"] == 0 and entry["metadata"]["team"] == "web"
    assert "'x'; there are documents, rules" in refused(stored("documents", "list", "--collection", "x"))


def test_a_document_is_shown_as_json_and_a_near_miss_is_helped(stored):
    (document,) = json.loads(stored("documents", "show", "docs/leave.md", "--json").stdout)
    assert document["passages"][0]["passage_id"] == "docs/leave.md#0" and "26 days" in document["passages"][0]["text"]
    for near in ("leave.md", "docs/leav.md", "Leave"):
        assert "did you mean docs/leave.md" in refused(stored("documents", "show", near)), near
    assert "documents list" in refused(stored("documents", "show", "qqqqqq"))


def test_an_id_that_two_collections_hold_is_shown_twice_and_never_removed_by_guess(stored):
    stored("ingest", "docs", "--collection", "copy")
    assert stored("documents", "show", "docs/leave.md").stdout.count("26 days") == 2
    assert "choose one with --collection" in refused(stored("documents", "remove", "old", "docs/leave.md"))
    assert len(stored("documents", "list").stdout.splitlines()) == 6  # not even the one that is clear
    assert stored("documents", "remove", "docs/leave.md", "docs/출장.md", "--collection", "copy").exit_code == 0
    left = stored("documents", "list").stdout
    assert "copy" not in left and "documents\tdocs/leave.md" in left
    assert "no document 'gone'" in refused(stored("documents", "remove", "old", "gone"))
    assert "old" in stored("documents", "list").stdout


# --- snippets


def test_a_snippet_stands_around_most_of_what_matched():
    text = "nothing here " * 30 + "the annual salary of grade seven is 71,000 " + "and so on " * 50 + "salary"
    shown = snippet(text, "What is the annual salary?", cells=100)
    assert shown.plain.startswith("…") and shown.plain.endswith("…") and "annual salary of grade seven" in shown.plain
    assert {shown.plain[span.start : span.end] for span in shown.spans} == {"annual", "salary"}


@pytest.mark.parametrize(
    "text", ["연차휴가를 신청하려면 두 주 전에 알려야 합니다. " * 20, "가" * 500, "word " * 200, "", "x"]
)
def test_a_snippet_fits_whatever_the_width_of_its_letters(text):
    shown = snippet(text, "연차휴가 신청 word", cells=60)
    assert cell_len(shown.plain) <= 62
    assert all(shown.plain[span.start : span.end].strip() for span in shown.spans)


def test_a_word_matches_in_whatever_form():
    assert matches("Salaries are paid", "salary") == [(0, 8)]
    assert matches("연차휴가는 며칠", "연차휴가를 알려줘") == [(0, 5)]
    assert matches("the of and", "the salary of") == []


def test_nothing_in_a_document_steers_the_terminal():
    assert (
        printable("a\x1b[31mb\x07c\u202ed\ne") == "a [31mb c d e" and printable("a\n\tb\x1b", keep="\n\t") == "a\n\tb "
    )
    assert "\x1b" not in snippet("leave \x1b]0;title\x07 leave", "leave", cells=50).plain
