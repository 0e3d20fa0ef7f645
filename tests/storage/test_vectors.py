import errno
import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.errors import CorruptError, SettingsError, StorageError
from agent.ports import VectorIndex
from agent.types import Audience, SearchFilter
from storage import vector_format
from storage.contracts import VectorStore
from storage.vector_index import VectorIndexOnFile
from storage.vectors import VectorFile
from tests.contracts.vector_store import VectorStoreContract
from tests.contracts.vectors import DIMENSIONS, Entry, VectorIndexContract, unit
from tests.fakes_vectors import BruteForceVectors
from tests.vector_files import Open, found, ids, many, open_file, rows, saved

__all__ = ["open_file"]  # a fixture is found by its name here


class TestVectorIndexOnFile(VectorIndexContract):
    @pytest.fixture(autouse=True)
    def given(self, open_file: Open) -> None:
        self.open_file = open_file
        self.entries: dict[int, Entry] = {}

    async def make(self, entries: Mapping[int, Entry]) -> VectorIndex:
        async def allowed(filter: SearchFilter, audience: Audience) -> NDArray[np.int64] | None:
            within = [entry.id for entry in self.entries.values() if entry.within(filter, audience)]
            return None if len(within) == len(self.entries) else ids(*within)

        self.file = self.open_file(dimensions=DIMENSIONS)
        index = VectorIndexOnFile(self.file, allowed)
        await self.change(index, add=entries)
        return index

    async def change(self, index: VectorIndex, *, add: Mapping[int, Entry], remove: tuple[int, ...] = ()) -> None:
        self.entries |= add
        if add:
            await self.file.add(ids(*add), rows(*(entry.vector for entry in add.values())))
        await self.file.remove(ids(*remove))
        for id in remove:
            self.entries.pop(id, None)
        await self.file.save()


class TestVectorFile(VectorStoreContract):
    @pytest.fixture(autouse=True)
    def given(self, open_file: Open) -> None:
        self.open_file = open_file

    async def open(self, *, embedding: str = "e") -> VectorStore:
        return self.open_file(embedding=embedding)


class TestBruteForceVectors(VectorIndexContract):
    async def make(self, entries: Mapping[int, Entry]) -> VectorIndex:
        return BruteForceVectors(entries)

    async def change(self, index: VectorIndex, *, add: Mapping[int, Entry], remove: tuple[int, ...] = ()) -> None:
        assert isinstance(index, BruteForceVectors)
        index.entries |= add
        for id in remove:
            index.entries.pop(id, None)


async def test_file_and_brute_force_agree(open_file: Open) -> None:
    random = np.random.default_rng(7)
    vectors = random.standard_normal((500, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    numbers = np.arange(500, dtype=np.int64) * 3 + 11
    file = open_file()
    await file.add(numbers, vectors)
    for query in vectors[:20]:
        allowed = random.choice(numbers, 60, replace=False)
        scores = vectors @ query
        expected = sorted((n for n in allowed), key=lambda n: -scores[(n - 11) // 3])[:10]
        assert [id for id, _ in await file.search(query, 10, allowed)] == expected


async def test_what_was_saved_is_there_again(open_file: Open, tmp_path: Path) -> None:
    first = open_file()
    await first.add(ids(1, 2), rows(unit(1.0), unit(0.0, 1.0)))
    assert not (tmp_path / "vectors.faiss").exists()
    await first.save()
    again = open_file(dimensions=DIMENSIONS)
    assert await again.count() == 2
    assert sorted(await again.ids()) == [1, 2]
    assert await found(again, unit(0.1, 1.0)) == [2, 1]
    assert sorted(os.listdir(tmp_path)) == ["vectors.faiss", "vectors.faiss.lock"]


def test_making_one_reads_and_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "vectors.faiss").write_bytes(b"nonsense")
    code = (
        "import sys; from pathlib import Path; from storage.vectors import VectorFile; import storage.vector_index;"
        f"VectorFile(Path({str(tmp_path / 'vectors.faiss')!r}), embedding='e'); assert 'faiss' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_an_id_that_comes_twice_at_once_counts_once(open_file: Open) -> None:
    file = open_file()
    await file.add(ids(1, 1), rows(unit(1.0), unit(0.0, 1.0)))
    assert await file.count() == 1
    assert (await file.search(unit(0.0, 1.0), 5))[0][1] == pytest.approx(1.0)
    assert await file.remove(ids(1, 2)) == 1
    assert await file.count() == 0


async def test_another_process_is_noticed(open_file: Open) -> None:
    writer, reader = open_file(), open_file()
    assert await reader.count() == 0
    await writer.add(ids(1), rows(unit(1.0)))
    assert await reader.count() == 0
    await writer.save()
    assert await reader.count() == 1
    await writer.remove(ids(1))
    await writer.save()
    assert await found(reader, unit(1.0)) == []


async def test_two_writers_keep_each_others_changes(open_file: Open) -> None:
    first, second = open_file(), open_file()
    await first.add(ids(1, 2), rows(unit(1.0), unit(1.0, 0.1)))
    await first.save()
    await second.add(ids(3), rows(unit(1.0, 0.2)))
    await second.remove(ids(1))
    await first.add(ids(4), rows(unit(1.0, 0.3)))
    await first.save()
    await second.save()
    for file in (first, second, open_file()):
        assert await found(file, unit(1.0)) == [2, 3, 4]


@pytest.mark.parametrize("whole", [False, True])
async def test_what_is_not_saved_yet_stays_on_top_of_what_others_save(open_file: Open, whole: bool) -> None:
    first, second = open_file(), open_file()
    await first.add(ids(1, 2, 3), rows(unit(1.0), unit(1.0), unit(1.0)))
    await first.save()
    await second.add(ids(1, 4), rows(unit(0.0, 1.0), unit(0.0, 1.0)))
    await second.remove(ids(2))
    await first.add(ids(1, 2), rows(unit(0.0, 0.0, 1.0), unit(0.0, 0.0, 1.0)))
    await first.save(whole=whole)
    assert await found(second, unit(0.0, 1.0)) == [1, 4, 3]
    await second.save()
    for file in (first, second, open_file()):
        assert await found(file, unit(0.0, 1.0)) == [1, 4, 3]


@pytest.mark.parametrize("where", [0, 20, 60, 80, 100, 115, -2048, -2040, -1900, -1000, -1])
async def test_a_flipped_bit_is_refused(open_file: Open, tmp_path: Path, where: int) -> None:
    await saved(open_file)
    path = tmp_path / "vectors.faiss"
    content = bytearray(path.read_bytes())
    content[where] ^= 1
    path.write_bytes(content)
    file = open_file()
    for call in (file.search(unit(1.0), 1), file.count(), file.add(ids(9), rows(unit(1.0))), file.remove(ids(1))):
        with pytest.raises(CorruptError) as raised:
            await call
        assert str(path) in str(raised.value)
        assert "weft reindex" in str(raised.value)
    await file.save()
    assert path.read_bytes() == content


async def test_no_bit_of_the_header_can_flip_unnoticed(open_file: Open, tmp_path: Path) -> None:
    await saved(open_file)
    path = tmp_path / "vectors.faiss"
    content = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        vector_format.read_header(file, path)
        for bit in range(vector_format.TRAILER * 8):
            place = len(content) - vector_format.TRAILER + bit // 8
            with flipped(file, place, 1 << bit % 8), pytest.raises(CorruptError):
                vector_format.read_header(file, path)
        vector_format.read_header(file, path)


@contextmanager
def flipped(file: BinaryIO, place: int, mask: int) -> Iterator[None]:
    """Flip bits of an open file while the body runs."""
    before = os.pread(file.fileno(), 1, place)
    os.pwrite(file.fileno(), bytes([before[0] ^ mask]), place)
    yield
    os.pwrite(file.fileno(), before, place)


@pytest.mark.parametrize("size", [0, 10, 2048, 2100])
async def test_a_shortened_file_is_refused(open_file: Open, tmp_path: Path, size: int) -> None:
    await saved(open_file)
    path = tmp_path / "vectors.faiss"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(CorruptError, match="weft reindex"):
        await open_file().count()


@pytest.mark.parametrize("content", [b"nonsense", b"[]", b'{"format": 1}', b"\xff" * 5000, b"IxMI" + b"\0" * 4000])
async def test_a_file_of_another_kind_is_refused(open_file: Open, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "vectors.faiss").write_bytes(content)
    with pytest.raises(CorruptError, match="weft reindex"):
        await open_file().count()


async def test_a_file_that_lies_about_its_index_is_refused(open_file: Open, tmp_path: Path) -> None:
    """The checksum holds, but what it covers is no index of the kind that is said."""
    for body in (b"no index", b"", index_of(3, 2), index_of(DIMENSIONS, 1), index_of(DIMENSIONS, 2)):
        header = vector_format.Header(id="ab" * 16, embedding="test-embedding", dimensions=DIMENSIONS, vectors=2)
        digest = hashlib.sha256(header.covered() + body).hexdigest()
        (tmp_path / "vectors.faiss").write_bytes(body + replace(header, sha256=digest).line())
        with pytest.raises(CorruptError, match="weft reindex"):
            await open_file().count()


async def test_another_embedding_is_refused_until_reindexed(open_file: Open) -> None:
    await saved(open_file)
    for other in (open_file(embedding="other"), open_file(dimensions=DIMENSIONS + 1)):
        with pytest.raises(SettingsError, match="weft reindex") as raised:
            await other.search(unit(1.0), 1)
        assert "vectors.faiss" in str(raised.value)
    wider = open_file()
    with pytest.raises(SettingsError, match="weft reindex"):
        await wider.add(ids(5), np.ones((1, DIMENSIONS + 1), dtype=np.float32))
    with pytest.raises(SettingsError, match="weft reindex"):
        await wider.search(np.ones(DIMENSIONS + 1, dtype=np.float32), 1)

    other = open_file(embedding="other")
    await other.clear()
    await other.add(ids(5), np.ones((1, 3), dtype=np.float32))
    await other.save()
    assert await open_file(embedding="other", dimensions=3).count() == 1
    with pytest.raises(SettingsError):
        await wider.count()


async def test_clearing_replaces_even_a_damaged_file(open_file: Open, tmp_path: Path) -> None:
    (tmp_path / "vectors.faiss").write_bytes(b"nonsense")
    file = open_file()
    await file.clear()
    assert await file.count() == 0
    await file.save()
    assert not (tmp_path / "vectors.faiss").exists()
    await file.add(ids(1), rows(unit(1.0)))
    await file.save()
    assert await open_file().count() == 1


@pytest.mark.parametrize("whole", [False, True])
async def test_a_failed_save_leaves_what_was_there(
    open_file: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    await saved(open_file)
    path = tmp_path / "vectors.faiss"
    file = open_file()
    await file.add(ids(7), rows(unit(0.0, 1.0)))
    await file.save()
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    await file.add(ids(8), rows(unit(0.0, 1.0, 1.0)))
    with full_disk(monkeypatch), pytest.raises(StorageError, match="No space left") as raised:
        await file.save(whole=whole)
    assert str(path) in str(raised.value)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before
    assert await open_file().count() == 2
    await file.save(whole=whole)
    assert await open_file().count() == 3


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every file take forty bytes more and then fail: the disk is not ours to fill."""

    class Full(io.FileIO):
        room = 40

        def write(self, data: object) -> int:
            content = bytes(data)  # type: ignore[call-overload]
            written = super().write(content[: self.room])
            self.room -= written
            if written < len(content):
                raise OSError(errno.ENOSPC, "No space left on device")
            return written

    real = Path.open

    def limited(self: Path, mode: str = "r", *rest: object) -> object:
        return Full(self, mode) if mode in ("wb", "r+b") else real(self, mode, *rest)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", limited)
        yield


async def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    file = VectorFile(tmp_path / "file" / "vectors.faiss", embedding="e")
    with pytest.raises(StorageError, match=r"vectors\.faiss"):
        await file.count()
    await file.close()


async def test_what_is_no_vector_is_not_taken(open_file: Open) -> None:
    file = open_file()
    for numbers, vectors in (
        (ids(1, 2), rows(unit(1.0))),
        (ids(1), np.full((1, DIMENSIONS), np.nan, dtype=np.float32)),
        (ids(1), unit(1.0)),
    ):
        with pytest.raises(ValueError, match="vector"):
            await file.add(numbers, vectors)
    assert await file.count() == 0


async def test_the_file_is_what_faiss_itself_would_write(open_file: Open, tmp_path: Path) -> None:
    vectors = many(5000)
    numbers = np.arange(5000, dtype=np.int64) * 2 + 3
    file = open_file()
    await file.add(numbers[::-1].copy(), vectors[::-1].copy())
    await file.save()
    faiss = vector_format.library()
    index = faiss.IndexIDMap2(faiss.IndexFlatIP(DIMENSIONS))
    index.add_with_ids(vectors, numbers)
    written = (tmp_path / "vectors.faiss").read_bytes()
    assert written[: -vector_format.TRAILER] == faiss.serialize_index(index).tobytes()


def index_of(dimensions: int, count: int) -> bytes:
    faiss = vector_format.library()
    index = faiss.IndexIDMap2(faiss.IndexFlatIP(dimensions))
    index.add_with_ids(np.ones((count, dimensions), dtype=np.float32), np.arange(count)[::-1].copy())
    return bytes(faiss.serialize_index(index).tobytes())
