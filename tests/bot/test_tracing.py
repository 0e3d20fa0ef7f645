"""The way of a turn: `weft trace`, and "how did you find this?" in the thread."""

import json

import pytest
from click.testing import CliRunner

from agent import trace
from agent.language import say
from agent.trace import masked, transition
from agent.types import Response, StepStatus
from bot.cli import main

PACK = """\
name: house
title: {en: House, ko: 집}
description: {en: House., ko: 집.}
"""
DOCUMENTS = {
    "leave.md": "# Annual leave\n\nEvery employee gets 25 days of annual leave a year, because the law asks for 20.\n",
    "sick.md": "# Sick leave\n\nWho is ill tells the team lead before nine.\n",
}


@pytest.fixture
def weft(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house" / "documents").mkdir(parents=True)
    (tmp_path / "house" / "pack.yaml").write_text(PACK, "utf-8")
    for name, text in DOCUMENTS.items():
        (tmp_path / "house" / "documents" / name).write_text(text, "utf-8")

    def run(*command):
        pack = ["--pack", "./house"] if command[0] == "ask" else []
        return CliRunner().invoke(main, [*command, *pack, "--data", str(tmp_path / "data")])

    return run


@pytest.fixture
def ask(weft):
    return lambda text, *options: json.loads(weft("ask", text, "--thread", "t", "--json", *options).stdout)


LEAVE = "How many days of annual leave does an employee get?"


def test_a_turn_is_traced_from_what_is_stored_of_it(weft, ask):
    answer = ask(LEAVE)
    way = json.loads(weft("trace", answer["turn_id"], "--json").stdout)
    assert (way["question"], way["route"], way["pack"]) == (LEAVE, "research", "house") and way["reason"]
    assert way["searches"][0]["queries"] == [LEAVE]
    cited = {each["document_id"]: each["cited"] for each in way["passages"]}
    assert cited["documents/leave.md"] is True and cited["documents/sick.md"] is False
    assert way["confidence"] == answer["confidence"] and way["calls"] == [] and way["steps"][0]["status"] == "completed"
    nodes = [each["to"] for each in way["path"]]
    assert nodes[:3] == ["recall", "understand", "plan"] and nodes[-1] == "remember"
    assert [each["from"] for each in way["path"]][1:3] == ["recall", "understand"]
    text = weft("trace", answer["turn_id"]).stdout
    assert f"question: {LEAVE}" in text and "cited" in text and "understand -> plan" in text


def test_the_log_of_nodes_holds_no_words_of_people_or_documents(weft, ask):
    path = json.dumps(json.loads(weft("trace", ask(LEAVE)["turn_id"], "--json").stdout)["path"])
    assert "annual" not in path and "employee" not in path and "25 days" not in path


def test_a_turn_that_is_not_kept_is_said_to_be_none(weft):
    assert "there is no turn 'nope'" in weft("trace", "nope").output and weft("trace", "nope").exit_code == 2


@pytest.mark.parametrize("text", ["How did you find this?", "어떻게 찾았어?", "why did you answer that?"])
def test_how_an_answer_was_found_is_told_in_its_thread(ask, text):
    ask(LEAVE)
    told = ask(text)
    language = told["language"]
    assert told["answer"].startswith(say("way_told", language)) and told["route"] == "explain"
    assert say("way_read", language, question=LEAVE) in told["answer"]
    assert say("way_rests", language, titles="Annual leave") in told["answer"]
    assert "Sick leave" in told["answer"] and told["plan"] is None


def test_why_alone_asks_for_the_reason_that_the_documents_give(ask):
    ask(LEAVE)
    assert "because the law asks for 20" in ask("why?")["answer"]


@pytest.mark.parametrize(
    ("asked", "why"), [("Whom does an ill person tell?", "why?"), ("Who is ill tells whom?", "왜?")]
)
def test_who_asks_why_is_told_that_the_documents_give_no_reason(ask, asked, why):
    ask(asked)
    told = ask(why)
    assert told["answer"] == say("no_reason", told["language"]) and told["plan"] is None


@pytest.mark.parametrize(("readable", "counted"), [(("a", "b"), True), (("b",), False), ((), False)])
def test_the_way_of_an_answer_counts_nothing_for_those_who_may_not_read_it(readable, counted):
    passages = [{"reference": each, "title": each.upper(), "cited": True} for each in ("a", "b")]
    response = Response(
        thread_id="t", turn_id="t1", pack="p", mode="agent", language="en", route="research", answer="x",
        response_type="answer", search_strategy="It may rest on 2 passages.",
        receipt={"passages": passages, "left_out": {"duplicate": 3}},
    )  # fmt: skip
    way = trace.told(response, "en", readable=frozenset(readable))
    assert (response.search_strategy in way, "3" in way) == (counted, counted)


@pytest.mark.parametrize("why", ["why?", "왜?", "How did you find this?"])
def test_where_nothing_was_found_the_way_is_told_too_and_not_that_of_an_answer_before(ask, why):
    ask(LEAVE)
    asked = "Which volcano erupted in Kamchatka?"
    assert ask(asked)["response_type"] == "not_found"
    for _ in range(2):
        told = ask(why)
        assert told["plan"] is None and told["answer"].startswith(say("way_told", told["language"]))
        assert say("way_read", told["language"], question=asked) in told["answer"]


def test_a_trace_tells_whether_the_state_held_together(weft, ask):
    turn = ask(LEAVE)["turn_id"]
    assert json.loads(weft("trace", turn, "--json").stdout)["validation"] == {"is_valid": True, "errors": []}
    assert "state: valid" in weft("trace", turn).stdout


def test_passages_that_may_no_longer_be_read_are_not_named(weft, ask):
    ask(LEAVE, "--as", "ann")
    assert weft("collections", "readers", "house", "--set", "user:console:local:bob").exit_code == 0
    told = ask("How did you find this?", "--as", "ann")
    assert told["answer"].startswith(say("way_told", "en")) and "Sick leave" not in told["answer"]


def test_a_value_is_masked_by_what_it_is():
    kept = [None, True, 3, 0.5, StepStatus.FAILED]
    assert [masked(each) for each in kept] == [None, True, 3, 0.5, "failed"]
    assert (masked("secret"), masked(["a", "b"]), masked({"a": 1})) == ("6 characters", "2 items", "1 items")
    step = transition("a", "b", 1.0, 2.0, object(), {"answer": "secret", "timings": {}})
    assert step["changed"] == {"answer": [None, "6 characters"]} and (step["from"], step["to"]) == ("a", "b")
