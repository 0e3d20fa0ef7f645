"""Messages of several parts, through the command: none of them vanishes."""

import json
import os

import pytest
from click.testing import CliRunner

from bot.cli import main

STUDIO = """# Studio guide

## Kilns
The glaze firing of the K-40 kiln runs at 1,240 °C. The bisque firing of the K-40 kiln runs at 980 °C.

## Booking
Members may book the kiln twice a month.

## Lockers
Lockers are emptied on the last Friday of every quarter.
"""
KOREAN = """# 공방 안내

## 가마
유약 소성은 1,240도에서 합니다. 초벌 소성은 980도에서 합니다.

## 예약
회원은 가마를 한 달에 두 번 예약할 수 있습니다.

## 사물함
사물함은 분기 마지막 금요일에 비웁니다.
"""


@pytest.fixture
def ask(tmp_path, sampled, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_", "TAVILY_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def run(text, *documents):
        for n, document in enumerate(documents):
            (tmp_path / f"{n}.md").write_text(document, encoding="utf-8")
            weft("ingest", str(tmp_path / f"{n}.md"))
        return json.loads(weft("ask", text, "--json").stdout)

    def weft(*arguments):
        result = CliRunner().invoke(main, [*arguments, "--data", str(sampled)])
        assert result.exit_code == 0, result.output
        return result

    return run


def test_what_is_asked_beside_a_comparison_is_answered(ask):
    answer = ask(
        "Compare the glaze firing with the bisque firing of the K-40, and list when lockers are emptied and how often "
        "members may book the kiln",
        STUDIO,
    )["answer"]
    for part in (
        "glaze firing",
        "bisque firing of the K-40",
        "when lockers are emptied",
        "how often members may book the kiln",
    ):
        assert part.casefold() in answer.casefold()
    for fact in ("1,240", "980", "last Friday", "twice a month"):
        assert fact in answer


def test_korean_too(ask):
    answer = ask(
        "유약 소성과 초벌 소성을 비교하고, 사물함을 언제 비우는지와 회원이 가마를 얼마나 자주 예약하는지 알려줘", KOREAN
    )["answer"]
    for part in ("유약 소성", "초벌 소성", "**사물함**", "회원이 가마를 얼마나 자주 예약하는지"):
        assert part in answer
    for fact in ("1,240도", "980도", "마지막 금요일", "두 번"):
        assert fact in answer


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("What is the moon policy, and chart the hotel limits by destination", "the moon policy"),
        ("Who feeds the zebrafish turtles, and chart the hotel limits by destination", "Who feeds the zebrafish"),
        ("거북이 먹이는 누가 주나요? 그리고 지역별 숙박비 한도를 그래프로 그려줘", "거북이 먹이는 누가 주나요"),
    ],
)
def test_what_is_asked_beside_a_chart_is_answered_or_said_not_to_be(ask, text, part):
    response = ask(text)
    assert part in response["answer"].partition("\n\n")[0] and response["files"]


def test_each_of_two_questions_that_nothing_answers_and_a_third_are_told(ask):
    answer = ask("Who feeds the zebrafish, how often members may book the kiln, and what is zyzzyva", STUDIO)["answer"]
    assert "twice a month" in answer
    assert "do not answer this part: Who feeds the zebrafish" in answer and "part: zyzzyva" in answer
