"""The number of an item as it is written: digits, letters, Roman numbers, Korean letters, circles."""

from agent.language.lexicon import ordered

_GANADA = "".join(ordered("documents.list_letters", "ko"))
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN = 3_999


def letter(number: int) -> str:
    """Return a letter: a, b … z, then aa, bb …."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def roman(number: int) -> str:
    """Return a Roman number; digits for one that cannot be written so."""
    if not 0 < number <= _LARGEST_ROMAN:
        return str(number)
    text = ""
    for value, sign in _ROMAN:
        text += sign * (number // value)
        number %= value
    return text


def ganada(number: int) -> str:
    """Return a Korean letter, from the first again after the last."""
    return _GANADA[(number - 1) % len(_GANADA)]


def circled(number: int) -> str:
    """Return a number in a circle, plain digits beyond 20."""
    return _CIRCLED[number - 1] if 1 <= number <= len(_CIRCLED) else str(number)
