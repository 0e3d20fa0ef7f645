"""A row of a table is found by its own words and the names of its columns, in both languages."""

import pytest

from agent.types import Audience, Category, Query, SearchFilter
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.run import ingest
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT
from tests.storage.ingest.memory import written
from tests.storage.ingest.office_files import book, saved

EVERYBODY = Audience(principals=frozenset({"*"}))


@pytest.fixture
async def database(tmp_path):
    opened = await Database.open(tmp_path / "weft.db", WEFT)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("위젯 731의 단가는 얼마인가요?", "| 위젯 731 | 10,731원 | 서울 |"),
        ("What is the price of gadget 731?", "| gadget 731 | $1,731 | Busan |"),
    ],
)
async def test_a_row_far_down_in_a_table_is_found_with_its_header(tmp_path, database, question, row):
    docs = tmp_path / "docs"
    korean = [["품목", "단가", "창고"], *([f"위젯 {n}", f"{10_000 + n:,}원", "서울"] for n in range(1500))]
    saved(book({"재고": korean}), docs / "stock.xlsx")
    english = "".join(f"gadget {n};${1000 + n:,};Busan\n" for n in range(1500))
    written(docs / "stock.csv", f"Item;Price;Warehouse\n{english}")
    written(docs / "about.md", "# Prices\n\nThe price of a thing is what it costs. 단가는 품목의 값입니다.\n")
    library = SqlLibrary(database)
    await ingest([docs], library=library, collection="docs")
    found = await SqlLexicalIndex(database).search(Query(text=question), k=1, filter=SearchFilter(), audience=EVERYBODY)
    (passage,) = await library.get([identity for identity, _ in found], audience=EVERYBODY)
    lines = passage.text.splitlines()
    assert row in lines
    assert lines[-1].startswith("| ")
    header = lines[lines.index(next(line for line in lines if set(line) <= set("| -"))) - 1]
    assert header in ("| 품목 | 단가 | 창고 |", "| Item | Price | Warehouse |")
    assert passage.category is Category.TABLE
