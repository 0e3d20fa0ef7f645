"""Words of the catalogue with Korean particles that fit what is put in: `{name:은는}`."""

from agent.language import say
from agent.reasoning.rules.reading.korean_stems import has_final
from agent.types import Language

_ENDS_IN_RIEUL = 8
_CLOSING = "\"'”’)]>*`"


class Word(str):
    """A text that takes a particle where it is formatted with one: `format(Word("매출"), "은는")` is 매출은."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec == "으로로":
            return str(self) + ("으로" if self._closed() and not self._ends_in_rieul() else "로")
        return str(self) + (spec[0] if self._closed() else spec[1]) if len(spec) == 2 else format(str(self), spec)

    def _closed(self) -> bool:
        return has_final(self.rstrip(_CLOSING))

    def _ends_in_rieul(self) -> bool:
        last = self.rstrip(_CLOSING)[-1:]
        return last in "178lL" if not "가" <= last <= "힣" else (ord(last) - 0xAC00) % 28 == _ENDS_IN_RIEUL


def tell(key: str, language: Language, **values: str | int) -> str:
    """Return the words for a key, in which texts take the particles that the catalogue asks for."""
    return say(key, language, **{name: Word(value) for name, value in values.items()})
