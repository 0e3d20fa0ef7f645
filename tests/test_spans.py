"""What a text says of numbers: ranges, limits, and each number for itself."""

from fractions import Fraction

import pytest

from agent.values.spans import spans


@pytest.mark.parametrize(
    ("number", "text", "held"),
    [
        ("7 kg", "5~10kg", True),
        ("7키로", "5~10kg", True),
        ("12 kg", "5~10kg", False),
        ("7", "5 to 10 kg", True),
        ("7 days", "5 to 10 kg", False),
        ("120 eur", "From 35 to 150 euro the lead approves.", True),
        ("4달", "3개월 초과 6개월 이하", True),
        ("3개월", "3개월 초과 6개월 이하", False),
        ("6개월", "3개월 초과 6개월 이하", True),
        ("90cm", "90cm 미만", False),
        ("60", "up to 50", False),
        ("40", "up to 50", True),
        ("3인용", "2~3인용", True),
        ("3명", "2~3인용", False),
        ("5%", "1 to 10", False),
        ("5%", "1~10%", True),
        ("두 달", "2개월", True),
        ("10시", "09:00~18:00", True),
        ("4", "rooms 3 and 5", False),
        ("4", "between 3 and 5", True),
        ("2024", "1 to 9000", False),
    ],
)
def test_which_numbers_a_text_speaks_for(number, text, held):
    (asked, *_) = [*spans(number), None]
    assert any(span.holds(asked) for span in spans(text) if asked) is held


def test_dates_and_years_are_no_numbers():
    assert spans("On 1 March 2026 and in 2025") == ()
    (span,) = spans("2026-03-01, 14 days")
    assert (span.low, span.unit, span.written) == (Fraction(14), "day", "14 days")
