"""What the tests of the vector file share: opening it as so many processes would, and vectors to put into it."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from storage.vectors import VectorFile
from tests.contracts.vectors import DIMENSIONS, unit

Open = Callable[..., VectorFile]


@pytest.fixture
async def open_file(tmp_path: Path) -> AsyncIterator[Open]:
    """Open the same file as often as a test likes, as so many processes would."""
    opened: list[VectorFile] = []

    def open_file(**given: object) -> VectorFile:
        opened.append(VectorFile(tmp_path / "vectors.faiss", **{"embedding": "test-embedding", **given}))
        return opened[-1]

    yield open_file
    for file in opened:
        await file.close()


def ids(*numbers: int) -> NDArray[np.int64]:
    return np.array(numbers, dtype=np.int64)


def rows(*vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.stack(vectors)


async def found(file: VectorFile, vector: NDArray[np.float32]) -> list[int]:
    return [id for id, _ in await file.search(vector, 10)]


def many(count: int, *, seed: int = 3) -> NDArray[np.float32]:
    """Return so many vectors of length 1."""
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


async def saved(open_file: Open) -> None:
    file = open_file()
    await file.add(ids(1), rows(unit(1.0)))
    await file.save()
