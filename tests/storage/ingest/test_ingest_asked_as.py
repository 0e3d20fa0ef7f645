"""An author's note of how people ask for a section: it is found by that, and nobody is shown it."""

from agent.types import Audience, Query, SearchFilter
from storage.database import Database
from storage.documents import SqlLibrary
from storage.ingest.parsed import MOST_ASKED
from storage.ingest.run import ingest
from storage.lexical import SqlLexicalIndex
from storage.schema import WEFT
from tests.storage.ingest.memory import read, written

EVERYBODY = Audience(principals=frozenset({"*"}))
PAGE = """\
# Machines

Please keep them clean.

## Reimbursement of consumables

<!-- asked as:
who pays for the coffee beans
can i get  my money back

-->

Hand in the receipt by the fifth.

## 세척

<!-- 이렇게 물어요: 기계 닦는 법 -->

하루에 한 번 씻습니다.

```html
<!-- asked as: this is code -->
```
"""


def test_a_note_belongs_to_its_section_and_is_no_text(tmp_path):
    noted = read(written(tmp_path / "noted.md", PAGE))
    assert [(each.section.rpartition(" > ")[2], each.asked) for each in noted.passages] == [
        ("Machines", ()),
        ("Reimbursement of consumables", ("who pays for the coffee beans", "can i get my money back")),
        ("세척", ("기계 닦는 법",)),
    ]
    told = "".join(each.text for each in noted.passages)
    assert "beans" not in told
    assert "닦는" not in told
    assert "<!-- asked as: this is code -->" in told


def test_a_document_is_cut_as_if_there_were_no_notes(tmp_path):
    sections = "".join(f"## Part {n}\n\nNOTE{'One more sentence about it. ' * n}\n\n" for n in range(1, 80, 7))
    long = "\n".join(f"a way to ask for it, number {n}" for n in range(MOST_ASKED))
    bare = read(written(tmp_path / "bare.md", sections.replace("NOTE", "")))
    noted = read(written(tmp_path / "noted.md", sections.replace("NOTE", f"<!-- asked as:\n{long}\n-->\n\n")))
    assert [each.text for each in noted.passages] == [each.text for each in bare.passages]
    assert all(each.asked for each in noted.passages if each.text.startswith("## "))


def test_a_note_within_a_list_or_above_all_takes_nothing_with_it(tmp_path):
    page = (
        "<!-- asked as: first way -->\n\nOpening words.\n\n- One.\n\n  <!-- asked as: second way -->\n\nLast words.\n"
    )
    noted = read(written(tmp_path / "noted.md", page))
    assert [each.text for each in noted.passages] == ["Opening words.\n\n- One.\n\nLast words."]
    assert noted.passages[0].asked == ("first way", "second way")


def test_what_nobody_would_type_and_what_is_too_much_is_left_out(tmp_path):
    note = "\n".join(["x" * 201, *(f"way {n}" for n in range(100))])
    (passage,) = read(written(tmp_path / "a.md", f"# A\n\n<!-- asked as:\n{note}\n-->\n\nSome text.")).passages
    assert passage.asked == tuple(f"way {n}" for n in range(MOST_ASKED))


async def test_a_section_is_found_by_them(tmp_path):
    written(tmp_path / "docs" / "a.md", PAGE)
    database = await Database.open(tmp_path / "weft.db", WEFT)
    library = SqlLibrary(database)
    await ingest([tmp_path / "docs"], library=library, collection="docs")
    query = Query(text="who pays for beans")
    found = await SqlLexicalIndex(database).search(query, k=1, filter=SearchFilter(), audience=EVERYBODY)
    (passage,) = await library.get([identity for identity, _ in found], audience=EVERYBODY)
    assert passage.section == "Machines > Reimbursement of consumables"
    assert passage.asked == ("who pays for the coffee beans", "can i get my money back")
    await database.close()
