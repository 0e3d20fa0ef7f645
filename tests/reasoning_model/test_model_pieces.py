import pytest

from agent.reasoning.model.pieces import Piece, Pieces

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
}


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
