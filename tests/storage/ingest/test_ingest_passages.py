import unicodedata

import pytest

from agent.types import Category
from storage.ingest.formats import markdown
from storage.ingest.parsed import Extracted
from storage.ingest.passages import LONGEST, LONGEST_SECTION, TARGET, build


def passages(text):
    return build(Extracted(text=text, elements=markdown.elements_of(text)))


def test_paragraphs_of_a_section_share_a_passage_up_to_the_target():
    paragraph = "A paragraph that says what has to be said about it, in some words. " * 6
    found = passages("# A\n\n" + "\n\n".join([paragraph.strip()] * 9))
    assert len(found) == 5
    assert all(300 < len(passage.text) <= TARGET for passage in found)


def test_a_heading_stays_with_the_text_below_it_even_when_that_is_long():
    found = passages("# A\n\n## B\n\n" + "Some sentence that is not short at all. " * 100)
    assert found[0].text.startswith("# A\n\n## B\n\nSome sentence")
    assert found[0].section == "A > B"
    assert all(len(passage.text) <= LONGEST for passage in found)


def test_a_small_rest_joins_what_it_ends():
    found = passages("# A\n\n" + "x" * 1000 + ".\n\n" + "y" * 900 + ".\n\nThe end.")
    assert [passage.text[-8:] for passage in found] == ["xxxxxxx.", "The end."]


def test_a_heading_without_text_is_no_passage_of_its_own():
    (first, second) = passages("# A\n\n## B\n\ntext\n\n## C\n\nmore\n\n## D\n")
    assert (first.section, first.text) == ("A > B", "# A\n\n## B\n\ntext")
    assert (second.section, second.text) == ("A > C", "## C\n\nmore\n\n## D")
    (alone,) = passages("# A\n")
    assert (alone.text, alone.category) == ("# A", Category.HEADING)


LONG = "A sentence that tells what has to be known first. " * 20


@pytest.mark.parametrize("lead", ["Run the following command:", "Run this, and wait until it is done."])
@pytest.mark.parametrize(
    "announced", ["```sh\n" + "make it\n" * 80 + "```", "- one\n" * 110, "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 60]
)
def test_code_lists_and_tables_stay_with_the_words_that_announce_them(lead, announced):
    announced = announced.strip()
    found = passages(f"# A\n\n{LONG.strip()}\n\n{lead}\n\n{announced}\n")
    assert [passage.text for passage in found] == [f"# A\n\n{LONG.strip()}", f"{lead}\n\n{announced}"]


@pytest.mark.parametrize("announced", ["```sh\n" + "make it\n" * 120 + "```", "1. one\n" * 130])
def test_a_paragraph_of_some_lines_stays_with_the_block_that_it_introduces(announced):
    lead = "You make it with the tool of the team, which has to be there before. " * 6 + "It is made as follows."
    assert 300 < len(lead) <= 500
    found = passages(f"# A\n\n{LONG.strip()}\n\n{lead}\n\n{announced.strip()}\n")
    assert [passage.text for passage in found] == [f"# A\n\n{LONG.strip()}", f"{lead}\n\n{announced.strip()}"]


def test_a_long_lead_in_stays_with_its_code_too():
    lead = LONG.strip() + " Run:"
    code = "```sh\n" + "make it\n" * 80 + "```"
    (passage,) = passages(f"{lead}\n\n{code}\n")
    assert passage.text == f"{lead}\n\n{code}"


def test_a_section_of_some_size_is_one_passage_and_a_longer_one_is_not():
    paragraph = ("Words of a rule that has several parts. " * 7).strip()
    one, two = passages(f"# A\n\n## B\n\n{paragraph}" + f"\n\n{paragraph}" * 4 + "\n\n## C\n\nOther.")
    assert (one.section, two.section) == ("A > B", "A > C")
    assert TARGET < len(one.text) <= LONGEST_SECTION
    assert len(passages(f"# A\n\n{paragraph}" + f"\n\n{paragraph}" * 6)) == 2


def test_an_article_of_a_statute_is_a_passage_with_its_items():
    items = "  1\\. 결혼하는 경우\n  2\\. 이사하는 경우\n    가\\. 멀리"
    article = f"##### 제3조 (휴가)\n\n**①** 다음 각 호에 해당하면 휴가를 준다.\n\n{items}"
    extracted = markdown.extract(f"# 한빛법\n\n## 제1장 총칙\n\n##### 제2조\n\n뜻.\n\n{article}\n".encode())
    found = build(extracted)
    assert [passage.section for passage in found] == [
        "한빛법 > 제1장 총칙 > 제2조",
        "한빛법 > 제1장 총칙 > 제3조 (휴가)",
    ]
    assert found[1].text == article.replace("\\", "")
    assert extracted.elements[-1].category is Category.LIST


def test_a_passage_that_holds_a_table_is_found_among_the_tables_however_much_stands_around_it():
    around = "Annual leave depends on the completed years of service on the first of January of the year. "
    text = f"## Days\n\n{around * 4}\n\n| Years | Days |\n|---|---|\n| 7 | 18 |\n\n{around * 3}"
    assert [passage.category for passage in passages(text)] == [Category.TABLE]


def test_a_sentence_marked_as_a_heading_is_text():
    (passage,) = passages("# " + "very long " * 100 + "\n\nText.")
    assert (passage.section, passage.category) == ("", Category.PARAGRAPH)


def test_every_passage_has_its_own_language_and_code_has_the_document_s():
    korean = "연차휴가는 한빛데스크에서 신청합니다. 팀장이 이틀 안에 답합니다."
    code = "```\n" + "pip install something\n" * 8 + "```"
    found = passages(f"# 휴가\n\n{korean * 5}\n\n# Leave\n\nAsk for it in the desk.\n\n# 설치\n\n{code}\n")
    assert [passage.language for passage in found] == ["ko", "en", "ko"]
    assert passages(unicodedata.normalize("NFD", korean))[0].language == "ko"
