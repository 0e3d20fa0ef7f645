"""What people look up and change by themselves: the engine as it is, with what each of them may read."""

import shutil
from dataclasses import replace

import pytest

from adapters.desk import Order, order_named
from agent.types import Author, ChannelMode, Memory, MessageKind, Preferences
from bot.app import open_engine
from bot.settings import Settings
from storage.ingest.run import ingest
from tests.fakes import RecordingAdapter, incoming
from tests.sampled import made

USER = "fake:W:U1"


async def fill(folder):
    """Read a document that the workspace may read, and one for somebody else."""
    for name, text in {"open": "The gym opens at 7.", "secret": "The vault opens at 3."}.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    async with open_engine(Settings.load(data=folder / "data")) as engine:
        for name, readers in {"open": {"workspace:fake:W"}, "secret": {"user:fake:W:U2"}}.items():
            await engine.access.create(name, readers)
            await ingest([folder / f"{name}.md"], library=engine.library, collection=name)


@pytest.fixture(scope="module")
def _filled(_sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(_sample, folder / "data")
    return made(folder, fill(folder))


@pytest.fixture
async def engine(tmp_path, monkeypatch, _filled):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(_filled, tmp_path / "data")
    async with open_engine(Settings.load(data=tmp_path / "data")) as engine:
        yield engine


class Managers(RecordingAdapter):
    """A platform on which these people manage every channel."""

    def __init__(self, *people: str) -> None:
        super().__init__()
        self.people = people

    async def may_manage(self, message) -> bool:
        return message.author.id in self.people


def asker(**more):
    values = {"text": "", "kind": MessageKind.COMMAND, "author_is_guest": False, "guests": False}
    return replace(incoming(), **{**values, **more})


async def test_each_sees_the_sources_that_they_may_read(engine) -> None:
    names = {shelf.name for shelf in await engine.desk.sources(asker())}
    assert "open" in names and "secret" not in names
    other = asker(author=Author(id="U2"))
    assert "secret" in {shelf.name for shelf in await engine.desk.sources(other)}
    told = await engine.desk.carry_out(Order.SOURCES, other)
    assert "`secret`: 1 document" in told
    assert "`secret`" not in await engine.desk.carry_out(Order.SOURCES, asker())


async def test_a_guest_and_somebody_who_may_be_one_see_what_guests_read(engine) -> None:
    for guest in (True, None):
        names = {shelf.name for shelf in await engine.desk.sources(asker(author_is_guest=guest, guests=True))}
        assert "open" not in names


async def test_the_memory_is_of_the_asker_alone_and_its_answers_of_what_they_may_still_read(engine) -> None:
    pack = engine.pack.name
    [hidden] = await engine.library.get([p for p in await engine.library.ids() if await _is(engine, p, "vault")],
                                        audience=_all())  # fmt: skip
    await engine.profiles.keep(
        USER, pack, Memory(turn_id="t1", question="Vault?", answer="At 3.", at=1.0, evidence=(hidden.reference,))
    )
    await engine.profiles.keep(USER, pack, Memory(turn_id="t2", question="Hello?", answer="Hi.", at=2.0))
    found = await engine.desk.remembered(asker())
    assert [(each.question, each.answer) for each in found.questions] == [("Hello?", "Hi."), ("Vault?", "")]
    assert (await engine.desk.remembered(asker(author=Author(id="U2")))).questions == ()
    assert not await engine.desk.forget_question(asker(author=Author(id="U2")), "t1")
    assert await engine.desk.forget_question(asker(), "t1")
    assert [each.turn_id for each in (await engine.desk.remembered(asker())).questions] == ["t2"]
    assert "Hello?" in await engine.desk.carry_out(Order.QUESTIONS, asker())
    assert await engine.desk.forget(asker()) == 1
    assert (await engine.desk.remembered(asker())).questions == ()


def _all():
    from bot.audience import OPERATOR

    return OPERATOR


async def _is(engine, identity, word) -> bool:
    [passage] = await engine.library.get([identity], audience=_all())
    return word in passage.text


async def test_a_passage_opens_only_for_who_may_read_it_now(engine) -> None:
    identity = [p for p in await engine.library.ids() if await _is(engine, p, "vault")]
    [hidden] = await engine.library.get(identity, audience=_all())
    assert await engine.desk.passage(asker(), hidden.reference) is None
    other = asker(author=Author(id="U2"))
    assert (await engine.desk.passage(other, hidden.reference)).text == hidden.text
    await engine.access.change_readers("secret", lambda readers: frozenset())
    assert await engine.desk.passage(other, hidden.reference) is None
    assert await engine.desk.passage(other, "nowhere\tnothing#x") is None


async def test_what_somebody_told_can_be_forgotten_one_by_one(engine) -> None:
    await engine.profiles.fill(USER, engine.pack.name, {"age": 54, "office": "Seoul"}, turn_id="t1")
    await engine.desk.prefer(asker(), Preferences(length="short"))
    found = await engine.desk.remembered(asker())
    assert {(fact.name, fact.value) for fact in found.facts} == {("age", "54"), ("office", "Seoul")}
    assert found.preferences == Preferences(length="short")
    await engine.desk.forget_fact(asker(), "age")
    assert [fact.name for fact in (await engine.desk.remembered(asker())).facts] == ["office"]
    assert "54" not in await engine.desk.carry_out(Order.MEMORY, asker())
    assert "Seoul" in await engine.desk.carry_out(Order.MEMORY, asker())


async def test_stop_ends_what_its_asker_wants_in_that_channel(engine) -> None:
    mine, theirs = incoming(message_id="m1"), incoming(message_id="m2", thread="other")
    theirs = replace(theirs, author=Author(id="U2"))
    for message in (mine, theirs):
        assert await engine.conversation.accept(message)
    elsewhere = asker(key=replace(mine.key, channel_id="C9", thread_id=""))
    assert await engine.desk.stop(elsewhere) == 0
    assert await engine.desk.carry_out(Order.STOP, asker()) == "Stopped."
    rows = [await engine.inbox.claim("w", lease=30.0, platforms=["fake"]) for _ in range(2)]
    assert {row.message.author.id for row in rows} == {"U1", "U2"}
    assert {rows[0].id: "stop"} == dict(await engine.inbox.interrupted(*rows))


async def test_who_manages_the_channel_sets_its_mode(engine) -> None:
    adapter = Managers("U1")
    assert await engine.desk.mode(asker(private=True)) is None
    assert "“off”" in await engine.desk.set_mode(asker(), ChannelMode.OFF, adapter)
    assert await engine.desk.mode(asker()) is ChannelMode.OFF
    assert "“off”" in await engine.desk.carry_out(Order.SETTINGS, asker())
    await engine.desk.set_mode(asker(author=Author(id="U2")), ChannelMode.ALL, adapter)
    assert await engine.desk.mode(asker()) is ChannelMode.OFF


@pytest.mark.parametrize("order", Order)
async def test_every_order_is_answered_in_both_languages(engine, order) -> None:
    english, korean = [await engine.desk.carry_out(order, asker(locale=locale)) for locale in ("en-US", "ko-KR")]
    assert english and korean and english != korean


def test_orders_by_name() -> None:
    named = {"": Order.HELP, " Sources ": Order.SOURCES, "출처": Order.SOURCES, "forget me.": Order.FORGET}
    assert {word: order_named(word) for word in named} == named
    assert order_named("fly to the moon") is None


async def test_each_channel_is_told_of_its_own_pack(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_engine(Settings.load(data=tmp_path / "data", pack="handbook,medical")) as engine:
        medical, handbook = (engine.packs.packs[name].title.of("en") for name in ("medical", "handbook"))
        here = asker()
        elsewhere = replace(here, key=replace(here.key, channel_id="another"))
        await engine.packs.set(here.key, "medical")
        await engine.profiles.keep(
            USER, "medical", Memory(turn_id="t1", question="how long to rest?", answer="", at=1.0)
        )
        for order in (Order.PACKS, Order.HELP):
            assert medical in await engine.desk.carry_out(order, here)
            assert handbook in await engine.desk.carry_out(order, elsewhere)
        assert "how long to rest?" in await engine.desk.carry_out(Order.QUESTIONS, here)
        assert "how long to rest?" not in await engine.desk.carry_out(Order.QUESTIONS, elsewhere)
        assert await engine.desk.forget_question(here, "t1")
        assert (await engine.desk.remembered(here)).questions == ()
