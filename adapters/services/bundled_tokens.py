"""Texts to tokens as multilingual-e5-small was taught: the likeliest pieces of each word (unigram, arXiv 1804.10959).

The library `tokenizers` does the same, but keeps some 300 MB for these 250,000 pieces, in each process.
"""

import math
import re
from array import array
from collections.abc import Iterator
from functools import lru_cache

from adapters.services.bundled_weights import Weights

_SPACE = "\u2581"
"""What stands for one before a word; no piece has it anywhere else, so words are cut one by one."""
_WORDS = re.compile(f"{_SPACE}[^{_SPACE}]*")
_SPACES = re.compile(" {2,}")
_UNLIKELY = 10.0
"""How much less likely an unknown character is than the least likely piece (as in SentencePiece)."""
_KEPT = 8192


class Tokenizer:
    """The pieces of a model, and the cutting of texts into them."""

    def __init__(self, weights: Weights) -> None:
        self._replaced = dict(weights.replaced)
        self._unknown = weights.unknown
        # Marks such as <s> are no text: where a text has their letters, it means these letters.
        self._known = {piece: token for token, piece in enumerate(weights.pieces) if weights.scores[token] < 0}
        self._scores = array("f", weights.scores)
        self._longest = max(map(len, self._known))
        self._least = min(self._scores) - _UNLIKELY
        self._word = lru_cache(maxsize=_KEPT)(self._cut)

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text, without those for its begin and end; a space stands before the first word."""
        plain = _SPACES.sub(" ", f" {text}".translate(self._replaced)).replace(" ", _SPACE)
        return [token for word in _WORDS.findall(plain) for token in self._word(word)]

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the likeliest pieces of a word (Viterbi); unknown characters in a row are one."""
        scores = [0.0] + [-math.inf] * len(word)
        before: list[tuple[int, int]] = [(0, self._unknown)] * (len(word) + 1)
        for begin in range(len(word)):
            reached = scores[begin]
            for end, token, score in self._pieces(word, begin):
                if reached + score > scores[end]:
                    scores[end], before[end] = reached + score, (begin, token)
        tokens: list[int] = []
        end = len(word)
        while end:
            end, token = before[end]
            if not (tokens and token == tokens[-1] == self._unknown):
                tokens.append(token)
        return tuple(reversed(tokens))

    def _pieces(self, word: str, begin: int) -> Iterator[tuple[int, int, float]]:
        yield begin + 1, self._unknown, self._least
        for end in range(begin + 1, min(begin + self._longest, len(word)) + 1):
            token = self._known.get(word[begin:end])
            if token is not None:
                yield end, token, self._scores[token]
