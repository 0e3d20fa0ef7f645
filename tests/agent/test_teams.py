"""What holds for every team: side by side, in time, and a failure stays its own."""

import asyncio
import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import context
from agent.errors import StorageError
from agent.events import Event, PlanReady, TodoUpdated
from agent.language import say
from agent.nodes.plan import arranged, estimated
from agent.packs.pack import Flags, Limits, ScopeSpec, Words
from agent.results import Told
from agent.types import WEB, Plan, Sentence, Step, WebPage
from tests.agent.test_graph import LEAVE, VPN, Bench, moves, steps
from tests.clock import pass_time, sleep_through
from tests.fakes import ScriptedReasoner
from tests.fakes_web import MemoryWeb

TEAMS = ("search", "document", "analysis")


@pytest.fixture
def bench():
    return Bench()


def planned(bench: Bench, *wanted: Step, strategy="parallel") -> None:
    bench.reasoner.steps, bench.reasoner.strategy = wanted, strategy


TOO_LONG = 350.0


@pytest.fixture
def ample(bench, monkeypatch) -> None:
    """Let a turn have 300 seconds, a step more than that, and 100 be kept for ending the turn."""
    monkeypatch.setattr(context, "RESERVE", 100.0)
    bench.limit(deadline_seconds=400.0, team_seconds=600.0)


def hang_slow(bench: Bench, seconds: float) -> None:
    """Let the step `slow` take so long, which passes once the step `b` beside it is done."""
    begun, run = asyncio.Event(), bench.agent.run

    async def expanding(step):
        if step.id == "slow":
            begun.set()
            await asyncio.sleep(seconds)
        await begun.wait()

    async def watched(request):
        async for event in run(request):
            if is_done(event, "b"):
                pass_time(seconds + 1)
            yield event

    bench.reasoner.while_expanding, bench.agent.run = expanding, watched


def is_done(event: Event, name: str) -> bool:
    return isinstance(event, TodoUpdated) and (event.step.id, event.step.status) == (name, "completed")


async def test_steps_of_a_group_overlap_in_time(bench):
    planned(bench, *steps("a", "b", "c", "d"))
    together = asyncio.Barrier(4)
    bench.reasoner.while_expanding = lambda step: together.wait()
    done = (await bench.ask()).plan.steps
    assert all(a.started_at < b.completed_at for a, b in itertools.permutations(done, 2))


async def test_a_team_that_hangs_fails_when_its_time_is_over_and_the_others_answer(bench):
    planned(bench, *steps("slow", "b", "after", after=("slow",)))
    bench.limit(team_seconds=60)
    hang_slow(bench, 70)
    response = await bench.ask()
    by_id = {step.id: step for step in response.plan.steps}
    assert (by_id["slow"].status, by_id["slow"].error) == ("failed", say("step_timeout", "en"))
    assert by_id["after"].status == "skipped" and "slow" in by_id["after"].error
    assert response.status == "completed" and response.citations and response.failed_teams == ("search",)


async def test_a_team_never_gets_more_time_than_the_turn_has_left(bench, ample):
    planned(bench, *steps("slow", "b"))
    hang_slow(bench, TOO_LONG)
    response = await bench.ask()
    assert [step.status for step in response.plan.steps] == ["failed", "completed"]
    assert response.status == "completed" and response.citations


async def test_a_mistake_in_one_team_is_told_without_its_words(bench, caplog):
    planned(bench, *steps("a", "b"))
    bench.reasoner.expand_errors["a"] = ValueError("what somebody wrote")
    response = await bench.ask()
    assert response.citations and response.errors == ("a: broke: ValueError",)
    assert "what somebody wrote" not in caplog.text and "A step broke" in caplog.text


async def test_a_cancelled_turn_ends_its_teams(bench):
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait(step):
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    bench.reasoner.while_expanding = wait
    running = asyncio.create_task(bench.ask())
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended.is_set()


async def test_every_step_tells_what_it_does_and_what_it_rests_on(bench):
    events = await bench.events()
    seen = [e.step for e in events if isinstance(e, TodoUpdated)]
    assert [step.progress for step in seen] == sorted(step.progress for step in seen)
    assert any(step.phase for step in seen) and seen[-1].phase == ""
    assert seen[-1].sources == ("Leave",) and seen[-1].note == seen[-1].result != ""
    assert moves(events) == [("step_0", "in_progress"), ("step_0", "completed")]


async def test_of_several_searches_each_has_an_answer_of_its_own_that_was_judged(bench):
    first, second = steps("a", "b")
    planned(bench, first, replace(second, description="the VPN token"))
    response = await bench.ask()
    assert [step.answer for step in response.plan.steps] == [
        "Everybody has 20 days of annual leave.", "The VPN needs a token.",
    ]  # fmt: skip
    assert {c.document_id for c in response.citations} <= {"leave.md", "vpn.md"}


async def test_what_only_serves_other_steps_is_not_told(bench):
    hidden, shown = steps("a", "b")
    planned(bench, replace(hidden, purpose="evidence"), replace(shown, description="the VPN token"))
    await bench.ask()
    assert [block.passage.document_id for block in bench.reasoner.briefs[-1].blocks] == ["vpn.md"]


async def test_when_the_time_is_over_what_was_written_and_stands_is_answered(bench, ample):
    plain = bench.reasoner.compose

    async def endless(brief):
        async for sentence in plain(brief):
            yield sentence
        await sleep_through(TOO_LONG)

    bench.reasoner.compose = endless
    response = await bench.ask("annual leave days")
    assert response.answer.startswith("Everybody has 20 days") and response.status == "completed"
    assert say("answer_cut_short", "en") in response.warnings


async def test_when_the_time_is_over_and_nothing_was_written_the_rules_answer(bench, ample):
    bench.rules = ScriptedReasoner()

    async def silent(brief):
        await sleep_through(TOO_LONG)
        yield Sentence(text="late")

    bench.reasoner.compose = silent
    response = await bench.ask("annual leave days")
    assert response.answer.startswith("Everybody has 20 days") and response.citations
    assert say("model_fallback", "en") in response.warnings and bench.rules.briefs[-1].suggestions == ()


@pytest.mark.parametrize("check", ["clarify", "check_grounding", "grade"])
async def test_a_check_that_hangs_does_not_hold_up_the_answer(bench, ample, check):
    async def hang(*_):
        await sleep_through(TOO_LONG)
        raise AssertionError("it was waited for")

    setattr(bench.reasoner, check, hang)
    response = await bench.ask("annual leave days")
    assert response.citations and response.grounding.is_valid


async def test_a_file_that_was_locked_for_a_moment_is_read_again(bench):
    trouble = [StorageError("database is locked")]
    plain = bench.knowledge.passages

    async def passages(references, audience):
        if trouble:
            raise trouble.pop()
        return await plain(references, audience)

    await bench.ask("annual leave days")
    bench.reasoner.route, bench.knowledge.passages = "followup", passages
    assert (await bench.ask("shorter")).citations and not trouble


# --- plans ----------------------------------------------------------------------------------------


def plan_of(*wanted: Step, strategy="parallel") -> Plan:
    return arranged(Plan(steps=wanted, strategy=strategy), teams=TEAMS, most=12)


def test_what_waits_for_a_left_out_step_is_left_out_as_well():
    made = plan_of(*steps("a", "b", "c", b=("gone",), c=("b",)))
    assert [step.id for step in made.steps] == ["a"] and len(made.validation_errors) == 2


def test_two_hundred_steps_keep_the_most_important_and_say_so():
    many = [replace(step, priority=1 if step.id == "s150" else 2) for step in steps(*(f"s{n}" for n in range(200)))]
    made = plan_of(*many)
    assert len(made.steps) == 12 and "s150" in [step.id for step in made.steps]
    assert made.validation_errors == ("200 steps are more than 12, the rest was left out",)


def test_a_name_that_is_there_twice_counts_once():
    made = plan_of(*steps("a", "a"))
    assert len(made.steps) == 1 and "twice" in made.validation_errors[0]


def test_a_team_that_the_pack_has_not_is_unknown():
    made = arranged(Plan(steps=(Step(id="a", team="analysis", task="a"),)), teams=("search",), most=12)
    assert made.steps == () and "unknown team 'analysis'" in made.validation_errors[0]


def test_a_sequential_plan_takes_the_more_important_step_first():
    low, high = steps("low", "high")
    made = plan_of(replace(low, priority=3), replace(high, priority=1), strategy="sequential")
    assert made.parallel_groups == (("high",), ("low",))


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 12), max_size=3)), max_size=10))
def test_groups_hold_every_kept_step_once_and_after_all_that_it_waits_for(drawn):
    wanted = [
        Step(id=f"s{name}", team="search", task="t", dependencies=tuple(f"s{d}" for d in waits))
        for name, waits in drawn
    ]
    made = plan_of(*wanted)
    order = [name for group in made.parallel_groups for name in group]
    assert sorted(order) == sorted(step.id for step in made.steps) and len(set(order)) == len(order)
    done: set[str] = set()
    for group in made.parallel_groups:
        assert all(done.issuperset(step.dependencies) for step in made.steps if step.id in group)
        done.update(group)


class Times:
    def __init__(self, **known: float) -> None:
        self.known = known

    async def typical(self):
        return self.known


async def test_the_time_of_a_plan_is_the_slowest_team_of_each_group():
    made = plan_of(
        *steps("a", "b"),
        Step(id="c", team="document", task="c", dependencies=("a",)),
        Step(id="d", team="analysis", task="d"),
    )
    assert await estimated(made, Times(search=100.0, document=400.0, analysis=250.0)) == 650.0
    assert await estimated(made, Times(search=100.0)) is None and await estimated(made, None) is None


async def test_the_plan_that_is_shown_first_has_its_estimate(bench):
    bench.step_times = Times(search=120.0)
    events = await bench.events()
    assert [e.plan.estimated_total_ms for e in events if isinstance(e, PlanReady)] == [120.0]


# --- the web --------------------------------------------------------------------------------------

PAGE = WebPage(url="https://law.example/leave", title="Leave law", text="The law grants 15 days of annual leave.")


async def test_few_documents_ask_the_web_and_its_pages_are_cited_as_such(bench):
    bench.web = MemoryWeb([PAGE])
    response = await bench.ask("annual leave days")
    assert response.web_search_performed and bench.web.asked == ["annual leave days"]
    pages = [b.passage for b in bench.reasoner.briefs[-1].blocks if b.passage.collection == WEB]
    assert [(p.source, p.title) for p in pages] == [(PAGE.url, "Leave law")]


async def test_pages_of_the_web_stand_beside_passages_that_are_more_than_an_answer_is_written_from():
    many = [replace(LEAVE, id=n, document_id=f"{n}.md", text=f"Annual leave days, part {n}.") for n in range(1, 13)]
    bench = Bench(passages=tuple(many))
    bench.web = MemoryWeb([PAGE])
    bench.pack = bench.pack.model_copy(update={"flags": Flags(require_web_search=True)})
    await bench.ask("annual leave days")
    collections = [block.passage.collection for block in bench.reasoner.briefs[-1].blocks]
    assert collections[0] != WEB and WEB in collections[:2] and len(collections) == bench.pack.limits.passages


@pytest.mark.parametrize(
    ("pack", "asked"),
    [
        ({"limits": Limits(enough_documents=1)}, 0),
        ({"limits": Limits(enough_documents=1), "flags": Flags(require_web_search=True)}, 1),
        ({"flags": Flags(web_search_enabled=False, require_web_search=True)}, 0),
    ],
    ids=["enough", "required", "switched off"],
)
async def test_when_the_web_is_asked(bench, pack, asked):
    bench.web = MemoryWeb([PAGE])
    bench.pack = bench.pack.model_copy(update=pack)
    await bench.ask("annual leave days")
    assert len(bench.web.asked) == asked


async def test_a_web_that_cannot_be_reached_is_a_warning(bench):
    bench.web = MemoryWeb(None)
    response = await bench.ask("annual leave days")
    assert response.status == "completed" and response.citations and not response.web_search_performed
    assert say("web_search_failed", "en") in response.warnings and response.errors == ()


async def test_the_web_answers_where_the_documents_cannot_be_searched(bench):
    bench.web = MemoryWeb([PAGE])

    async def gone(request, audience):
        raise StorageError("disk gone")

    bench.knowledge.search = gone
    response = await bench.ask("annual leave days")
    assert response.status == "completed" and response.citations[0].collection == WEB and response.errors == ()
    assert say("documents_unreachable", "en") in response.warnings


# --- scopes ---------------------------------------------------------------------------------------


@pytest.fixture
def scoped():
    """A bench on which the word VPN points at one collection, and tokens are told of in another one as well."""
    other = replace(VPN, id=3, document_id="other.md", text="A token for the VPN is lent out at the reception.")
    bench = Bench(passages=(LEAVE, replace(VPN, collection="it"), other))
    title = Words(en="t", ko="t")
    scopes = (
        ScopeSpec(name="it", title=title, collections=("it",), keywords=("VPN", "laptop")),
        ScopeSpec(name="people", title=title, collections=("documents",), keywords=("leave", "휴가")),
    )
    bench.pack = bench.pack.model_copy(update={"scopes": scopes})
    return bench


async def test_a_step_searches_the_scopes_that_its_words_point_at(scoped):
    found = (await scoped.ask("VPN token")).citations
    assert {each.document_id for each in found} == {"vpn.md"}
    scoped.pack = scoped.pack.model_copy(update={"flags": Flags(dynamic_rag_routing=False)})
    told = (await scoped.ask("VPN token")).receipt["passages"]
    assert any("other.md" in each["reference"] for each in told)


async def test_a_scope_hides_no_thing_that_stands_in_another_one_alone(scoped):
    documents = [each["reference"] for each in (await scoped.ask("annual leave on a laptop")).receipt["passages"]]
    assert any("leave.md" in each for each in documents)


def test_a_part_that_a_team_wrote_is_cited_by_the_numbers_of_the_answer():
    from agent.citing import renumbered
    from agent.types import Block, Sentence, Support

    blocks = (Block(n=1, passage=LEAVE, score=1.0),)
    own = (Block(n=1, passage=VPN, score=1.0), Block(n=2, passage=LEAVE, score=1.0))
    said = Sentence(text="x", support=(Support(block=1, start=0, end=3), Support(block=2, start=0, end=4)))
    told, all_blocks = renumbered(Told(title="Draft", sentences=(said,), blocks=own), blocks)
    assert [block.passage.document_id for block in all_blocks] == ["leave.md", "vpn.md"]
    assert [place.block for place in told.sentences[0].support] == [2, 1]


async def test_an_order_that_could_not_be_done_says_so_and_is_not_searched_for_again(bench):
    planned(bench, Step(id="a", team="analysis", task="Chart the travel costs"))
    plain = bench.knowledge.search

    async def slow(*given):
        await sleep_through(60)  # longer than a step may take
        return await plain(*given)

    bench.knowledge.search = slow
    response = await bench.ask("chart the travel costs")
    assert response.answer == say("work_failed", "en", steps="Chart the travel costs")
    assert (response.status, response.response_type, response.iteration_count) == ("failed", "error", 0)
