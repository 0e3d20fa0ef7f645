from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pytest

from agent.errors import CorruptError
from storage.embedding_cache import SqliteEmbeddingCache

Row = np.ndarray


def key(number: int) -> str:
    return f"{number:064x}"


def row(number: int, size: int = 64) -> Row:
    return np.random.default_rng(number).standard_normal(size).astype(np.float32)


class Clock:
    def __init__(self) -> None:
        self.days = 100.0

    def __call__(self) -> float:
        return self.days * 86_400


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def open_cache(tmp_path: Path, clock: Clock) -> AsyncIterator[Callable]:
    opened = []

    async def open_cache(size: int = 100_000_000) -> SqliteEmbeddingCache:
        opened.append(await SqliteEmbeddingCache.open(tmp_path / "embeddings.db", size=size, now=clock))
        return opened[-1]

    yield open_cache
    for cache in opened:
        await cache.close()


async def test_vectors_come_back_exactly_after_a_restart_and_in_another_process(open_cache):
    first, second = await open_cache(), await open_cache()
    await first.put({key(n): row(n) for n in range(1200)})
    for cache in (first, second, await open_cache()):
        found = await cache.get([key(n) for n in range(1000, 1300)])
        assert set(found) == {key(n) for n in range(1000, 1200)}
        assert all(np.array_equal(found[key(n)], row(n)) for n in range(1000, 1200))
    await second.put({key(5): row(99)})
    assert np.array_equal((await first.get([key(5)]))[key(5)], row(99))
    assert await first.count() == 1200 and not await first.get([])


async def test_the_file_stays_within_its_bound_and_keeps_what_is_used(open_cache, clock, tmp_path):
    size = 400_000
    cache = await open_cache(size)
    await cache.put({key(n): row(n) for n in range(20)})
    for day in range(30):
        clock.days += 1
        assert len(await cache.get([key(n) for n in range(10)])) == 10
        await cache.put({key(n): row(n) for n in range(100 + 100 * day, 200 + 100 * day)})
    assert len(await cache.get([key(n) for n in range(20)])) == 10
    assert len(await cache.get([key(n) for n in range(3000, 3100)])) == 100
    assert 500 < await cache.count() < 1500
    await cache.close()
    assert (tmp_path / "embeddings.db").stat().st_size < 1.3 * size


async def test_a_flipped_bit_makes_a_vector_unknown(open_cache, tmp_path):
    cache = await open_cache()
    await cache.put({key(n): row(n) for n in range(3)})
    await cache.close()
    path = tmp_path / "embeddings.db"
    content = bytearray(path.read_bytes())
    content[content.index(row(1).tobytes()) + 17] ^= 4
    path.write_bytes(content)
    assert set(await (await open_cache()).get([key(n) for n in range(3)])) == {key(0), key(2)}


async def test_a_file_that_is_no_database_is_named(open_cache, tmp_path):
    (tmp_path / "embeddings.db").write_bytes(b"nonsense" * 1000)
    with pytest.raises(CorruptError, match=r"embeddings\.db"):
        await open_cache()
