"""A turn as other platforms show it, over real HTTP: their own payloads, and what the page draws of them."""

from dataclasses import replace

import pytest

from adapters.contract import Failure, TodoList
from adapters.playground.previews import drawn
from adapters.preview import Shown
from agent.types import Clarification, Step, StepStatus
from bot.processes.previews import previews
from tests.fakes_deliveries import MemoryDeliveries
from tests.servers.playground import citation, response

STEP = Step(
    id="s", team="search", task="Search <b>all</b>", status=StepStatus.COMPLETED, result="2 found", sources=("Leave",)
)
DONE = TodoList(steps=(STEP,), language="en", status="done", elapsed_ms=1_400.0)
EVIL = "**Bold** <script>alert(1)</script> [x](javascript:alert(1)) [1]\n\n| a | b |\n| - | - |\n| 1 | `2` |"
PLATFORMS = ("slack", "discord")


@pytest.fixture
async def asked(http, running):
    """A question: its place, and the reply to it."""
    sent = await http.post("/api/messages", json={"text": "How many days?", "client_id": "question-1"})
    return sent.json(), running.adapter.reply(running.intake.accepted[0], MemoryDeliveries())


async def shown(http, asked, platform):
    where = {"platform": platform, "thread": asked[0]["thread"], "turn": asked[0]["turn"]}
    found = await http.get("/api/previews", params=where)
    assert found.status_code == 200, found.text
    return found.json()["messages"]


def kinds(parts):
    return [(part["kind"], kinds(part["parts"])) if part["kind"] == "card" else part["kind"] for part in parts]


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_the_payloads_are_those_of_the_platform_s_adapter(http, running, asked, platform):
    reply, message = asked[1], running.intake.accepted[0]
    working = replace(DONE, steps=(replace(STEP, status=StepStatus.IN_PROGRESS),), status="working", phase="searching")
    await reply.show(working)
    adapter = previews()[platform]
    assert [each["payload"] for each in await shown(http, asked, platform)] == adapter(Shown(todo=working))
    await reply.stream("You have")
    drafted = Shown(todo=working, draft="You have")
    assert [each["payload"] for each in await shown(http, asked, platform)] == adapter(drafted)
    await reply.show(DONE)
    answer = response(message, EVIL, citation(1), warnings=("Old.",))
    ends = [answer, replace(answer, nearest=("Other",)), Clarification(question="Which?", options=("A", "B"))]
    for outcome in [*ends, Failure(text="No.", language="en")]:
        if isinstance(outcome, Failure):
            await reply.fail(outcome)
        elif isinstance(outcome, Clarification):
            await reply.ask(outcome)
        else:
            await reply.finish(outcome)
        wanted = adapter(Shown(todo=DONE, outcome=outcome))
        found = [each["payload"] for each in await shown(http, asked, platform)]
        assert found == wanted


async def test_what_the_page_draws_is_safe_and_names_the_parts(http, running, asked):
    reply, message = asked[1], running.intake.accepted[0]
    await reply.show(DONE)
    await reply.finish(response(message, EVIL, citation(1), warnings=("Old & slow.",)))
    slack, discord = [await shown(http, asked, platform) for platform in PLATFORMS]
    assert [kinds(each["parts"]) for each in slack] == [["plan", "prose", "table", "small", "small", "buttons"]]
    [plan, prose, table, sources, warning, _] = slack[0]["parts"]
    assert plan["tasks"][0] | {"sources": None} == {
        "title": "Search <b>all</b>", "status": "complete", "output": "2 found · Leave", "sources": None,
    }  # fmt: skip
    assert "<strong>Bold</strong>" in prose["html"] and table["rows"] == [["a", "b"], ["1", "2"]]
    assert 'href="https://handbook.example/leave"' in sources["html"] and "Leave policy" in sources["html"]
    assert "Old &amp; slow." in warning["html"]
    assert [kinds(each["parts"]) for each in discord] == [
        [("card", ["prose", "buttons"])],
        ["prose", "small", "buttons", "buttons"],
    ]
    assert discord[0]["parts"][0]["colour"] == "#2e9e5b"
    [opened], [up, down] = [part["buttons"] for part in discord[1]["parts"][2:]]
    assert opened == {"emoji": "", "label": "Open [1]", "href": "https://handbook.example/leave"}
    assert (up["emoji"], down["emoji"]) == ("👍", "👎")
    for html in [part["html"] for each in (*slack, *discord) for part in each["parts"] if "html" in part]:
        assert "<script" not in html and 'href="javascript' not in html


def test_slack_s_own_marks_are_drawn_as_slack_reads_them():
    text = "*Bold* _soft_ ~gone~ &lt;b&gt; &amp; <https://x.test/a|A [x]> <@U1> <https://x.test> 2*3*4"
    [part] = drawn([{"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": text}}]}])[0]["parts"]
    html = part["html"]
    assert "<strong>Bold</strong> <em>soft</em> <s>gone</s> &lt;b&gt; &amp;" in html
    assert 'href="https://x.test/a"' in html and ">A (x)</a>" in html and "@U1" in html and "2*3*4" in html


@pytest.mark.parametrize("change", [{"platform": "teams"}, {"turn": "nobody's"}, {"thread": "nowhere"}, {"turn": ""}])
async def test_what_is_not_there_is_told_so(http, asked, change):
    await asked[1].stream("You have")
    where = {"platform": "slack", "thread": asked[0]["thread"], "turn": asked[0]["turn"]} | change
    found = await http.get("/api/previews", params=where)
    assert found.status_code == 404 and found.json()["error"] == "not_found"


async def test_a_question_alone_shows_nothing_yet(http, asked):
    where = {"platform": "slack", "thread": asked[0]["thread"], "turn": asked[0]["turn"]}
    assert (await http.get("/api/previews", params=where)).status_code == 404
