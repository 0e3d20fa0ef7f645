"""Slack's mark-up, both ways: a table row for every odd text seen."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.markdown_split import outside_code
from adapters.slack.mrkdwn import called, escape, from_markdown, harmless, link, to_markdown
from adapters.slack.render import notice

ME = "U0WEFT"
NAMES = {"U2": "Bob"}
MARKUP = st.text(alphabet="<>@!#&|*_`~ \naUT0^channelherevyo[](:/.)", max_size=120)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("<@U0WEFT> how many days?", "how many days?"),
        ("<@U0WEFT>: how many days?", "how many days?"),
        ("hey <@U0WEFT|weft> how many days?", "hey how many days?"),
        ("how many days <@U0WEFT>?", "how many days?"),
        ("how many days? <@U0WEFT>", "how many days?"),
        ("<@U0WEFT>", ""),
        ("ask <@U2> or <@U3|carol> or <@U4>", "ask @Bob or @carol or @U4"),
        ("see <#C1|general> and <#C2>", "see #general and #C2"),
        ("<https://a.example/x>", "https://a.example/x"),
        ("<https://a.example/x|the policy>", "[the policy](https://a.example/x)"),
        ("<http://a.example|a.example>", "http://a.example"),
        ("<https://a.example/?a=1&amp;b=2>", "https://a.example/?a=1&b=2"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<!here> <!channel> <!everyone|everyone>", "@here @channel everyone"),
        ("<!subteam^S1|@ops> <!subteam^S2>", "@ops @S2"),
        ("<!date^1392734382^{date}|18 Feb 2014>", "18 Feb 2014"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("&amp;lt; stays", "&lt; stays"),
        ("a *bold word* and _slanted_ and ~gone~", "a **bold word** and _slanted_ and ~~gone~~"),
        ("2*3*4 and * alone", "2*3*4 and * alone"),
        ("`*not bold*` but *bold*", "`*not bold*` but **bold**"),
        ("`a &lt; b`", "`a < b`"),
        ("```if a &lt; b:\n  *p = 1```", "```\nif a < b:\n  *p = 1\n```"),
        ("```see <https://a.example|a.example>```", "```\nsee a.example\n```"),
        ("&gt; quoted\nnot", "> quoted\nnot"),
        ("• one\n    ◦ two", "- one\n    - two"),
        ("휴가는 *며칠*인가요?", "휴가는 *며칠*인가요?"),
        ("휴가는 *며칠* 인가요?", "휴가는 **며칠** 인가요?"),
    ],
)
def test_slack_to_markdown(text: str, markdown: str) -> None:
    assert to_markdown(text, own_id=ME, names=NAMES) == markdown


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("**bold** and [a](https://a.example/x)", "*bold* and <https://a.example/x|a>"),
        ("[a](https://a.example/x_(y)), b", "<https://a.example/x_(y)|a>, b"),
        ("## Title\n\n- one\n* two", "*Title*\n\n• one\n• two"),
        ("~~gone~~ & a < b", "~gone~ &amp; a &lt; b"),
        ("`**code** <x>`", "`**code** &lt;x&gt;`"),
        ("> quote", "> quote"),
        ("fact. [1]", "fact. [1]"),
        ("[local](/srv/x)", "[local](/srv/x)"),
    ],
)
def test_markdown_to_slack(markdown: str, text: str) -> None:
    assert from_markdown(markdown) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@U2> do you know?", ("U2",)),
        ("  <@U2|bob>, do you know?", ("U2",)),
        ("<!subteam^S1> please", ("S1",)),
        ("<!subteam^S1|@team> please", ("S1",)),
        ("<!here> and <!channel>", ("here", "channel")),
        ("thanks! <@U2> and <@U3> can you check?", ("U2", "U3")),
        ("<@U2> ask <@U0WEFT>", ("U2",)),
        ("<@U0WEFT> please", ()),
        ("<#C1|general> on <!date^1392734382^{date}|Feb 18>", ()),
        ("", ()),
    ],
)
def test_who_is_called(text: str, expected: tuple[str, ...]) -> None:
    assert called(text, ME) == expected


def test_only_web_addresses_become_links() -> None:
    assert link("https://a.example/a b|c>d", "A & B") == "<https://a.example/a%20b%7Cc%3Ed|A &amp; B>"
    assert link("javascript:alert(1)", "x") == "x"
    assert link("/srv/notes.md", "notes") == "notes"
    assert link("https://a.example/" + "x" * 2_000, "long") == "long"


@given(MARKUP)
def test_nothing_written_is_a_live_mention(text: str) -> None:
    live = r"<[@!#]|(?<![\w@])@(everyone|channel|here)\b"
    outside: list[str] = []
    outside_code(harmless(text), lambda part: outside.append(part) or part)
    assert not re.search(live, "\n\n".join(outside))
    assert not re.search(r"<(?!https?://)", from_markdown(text))
    assert "```" in text or not re.search(live, from_markdown(text))
    assert not re.search(r"[<>]", escape(text))


def test_code_can_be_copied_as_it_is() -> None:
    code = "```sh\nnotify @here '<!channel>' <@U1>\n```"
    assert harmless(f"Tell @here\n\n{code}\n\n@here") == f"Tell @\u2060here\n\n{code}\n\n@\u2060here"
    assert harmless("```\nnotify @here") == "```\nnotify @\u2060here"  # not closed: nobody knows how it is read
    assert "\u2060" not in from_markdown(code) and "<" not in from_markdown(code)
    assert not any("\u2060" in json.dumps(post.blocks, ensure_ascii=False) for post in notice(code, plain=False))


@given(MARKUP)
def test_any_text_can_be_read(text: str) -> None:
    to_markdown(text, own_id="U0", names=NAMES)
