"""A summary of a document that is named: what each of its parts begins with, and nothing of another document."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from agent.reasoning.rules.reading.named_document import summary_wish, to_sum_up
from agent.retrieval.pack import whole_blocks
from bot.cli import main
from tests.agent.test_profile_terms import passage

SAILS = """# Sail loft rules

Version 4 | 2 May 2025 | loft

The loft keeps the sails of the club and mends them. Nobody cuts cloth without having been shown how.

## Bringing sails

Sails come in dry and folded. Wet ones are hung up outside first.

## Prices

| Work | Price |
| --- | --- |
| Patch | 12 |
| New batten pocket | 30 |
| Whole panel | 95 |

## Late pick-up

1. The loft writes to the owner after a week.
2. After a month the sail goes to the store.
"""
BOATS = (
    "# Boat house rules\n\n## Keys\n\nKeys hang by the door.\n\n## Winter\n\nBoats are out of the water by October.\n"
)
MARCH = "# Committee meeting\n\n## Jetty\n\nThe jetty is repaired in June.\n\n## Fees\n\nFees stay as they are.\n"
MAY = "# Committee meeting\n\n## Regatta\n\nThe regatta is on 12 July.\n\n## Crane\n\nThe crane is not bought.\n"
KOREAN = "# 돛 보관 규정\n\n## 맡기기\n\n돛은 말려서 접어 맡깁니다.\n\n## 수리비\n\n덧대기는 12,000원입니다.\n"
NEWS = (
    "# Harbour news 7\n\n**Gate.** The gate is locked at ten.\n\n**Ice.** The slip is salted at six from Monday on.\n\n"
    "**Keys.** Who lost one pays 40.\n"
)
LATER = "# Harbour news 8\n\n**Lamps.** The lamps of the north pier are out of order.\n\n**Bins.** No glass.\n"
DECIDED = (
    "# Notes of the board\n\n## Pontoon\n\n"
    "The master showed two offers and told what either of them costs, with the transport from the yard and a crane. "
    "The cheaper one has no warranty, and the other one comes a month later than was hoped for by nearly everybody. "
    "Several members asked for the names of other harbours that had bought from them in the years before this one. "
    "Resolved: the dearer offer is taken.\n\n## Lights\n\nNothing new.\n\n## Crew\n\nTwo left.\n\n"
    "## Fees\n\nAll paid.\n\n## Hut\n\nThe roof is dry.\n\n## Dates\n\nThe next one is in June.\n"
)


@pytest.fixture
def ask(own_place, tmp_path):
    (tmp_path / "docs").mkdir()
    files = {"sails.md": SAILS, "boats.md": BOATS, "minutes-2025-03-11.md": MARCH, "minutes-2025-05-06.md": MAY}
    files |= {"harbour-2025-09-01.md": NEWS, "harbour-2025-10-01.md": LATER, "board.md": DECIDED}
    for name, text in (files | {"돛.md": KOREAN}).items():
        (tmp_path / "docs" / name).write_text(text)
    assert CliRunner().invoke(main, ["ingest", "docs"]).exit_code == 0

    def run(question: str, *args: str):
        result = CliRunner().invoke(main, ["ask", question, "--json", *args])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


def test_each_part_of_the_document_is_told_in_its_order(ask):
    told = ask("summarise the sail loft rules")
    assert told["response_type"] == "answer"
    answer = told["answer"]
    parts = ["**Sail loft rules**", "Nobody cuts cloth", "**Bringing sails**", "come in dry", "**Prices**", "| Patch"]
    places = [answer.index(part) for part in [*parts, "**Late pick-up**", "1. The loft writes"]]
    assert places == sorted(places)
    assert "Keys" not in answer and "Version 4" not in answer
    assert {each["title"] for each in told["citations"]} == {"Sail loft rules"}


@pytest.mark.parametrize(
    ("question", "held", "lacking"),
    [
        ("what was decided in the May meeting?", "regatta", "jetty"),
        ("give me an overview of the March committee meeting", "jetty", "regatta"),
        ("돛 보관 규정 요약해줘", "말려서 접어", "Keys"),
        ("돛 보관 지침 요약해줘", "말려서 접어", "Keys"),
        ("summarise the sail loft policy", "come in dry", "Keys"),
        ("돛 규정에 무슨 내용이 있어?", "12,000원", "Keys"),
    ],
)
def test_a_document_is_named_by_its_words_or_its_month(ask, question, held, lacking):
    answer = ask(question)["answer"]
    assert held in answer and lacking not in answer


def test_of_a_notice_of_several_matters_each_is_told(ask):
    answer = ask("summarise harbour news 7")["answer"]
    places = [answer.index(part) for part in ("locked at ten", "salted at six", "lost one pays")]
    assert places == sorted(places) and "lamps" not in answer


@pytest.mark.parametrize(
    ("question", "held", "lacking"),
    [
        ("summarise the latest harbour news", "north pier", "locked at ten"),
        ("what's in the most recent harbour news?", "north pier", "locked at ten"),
        ("최근 harbour news 요약해줘", "north pier", "locked at ten"),
        ("what was decided at the last committee meeting?", "regatta", "jetty"),
    ],
)
def test_the_latest_of_several_is_the_newest_by_its_date(ask, question, held, lacking):
    told = ask(question)
    assert told["response_type"] == "answer" and held in told["answer"] and lacking not in told["answer"]


def test_what_was_decided_stands_behind_what_its_paragraph_begins_with(ask):
    answer = ask("summarise the notes of the board", "--thread", "t")["answer"]
    assert answer.index("The master showed") < answer.index("… Resolved: the dearer offer is taken.")
    assert "Several members" not in answer


def test_a_document_that_is_not_there_is_not_made_of_another(ask):
    told = ask("summarise the sail insurance rules")
    assert "Bringing sails" not in told["answer"] or told["response_type"] != "answer"


def test_two_documents_share_the_room_and_each_has_its_title(ask):
    answer = ask("summarise the sail loft rules and the boat house rules")["answer"]
    assert answer.index("**Sail loft rules**") < answer.index("**Bringing sails**")
    assert answer.index("**Bringing sails**") < answer.index("**Boat house rules**") < answer.index("**Winter**")


def test_a_question_beside_the_summary_is_answered_before_it(ask):
    told = ask("when is the regatta, and summarise the boat house rules")
    answer = told["answer"]
    assert answer.index("12 July") < answer.index("**Boat house rules**") < answer.index("Keys hang by the door.")
    assert "\n\n**Boat house rules**\n\n" in answer


def test_a_file_that_came_along_is_summed_up(ask, tmp_path):
    (tmp_path / "crane.md").write_text("# Crane\n\n## Load\n\nIt lifts 900 kg.\n\n## Hours\n\nNot on Sundays.\n")
    answer = ask("summarise this file", "--attach", str(tmp_path / "crane.md"))["answer"]
    assert "It lifts 900 kg." in answer and "Not on Sundays." in answer


def test_of_a_document_of_many_parts_as_many_are_told_as_is_said(ask, tmp_path):
    (tmp_path / "docs" / "winds.md").write_text(
        "# Winds\n\n" + "".join(f"## Wind {n}\n\nIt blows {n} days.\n\n" for n in range(40))
    )
    assert CliRunner().invoke(main, ["ingest", "docs"]).exit_code == 0
    answer = ask("give me an overview of the winds")["answer"]
    assert (
        "the first 14 of its 40 parts" in answer and "It blows 13 days." in answer and "It blows 14 days." not in answer
    )


def test_of_what_is_too_long_for_a_model_each_section_keeps_its_beginning():
    parts = [replace(passage(n, "Winds", "x" * 100), section=f"Wind {n // 3}", position=n) for n in range(12)]
    kept = [block.passage.position for block in whole_blocks(parts, 300)]
    assert kept == [0, 1, 2, 3, 6, 9]
    assert len(whole_blocks([*parts, *parts], None)) == 12 and len(whole_blocks(parts, 1)) == 1


def test_what_wants_no_summary_of_a_document_names_none():
    assert summary_wish("how long may sails stay in the loft?") is None
    assert summary_wish("summarize this thread") is None
    rules = passage(1, "Sail loft rules", "The loft keeps the sails.")
    wish = summary_wish("please summarise the loft rules")
    assert wish is not None and to_sum_up(wish, [rules]) == rules
    for title in ("Loft fees 2026-27", "2026년 하반기 loft fees", "2026년 3분기 loft fees"):  # no month of these
        fees = replace(rules, title=title)
        wish = summary_wish("summarise the loft fees")
        assert wish is not None and to_sum_up(wish, [fees]) == fees
    other = summary_wish("please summarise the crane rules")
    assert other is not None and to_sum_up(other, [rules]) is None
