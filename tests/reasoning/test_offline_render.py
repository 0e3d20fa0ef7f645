"""Pieces of documents made readable."""

import pytest

from agent.reasoning.rules.answering import readable


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("49.9", "49.9"),
        ("3.5 % a year", "3.5 % a year"),
        ("1. Open it", "Open it"),
        ("2)Close it", "Close it"),
        ("7.", "7."),
    ],
)
def test_a_decimal_number_is_no_list_mark(text, tidied):
    assert readable.tidy(text) == tidied


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("See [here](https://x.example/a).", "See [here](https://x.example/a)."),
        ("See [here](https://x.example/a) or not.", "See [here](https://x.example/a) or not."),
        ("See [here](#below).", "See here."),
        ("See [here](#below_(now)) or not.", "See here or not."),
        ("See [here](https://x.example/a_(b)) or not.", "See [here](https://x.example/a_(b)) or not."),
        ("See [here](https://x.exa", "See [here"),
        ("end of it](https://x.example/a) and more", "and more"),
    ],
)
def test_a_link_that_leads_somewhere_is_kept_whole(text, tidied):
    assert readable.tidy(text, links=True) == tidied


@pytest.mark.parametrize("day", ["11. 30.까지", "10. 5.(월) 점검", "4.2. at noon"])
def test_a_day_between_dots_keeps_its_month(day):
    assert readable.tidy(day) == day
    assert readable.tidy("3. 5명") == "5명" and readable.tidy("2. 12.5 g") == "12.5 g"


def test_what_a_cell_begins_with_is_no_mark_of_a_list():
    assert readable.cells("| 11. 30. | 3. 5만 | 2) later | - | **bold** |") == [
        "11. 30.", "3. 5만", "2) later", "-", "**bold**",
    ]  # fmt: skip
