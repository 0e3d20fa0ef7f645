from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.reasoning.model.tasks.answer_pieces import Piece, Pieces

ANSWERS = {
    "It closes at six [2]. See e.g. plan v1.2 for No. 5. [1, 3] Then go.[1] Bye": [
        ("", "It closes at six.", (2,)),
        (" ", "See e.g. plan v1.2 for No. 5.", (1, 3)),
        (" ", "Then go.", (1,)),
        (" ", "Bye", ()),
    ],
    "연차는 15일입니다[1]. 이월은 불가합니다. [2][3]\n\n다음 문단입니다【4】.": [
        ("", "연차는 15일입니다.", (1,)),
        (" ", "이월은 불가합니다.", (2, 3)),
        ("\n\n", "다음 문단입니다.", (4,)),
    ],
    "Do this:\n\n1. Open `a[1]` now [1]\n2. Do **this**. And that. [2]\n   more [3]\n   - sub [1]\n3. End\n\nAfter.": [
        ("", "Do this:", ()),
        ("\n\n1. ", "Open `a[1]` now", (1,)),
        ("\n2. ", "Do **this**. And that.\n   more", (2, 3)),
        ("\n   - ", "sub", (1,)),
        ("\n3. ", "End", ()),
        ("\n\n", "After.", ()),
    ],
    "1. Open it. [1] 2. Press [2] 3. Close it, see `x [1] 4. y`. [1]\n4. Go, 5. of May. [1] 6. End": [
        ("1. ", "Open it.", (1,)),
        ("\n2. ", "Press", (2,)),
        ("\n3. ", "Close it, see `x [1] 4. y`.", (1,)),
        ("\n4. ", "Go, 5. of May. 6. End", (1,)),
    ],
    "- one [1]\n- two [2]\n": [("- ", "one", (1,)), ("\n- ", "two", (2,))],
    "Run:\n```bash\nls x[1]\n\necho hi. there\n```\n[1]\n\n| a | b |\n|---|---|\n| x [1] | y [2] |\n\nDone. [3]": [
        ("", "Run:", ()),
        ("\n", "```bash\nls x[1]\n\necho hi. there\n```", (1,)),
        ("\n\n", "| a | b |\n|---|---|\n| x | y |", (1, 2)),
        ("\n\n", "Done.", (3,)),
    ],
    "See [1](http://x.y/z). Then `x[0]`. [1] [2]\n[3] Next [4": [
        ("", "See [1](http://x.y/z).", ()),
        (" ", "Then `x[0]`.", (1, 2, 3)),
        (" ", "Next [4", ()),
    ],
    "```\nnever closed. [1]\n": [("", "```\nnever closed. [1]", ())],
    " \n ": [],
    'He said "Go." "Now." [1] 그는 "네."라고 했습니다. "가능합니다." [2] "됩니다."\n\n"끝입니다."': [
        ("", 'He said "Go."', ()),
        (" ", '"Now."', (1,)),
        (" ", '그는 "네."라고 했습니다.', ()),
        (" ", '"가능합니다."', (2,)),
        (" ", '"됩니다."', ()),
        ("\n\n", '"끝입니다."', ()),
    ],
    "One. [1]\r\n\r\nTwo [2]\r\n- three [3]\r\n- four\r\n": [
        ("", "One.", (1,)),
        ("\n\n", "Two", (2,)),
        ("\n- ", "three", (3,)),
        ("\n- ", "four", ()),
    ],
}
WORDS = ("Open it", "the six", "연차는", "입니다", "닫습니다", "요", "e.g.", "No. 5", "v1.2", "A.", "3.5", "**this**")
SIGNS = (".", "!", "?", "。", ",", ":", "'", '"', "”", '"Yes."', "(see)", "`a.b c`", "`x[0]`", "[1](http://x.y/z)")
MARKS = ("[1]", " [2]", " [1, 3]", "【4】")
SPACES = (" ", " ", " ", "\n", "\n\n", "\n  ", "\r\n", "\r\n\r\n")
BLOCKS = (
    "- ",
    "\n- ",
    "\n1. ",
    "\n2) ",
    "\n| a | b. |\n|---|---|",
    "```\nls. x[1]\n\ny\n```",
    "\n```\n",
    "~~~",
    "|",
    "#",
)
HALVES = ("[", "]", "]", "(", ")", "`", "``", "1", "12", "-", "*", "•", "\t", "\u3000", "\v", "½", "_", "\n", "\r")


def fed(pieces: Pieces, texts: list[str]) -> list[list[Piece]]:
    """Return what comes out with each text, and at the end."""
    return [*(list(pieces.feed(text)) for text in texts), list(pieces.close())]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("text", ANSWERS)
def test_pieces_do_not_depend_on_how_the_text_arrives(text: str, size: int) -> None:
    pieces = Pieces()
    found = [piece for at in range(0, len(text), size) for piece in pieces.feed(text[at : at + size])]
    found += pieces.close()
    assert found == [Piece(lead=lead, text=said, cites=cites) for lead, said, cites in ANSWERS[text]]


def test_a_sentence_is_given_out_before_the_next_one_is_finished() -> None:
    pieces = Pieces()
    assert not list(pieces.feed("It closes at six. [1"))
    assert [piece.text for piece in pieces.feed("] On")] == ["It closes at six."]
    assert not list(pieces.feed(" Saturday it closes at noon."))


@given(st.lists(st.sampled_from(WORDS + SIGNS + MARKS + SPACES + BLOCKS[:6]), max_size=14), st.data())
def test_however_a_text_is_cut_the_pieces_are_those_of_the_whole(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=40).map(sorted))
    texts = [text[begin:end] for begin, end in pairwise([0, *places, len(text)])]
    assert [*chain(*fed(Pieces(), texts))] == [*chain(*fed(Pieces(), [text]))]
