"""Words of a question in the other letters than the documents write them in."""

import pytest

from agent.teams import search
from tests.cost import spent
from tests.fakes_knowledge import base_of, searched

TEXTS = (
    "Terraform 상태 파일은 버킷에 둔다",
    "DNA 검사는 2층에서 한다",
    "Printer 용지는 창고에 있다. printers, Printer",
    "스캐너 예약은 총무팀",
    "휴가는 15일",
    "Surfing 규칙",
)


async def read(text: str, *secret: str):
    return await searched(text, base_of(TEXTS, *secret))


@pytest.mark.parametrize(
    ("text", "read_as", "best"),
    [
        ("테라폼 상태 파일은 어디?", {"테라폼": "Terraform"}, 0),  # by its sound alone
        ("테라폼에서는 어디?", {"테라폼에서는": "Terraform에서는"}, 0),
        ("디엔에이 검사", {"디엔에이": "DNA"}, 1),  # by the names of its letters
        ("프린터 어디?", {"프린터": "Printer"}, 2),  # by the glossary, as the passages write it
        ("서핑은?", {"서핑은": "Surfing은"}, 5),  # the index has the stem
        ("scanner 예약", {"scanner": "스캐너"}, 3),
        ("Terraform 상태", {}, 0),
        ("스캐너 예약", {}, 3),  # as the passages write it
        ("먹으면 안 되나요?", {}, None),
        ("하둡 상태", {}, 0),  # no passage has it
    ],
)
async def test_a_word_is_read_as_the_documents_write_it(text, read_as, best):
    result = await read(text)
    assert result.read_as == read_as
    assert (result.hits[0].passage.id if result.hits else None) == best


async def test_what_may_not_be_read_is_never_told():
    assert (await read("그라파나 주소", "Grafana: 내부 주소")).read_as == {}
    assert (await read("스캔들", "scandal")).read_as == {}


@pytest.mark.parametrize("text", ["테라폼" * 2000, "서버스 " * 900, "에이비씨디" * 1500, "스스스스스스스스스스스스"])
async def test_long_questions_cost_little(text):
    with spent() as cost:
        await read(text)
    assert cost.pieces < 100


@pytest.mark.parametrize(
    ("asked", "meant", "said"),
    [
        ("테라폼에서는", "Terraform에서는", '"테라폼"은 "Terraform"으로 읽었습니다.'),
        ("테라폼", "Terraform", '"테라폼"은 "Terraform"으로 읽었습니다.'),
        ("scanner", "스캐너", '"scanner"는 "스캐너"로 읽었습니다.'),
    ],
)
def test_it_is_said_without_the_particle(asked, meant, said):
    assert search._read_as(asked, meant, "ko") == said
