"""Words that are no general English ones."""

from itertools import product

import pytest

from agent.retrieval.general_words import names_not_held, strange_words
from agent.text import tokens
from tests.cost import spent

HELD = frozenset(tokens("The heron stands at the weir, the bittern in the reeds."))


@pytest.mark.parametrize(
    ("question", "strange", "names"),
    [
        ("Where does the bittern stand?", [], []),
        ("Where does the quagganth stand?", ["quagganth"], ["quagganth"]),
        ("Where is Zorillaburg?", ["Zorillaburg"], ["Zorillaburg"]),
        ("Where does the bitern stnad?", ["bitern", "stnad"], []),  # slips of what is held, and of a general word
        ("What is the diffrence?", ["diffrence"], []),
        ("Is there a weirkeeper?", ["weirkeeper"], []),  # two words in one
        ("두루미는 어디에 서?", [], []),
    ],
)
def test_what_is_neither_held_nor_general_is_a_name_or_a_slip(question, strange, names):
    assert list(strange_words(question, HELD)) == strange
    assert list(names_not_held(question, HELD)) == names


def test_a_message_of_strange_words_costs_little():
    text = " ".join("quagg" + "".join(letters) for letters in product("aeiounrst", repeat=3))
    assert len(strange_words(text, HELD)) > 100
    with spent() as cost:
        names_not_held(text, HELD)
    assert cost.pieces < 30
