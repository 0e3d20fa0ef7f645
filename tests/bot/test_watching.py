"""What a thread is told of a document that its answer quotes: the sentence that is gone, and what stands there now."""

import pytest

from agent.types import Audience, Passage
from bot.calendar.watching import told_changes

EVERYBODY = Audience(principals=frozenset({"*"}))


class OneDocument:
    """A document of these passages."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    async def of_document(self, collection, document_id, *, start, stop, audience):
        return [
            Passage(id=n, document_id=document_id, collection=collection, title="T", text=text, position=n)
            for n, text in enumerate(self.texts)
        ][start:stop]


async def told(quote: str, *texts: str, language="en") -> str:
    watched = {"collection": "c", "document": "d", "title": "T", "quotes": [quote]}
    [line] = await told_changes([watched], OneDocument(*texts), EVERYBODY, language)
    return line


@pytest.mark.parametrize(
    ("quote", "text", "gone", "now", "language"),
    [
        (
            "The canteen opens at eleven. On Fridays it closes at two.",
            "The canteen opens at ten. On Fridays it closes at two.",
            "The canteen opens at eleven.", "The canteen opens at ten.", "en",
        ),
        (
            "The canteen opens at eleven. On Fridays it closes at two.",
            "The canteen opens at eleven. On Fridays it closes at three.",
            "On Fridays it closes at two.", "On Fridays it closes at three.", "en",
        ),
        (
            "육아휴직은 16주입니다. 신청은 인사팀에 합니다.", "육아휴직은 20주입니다. 신청은 인사팀에 합니다.",
            "육아휴직은 16주입니다.", "육아휴직은 20주입니다.", "ko",
        ),
        ("- 16 weeks off\n- Ask HR.", "- 20 weeks off\n- Ask HR.", "16 weeks off", "20 weeks off", "en"),
    ],
)  # fmt: skip
async def test_what_is_gone_is_told_beside_what_is_new_and_what_stands_is_not(quote, text, gone, now, language):
    line = await told(quote, text, language=language)
    assert f"“{gone}”" in line and f"“{now}”" in line
    standing = [part for part in quote.replace("\n", " ").split(". ") if part.rstrip(".") not in gone]
    assert len(standing) == 1 and standing[0] not in line


async def test_where_nothing_new_is_like_it_only_the_loss_is_told():
    line = await told("Kim is on call. Ask Lee.", "Ask Lee. The canteen is closed.")
    assert "“Kim is on call.”" in line and "canteen" not in line and "Ask Lee" not in line


async def test_a_quotation_whose_sentences_were_only_parted_still_stands():
    line = await told("Kim is on call. Ask Lee.", "Kim is on call.", "Ask Lee.")
    assert "is still there" in line
