"""Pieces of documents made readable."""

import pytest

from agent.reasoning.offline import render


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
    assert render.tidy(text) == tidied
