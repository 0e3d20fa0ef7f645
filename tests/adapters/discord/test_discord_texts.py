"""Discord's mark-up to Markdown, and Markdown to what Discord renders."""

import pytest

from adapters.contract import TodoList
from adapters.discord.parse import to_markdown
from adapters.discord.render import (
    TEXT_LIMIT,
    anchor_text,
    answer_parts,
    clarification_parts,
    neutral,
    thread_name,
    to_discord,
    todo_text,
)
from adapters.discord.rest import nonce_of
from adapters.markdown_split import split
from agent.language import say
from agent.types import Clarification, Step

NAMES = {("user", 7): "bob", ("role", 8): "team", ("channel", 9): "help"}


@pytest.mark.parametrize(
    ("content", "markdown"),
    [
        ("<@1> how?", "how?"),
        ("<@!1>how?", "how?"),
        ("can <@1> tell", "can tell"),
        ("ask <@7> or <@&8> in <#9>", "ask @bob or @team in #help"),
        ("<@70> and <#90>", "@70 and #90"),
        ("<@&5> hello", "hello"),
        ("<:wave:12> <a:spin:13>", ":wave: :spin:"),
        ("at <t:1700000000:R>, <t:1700000000>", "at 2023-11-14T22:13:20Z, 2023-11-14T22:13:20Z"),
        ("<t:9999999999999>", "<t:9999999999999>"),
        ("use </ask:123>", "use /ask"),
        ("a  b\n    code", "a  b\n    code"),
        ("<https://example.org> 5 < 6 <b>", "<https://example.org> 5 < 6 <b>"),
        ("<@1> 휴가는 며칠인가요?", "휴가는 며칠인가요?"),
    ],
)
def test_mark_up_becomes_markdown(content, markdown):
    assert to_markdown(content, lambda kind, id: NAMES.get((kind, id), ""), 1, 5) == markdown


@pytest.mark.parametrize(
    "live", ["@everyone", "@here", "<@1>", "<@!1>", "<@&1>", "<#1>", "</ask:1>", "<:x:1>", "<t:1>"]
)
def test_nothing_in_a_text_is_a_mention(live):
    assert live not in neutral(f"a {live} b")
    assert neutral("a@b.org, <b>, 5 <@ 6, @someone") == "a@b.org, <b>, 5 <@ 6, @someone"


def test_tables_images_and_deep_headings_are_rendered_otherwise():
    markdown = (
        "#### Deep\n| Name | 값 |\n|:--|--:|\n| a \\| b | 1 |\n| 휴가 |\n\nafter ![logo](https://x/y_(z).png)\n"
        "```\n| not | a table |\n|---|---|\n#### nor a heading\n```"
    )
    assert to_discord(markdown).split("\n") == [
        "**Deep**",
        "```",
        "Name   값",
        "-----  --",
        "a | b  1",
        "휴가",
        "```",
        "",
        "after [logo](<https://x/y_(z).png>)",
        "```",
        "| not | a table |",
        "|---|---|",
        "#### nor a heading",
        "```",
    ]


def test_a_table_is_aligned_text_without_marks():
    markdown = (
        "| **Plan** | Price | Where |\n|---|---|---|\n"
        "| `basic` | ~~10~~ *8* | [the page](https://x/y) |\n| snake_case | 2 * 3 * 4 | \\*as is\\*<br>here |"
    )
    assert to_discord(markdown).split("\n") == [
        "```",
        "Plan        Price      Where",
        "----------  ---------  ------------",
        "basic       10 8       the page",
        "snake_case  2 * 3 * 4  *as is* here",
        "```",
    ]


def test_a_long_table_has_its_head_in_every_message():
    rows = "\n".join(f"| name {n} | {'x' * 40} {n} |" for n in range(200))
    text = f"Here it is.\n\n| Name | What |\n|---|---|\n{rows}"
    parts = split(to_discord(text), TEXT_LIMIT)
    assert len(parts) > 4
    tables = [block.strip("\n") for part in parts for block in part.split("```")[1::2]]
    assert all(block.startswith("Name") for block in tables)
    shown = [line for block in tables for line in block.splitlines()[2:]]
    assert [line.split()[-1] for line in shown] == [str(n) for n in range(200)]


def test_a_thread_is_named_after_the_question():
    assert thread_name("How do I\nreset `it`?") == "How do I reset it?"
    assert thread_name("  ") == "Question"
    long = thread_name("word " * 50)
    assert len(long) <= 100
    assert long.endswith("word…")
    assert len(thread_name("가" * 300)) == 100


def test_a_quote_fits_into_a_message_whatever_was_asked():
    assert anchor_text("7", "one\n\n@here two") == "<@7>\n> one\n> @\u200bhere two"
    assert len(anchor_text("7", "@everyone\n" * 3000)) == 2000
    assert anchor_text("7", "") == "<@7>\n> …"


def test_the_nearest_titles_are_shown_unless_the_answer_says_them(response):
    said = response("I found nothing. The nearest: Leave", nearest=("Leave",), route="research")
    assert answer_parts(said) == ["I found nothing. The nearest: Leave"]
    unsaid = response("찾지 못했습니다.", nearest=("휴가 규정", "a_b"), language="ko")
    assert answer_parts(unsaid) == ["찾지 못했습니다.\n\n가장 가까운 문서는 다음과 같습니다:\n- 휴가 규정\n- a\\_b"]


def test_sources_in_korean(response, citation):
    [text] = answer_parts(response("쉽니다 [1].", language="ko", citations=(citation(page=2),)))
    assert text.endswith("**출처**\n[1] The Manual, 2쪽")


def test_a_question_back_names_what_is_assumed_otherwise():
    parts = clarification_parts(Clarification(question="Which?", options=("A", "B"), assumption="A, unless you say"))
    assert parts == ["Which?\n\n1. A\n2. B\n\n-# A, unless you say"]


def test_a_plan_fits_into_a_message():
    steps = tuple(Step(id=str(n), team="search", task=f"Step {n} " + "x" * 50) for n in range(200))
    assert len(todo_text(TodoList(steps=steps, language="en"))) == 2000


def test_nonces_fit_and_differ():
    nonces = {nonce_of("t1", "progress"), nonce_of("t1", "answer:0"), nonce_of("t2", "progress")}
    assert len(nonces) == 3
    assert {len(nonce) for nonce in nonces} == {25}


def test_a_list_says_how_many_are_before_a_question_until_its_turn_begins():
    waiting = TodoList(steps=(), language="ko", before=1)
    assert todo_text(waiting) == f"**{say('waits_behind', 'ko', count=1)}**"
    assert say("waits_behind", "ko", count=1) not in todo_text(TodoList(steps=(), language="ko", phase="searching"))
