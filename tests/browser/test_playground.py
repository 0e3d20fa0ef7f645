"""The page in a real browser: what a person sees and does, over a real server and scripted turns."""

import asyncio
import json
import os
import re
import shutil
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright, expect

from adapters.contract import Failure, TodoList
from agent.types import Clarification, MessageKind, Reason, ReasonKind, Step, StepStatus
from storage.board import BoardStore
from tests.servers.playground import citation, playground, response

expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()
ANSWER = (
    "Full-time employees receive **25 days** of paid leave. [1] Ask `#people` for the rest. [2]"
    " Unused days may be carried over until **31 March**  of the following year. [1]"
)
NAMES = ("WEFT_CHROMIUM", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str:
    """Return the path of a browser; without one the tests are skipped, or fail where CI demands them."""
    found = os.environ.get(NAMES[0]) or next(filter(None, map(shutil.which, NAMES[1:])), "")
    if not found:
        reason = "no Chromium found (looked for WEFT_CHROMIUM and chromium on the PATH): the page is not tested"
        if os.environ.get("WEFT_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


class Turns:
    """A turn that goes on when a test says so: `plan`, `search`, `draft`, `finish`."""

    def __init__(self):
        self.steps = {}

    def let(self, *names):
        for name in names:
            self.steps.setdefault(name, asyncio.Event()).set()

    async def at(self, name):
        await self.steps.setdefault(name, asyncio.Event()).wait()

    async def __call__(self, reply, message):
        if message.kind in ("stop", "delete"):
            return
        if "fail" in message.text:
            await reply.fail(Failure(text="Something went wrong on my side.", language="en"))
            return
        if "unclear" in message.text:
            await reply.ask(Clarification(question="Which country?", options=("Korea", "Spain")))
            return
        await self.at("plan")
        await reply.show(todo("pending"))
        await self.at("search")
        await reply.show(todo("in_progress"))
        await self.at("draft")
        await reply.show(todo("completed"))
        await reply.stream("Full-time employees receive **25 days**")
        await self.at("finish")
        await reply.show(todo("completed", "done"))
        sources = (citation(1), citation(2, title="People team", section="Contact", page=None, passage_id="gone.md#0"))
        await reply.finish(response(message, ANSWER, *sources))


def todo(status, overall="working"):
    result = "12 passages from 4 documents" if status == "completed" else ""
    search = Step(id="s1", team="search", task="Search the documents", status=StepStatus(status), result=result)
    return TodoList(steps=(search,), language="en", status=overall, elapsed_ms=1400 if overall == "done" else 10)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    path = chromium()
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS, timeout=180_000)
        yield started
        await started.close()


@pytest_asyncio.fixture(loop_scope="module")
async def turns():
    return Turns()


@pytest_asyncio.fixture(loop_scope="module")
async def served(tmp_path, turns):
    async with playground(tmp_path / "weft.db", play=turns) as running:
        yield running


@asynccontextmanager
async def opened(browser, address, width=1280, height=800, **options):
    """Open the page; whatever the browser complains of fails the test."""
    context = await browser.new_context(
        viewport={"width": width, "height": height}, **{"locale": "en-US", "reduced_motion": "reduce", **options}
    )
    context.set_default_timeout(60_000)
    page = await context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: line.type == "error" and complaints.append(line.text))
    try:
        await page.goto(address)
        await page.wait_for_selector("body[data-state=ready]")
        yield page
        assert [
            line for line in complaints if not re.search("ERR_CONNECTION|ERR_INCOMPLETE|status of (401|404|503)", line)
        ] == []
    finally:
        await context.close()


async def ask(page, text):
    await page.locator("#question").fill(text)
    await page.keyboard.press("Enter")


async def fits(page):
    return await page.evaluate(
        "document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth"
    )


def last(page, selector):
    return page.locator(".turn").last.locator(selector)


async def test_asking_by_keyboard_and_reading_the_source(browser, served, turns):
    async with opened(browser, served.address) as page:
        await expect(page.locator("#welcome-title")).to_have_text("Ask the handbook")
        await expect(page.locator("#question")).to_be_focused()
        await page.keyboard.type("How many days")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("of leave do I get?")
        await page.keyboard.press("Enter")
        await expect(page.locator(".bubble .text")).to_have_text("How many days\nof leave do I get?")
        await expect(page.locator(".todo .what")).to_have_text("Working on it")
        await expect(page.locator("#question")).to_have_value("")

        turns.let("plan")
        step = page.locator(".todo li")
        await expect(step).to_have_attribute("data-status", "pending")
        turns.let("search")
        await expect(step).to_have_attribute("data-status", "in_progress")
        await expect(page.locator(".todo .head .clock")).to_have_text(re.compile(r"\d\.\d s"))
        turns.let("draft")
        await expect(step).to_have_attribute("data-status", "completed")
        await expect(step).to_contain_text("12 passages from 4 documents")
        await expect(page.locator(".answer.draft strong")).to_have_text("25 days")
        turns.let("finish")
        await expect(page.locator("#live")).to_have_text("The answer is ready.")
        await expect(page.locator(".answer:not(.draft) .prose")).to_contain_text("receive 25 days of paid leave")
        await expect(page.locator(".todo .what")).to_have_text("Done")
        await expect(page.locator(".todo .head .clock")).to_have_text("1.4 s")
        await expect(step).to_be_hidden()

        mark = page.locator(".prose button.cite").first
        await expect(mark).to_have_accessible_name("Source 1: Leave policy")
        await mark.focus()
        await page.keyboard.press("Enter")
        panel = page.locator("#panel")
        await expect(panel.locator("mark")).to_have_text(
            "Full-time employees receive 25 days of paid leave each calendar year."
        )
        await expect(panel.locator("#panel-title")).to_be_focused()
        await expect(panel.locator(".passage.near")).to_have_count(2)
        await expect(panel.locator(".passage.near").last).to_contain_text("<script>alert(1)</script>")
        await expect(panel.locator("a.link")).to_have_attribute("href", "https://handbook.example/leave")
        await panel.get_by_role("button", name="Next source").click()
        await expect(panel).to_contain_text("no longer in the library")
        await expect(panel.locator("mark")).to_contain_text("25 days")
        await page.keyboard.press("Escape")
        await expect(panel).to_be_hidden()
        await expect(mark).to_be_focused()
        # Behind another statement of the same source, its own words are marked.
        await page.locator(".prose button.cite").last.click()
        await expect(panel.locator("mark")).to_have_text(
            "Unused days may be carried over until 31 March of the following year."
        )
        await page.locator(".source").first.click()
        await expect(panel.locator(".where")).to_contain_text("Time off › Annual leave · p. 3")


async def test_a_turn_is_shown_beside_as_slack_and_discord_show_it(browser, served, turns):
    turns.let("plan", "search")
    async with opened(browser, served.address, width=1440) as page:
        await ask(page, "How many days of leave do I get?")
        await expect(page.locator(".todo li")).to_have_attribute("data-status", "in_progress")
        choice = page.locator("#previews")
        await expect(choice.get_by_role("button", name="Here")).to_have_attribute("aria-pressed", "true")
        await choice.get_by_role("button", name="Slack").click()
        preview = page.locator(".preview.slack")
        await expect(preview.locator(".plan li")).to_have_attribute("data-status", "in_progress")
        await expect(preview.locator(".plan .task")).to_have_text("Search the documents")
        turns.let("draft")
        await expect(preview.locator(".prose")).to_have_text("Full-time employees receive 25 days")
        turns.let("finish")
        await expect(preview.locator(".plan li")).to_have_attribute("data-status", "complete")
        await expect(preview.locator(".prose").first).to_contain_text("31 March of the following year. [1]")
        await expect(preview.locator(".prose.small")).to_contain_text("Leave policy")
        await expect(preview.locator(".press")).to_have_count(2)
        await expect(page.locator(".answer:not(.draft) .prose").first).to_contain_text("25 days of paid leave")
        left, right = await page.locator(".answer").first.bounding_box(), await preview.bounding_box()
        assert right["x"] >= left["x"] + left["width"] and await fits(page)
        await preview.locator("summary").click()
        sent = json.loads(await preview.locator("pre").inner_text())
        assert [chunk["type"] for chunk in sent["chunks"]][:2] == ["plan_update", "task_update"]

        await choice.get_by_role("button", name="Discord").click()
        preview = page.locator(".preview.discord")
        await expect(preview.locator(".card")).to_contain_text("Done")
        await expect(preview.locator(".post").nth(1).locator(".press").last).to_have_text("Not helpful")
        await expect(page.locator(".preview.slack")).to_have_count(0)
        await page.locator("[data-language=ko]").click()
        await expect(preview.locator(".json summary").first).to_have_text("전송되는 내용")
        await choice.get_by_role("button", name="여기").click()
        await expect(page.locator(".preview")).to_have_count(0)
        await page.locator("[data-language=en]").click()


async def test_on_a_narrow_page_the_other_look_stands_below(browser, served, turns):
    turns.let("plan", "search", "draft", "finish")
    async with opened(browser, served.address, width=390, height=700) as page:
        await ask(page, "How many days of leave do I get?")
        await expect(page.locator(".answer:not(.draft)")).to_be_visible()  # the page has taken its shape
        await page.locator("#previews").get_by_role("button", name="Discord").click()
        preview = page.locator(".preview.discord")
        await expect(preview).to_contain_text("25 days")
        above, below = await page.locator(".answer").first.bounding_box(), await preview.bounding_box()
        assert below["y"] >= above["y"] + above["height"] and await fits(page)


async def test_following_up_and_coming_back(browser, served, turns):
    turns.let("plan", "search", "draft", "finish")
    async with opened(browser, served.address) as page:
        await page.locator(".prompt").first.click()
        await expect(last(page, ".sources")).to_be_visible()
        await expect(page).to_have_url(re.compile(r"#/t/t[0-9a-f]{16}$"))
        await ask(page, "And part time?")
        await expect(page.locator(".turn .sources")).to_have_count(2)
        assert len({message.key for message in served.intake.accepted}) == 1
        await expect(page.locator("#threads a")).to_have_count(1)
        await page.reload()
        await expect(page.locator(".turn .sources")).to_have_count(2)
        await expect(page.locator(".bubble").last).to_have_text("And part time?")
        await expect(page).to_have_title(re.compile("How many days of annual leave"))

        # Another thread, and between the two by keyboard.
        await page.locator("body").click(position={"x": 700, "y": 20})
        await page.keyboard.press("n")
        await expect(page.locator("#welcome")).to_be_visible()
        await ask(page, "Which laptop?")
        await expect(last(page, ".sources")).to_be_visible()
        await expect(page.locator("#threads a .text")).to_have_text(
            ["Which laptop?", "How many days of annual leave do I get?"]
        )
        await page.locator("body").click(position={"x": 700, "y": 20})
        await page.keyboard.press("j")
        await expect(page.locator(".turn")).to_have_count(2)
        await page.keyboard.press("k")
        await expect(page.locator(".turn")).to_have_count(1)
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#dialog")).to_be_hidden()
        await page.keyboard.press("/")
        await expect(page.locator("#question")).to_be_focused()

        await page.get_by_role("button", name="Rename").click()
        await page.get_by_role("textbox", name="Rename").fill("Laptops")
        await page.keyboard.press("Enter")
        await expect(page.locator("#title")).to_have_text("Laptops")
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.locator("#threads a")).to_have_count(1)
        await expect(page.locator("#welcome")).to_be_visible()


async def test_an_answer_is_rated_by_keyboard_and_the_rating_is_there_again(browser, served, turns):
    turns.let("plan", "search", "draft", "finish")
    async with opened(browser, served.address) as page:
        await page.get_by_role("textbox", name="Ask a question").fill("How many days?")
        await page.keyboard.press("Enter")
        down = page.get_by_role("button", name="Not helpful")
        await down.focus()
        await page.keyboard.press("Enter")
        why = page.get_by_role("dialog", name="What was wrong with the answer?")
        await expect(down).to_have_attribute("aria-pressed", "true")
        await why.get_by_label("Something is missing").check()
        await why.get_by_role("textbox").fill("the days of part-timers")
        await why.get_by_role("button", name="Send").click()
        await expect(down).to_be_focused()
        await down.click()
        await expect(down).to_have_attribute("aria-pressed", "false")
        await down.click()
        await why.get_by_role("button", name="Cancel").click()
        await expect(down).to_be_focused()
        await page.reload()
        await expect(down).to_have_attribute("aria-pressed", "true")
        await page.get_by_role("button", name="Ask a person").click()
        await expect(page.get_by_role("dialog", name="Ask a person")).to_contain_text("the HR desk")
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Helpful", exact=True).click()
        await expect(page.get_by_role("button", name="Ask a person")).to_have_count(0)
        await expect(down).to_have_attribute("aria-pressed", "false")
        await page.get_by_role("button", name="Helpful", exact=True).click()
        await expect(page.get_by_role("button", name="Helpful", exact=True)).to_have_attribute("aria-pressed", "false")
    turn = served.intake.accepted[0].turn_id
    given = [rating for answer, rating in served.intake.ratings if answer == turn]
    assert [rating.helpful for rating in given] == [False, False, None, False, True, None]
    assert [rating.reason for rating in given if rating.reason] == [
        Reason(kind=ReasonKind.INCOMPLETE, text="the days of part-timers")
    ]


async def test_the_page_comes_back_after_the_server_did(browser, tmp_path, turns):
    turns.let("plan", "search")
    path: Path = tmp_path / "weft.db"
    async with playground(path, play=turns) as before:
        context = opened(browser, before.address)
        page = await context.__aenter__()
        await ask(page, "How many days?")
        await expect(page.locator(".todo li")).to_have_attribute("data-status", "in_progress")
        message = before.intake.accepted[0]
    await expect(page.locator("#notice")).to_have_text("Connection lost. Reconnecting…")
    await page.locator("#question").fill("written while offline")
    await expect(page.locator("#send")).to_be_disabled()
    board = await BoardStore.open(path)
    await before.adapter.__class__(board).reply(message, None).finish(response(message, "Answered meanwhile."))
    await board.close()
    async with playground(path, port=before.port, play=turns) as after:
        turns.let("draft", "finish")
        await expect(page.locator(".prose")).to_have_text("Answered meanwhile.")
        await expect(page.locator("#notice")).to_be_hidden()
        await expect(page.locator(".turn")).to_have_count(1)
        await page.locator("#question").press("Enter")
        await expect(page.locator(".turn .sources")).to_have_count(1)
        await expect(page.locator(".bubble .text")).to_have_text(["How many days?", "written while offline"])
        assert len(after.intake.accepted) == 1
        await context.__aexit__(None, None, None)


async def test_a_question_that_was_not_sent_can_be_sent_again(browser, served, turns):
    turns.let("plan", "search", "draft", "finish")
    async with opened(browser, served.address) as page:
        served.intake.failing = True
        await ask(page, "How many days?")
        await expect(page.locator(".under")).to_contain_text("Not sent.")
        served.intake.failing = False
        await page.get_by_role("button", name="Try again").click()
        await expect(last(page, ".sources")).to_be_visible()
        await expect(page.locator(".turn")).to_have_count(1)
        # A reload keeps what is half written.
        await page.locator("#question").fill("half a question")
        await page.reload()
        await expect(page.locator("#question")).to_have_value("half a question")


async def test_stopping_editing_choosing_and_failing(browser, served, turns):
    turns.let("plan")
    async with opened(browser, served.address) as page:
        await ask(page, "How many days?")
        await expect(page.locator(".todo li")).to_be_visible()
        await page.get_by_role("button", name="Stop").click()
        await served.intake.heard(MessageKind.STOP)
        await ask(page, "그만!")
        await served.intake.heard(MessageKind.STOP, 2)
        await expect(page.locator(".turn")).to_have_count(1)
        turns.let("search", "draft", "finish")
        await expect(last(page, ".sources")).to_be_visible()

        await page.locator(".bubble").hover()
        await page.get_by_role("button", name="Edit question").click()
        await page.get_by_role("textbox", name="Edit question").fill("How many hours?")
        await page.keyboard.press("Enter")
        await expect(page.locator(".under")).to_have_text("edited")
        await served.intake.heard(MessageKind.EDIT)
        await expect(last(page, ".sources")).to_be_visible()

        await ask(page, "unclear")
        await last(page, ".option").first.click()
        await expect(page.locator(".bubble .text").last).to_have_text("Korea")
        await ask(page, "fail")
        await expect(last(page, ".answer.error")).to_have_text(re.compile("Something went wrong on my side."))


async def test_text_from_people_and_documents_does_nothing(browser, served, turns):
    evil = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"

    async def play(reply, message):
        source = citation(title=evil, section=evil, quote=evil, source="javascript:document.title='owned'")
        steps = (Step(id="'\"]><b>", team="search", task=evil, result=evil, error=evil, status=StepStatus.FAILED),)
        await reply.show(TodoList(steps=steps, language="en", status="done"))
        await reply.finish(response(message, f"{evil} [1]", source, warnings=(evil,)))

    served.intake.play = play
    async with opened(browser, served.address) as page:
        await ask(page, evil)
        await expect(last(page, ".sources")).to_be_visible()
        await last(page, ".source").click()
        await expect(page.locator("#panel .passage.here")).to_be_visible()
        await expect(page.locator("#threads a .text")).to_contain_text("<img src=x")
        assert await page.locator("#main img, #panel img, #sidebar img, #main script").count() == 0
        assert "owned" not in re.sub("'owned'", "", await page.title())
        assert await page.evaluate("document.title") != "owned"


async def test_a_phone(browser, served, turns):
    turns.let("plan", "search", "draft", "finish")
    async with opened(browser, served.address, 390, 844, is_mobile=True, has_touch=True) as page:
        assert await fits(page)
        await expect(page.locator("#sidebar")).to_be_hidden()
        await ask(
            page, "How many days of annual leave do I get, and averyveryveryveryveryveryveryverylongwordthatmustbreak?"
        )
        await expect(last(page, ".sources")).to_be_visible()
        assert await fits(page)
        await page.get_by_role("button", name="Show conversations").tap()
        await expect(page.locator("#drawer-close")).to_be_focused()
        await expect(page.locator("#sidebar")).to_be_in_viewport()
        await page.locator("#new").tap()
        await expect(page.locator("#sidebar")).to_be_hidden()
        await expect(page.locator("#welcome")).to_be_visible()
        await page.get_by_role("button", name="Show conversations").tap()
        await page.locator("#threads a").tap()
        await expect(page.locator("#sidebar")).to_be_hidden()
        await page.locator(".prose .cite").first.tap()
        await expect(page.locator("#panel mark")).to_be_in_viewport()
        await expect(page.locator("#scrim")).to_be_visible()
        assert await fits(page)
        await page.locator("#panel-close").tap()
        await expect(page.locator("#panel")).to_be_hidden()
        await page.set_viewport_size({"width": 360, "height": 640})
        assert await fits(page)


async def test_dark_and_korean(browser, served, turns):
    turns.let("plan", "search", "draft", "finish")
    async with opened(browser, served.address, locale="ko-KR", color_scheme="dark") as page:
        paper = "getComputedStyle(document.body).backgroundColor"
        assert await page.evaluate(paper) == "rgb(25, 24, 23)"
        await expect(page.locator("html")).to_have_attribute("lang", "ko")
        await expect(page.locator("#welcome-title")).to_have_text("사내 안내서에 물어보세요")
        await expect(page.locator("#question")).to_have_attribute("placeholder", "질문을 입력하세요…")
        # While a syllable is being composed, Enter belongs to the input method.
        await page.locator("#question").fill("연차는 며칠인가요?")
        await page.locator("#question").evaluate(
            "field => field.dispatchEvent(new KeyboardEvent('keydown',"
            " {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))"
        )
        await expect(page.locator("#question")).to_have_value("연차는 며칠인가요?")
        await page.locator("#question").press("Enter")
        await expect(page.locator(".bubble .text")).to_have_text("연차는 며칠인가요?")
        await expect(page.locator(".sources h3")).to_have_text("출처")
        await expect(page.locator(".source .where").first).to_have_text("Annual leave · 3쪽")
        assert served.intake.accepted[0].locale == "ko"

        await page.get_by_role("button", name="EN").click()
        await expect(page.locator(".sources h3")).to_have_text("Sources")
        await page.get_by_role("button", name="Appearance: As the system").click()
        await expect(page.get_by_role("button", name="Appearance: Light")).to_be_visible()
        assert await page.evaluate(paper) == "rgb(251, 250, 248)"
        await page.reload()
        await expect(page.locator(".sources h3")).to_have_text("Sources")
        assert await page.evaluate(paper) == "rgb(251, 250, 248)"


async def test_the_token_is_asked_for(browser, tmp_path, turns):
    async with (
        playground(tmp_path / "weft.db", play=turns, token="s3cret") as served,
        opened(browser, served.address) as page,
    ):
        await page.get_by_placeholder("Access token").fill("wrong")
        await page.keyboard.press("Enter")
        await expect(page.locator("dialog .wrong")).to_have_text("This is not the right token.")
        await page.get_by_placeholder("Access token").fill("s3cret")
        await page.keyboard.press("Enter")
        await expect(page.locator("#welcome-title")).to_have_text("Ask the handbook")
        await ask(page, "fail")
        await expect(last(page, ".answer.error")).to_be_visible()
        assert "s3cret" not in page.url
