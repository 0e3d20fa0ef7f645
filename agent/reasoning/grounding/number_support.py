"""Numbers of a statement held against the figures that it speaks of: whoever wrote it may invent none."""

import re
from collections.abc import Sequence
from fractions import Fraction

from agent.results import Metric
from agent.values.amounts import Amount, amounts
from agent.values.numerals import from_korean

_OF = re.compile(r"\s+of\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_KOREAN = re.compile(r"(?<!\d)(?<!\d,)\d[\d,]*+(?:\.(\d++))?\s?([십백천만억조]+)[^\d십백천만억조]*$")
_NAMES = ("month_name", "clock", "ordinal")
_MANTISSA = re.compile(r"\d[\d,]*(?:\.(\d+))?")


def numbers_stand(text: str, metrics: Sequence[Metric]) -> list[str]:
    """Return the numbers of a text that are no metric's, as they are written there; none: all of them stand.

    A number stands when a metric's value, its written form or the labels in its name hold it: in the same unit, and
    rounded to the places that the text writes. Signs are not compared, since a fall of 5 % is a change of -5 %. "One",
    and a quarter or half that is not "of" something, are no claims.
    """
    allowed = [_known(amount) for metric in metrics for amount in _amounts_of(metric)]
    return [
        amount.written
        for amount in amounts(text)
        if not _claims_nothing(amount, text) and not any(_same(amount, *known) for known in allowed)
    ]


def _claims_nothing(amount: Amount, text: str) -> bool:
    """Tell whether a word is no number here: one of them, per quarter, half a year."""
    if _DIGIT.search(amount.written):
        return False
    return amount.value == 1 or (amount.written.lower() in ("quarter", "half") and not _OF.match(text, amount.end))


def _amounts_of(metric: Metric) -> list[Amount]:
    exact = Fraction(str(abs(metric.value)))
    if metric.unit == "%":
        value = [Amount(exact / 100, "", f"{metric.value}%")]
    else:
        units = {amount.unit for amount in amounts(metric.written)} or {""}
        value = [Amount(exact, unit, "") for unit in units]
    return [*value, *amounts(metric.written), *amounts(metric.name)]


def _known(amount: Amount) -> tuple[Fraction, str, bool]:
    return abs(amount.value), amount.unit, _is_percent(amount)


def _is_percent(amount: Amount) -> bool:
    return amount.written.rstrip().endswith("%")


def _same(amount: Amount, value: Fraction, unit: str, percent: bool) -> bool:
    if _is_percent(amount) != percent:
        return False
    if amount.unit and unit and amount.unit != unit:
        return False
    if unit in _NAMES and amount.unit != unit:  # March is no number of things
        return False
    return abs(abs(amount.value) - value) <= _half_a_step(amount)


def _half_a_step(amount: Amount) -> Fraction:
    """Return half of what the last digit written stands for: 1.2 million may be anything from 1.15 to 1.25 million."""
    korean = _KOREAN.search(amount.written)
    if korean:  # of 3만 5천 a thousand
        return from_korean(f"1{korean[2]}") * Fraction(1, 2 * 10 ** len(korean[1] or ""))
    match = _MANTISSA.search(amount.written)
    if match is None or not amount.value:
        return Fraction(0)
    shown = Fraction(match.group().replace(",", ""))
    scale = abs(amount.value) / shown if shown else Fraction(1)
    return scale * Fraction(1, 2 * 10 ** len(match[1] or ""))
