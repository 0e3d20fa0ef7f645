"""The cutting of texts into pieces, held against the library that others use for it."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Reference
from tokenizers import models

from adapters.services.bundled_tokens import Tokenizer

PIECES = ["<s>", "<unk>", "▁", "a", "b", "ab", "▁a", "aba", "ba", "▁bab", "가", "나", "가나", "▁가", "s", "<", ">"]
SCORES = [0.0, 0.0, *np.linspace(-2, -9, len(PIECES) - 2)]
UNKNOWN = 1


def tokenizer(replaced: dict[int, str]) -> Tokenizer:
    scores = np.array(SCORES, dtype=np.float32)
    return Tokenizer(SimpleNamespace(pieces=PIECES, scores=scores, unknown=UNKNOWN, replaced=replaced))


@given(st.text(alphabet="ab 가나z", max_size=40))
def test_the_pieces_are_those_of_the_library(text):
    reference = Reference(models.Unigram(list(zip(PIECES, SCORES, strict=True)), UNKNOWN, False))
    marked = f" {text}"
    while "  " in marked:
        marked = marked.replace("  ", " ")
    expected = reference.encode(marked.replace(" ", "▁"), add_special_tokens=False).ids
    assert tokenizer({}).tokens(text) == expected


def test_letters_of_a_mark_are_letters():
    assert PIECES.index("<s>") not in tokenizer({}).tokens("a <s> b")


def test_characters_are_replaced_before_they_are_cut():
    assert tokenizer({ord("Ａ"): "a", ord("\n"): " "}).tokens("Ａ\nb") == tokenizer({}).tokens("a b")
