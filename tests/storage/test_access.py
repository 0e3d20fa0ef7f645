"""Readers and groups in `weft.db`."""

import pytest

from agent.types import Audience, Query, SearchFilter
from storage.access import SqlAccess
from storage.documents import SqlLibrary
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.lexical import SqlLexicalIndex

HR = frozenset({"channel:slack:T1:C1"})
OPERATOR = Audience(principals=frozenset(), operator=True)


def document(identity: str, *texts: str) -> ParsedDocument:
    passages = tuple(ParsedPassage(text=text, position=n) for n, text in enumerate(texts))
    return ParsedDocument(
        document_id=identity, title="", source=identity, origin=identity, passages=passages, language="en",
        content_hash=identity, metadata={},
    )  # fmt: skip


@pytest.fixture
def access(database):
    return SqlAccess(database)


async def names(access) -> dict[str, tuple[int, int, frozenset[str]]]:
    return {info.name: (info.documents, info.passages, info.readers) for info in await access.collections()}


async def test_a_collection_is_made_once_and_ingest_leaves_its_readers_alone(access, database):
    library = SqlLibrary(database)
    assert await access.create("hr", HR) and not await access.create("hr", {"*"})
    await library.declare("hr")
    await library.put("hr", [document("a", "one", "two"), document("b", "three")])
    assert await names(access) == {"hr": (2, 3, HR)}
    await library.put("open", [document("a", "one")])  # nobody made this one before
    assert (await names(access))["open"] == (1, 1, frozenset({"*"}))


async def test_readers_are_changed_in_one_go(access):
    await access.create("hr", HR)
    assert await access.change_readers("hr", lambda readers: readers | {"user:slack:T1:U1"}) == HR | {
        "user:slack:T1:U1"
    }
    assert await access.change_readers("hr", lambda _: frozenset()) == frozenset()
    assert await access.change_readers("nowhere", lambda _: HR) is None
    assert await names(access) == {"hr": (0, 0, frozenset())}


async def test_a_change_acts_on_the_very_next_look(access, database):
    library, reader = SqlLibrary(database), Audience(principals=HR)
    await access.create("hr", ())
    await library.put("hr", [document("a", "one")])
    for readers, closed in ((frozenset(), True), (HR, False), (frozenset({"group:x"}), True)):
        await access.change_readers("hr", lambda _, readers=readers: readers)
        assert await library.empty(audience=reader) is closed


async def test_a_removed_collection_leaves_nothing_and_indexes_hear_of_it(access, database):
    library = SqlLibrary(database)
    await access.create("hr", HR)
    await library.put("hr", [document("a", "one", "two")])
    await library.put("open", [document("a", "one")])
    await library.stamp("hr", "/a", "1")
    index = SqlLexicalIndex(database)

    async def found() -> int:
        return len(await index.search(Query(text="one"), k=9, filter=SearchFilter(), audience=OPERATOR))

    assert await found() == 2
    assert not await access.remove("hr")  # not while there are documents
    await library.drop("hr", ["a"])
    assert await access.remove("hr") and not await access.remove("hr")
    assert list(await names(access)) == ["open"] and len(await library.ids()) == 1
    assert await found() == 1
    assert await library.stamps("hr") == {} and await access.create("hr", ())


async def test_groups_come_with_their_first_member_and_end_with_their_last(access):
    assert await access.add_members("finance", ["user:slack:T1:U2", "user:slack:T1:U1", "user:slack:T1:U1"]) == 2
    assert await access.add_members("finance", ["user:slack:T1:U1", "channel:slack:T1:C1"]) == 1
    assert await access.groups() == {"finance": ["channel:slack:T1:C1", "user:slack:T1:U1", "user:slack:T1:U2"]}
    assert await access.remove_members("finance", ["user:slack:T1:U2", "user:slack:T1:U9"]) == 1
    assert await access.groups_of(["user:slack:T1:U1"]) == {"finance"}
    assert await access.groups_of(["user:slack:T1:U2"]) == await access.groups_of([]) == frozenset()
    assert await access.remove_members("finance", ["channel:slack:T1:C1", "user:slack:T1:U1"]) == 2
    assert await access.groups() == {}


async def test_a_user_is_found_by_every_name_that_readers_and_groups_give(access, database):
    await access.create("a", {"user:discord:G1:7", "user:slack:G1:7", "*"})
    await access.create("b", {"user:discord:G2:7", "user:discord:G1:77"})
    await access.add_members("x", ["user:discord:G3:7", "channel:discord:G1:7"])
    found = await SqlAccess(database).named_as("discord", "7")
    assert found == {"user:discord:G1:7", "user:discord:G2:7", "user:discord:G3:7"}
