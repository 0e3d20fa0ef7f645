"""What holds for the drafts of every platform."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.drafts import GOES_ON, Drafts, beginning, digest_of_draft, is_draft
from adapters.markdown_split import split
from agent.types import Delivery, DeliveryRef

REF = DeliveryRef(channel_id="c", message_id="m")
LINES = st.sampled_from(
    [
        "A sentence. [1]",
        "문장입니다. [2]",
        "- an item",
        "```",
        "````",
        "~~~",
        "```python",
        " ~~~",
        "```in line```",
        "",
        "x" * 90,
    ]
)


@given(lines=st.lists(LINES, max_size=30), limit=st.integers(min_value=100, max_value=400))
def test_a_draft_fits_ends_with_its_sign_and_leaves_no_code_open(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    shown = beginning(text, limit)
    assert len(shown) <= limit and shown.endswith(GOES_ON)
    *_, paragraph, end = MarkdownIt().parse(shown)
    assert (paragraph.content, end.type, end.level) == (GOES_ON.strip(), "paragraph_close", 0)


@given(lines=st.lists(LINES, min_size=150, max_size=200))
def test_a_long_draft_begins_as_the_answer_will(lines: list[str]) -> None:
    text = "\n".join(["A first sentence. [1]", *lines])
    assert beginning(text, 500).startswith(split(text, 500 - len(GOES_ON))[0])


def test_what_fits_is_shown_as_it_is() -> None:
    assert beginning("One. [1]", 100) == f"One. [1]{GOES_ON}"
    assert beginning("```a``` is code. [1]", 100) == f"```a``` is code. [1]{GOES_ON}"
    assert beginning("", 100) == GOES_ON


@pytest.mark.parametrize(
    ("digest", "so"),
    [("0123abcd", False), (digest_of_draft("0123abcd"), True), ("", True)],
    ids=["answer", "draft", "?"],
)
def test_a_draft_is_told_from_an_answer(digest: str, so: bool) -> None:
    assert is_draft(Delivery(ref=REF, digest=digest)) is so


async def test_closing_leaves_nothing_under_way() -> None:
    drafts, begun, ended = Drafts(), asyncio.Event(), asyncio.Event()

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    task = asyncio.create_task(drafts.send("t", endless()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not ended.is_set()
    await drafts.close()
    assert ended.is_set()
