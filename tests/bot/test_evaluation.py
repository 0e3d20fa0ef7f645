"""`weft eval`: what a file of questions may say, how answers are marked, and when the bar is not reached."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from click.testing import CliRunner

from agent.errors import PackError
from agent.types import Citation, Response
from bot.cli import main
from bot.operator.evaluation import (
    Bar,
    Question,
    Questions,
    calibration,
    load_questions,
    marked,
    run_questions,
    shortfalls,
    table,
    totals,
)
from bot.settings import Settings
from tests.servers.openai import OpenAIServer, obliging

RESPONSE = Response(
    thread_id="t", turn_id="1", pack="p", mode="agent", language="ko", route="research", response_type="answer",
    answer="보증금은 5,000만원입니다. [1]\n인상은 5%까지입니다. [1]", confidence=0.9, total_ms=12.0,
    citations=(Citation(n=1, document_id="documents/guide/rent.md", passage_id="x", title="임대", quote="…"),),
)  # fmt: skip


def asked(**fields):
    return Question.model_validate({"question": "얼마까지 올려도 되나요?", **fields})


@pytest.mark.parametrize(
    ("fields", "changes", "mark", "first", "good"),
    [
        ({"facts": ["5,000 만원", "5%"]}, {}, "whole", True, True),
        ({"facts": ["5%", "10년"]}, {}, "part", True, False),
        ({"facts": ["5%", "10년"]}, {"response_type": "passages", "confidence": 0.3}, "part", True, True),
        ({"facts": ["10년"]}, {}, "wrong", True, False),
        ({"file": "guide/rent.md"}, {}, "whole", True, True),
        ({"file": ["guide/other.md", "rent.md"], "facts": ["5%"]}, {}, "whole", True, True),
        ({"file": "ent.md", "facts": ["5%"]}, {}, "whole", False, True),
        ({"file": "guide/other.md"}, {}, "wrong", False, False),
        ({"facts": ["5%"]}, {"response_type": "not_found", "citations": ()}, "declined", False, False),
        ({"answered": False}, {"response_type": "clarification", "citations": ()}, "declined", True, True),
        ({"answered": False}, {"response_type": "declined", "citations": ()}, "declined", True, True),
        ({"answered": False}, {}, "wrong", False, False),
    ],
)
def test_an_answer_is_marked_by_its_facts_and_its_first_source(fields, changes, mark, first, good):
    row = marked(asked(**fields), replace(RESPONSE, **changes))
    assert (row.mark, row.first, row.good) == (mark, first, good)


def test_the_bar_is_held_against_every_figure():
    rows = [
        marked(asked(facts=["5%"], kind="rent"), RESPONSE),
        marked(asked(facts=["10년"], kind="rent"), RESPONSE),
        marked(asked(answered=False), replace(RESPONSE, response_type="not_found", citations=(), confidence=0.0)),
    ]
    assert totals(rows) == {"questions": 3, "first": 3, "told": 2, "sure_and_wrong": 1, "left_open": 1}
    assert shortfalls(rows, Bar(first=3, told=2, sure_and_wrong=1, left_open=1)) == []
    assert shortfalls(rows, Bar(first=4, told=3, sure_and_wrong=0, left_open=2)) == [
        "first: 3, wanted at least 4", "told: 2, wanted at least 3", "left_open: 1, wanted at least 2",
        "sure_and_wrong: 1, wanted at most 0",
    ]  # fmt: skip
    assert calibration(rows) == [{"from": 0.75, "answers": 2, "confidence": 0.9, "whole": 0.5}]
    lines = table(rows, ["first: 3, wanted at least 4"])
    assert lines[1].split() == ["rent", "2", "2", "1", "0", "1", "0"]
    assert "  wrong, documents/guide/rent.md: 얼마까지 올려도 되나요?; missing: 10년" in lines
    assert lines[-1] == "below the bar: first: 3, wanted at least 4"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("questions: []", "questions"),
        ("questions:\n- question: a\n", "give facts or a file that the answer must hold, or answered: false"),
        ("questions:\n- {question: a, answered: false, facts: [b]}\n", "has no facts and no file"),
        ("questions:\n- {question: a, facts: [b]}\n- {question: c, fact: [d]}\n", ":3: questions.1.fact: unknown key"),
        ("bar: {first: -1}\nquestions:\n- {question: a, facts: [b]}\n", "bar.first"),
        ("- a\n", "a file of questions is a mapping"),
        ("questions: [\n", "not YAML"),
    ],
)
def test_a_mistake_is_told_by_its_place(tmp_path, text, told):
    path = tmp_path / "eval.yaml"
    path.write_text(text)
    with pytest.raises(PackError, match=r"eval\.yaml") as raised:
        load_questions(path)
    assert told in str(raised.value)


def test_the_command_prints_the_table_and_ends_with_one_below_the_bar(tmp_path):
    file = tmp_path / "eval.yaml"
    file.write_text(
        "bar: {told: 2}\nquestions:\n- {question: '육아휴직은 몇 개월인가요?', facts: [12개월], kind: leave}\n"
        "- {question: 'How do I set up the VPN on Windows?', facts: [there is no such fact], kind: it}\n"
    )
    ran = CliRunner().invoke(main, ["eval", str(file), "--pack", "handbook"])
    assert ran.exit_code == 1, ran.output
    assert "below the bar: told: 1, wanted at least 2" in ran.output
    file.write_text(file.read_text().replace("told: 2", "told: 1"))
    ran = CliRunner().invoke(main, ["eval", str(file), "--pack", "handbook", "--json"])
    report = json.loads(ran.output)
    assert (ran.exit_code, report["below"], report["totals"]["told"]) == (0, [], 1)
    assert [row["mark"] for row in report["rows"]] == ["whole", "wrong"]
    missing = CliRunner().invoke(main, ["eval", str(tmp_path / "none.yaml"), "--pack", "handbook"])
    assert missing.exit_code == 2 and "there is no such file of questions" in missing.output


def test_questions_in_the_folder_of_a_pack_are_asked_of_that_pack(tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "zorbs.md").write_text("# Zorbs\n\nA zorb is handed out by the caretaker on Mondays.\n")
    (tmp_path / "pack.yaml").write_text("name: mine\ntitle: {en: Mine}\ndescription: {en: Ours.}\nlanguages: [en]\n")
    file = tmp_path / "eval.yaml"
    file.write_text("questions:\n- {question: 'When is a zorb handed out?', facts: [Mondays], file: zorbs.md}\n")
    ran = CliRunner().invoke(main, ["eval", str(file), "--json"])
    assert [(row["mark"], row["source"]) for row in json.loads(ran.output)["rows"]] == [
        ("whole", "documents/zorbs.md")
    ], ran.output


def test_what_one_question_tells_bears_on_no_other_and_stays_nowhere(tmp_path):
    file = tmp_path / "eval.yaml"
    asked = "독감 예방접종은 언제 맞나요?"
    file.write_text(
        f"questions:\n- {{question: '저는 와파린을 먹어요', facts: [x]}}\n- {{question: '{asked}', facts: [x]}}\n"
    )
    run = ["eval", str(file), "--pack", "medical", "--data", str(tmp_path / "data"), "--json"]
    both = json.loads(CliRunner().invoke(main, run).output)["rows"][1]
    file.write_text(f"questions:\n- {{question: '{asked}', facts: [x]}}\n")
    assert json.loads(CliRunner().invoke(main, run).output)["rows"][0]["confidence"] == both["confidence"]
    with closing(sqlite3.connect(tmp_path / "data" / "people.db")) as people:
        kept = [
            people.execute(f"SELECT count(*) FROM {name}").fetchone() for name in ("slot_values", "slots", "memories")
        ]
    assert kept == [(0,)] * 3


@pytest.mark.parametrize("options", [[], ["--pack", "handbook"]])
def test_a_question_of_a_file_is_none_that_people_asked(sampled, tmp_path, options):
    file = tmp_path / "eval.yaml"
    file.write_text("questions:\n- {question: 'Who is the king of Denmark?', answered: false}\n")
    data = ["--data", str(sampled)]
    ran = CliRunner().invoke(main, ["eval", str(file), *options, *data, "--json"])
    assert json.loads(ran.stdout)["rows"][0]["mark"] == "declined", ran.output
    assert json.loads(CliRunner().invoke(main, ["gaps", *data, "--json"]).stdout)["gaps"] == []
    proposed = CliRunner().invoke(main, ["eval", "--from-threads", *data])
    assert (proposed.exit_code, proposed.stdout) == (1, "")


async def test_with_an_embedding_model_every_passage_has_its_vector_before_the_first_question(tmp_path):
    (tmp_path / "pack" / "documents").mkdir(parents=True)
    (tmp_path / "pack" / "pack.yaml").write_text(
        "name: camp\ntitle: {en: Camp, ko: 캠프}\ndescription: {en: A, ko: 가}\n"
    )
    (tmp_path / "pack" / "documents" / "fire.md").write_text("# Fire\n\nFires are lit at the ring alone.\n")
    questions = Questions(questions=(asked(question="Where is a fire lit?", facts=["ring"]),))
    async with OpenAIServer() as server:
        server.answer(obliging)
        settings = Settings.load(
            data=tmp_path / "data", pack=str(tmp_path / "pack"), OPENAI_BASE_URL=server.url, OPENAI_API_KEY="k",
            embedding_model="small",
        )  # fmt: skip
        (row,) = await run_questions(settings, questions)
    embedded = [request.body["input"] for request in server.requests if "input" in request.body]
    assert "ring" in str(embedded[0]) and "Where is a fire lit?" in str(embedded[1:]) and row.mark == "whole"
