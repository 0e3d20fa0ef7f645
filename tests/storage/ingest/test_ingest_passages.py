import unicodedata

from agent.types import Category
from storage.ingest.formats import markdown
from storage.ingest.parsed import Extracted
from storage.ingest.passages import LONGEST, TARGET, build


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


def test_a_heading_without_text_is_a_passage_of_its_own():
    (first, second) = passages("# A\n\ntext\n\n# B\n")
    assert (second.text, second.category) == ("# B", Category.HEADING)
    assert first.section == "A"


def test_a_sentence_marked_as_a_heading_is_text():
    (passage,) = passages("# " + "very long " * 100 + "\n\nText.")
    assert (passage.section, passage.category) == ("", Category.PARAGRAPH)


def test_every_passage_has_its_own_language_and_code_has_the_document_s():
    korean = "연차휴가는 한빛데스크에서 신청합니다. 팀장이 이틀 안에 답합니다."
    code = "```\n" + "pip install something\n" * 8 + "```"
    found = passages(f"# 휴가\n\n{korean * 5}\n\n# Leave\n\nAsk for it in the desk.\n\n# 설치\n\n{code}\n")
    assert [passage.language for passage in found] == ["ko", "en", "ko"]
    assert passages(unicodedata.normalize("NFD", korean))[0].language == "ko"
