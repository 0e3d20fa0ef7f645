"""Near-duplicate passages: the best of them stays, the others are named.

What documents repeat would fill the context with one statement. Two versions of a rule are no
duplicates, though: they differ in a number, a `not`, a name, or in what was asked about.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from math import log

from agent.retrieval.phrases import stems
from agent.types import Passage
from agent.values.amounts import amounts

ALIKE = 0.9
"""Share of the words that two passages have in common, from which on they say the same."""
_ROUGHLY = 0.8
"""The same share of what stands between spaces, which is quick to tell and rules most pairs out."""
_BAND = log(1.2)
"""Lengths are compared within bands: what is longer by half is not alike."""
_FEW = 8
"""Words of a text that tells little without its title: `20 days`."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[%€$£₩<>≤≥=+]")
_DIGIT = re.compile(r"\d")
_TURNS = frozenset(
    """not no never none nor neither nobody nothing without unless except excluding including include exclude
    includes excludes included excluded besides only must may might should shall can could will would cannot before
    after until till since during above below over under more less fewer least most minimum maximum min max higher
    lower upper up down all any some each every both either first last next previous former latter new old same other
    another different allowed permitted required mandatory optional voluntary forbidden prohibited approved rejected
    denied refused granted enabled disabled enable disable true false yes on off open closed start end begin stop
    increase decrease increased decreased add remove added removed accept decline valid invalid always sometimes often
    rarely full part partial half internal external public private in out from to by draft final""".split()
)
_TURNS_KOREAN = re.compile(
    "않|없|못|아니|불가|금지|제외|포함|이상|이하|미만|초과|이내|이전|이후|직전|직후|최대|최소|가능|필수|선택|허용|의무|전부|"
    "일부|모두|모든|반드시|먼저|나중|까지|부터|이외|외에|신규|기존|유급|무급|공개|증가|감소|인상|인하|만$|"
    "^(?:하나|다섯|여섯|일곱|여덟|아홉|스물|서른|마흔|첫째|둘째|셋째)|^[가-힣]$"
)
_DENYING_KOREAN = frozenset("불비미무재반")


@dataclass(frozen=True)
class _Text:
    """A passage's text as it is compared."""

    passage: Passage

    @cached_property
    def rough(self) -> frozenset[str]:
        return frozenset(self.passage.text.lower().split())

    @cached_property
    def written(self) -> list[str]:
        return _WORD.findall(unicodedata.normalize("NFKC", self.passage.text).replace("’", "'"))

    @cached_property
    def words(self) -> list[str]:
        return [word.lower() for word in self.written]

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.words)

    @cached_property
    def place(self) -> tuple[str, str]:
        return self.passage.title.casefold(), self.passage.section.casefold()

    @cached_property
    def spoken_of(self) -> frozenset[str]:
        return frozenset(stems(f"{self.passage.title}\n{self.passage.section}\n{self.passage.text}"))

    @cached_property
    def headed(self) -> frozenset[str]:
        return frozenset(stems(f"{self.passage.title}\n{self.passage.section}"))


class Folding:
    """What was kept so far of a ranking, best first, for one question."""

    def __init__(self, question: str) -> None:
        self._asked = frozenset(stems(question))
        self._kept: dict[tuple[str, int], list[_Text]] = {}

    def fold(self, passage: Passage) -> Passage | None:
        """Return the better passage that says the same; None, where there is none and this one is kept."""
        text = _Text(passage)
        band = int(log(len(passage.text) + 1) / _BAND)
        for near in (band, band - 1, band + 1):
            for other in self._kept.get((passage.kind, near), ()):
                if _alike(text, other) and self._adds_nothing(text, other):
                    return other.passage
        self._kept.setdefault((passage.kind, band), []).append(text)
        return None

    def _adds_nothing(self, text: _Text, kept: _Text) -> bool:
        """Tell whether the kept passage speaks of all that was asked about and this one does."""
        if text.passage.text == kept.passage.text and text.place == kept.place:
            return True
        if len(text.words) < _FEW and text.place != kept.place:
            return False
        if not (text.headed & self._asked) <= kept.spoken_of:
            return False
        changed = list(_changed(text, kept))
        if any(_turns(one, other) for one, other in changed) or _moved(changed):
            return False
        return self._asked.isdisjoint(stems(" ".join(word for pair in changed for part in pair for word in part)))


def _alike(one: _Text, other: _Text) -> bool:
    if one.passage.text == other.passage.text:
        return True
    common = len(one.rough & other.rough)
    if common < _ROUGHLY * (len(one.rough) + len(other.rough) - common):
        return False
    longest = max(len(one.words), len(other.words))
    if (one.counts & other.counts).total() < ALIKE * longest:
        return False
    same = longest - sum(max(len(a), len(b)) for a, b in _changed(one, other))
    return same >= ALIKE * longest


def _changed(one: _Text, other: _Text) -> Iterator[tuple[list[str], list[str]]]:
    """Yield what stands in one text in the place of what in the other, as it is written."""
    if one.words == other.words:
        return
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            yield one.written[a:b], other.written[c:d]


def _moved(changed: Sequence[tuple[list[str], list[str]]]) -> bool:
    """Tell whether a word stands elsewhere: the dog bites the man, the man bites the dog."""
    gone = {word.lower() for one, _ in changed for word in one}
    return any(word.lower() in gone for _, other in changed for word in other)


def _turns(one: list[str], other: list[str]) -> bool:
    """Tell whether a change may turn the meaning: a number, a name, a word like `not` or `at most`, a prefix."""
    words = [*one, *other]
    if any(not word.islower() and not "가" <= word[0] <= "힣" for word in words) or _DIGIT.search(" ".join(words)):
        return True
    if any(word in _TURNS or word.endswith("n't") or _TURNS_KOREAN.search(word) for word in words):
        return True
    if amounts(" ".join(one)) or amounts(" ".join(other)):
        return True
    return any(_prefixed(a, b) or _prefixed(b, a) for a in one for b in other)


def _prefixed(word: str, rest: str) -> bool:
    """Tell whether a word is another with something before it that may deny it: unpaid, 미지급."""
    if not word.endswith(rest) or word == rest:
        return False
    return word[: -len(rest)] in _DENYING_KOREAN if "가" <= word[0] <= "힣" else True
