from pathlib import Path

import docx
import pytest

from tests.storage.ingest.memory import read, sections, written

ARTICLES = (
    "제4조(열쇠) ① 열쇠는 문 옆에 둔다. ② 가져간 사람은 적는다.",
    "제5조의2(청소) 쓴 사람이 한다.",
    "제4조(열쇠)에 따른 열쇠는 하나뿐이다.",
)
SECTIONS = ["가마 규약 > 제4조(열쇠)", "가마 규약 > 제5조의2(청소)"]


def test_articles_are_sections_in_every_format(tmp_path: Path) -> None:
    word = docx.Document()
    word.add_heading("가마 규약", 0)
    for each in ARTICLES:
        word.add_paragraph(each)
    word.save(str(tmp_path / "a.docx"))
    written(tmp_path / "a.md", "# 가마 규약\n\n" + "\n\n".join(ARTICLES))
    written(tmp_path / "a.txt", "가마 규약\n\n" + "\n".join(ARTICLES))
    written(tmp_path / "a.html", "<h1>가마 규약</h1>" + "".join(f"<p>{each}</p>" for each in ARTICLES))
    for name in ("a.docx", "a.md", "a.txt", "a.html"):
        found = sections(read(tmp_path / name))
        assert [section for section, _ in found] == SECTIONS, name
        assert found[0][1].endswith(ARTICLES[0])
        assert found[1][1].endswith(ARTICLES[2])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Kiln\n\nArticle 4 (Keys) They hang there.\n\nArticle 5 (Cleaning) Who used it.\n",
         ["Kiln > Article 4 (Keys)", "Kiln > Article 5 (Cleaning)"]),
        ("# Kiln\n\nArticle 4 (Keys) of the house rules tells where they hang.\n", ["Kiln"]),
    ],
)  # fmt: skip
def test_one_article_alone_is_a_mention(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert [section for section, _ in sections(read(written(tmp_path / "a.md", text)))] == expected
