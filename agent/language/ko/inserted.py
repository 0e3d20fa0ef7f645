"""What is put into Korean texts, with the particle that fits it: `{name:은는}` is 매출은 or 세금 and 비용은 alike."""

from agent.language.ko.letters import final_of, is_hangul

PAIRS = ("은는", "이가", "을를", "과와")
"""Particles behind a consonant and behind a vowel."""
_BY = "으로로"
"""A pair as well, of which the second also stands behind ㄹ."""
_RIEUL = 8
_CLOSING = "\"'”’)]>*`"


class Inserted(str):
    """A text that takes a particle where it is formatted with a pair: `format(Inserted("매출"), "은는")` is 매출은."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec not in (*PAIRS, _BY):
            return format(str(self), spec)
        final = _final(self.rstrip(_CLOSING))
        if spec == _BY:
            return str(self) + ("으로" if final not in (0, _RIEUL) else "로")
        return str(self) + (spec[0] if final else spec[1])


def inserted(value: object) -> object:
    """Return a value as it is put into a text."""
    return Inserted(value) if isinstance(value, str) else value


def joined(word: str, behind: str) -> str:
    """Return a word with what stands behind it; where that begins with a particle, with the one that fits."""
    pair = next((pair for pair in PAIRS if behind and behind[0] in pair), "")
    return format(Inserted(word), pair) + behind[1:] if pair else word + behind


def _final(word: str) -> int:
    """Return the final consonant that a word is read with, by its number among the finals; 0 for none."""
    last = word[-1:].lower()
    if is_hangul(last):
        return final_of(last)
    return _RIEUL if last in tuple("178l") else int(last in tuple("mn036"))
