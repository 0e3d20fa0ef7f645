"""What calls cost is counted, kept, and stops calls at the operator's limits."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from agent.context import TurnRequest
from agent.errors import ModelError, StorageError
from agent.language import say
from agent.reasoning.combined.reasoner import FallbackReasoner
from agent.reasoning.model import ModelReasoner
from agent.reasoning.model.transport.breaker import Breaker
from agent.reasoning.model.transport.usage import BudgetError, Call, Limit, Limits, Price, Spent
from agent.reasoning.rules import OfflineReasoner
from agent.types import Audience, ThreadKey
from bot.app import open_engine
from bot.commands.usage import usage as usage_command
from bot.models.usage import Ledger
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from storage.database import Database
from storage.schema import WEFT
from storage.usage import SqlUsage, UsageRow
from tests.contracts.usage import call
from tests.reasoning_model.making import brief, message, reading
from tests.servers.openai import Cut, Hang, OpenAIServer, Said, refusal

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}
NOON = datetime(2026, 3, 31, 12, tzinfo=ZoneInfo("UTC")).timestamp()
Make = Callable[..., ModelReasoner]


def request(turn: str = "t1", user: str = "U1", channel: str = "C1", text: str = "When?") -> TurnRequest:
    key = ThreadKey(platform="slack", workspace_id="T1", channel_id=channel, thread_id="1")
    everybody = Audience(principals=frozenset({"*"}))
    return TurnRequest(turn_id=turn, key=key, message_id="m", asked_by=user, text=text, audience=everybody)


class Clock:
    now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlUsage]:
    database = await Database.open(tmp_path / "weft.db", WEFT)
    yield SqlUsage(database)
    await database.close()


@pytest.fixture
def ledger(store: SqlUsage, clock: Clock) -> Callable[..., Ledger]:
    def make(limits: Limits | None = None, *, zone: str = "UTC", price: Price | None = None) -> Ledger:
        prices = {"big": price or Price(input=10.0, output=30.0, cached=1.0)}
        return Ledger(store, zone=ZoneInfo(zone), limits=limits or {}, prices=prices, now=clock)

    return make


# --- what a call costs


@pytest.mark.parametrize(
    ("price", "cost"),
    [
        (Price(input=10.0, output=30.0, cached=1.0), (60 * 10 + 40 * 1 + 20 * 30) / 1e6),
        (Price(input=10.0, output=30.0), (100 * 10 + 20 * 30) / 1e6),
        (Price(), 0.0),
    ],
)
def test_a_cached_token_has_its_own_price(price: Price, cost: float) -> None:
    assert price.of(Spent(tokens_in=100, tokens_out=20, tokens_cached=40)) == pytest.approx(cost)


async def test_calls_are_kept_with_all_that_is_told_of_them(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], store: SqlUsage
) -> None:
    server.usage = USAGE
    book = ledger()
    model = make(small_model="small", meter=book.turn(request()))
    server.script(reading(), "The library closes at six on weekdays. [1]")
    await model.understand(message("When does the library close?"))
    assert [sentence.text async for sentence in model.compose(brief())]
    await book.close()
    sums = await store.sums("2026-03-31", "role")
    assert {each.name for each in sums} == {"large", "small"}
    for each in sums:
        assert (each.calls, each.tokens_in, each.tokens_out, each.tokens_cached) == (1, 100, 20, 40)
        assert (each.failures, each.fallbacks, each.estimated) == (0, 0, 0)
    (user,) = await store.sums("2026-03-31", "user")
    (channel,) = await store.sums("2026-03-31", "channel")
    assert (user.name, channel.name) == ("slack:T1:U1", "slack:T1:C1")
    by_model = {each.name: each.cost for each in await store.sums("2026-03-31", "model")}
    assert by_model == {"big": pytest.approx(0.00124), "small": 0.0}


async def test_every_request_of_a_call_counts(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], store: SqlUsage
) -> None:
    server.usage = USAGE
    book = ledger()
    server.script(refusal(500, "no", **{"Retry-After": "0"}), "no json", reading())
    await make(meter=book.turn(request())).understand(message("When?"))
    await book.close()
    (day,) = await store.sums("2026-03-31", "day")
    assert (day.calls, day.tokens_in, day.tokens_out) == (1, 200, 40)  # what was refused cost nothing


@pytest.mark.parametrize("answer", [Said(text="Good morning."), Cut(after="Good morn")])
async def test_what_is_not_told_is_estimated(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], store: SqlUsage, answer: Said | Cut
) -> None:
    book = ledger()
    server.answer(answer)
    failed = False
    try:
        _ = [sentence async for sentence in make(meter=book.turn(request())).compose(brief())]
    except ModelError:
        failed = True
    await book.close()
    (day,) = await store.sums("2026-03-31", "day")
    assert day.tokens_in > 200
    assert 1 <= day.tokens_out <= 20
    assert (day.estimated, day.failures) == (1, failed)


async def test_a_call_that_is_given_up_counts_what_it_had(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], store: SqlUsage
) -> None:
    book = ledger()
    server.answer(Hang(after="The library closes at six on weekdays. [1] And"))
    async with aclosing(make(meter=book.turn(request())).compose(brief())) as sentences:  # type: ignore[type-var]
        await anext(sentences)
    server.answer(Hang())
    waiting = asyncio.create_task(make(meter=book.turn(request())).chat(message("hi")))
    while len(server.chats) < 2:  # the one before may be gone by now
        await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await book.close()
    (day,) = await store.sums("2026-03-31", "day")
    assert (day.calls, day.estimated, day.failures) == (2, 2, 0)
    assert day.tokens_in > 400


async def test_calls_that_fail_and_calls_that_are_kept_back_are_told_apart(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], store: SqlUsage
) -> None:
    book = ledger()
    server.answer(refusal(401, "no"))
    model = make(breaker=Breaker(failures=1), meter=book.turn(request()))
    for _ in range(3):
        with pytest.raises(ModelError):
            await model.chat(message("hi"))
    await book.close()
    (day,) = await store.sums("2026-03-31", "day")
    assert (day.calls, day.failures, day.fallbacks, day.tokens_in) == (1, 1, 3, 0)


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_no_word_of_a_message_is_kept(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], store: SqlUsage, tmp_path: Path
) -> None:
    book = ledger()
    server.answer("The heliotrope answer.")
    await make(meter=book.turn(request(text="A xylophone question"))).chat(message("A xylophone question"))
    await book.close()
    await store._database.close()
    kept = bytes_in(tmp_path)
    assert b"slack:T1:U1" in kept
    assert b"heliotrope" not in kept
    assert b"xylophone" not in kept


# --- limits


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [(Limit(tokens=240), 2), (Limit(tokens=241), 3), (Limit(cost=0.00248), 2), (Limit(), 5), (Limit(tokens=1), 1)],
)
@pytest.mark.parametrize("scope", ["turn", "user", "channel", "day"])
async def test_a_limit_stops_calls_once_it_is_reached(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], scope: str, limit: Limit, allowed: int
) -> None:
    server.usage = USAGE
    server.answer("Good morning.")
    book = ledger({scope: limit})
    model = make(meter=(meter := book.turn(request())))
    for number in range(5):
        if number < allowed:
            assert await model.chat(message("hi"))
        else:
            with pytest.raises(BudgetError) as raised:
                await model.chat(message("hi"))
            assert raised.value.scope == meter.reached == scope
    assert len(server.chats) == allowed
    await book.close()


@pytest.mark.parametrize(
    ("scope", "others"),
    [
        ("turn", [("t2", "U1", "C1")]),
        ("user", [("t2", "U2", "C1")]),
        ("channel", [("t2", "U1", "C2")]),
    ],
)
async def test_a_limit_is_nobody_elses(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], scope: str, others: list[tuple[str, str, str]]
) -> None:
    server.usage = USAGE
    server.answer("Good morning.")
    book = ledger({scope: Limit(tokens=100)})
    await make(meter=book.turn(request())).chat(message("hi"))
    with pytest.raises(BudgetError):
        if scope == "turn":
            model = make(meter=(meter := book.turn(request())))
            await model.chat(message("hi"))
            assert meter.reached is None
            await model.chat(message("hi"))
        await make(meter=book.turn(request())).chat(message("hi"))
    for other in others:
        assert await make(meter=book.turn(request(*other))).chat(message("hi"))
    await book.close()


async def test_a_limit_holds_for_all_processes_and_over_a_restart(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger]
) -> None:
    server.usage = USAGE
    server.answer("Good morning.")
    first, second = ledger({"day": Limit(tokens=100)}), ledger({"day": Limit(tokens=100)})
    await make(meter=first.turn(request())).chat(message("hi"))
    await first.close()
    with pytest.raises(BudgetError):
        await make(meter=second.turn(request("t2", "U2", "C2"))).chat(message("hi"))
    await second.close()


async def test_a_new_day_begins_in_the_operators_zone(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], clock: Clock
) -> None:
    server.usage = USAGE
    server.answer("Good morning.")
    clock.now = datetime(2026, 3, 31, 14, 59, tzinfo=ZoneInfo("UTC")).timestamp()  # 23:59 in Seoul
    book = ledger({"user": Limit(tokens=100)}, zone="Asia/Seoul")
    await make(meter=book.turn(request())).chat(message("hi"))
    told: list[str] = []
    for text in ("When?", "언제인가요?"):
        with pytest.raises(BudgetError):
            await make(meter=book.turn(request(text=text), told.append)).chat(message("hi"))
    until = "2026-04-01 00:00 KST"
    assert told == [say("budget_user", "en", until=until), say("budget_user", "ko", until=until)]
    clock.now += 60
    assert await make(meter=book.turn(request())).chat(message("hi"))
    await book.close()


async def test_calls_that_run_together_share_a_limit(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger]
) -> None:
    server.usage = USAGE
    server.answer("Good morning.")
    book = ledger({"day": Limit(tokens=100)})
    calls = [make(meter=book.turn(request(f"t{n}"))).chat(message("hi")) for n in range(8)]
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert len(server.chats) == 1  # what is under way counts, so that it is not eight times the limit
    assert sum(isinstance(each, BudgetError) for each in found) == 7
    await book.close()


async def test_at_a_limit_the_rules_answer_and_say_why(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger]
) -> None:
    server.usage = USAGE
    book = ledger({"turn": Limit(tokens=100)})
    told: list[str] = []
    reasoner = FallbackReasoner(make(meter=book.turn(request(), told.append)), OfflineReasoner())
    server.script(reading())
    await reasoner.understand(message("When does the library close on weekdays?"))
    sentences = [s.text async for s in reasoner.compose(brief("When does the library close on weekdays?"))]
    assert "The library closes at six on weekdays." in " ".join(sentences)
    with pytest.raises(BudgetError):
        await reasoner.chat(message("hi"))
    assert len(server.chats) == 1
    assert told == [say("budget_turn", "en", until="")]
    await book.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Say hello.", "Today's budget for the model is used up"),
        ("인사해 줘.", "오늘 모델에 쓸 수 있는 예산을 모두 썼습니다"),
    ],
)
async def test_mode_llm_says_which_limit_is_reached_and_nothing_of_a_failure(
    server: OpenAIServer, sampled: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.chdir(sampled.parent)
    server.usage = USAGE
    server.answer("Good morning.")
    given = {"OPENAI_BASE_URL": server.url, "limit_day_tokens": 100, "usage_zone": "Asia/Seoul"}
    async with open_engine(Settings.load(data=sampled, **given)) as engine:
        console = Console(engine, quiet=True)
        first = await console.ask(Asker(mode="llm").message(text, ""))
        second = await console.ask(Asker(mode="llm").message(text, ""))
    assert (first.answer, first.warnings, len(server.chats)) == ("Good morning.", (), 1)
    assert second.answer.startswith(words) and " 00:00 KST" in second.answer
    assert (second.status, second.warnings, second.errors) == ("completed", (), ())


@pytest.mark.parametrize("scope", ["turn", "user", "channel", "day"])
@pytest.mark.parametrize("text", ["When?", "언제인가요?"])
async def test_every_limit_has_words_of_its_own_in_mode_llm(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], scope: str, text: str
) -> None:
    server.usage = USAGE
    server.answer("Good morning.")
    book = ledger({scope: Limit(tokens=100)})
    told: list[str] = []
    model = make(meter=book.turn(replace(request(text=text), mode="llm"), told.append))
    await model.chat(message(text))
    with pytest.raises(BudgetError) as raised:
        await model.chat(message(text))
    language = "en" if text == "When?" else "ko"
    assert raised.value.told == say(f"llm_budget_{scope}", language, until="2026-04-01 00:00 UTC")  # type: ignore[arg-type]
    assert told == []
    await book.close()


async def test_where_a_limit_cannot_be_looked_up_the_model_is_not_asked(
    server: OpenAIServer, make: Make, ledger: Callable[..., Ledger], store: SqlUsage
) -> None:
    book = ledger({"day": Limit(tokens=100)})
    await store._database.close()
    with pytest.raises(ModelError, match="not known"):
        await make(meter=book.turn(request())).chat(message("hi"))
    assert not server.requests
    await book.close()


async def test_a_database_that_fails_costs_no_answer(
    server: OpenAIServer,
    make: Make,
    ledger: Callable[..., Ledger],
    store: SqlUsage,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.answer("Good morning.")
    book = ledger()
    await store._database.close()
    assert await make(meter=book.turn(request())).chat(message("hi")) == "Good morning."
    await book.close()
    assert "could not be stored" in caplog.text


async def test_what_could_not_be_stored_is_stored_later(
    ledger: Callable[..., Ledger], store: SqlUsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = ledger()
    whole, broken = store.add, True

    async def add(rows: list[UsageRow]) -> None:
        if broken:
            raise StorageError("disk full")
        await whole(rows)

    monkeypatch.setattr(store, "add", add)
    for _ in range(3):
        held = book.turn(request()).admit(Call(role="large", model="big", spent=Spent(tokens_in=1, tokens_out=1)))
        await held.end(Call(role="large", model="big", outcome="ok", spent=Spent(tokens_in=1)))
        await asyncio.sleep(0)
    broken = False
    await book.close()
    assert (await store.spent("2026-03-31"))[0] == 3


async def test_what_is_being_stored_counts_once(
    ledger: Callable[..., Ledger], store: SqlUsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = ledger({"day": Limit(tokens=100)})
    whole, stored, go_on = store.add, asyncio.Event(), asyncio.Event()

    async def add(rows: list[UsageRow]) -> None:
        await whole(rows)
        stored.set()
        await go_on.wait()

    monkeypatch.setattr(store, "add", add)
    call = Call(role="large", model="big", outcome="ok", spent=Spent(tokens_in=60))
    meter = book.turn(request())
    await meter.admit(Call(role="large", model="big", spent=Spent(tokens_in=1, tokens_out=1))).end(call)
    await stored.wait()  # it is in the database, and the ledger does not know yet
    held = meter.admit(Call(role="large", model="big", spent=Spent(tokens_in=1, tokens_out=1)))
    asyncio.get_running_loop().call_later(0.05, go_on.set)
    await held.begin()
    await held.end(call)
    with pytest.raises(BudgetError):
        await meter.admit(Call(role="large", model="big", spent=Spent(tokens_in=1, tokens_out=1))).begin()
    await book.close()


# --- what is kept


@pytest.mark.parametrize("tokens", [2**63, 10**30, -5])
async def test_what_an_endpoint_tells_of_tokens_is_bounded(
    ledger: Callable[..., Ledger], store: SqlUsage, tokens: int
) -> None:
    book = ledger()
    held = book.turn(request()).admit(Call(role="large", model="big", spent=Spent(tokens_in=1, tokens_out=1)))
    await held.end(Call(role="large", model="big", outcome="ok", spent=Spent(tokens_in=tokens)))
    await book.close()
    assert (await store.spent("2026-03-31"))[0] == (10**12 if tokens > 0 else 0)


async def test_calls_are_forgotten_after_a_year(ledger: Callable[..., Ledger], store: SqlUsage, clock: Clock) -> None:
    await store.add([call(day="2025-01-01"), call(day="2025-06-01")])
    book = ledger()
    held = book.turn(request()).admit(Call(role="large", model="big", spent=Spent(tokens_in=1, tokens_out=1)))
    await held.end(Call(role="large", model="big", outcome="ok", spent=Spent(tokens_in=1)))
    await book.close()
    assert [each.name for each in await store.sums("2020-01-01", "day")] == ["2025-06-01", "2026-03-31"]


# --- the command


def stored(folder: Path, *rows: UsageRow) -> None:
    async def store() -> None:
        database = await Database.open(folder / "weft.db", WEFT)
        await SqlUsage(database).add(rows)
        await database.close()

    folder.mkdir(exist_ok=True)
    asyncio.run(store())


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)

    def run(*options: str) -> str:
        result = CliRunner().invoke(usage_command, [*options, "--data", str(tmp_path / "data")])
        assert result.exit_code == 0, result.output
        return result.output

    return run


def test_the_command_shows_a_table(told: Callable[..., str], tmp_path: Path) -> None:
    today = datetime.now(ZoneInfo("UTC")).date().isoformat()
    stored(
        tmp_path / "data",
        call(day=today, user="slack:T1:U1", tokens_in=1_234_567),
        call(day=today, user="slack:T1:U2", outcome="failed", tokens_in=0, tokens_out=0, cost=0.0, estimated=True),
        call(day="2020-01-01", user="old"),
    )
    lines = told("--by", "user").splitlines()
    assert lines[0].split() == ["user", "calls", "tokens", "in", "tokens", "out", "cost", "failures", "fallbacks"]
    assert lines[1].split() == ["slack:T1:U1", "1", "1,234,567", "5", "0.5000", "0", "0"]
    assert lines[2].split() == ["slack:T1:U2", "1", "0", "0", "0.0000", "1", "1"]
    assert lines[3].split() == ["in", "all", "2", "1,234,567", "5", "0.5000", "1", "1"]
    assert len({len(line) for line in lines[:4]}) == 1
    assert "1 calls are estimated" in lines[4]


def test_the_command_shows_what_is_nobodys(told: Callable[..., str], tmp_path: Path) -> None:
    today = datetime.now(ZoneInfo("UTC")).date().isoformat()
    stored(tmp_path / "data", call(day=today, user="", channel="", role="embedding"))
    assert told("--by", "user").splitlines()[1].split() == ["-", "1", "10", "5", "0.5000", "0", "0"]
    assert told("--by", "channel").splitlines()[1].startswith("-")
    assert told("--by", "role").splitlines()[1].startswith("embedding")


def test_the_command_speaks_json(told: Callable[..., str], tmp_path: Path) -> None:
    today = datetime.now(ZoneInfo("UTC")).date().isoformat()
    stored(tmp_path / "data", call(day=today))
    report = json.loads(told("--json", "--days", "1"))
    assert (report["since"], report["zone"], report["by"]) == (today, "UTC", "day")
    (only,) = report["sums"]
    assert (only["name"], only["calls"], only["tokens_in"], only["cost"]) == (today, 1, 10, 0.5)


def test_the_command_says_when_there_is_nothing(told: Callable[..., str]) -> None:
    assert "was not asked" in told()
