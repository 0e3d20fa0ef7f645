"""What is saved after the vector file was written: the log beside it, and how both become one file again."""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.errors import CorruptError
from storage.vectors import VectorFile
from tests.contracts.vectors import DIMENSIONS, unit
from tests.vector_files import Open, found, ids, many, open_file, rows, saved

__all__ = ["open_file"]  # a fixture is found by its name here


async def test_a_new_passage_does_not_cost_the_whole_file(open_file: Open, tmp_path: Path) -> None:
    writer, reader = open_file(), open_file()
    await writer.add(np.arange(2000, dtype=np.int64), many(2000))
    await writer.save()
    path, log = tmp_path / "vectors.faiss", tmp_path / "vectors.faiss.log"
    assert await reader.count() == 2000 and not log.exists()
    before = path.stat()
    await writer.add(ids(5000), rows(unit(1.0)))
    await writer.remove(ids(7))
    await writer.save()
    assert path.stat() == before
    assert log.stat().st_size < 500
    for file in (reader, writer, open_file()):
        assert (await file.count(), (await found(file, unit(1.0)))[0]) == (2000, 5000)
        assert await file.search(unit(1.0), 10, ids(7)) == []
    size = log.stat().st_size
    await writer.remove(ids(5000))
    await writer.save()
    assert 0 < log.stat().st_size - size < 100
    assert 5000 not in await found(reader, unit(1.0))


async def test_a_log_grown_large_becomes_part_of_the_file(open_file: Open, tmp_path: Path) -> None:
    writer, reader = open_file(), open_file()
    await saved(open_file)
    assert await reader.count() == 1
    vectors = many(6000)
    for start in range(0, 6000, 500):
        await writer.add(np.arange(start, start + 500, dtype=np.int64) + 10, vectors[start : start + 500])
        await writer.remove(ids(start + 10))
        await writer.save()
    assert (tmp_path / "vectors.faiss").stat().st_size > 4000 * (4 * DIMENSIONS + 8)
    expected = {1, *range(10, 6010)} - {start + 10 for start in range(0, 6000, 500)}
    for file in (writer, reader, open_file()):
        assert set((await file.ids()).tolist()) == expected
        assert (await found(file, vectors[4321]))[0] == 4331
    await writer.save(whole=True)
    assert not (tmp_path / "vectors.faiss.log").exists()
    for file in (writer, reader, open_file()):
        assert set((await file.ids()).tolist()) == expected
        assert (await found(file, vectors[4321]))[0] == 4331


async def with_log(open_file: Open) -> int:
    """Save a file of two vectors and a log of two saves; returns how long the log is after the first."""
    await saved(open_file)
    file = open_file()
    await file.add(ids(2), rows(unit(0.0, 1.0)))
    await file.save()
    first = file.log.stat().st_size
    await file.add(ids(3), rows(unit(0.0, 0.0, 1.0)))
    await file.remove(ids(1))
    await file.save()
    return first


@pytest.mark.parametrize("where", [0, 10, 29, 33, 37, 41, 50, 64, 70, 90, -100, -40, -1])
async def test_a_flipped_bit_of_the_log_is_refused(open_file: Open, where: int) -> None:
    await with_log(open_file)
    log = open_file().log
    content = bytearray(log.read_bytes())
    content[where] ^= 1
    log.write_bytes(content)
    file = open_file()
    for call in (file.search(unit(1.0), 1), file.count(), file.add(ids(9), rows(unit(1.0)))):
        with pytest.raises(CorruptError, match="weft reindex") as raised:
            await call
        assert str(log) in str(raised.value)
    await file.save()
    assert log.read_bytes() == content


async def test_a_save_that_was_cut_off_is_no_save(open_file: Open) -> None:
    first = await with_log(open_file)
    log = open_file().log
    content = log.read_bytes()
    for size in range(first, len(content)):
        log.write_bytes(content[:size])
        assert (await open_file().ids()).tolist() == [1, 2]
    file = open_file()
    await file.add(ids(4), rows(unit(0.0, 1.0)))
    await file.save()
    assert log.read_bytes()[:first] == content[:first]
    assert (await open_file().ids()).tolist() == [1, 2, 4]
    log.write_bytes(content[:-1])
    file = open_file()
    await file.remove(ids(2))
    await file.save()
    assert (await open_file().ids()).tolist() == [1]
    for size in range(20):
        log.write_bytes(content[:size])
        assert (await open_file().ids()).tolist() == [1]


async def test_another_file_takes_the_place_in_one_step(open_file: Open, tmp_path: Path) -> None:
    await with_log(open_file)
    live = open_file()
    assert await live.count() == 2
    fresh = VectorFile(tmp_path / "vectors.faiss.new", embedding="test-embedding")
    await fresh.add(ids(8, 9), rows(unit(1.0), unit(0.0, 1.0)))
    await fresh.save(whole=True)
    await fresh.close()
    old_log = live.log.read_bytes()
    await live.take(fresh)
    assert sorted(os.listdir(tmp_path)) == ["vectors.faiss", "vectors.faiss.lock"]
    assert (await live.ids()).tolist() == [8, 9]
    live.log.write_bytes(old_log)  # as a crash between the two steps would leave it
    for file in (live, open_file()):
        assert (await file.ids()).tolist() == [8, 9]
    await live.add(ids(10), rows(unit(1.0)))
    await live.save()
    for file in (live, open_file()):
        assert (await file.ids()).tolist() == [8, 9, 10]


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_two_writers_do_both_see_what_a_dictionary_would(open_file: Open, seed: int) -> None:
    random = np.random.default_rng(seed)
    files = [open_file(), open_file()]
    expected: dict[int, NDArray[np.float32]] = {}
    for _ in range(60):
        file = files[random.integers(2)]
        numbers = np.unique(random.integers(0, 40, size=random.integers(1, 8)))
        if random.random() < 0.4:
            await file.remove(numbers)
            expected = {n: row for n, row in expected.items() if n not in numbers}
        else:
            vectors = many(len(numbers), seed=int(random.integers(1 << 30)))
            await file.add(numbers, vectors)
            expected |= dict(zip(numbers.tolist(), vectors, strict=True))
        await file.save(whole=bool(random.random() < 0.15))
        for each in (*files, open_file()) if random.random() < 0.2 else files:
            query, allowed = many(1, seed=5)[0], np.unique(random.integers(0, 45, size=20))
            assert set((await each.ids()).tolist()) == set(expected)
            for among in (None, allowed):
                scores = {n: float(row @ query) for n, row in expected.items() if among is None or n in among}
                found = dict(await each.search(query, 5, among))
                assert list(found) == sorted(scores, key=lambda n: -scores[n])[:5]
                assert found == pytest.approx({n: scores[n] for n in found}, abs=1e-6)
