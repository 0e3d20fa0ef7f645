"""Attached files in either database: found by their thread, gone with their turn."""

import pytest

from agent.types import ATTACHED, AttachedFile, Passage, Sheet
from storage.attachments import SqlAttachments


@pytest.fixture
def store(database):
    return SqlAttachments(database)


def file(name: str, passages: int = 2) -> AttachedFile:
    texts = tuple(
        Passage(id=-1, document_id=f"k/{name}", collection=ATTACHED, title=name, text=f"{name} 글 {n}", position=n)
        for n in range(passages)
    )
    sheet = Sheet(name="S", header=("a", "b"), rows=(("1", "2"), ("3", "|")), whole=False)
    return AttachedFile(name=name, passages=texts, sheets=(sheet,), whole=False)


async def put(store, name: str, *, turn: str = "t1", thread: str = "T", at: float = 1.0) -> None:
    await store.put(file(name), turn_id=turn, thread=thread, message_id=f"m{turn}", file_id=name, at=at)


async def names(store, thread: str = "T", **more) -> list[str]:
    return [each.name for each in await store.latest(thread, **more)]


async def test_a_file_comes_back_as_it_was(store):
    await put(store, "a.csv")
    (found,) = await store.latest("T")
    assert found.sheets == file("a.csv").sheets and not found.whole
    assert [p.text for p in found.passages] == ["a.csv 글 0", "a.csv 글 1"]
    assert await store.known("t1") == {"a.csv"} and await store.known("t2") == frozenset()


async def test_numbers_are_below_zero_and_unique_among_all_files(store):
    await put(store, "a.csv")
    await put(store, "b.csv", turn="t2", at=2.0)
    passages = [p for each in await store.latest("T") for p in each.passages]
    assert [p.id for p in passages] == [-1, -2, -3, -4]
    assert [p.document for p in passages] == [-1, -1, -2, -2]


async def test_the_latest_come_and_those_of_the_turn_first(store):
    for number in range(7):
        await put(store, f"{number}.csv", turn=f"t{number}", at=float(number))
    await put(store, "2b.csv", turn="t2", at=2.0)
    assert await names(store) == ["2b.csv", "6.csv", "5.csv", "4.csv", "3.csv"]
    assert await names(store, turn_id="t2") == ["2.csv", "2b.csv", "6.csv", "5.csv", "4.csv"]
    assert await names(store, thread="other") == []


async def test_the_same_file_of_a_turn_is_kept_once(store):
    await put(store, "a.csv")
    await put(store, "a.csv")
    assert await names(store) == ["a.csv"]


async def test_what_is_forgotten_is_gone(store):
    await put(store, "a.csv")
    await put(store, "b.csv", turn="t2", at=5.0)
    await store.forget("t1")
    assert await names(store) == ["b.csv"]
    assert await store.prune(older_than=5.0) == 0 and await store.prune(older_than=5.1) == 1
    assert await names(store) == []
