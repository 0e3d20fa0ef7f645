"""One message for three teams, through the real application: searches, a document, a chart."""

import itertools
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from docx import Document

from bot.cli import main

ASKED = "Compare annual leave with sick leave, draft a reply to Kim about it, and chart the per diem by destination"
KOREAN = "연차와 병가를 비교하고, 김민지에게 보낼 답장 초안을 쓰고, 지역별 일비를 그래프로 그려줘"


@pytest.fixture
def events(tmp_path, sampled, monkeypatch):
    for key in list(os.environ):
        if key.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_", "TAVILY_")):
            monkeypatch.delenv(key)
    monkeypatch.chdir(tmp_path)

    def run(text: str) -> list[dict]:
        result = CliRunner().invoke(main, ["ask", text, "--events", "--data", str(sampled)])
        assert result.exit_code == 0, result.output
        return [json.loads(line) for line in result.stdout.splitlines()]

    return run


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [(ASKED, "Kim", "Reply: annual leave, sick leave"), (KOREAN, "김민지", "답장: 연차, 병가")],
    ids=["en", "ko"],
)
def test_three_teams_work_side_by_side_and_hand_over_their_files(events, text, name, title):
    told = events(text)
    response = told[-1]["response"]
    assert told[1]["event"] == "plan_ready" and told[-1]["event"] == "final_response"
    steps = response["plan"]["steps"]
    assert [step["team"] for step in steps] == ["search", "search", "document", "analysis"]
    assert {step["status"] for step in steps} == {"completed"} and response["errors"] == []
    searches, document = [steps[0], steps[1], steps[3]], steps[2]
    for one, other in itertools.permutations(searches, 2):
        assert one["started_at"] < other["completed_at"]
    assert document["started_at"] >= max(step["completed_at"] for step in steps[:2])
    seen = [event["step"] for event in told if event["event"] == "todo_updated"]
    for step in steps:
        mine = [each for each in seen if each["id"] == step["id"]]
        assert [each["progress"] for each in mine] == sorted(each["progress"] for each in mine)
        assert any(each["phase"] for each in mine) and mine[-1]["sources"]
    files = {Path(file["path"]).suffix: file for file in response["files"]}
    assert set(files) == {".docx", ".md", ".png"} and files[".png"]["text"]
    assert name in "\n".join(paragraph.text for paragraph in Document(files[".docx"]["path"]).paragraphs)
    assert Path(files[".png"]["path"]).read_bytes().startswith(b"\x89PNG")
    assert {citation["collection"] for citation in response["citations"]} == {"handbook"}
    assert response["structured_data"]["documents"][0]["title"] == title
    assert response["structured_data"]["documents"][0]["review"]["risk_level"] == "low"
    assert response["structured_data"]["analyses"][0]["metrics"] and response["total_ms"] > 0
