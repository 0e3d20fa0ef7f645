"""Readers and groups in `weft.db`."""

import pytest

from agent.types import Audience, Query, SearchFilter
from storage.access import SqlAccess
from storage.documents import SqlLibrary
from storage.ingest.parsed import ParsedDocument, ParsedPassage
from storage.lexical import SqlLexicalIndex
from storage.schema import PACKS_OF_COLLECTIONS

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


async def test_whose_collections_are_that_were_stored_before_is_known_by_their_files(database):
    """The migration of `collections.pack`, run on tables as they were before it."""
    files = {
        "medical": ["/x/agent/packs/medical/documents/a.md", "/x/agent/packs/medical/documents/guide/b.md"],
        "legal": ["/y/packs/real_estate/documents/legal/a.md"],
        "documents": ["/home/u/notes.md"],
        "mixed": ["/x/agent/packs/medical/documents/a.md", "/home/u/b.md"],
        "empty": [],
    }

    def before(connection):
        connection.execute("ALTER TABLE collections DROP COLUMN pack")
        for n, (name, origins) in enumerate(files.items(), start=1):
            connection.execute("INSERT INTO collections(id, name) VALUES(?,?)", (n, name))
            for origin in origins:
                connection.execute(
                    """INSERT INTO documents(collection, document_id, title, source, origin, language, content_hash,
                    metadata, characters, updated_at) VALUES(?,?,'','',?,'en','','{}',0,0)""",
                    (n, origin, origin),
                )
        for statement in PACKS_OF_COLLECTIONS.split(";"):
            if statement.strip():
                connection.execute(statement)

    await database.write(before)
    held = {info.name: info.pack for info in await SqlAccess(database).collections()}
    assert held == {"documents": "", "empty": "", "legal": "real_estate", "medical": "medical", "mixed": ""}


async def test_a_pack_keeps_its_collection_when_more_is_put_there(access, database):
    library = SqlLibrary(database)
    await library.declare("legal", pack="real_estate")
    await library.declare("legal")
    await library.declare("own")
    assert {info.name: info.pack for info in await access.collections()} == {"legal": "real_estate", "own": ""}
