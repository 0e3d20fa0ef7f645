"""Misspelt words of a question are read as what the index holds, and that is said."""

import pytest

from agent.edits import edits
from tests.cost import spent
from tests.fakes_knowledge import base_of, searched

TEXTS = (
    "parental leave is paid",
    "the wireguard tunnel",
    "wireguards and tunnels",
    "사내 대출 한도",
    "other words",
    "재택근무는 주 이틀",
    "supplements at night and a voucher",
    "으려면",
    "메시자",
    "a Load-test of the gate",
    "the gate opens; side of it",
    "read WAVE 2 first",
)


async def read(text: str, *secret: str):
    return await searched(text, base_of(TEXTS, *secret))


@pytest.mark.parametrize(
    ("text", "read_as", "best"),
    [
        ("is parantal leave paid?", {"parantal": "parental"}, 0),
        ("the Wiregaurd", {"Wiregaurd": "wireguard"}, 1),
        ("is parental leave paid?", {}, 0),
        ("house tunnel", {}, 1),  # English, though no passage holds it
        ("tunnela", {}, None),  # the last letter alone makes another form
        ("a suplement", {"suplement": "supplements"}, 6),  # in another number than it is asked for
        ("the vuochers", {"vuochers": "voucher"}, 6),
        ("wiregaurdX", {}, None),  # may be a name
        ("who runs loadtests", {"loadtests": "load-test"}, 9),
        ("the loadtest", {"loadtest": "load-test"}, 9),
        ("the sidegate", {}, None),  # both stand there, and not side by side
        ("wave2 of it", {"wave2": "WAVE 2"}, 11),
        ("wave3 of it", {}, None),  # another number
        ("사내 대츨 한도", {}, 3),
        ("재텍근무 한도", {"재텍근무": "재택근무"}, 5),
        ("제택근무는 며칠까지?", {"제택근무는": "재택근무는"}, 5),
        ("재택근모", {}, 5),  # the last syllable alone makes another word
        ("퇴택근무", {}, 5),  # two sounds
        ("해택", {}, None),  # two syllables are near to many words
        ("재택근무 신청서류", {}, 5),
        ("메시지 찾기", {}, 8),  # a word that the glossary knows is no slip
        ("한도 쓰려면", {}, 3),  # a predicate, which has other endings in the passages
    ],
)
async def test_a_word_that_nothing_holds_is_read_as_one_a_slip_away(text, read_as, best):
    result = await read(text)
    assert result.read_as == read_as
    assert (result.hits[0].passage.id if result.hits else None) == best


async def test_what_may_not_be_read_is_never_told():
    assert (await read("plinthaxe", "plinthaxes")).read_as == {}
    assert (await read("parantal", "parantal")).read_as == {"parantal": "parental"}


@pytest.mark.parametrize("text", ["가" * 8000, "100원" * 2000, "parantal " * 900, "a" * 8000, "x1" * 4000])
async def test_long_questions_cost_little(text):
    with spent() as cost:
        await read(text)
    assert cost.pieces < 100


def test_a_slip_leaves_out_adds_changes_or_moves_a_letter():
    assert {"ca", "act", "bat", "cast", "cats"} <= set(edits("cat")) and "dog" not in set(edits("cat"))
