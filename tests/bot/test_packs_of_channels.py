"""Several packs in one process: which is in force where, what it searches, and how people choose."""

import json

import pytest
from click.testing import CliRunner

from agent.language import say
from agent.packs.pack import Pack, Words
from agent.types import Author, IncomingMessage, MessageKind, Response, ThreadKey
from bot.cli import main
from bot.turns.hearing import Hearing, order_in
from bot.turns.packs import PackChoice, channel_of
from bot.turns.turn import _by_mode
from storage.turns import StoredTurn
from tests.fakes_channels import MemoryChannelModes, MemoryChannelPacks, NoLines

KEY = ThreadKey(platform="slack", workspace_id="T1", channel_id="C1", thread_id="1.0")
CARS = """\
name: cars
title: {en: Cars, ko: 자동차}
description: {en: Cars., ko: 자동차.}
"""
SHIPS = CARS.replace("cars", "ships").replace("Cars", "Ships")


def message(text="hi", *, private=False, key=KEY, kind=MessageKind.MENTION, number=1):
    return IncomingMessage(
        key=key, event_id=f"e{number}", message_id=f"m{number}", author=Author(id="U1"), text=text, kind=kind,
        received_at=float(number), private=private,
    )  # fmt: skip


def pack(name, *collections):
    words = Words(en=name, ko=name)
    return Pack(name=name, title=words, description=words, collections=collections)


class Stored:
    """Turns that were answered by a pack."""

    def __init__(self):
        self.by: dict[str, str] = {}

    async def get(self, turn_id):
        return None

    async def last(self, thread, *, but):
        name = self.by.get(thread)
        response = Response(
            thread_id=thread, turn_id="t", pack=name or "", mode="agent", language="en", route="research", answer="a",
            response_type="answer",
        )  # fmt: skip
        return StoredTurn(thread=thread, message_id="m", asked_by="U1", at=1.0, response=response) if name else None


@pytest.fixture
def stored():
    return Stored()


@pytest.fixture
def channels():
    return MemoryChannelPacks()


@pytest.fixture
def choice(stored, channels):
    return PackChoice([pack("cars"), pack("ships"), pack("law", "law", "documents")], channels, stored)


async def test_a_channel_has_its_pack_a_thread_keeps_its_own_and_elsewhere_is_the_usual(choice, channels, stored):
    assert await choice.of(message()) == "cars"
    await choice.set(KEY, "ships")
    assert await choice.of(message()) == "ships"
    stored.by[str(KEY)] = "law"
    assert await choice.of(message()) == "law"
    stored.by[str(KEY)] = "gone"  # of a pack that is not loaded any more
    assert await choice.of(message()) == "ships"
    elsewhere = ThreadKey(platform="slack", workspace_id="T1", channel_id="C2", thread_id="1.0")
    assert await choice.of(message(key=elsewhere)) == "cars"


async def test_a_direct_message_has_one_thread_for_all_and_keeps_none(choice, stored):
    stored.by[str(KEY)] = "law"
    assert await choice.of(message(private=True)) == "cars"


async def test_of_one_pack_there_is_no_choice(stored, channels):
    await channels.set(channel_of(KEY), "ships")
    assert await PackChoice([pack("cars")], channels, stored).of(message()) == "cars"


class Managing:
    name = "slack"

    def __init__(self, manages):
        self.manages = manages

    async def may_manage(self, message):
        return self.manages


@pytest.mark.parametrize(
    ("text", "manages", "told", "then"),
    [
        ("pack", False, say("pack_is", "en", pack="cars", names="cars, ships, law"), "cars"),
        ("pack ships", True, say("pack_set", "en", pack="ships"), "ships"),
        ("pack: ships.", True, say("pack_set", "en", pack="ships"), "ships"),
        ("팩 ships", True, say("pack_set", "en", pack="ships"), "ships"),
        ("pack ships", False, say("mode_refused", "en"), "cars"),
        ("pack planes", True, say("pack_unknown", "en", pack="planes", names="cars, ships, law"), "cars"),
    ],
)
async def test_who_manages_a_channel_chooses_its_pack(choice, stored, text, manages, told, then):
    hearing = Hearing(MemoryChannelModes(), NoLines(), stored, choice)
    order = order_in(message(text))
    assert await hearing.carry_out(order, message(text), Managing(manages), "en") == told
    assert await choice.of(message()) == then


def test_a_question_about_a_pack_is_no_order():
    for text in ("pack my bags for the trip", "which pack is this?", "팩 좀 바꿔줘"):
        assert order_in(message(text)) is None
    assert order_in(message("pack ships", private=True, kind=MessageKind.DIRECT)) is None


@pytest.mark.parametrize(
    ("text", "then", "mode"),
    [
        ("llm: write a haiku", "write a haiku", "llm"),
        ("/LLM: hello", "hello", "llm"),
        ("모델: 안녕", "안녕", "llm"),
        ("llm:", "llm:", "agent"),
        ("llm models: which are there?", "llm models: which are there?", "agent"),
        ("what is llm: a model?", "what is llm: a model?", "agent"),
    ],
)
def test_the_models_own_words_can_be_asked_for_on_every_platform(text, then, mode):
    found = _by_mode(message(text))
    assert (found.text, found.mode) == (then, mode)


# --- from the command line, on real files


@pytest.fixture
def weft(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text, fact in (("cars", CARS, "A car has four wheels."), ("ships", SHIPS, "A ship has one keel.")):
        (tmp_path / name / "documents").mkdir(parents=True)
        (tmp_path / name / "pack.yaml").write_text(text, "utf-8")
        (tmp_path / name / "documents" / "a.md").write_text(f"# Parts of {name}\n\n{fact}\n", "utf-8")

    def run(*command):
        return CliRunner().invoke(main, [*command, "--data", str(tmp_path / "data")])

    return run


def test_documents_of_a_pack_are_found_only_where_it_is_in_force(weft, monkeypatch):
    monkeypatch.setenv("WEFT_PACK", "./cars,./ships")
    assert weft("channels", "set", "channel:slack:T1:C2", "--pack", "ships").stdout.endswith("with the pack ships\n")

    def ask(text, channel, thread=""):
        run = weft("ask", text, "--channel", f"slack:T1:{channel}", "--thread", thread, "--json")
        return json.loads(run.stdout)

    told = {
        (text, place): ask(text, place)
        for text in ("Has a ship one keel?", "Has a car four wheels?")
        for place in ("C1", "C2")
    }
    assert [each["pack"] for each in told.values()] == ["cars", "ships", "cars", "ships"]
    assert ["keel" in each["answer"] for each in told.values()] == [False, True, False, False]
    assert ["wheels" in each["answer"] for each in told.values()] == [False, False, True, False]
    assert ask("Has a car four wheels?", "C1", "x")["pack"] == "cars"
    weft("channels", "set", "channel:slack:T1:C1", "--pack", "ships")
    assert (
        ask("And a bicycle?", "C1", "x")["pack"] == "cars" and ask("Has a ship one keel?", "C1", "y")["pack"] == "ships"
    )


def test_in_one_folder_a_pack_finds_its_own_documents_and_the_teams_and_no_other_packs(weft, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_PACK", "./cars")
    (tmp_path / "own.md").write_text("# Parts of trains\n\nA train has two buffers.\n", "utf-8")
    assert weft("ingest", "own.md").exit_code == 0

    def told(pack):
        texts = ("Has a ship one keel?", "Has a car four wheels?", "Has a train two buffers?")
        answers = [json.loads(weft("ask", text, "--pack", pack, "--json").stdout) for text in texts]
        return [each["response_type"] != "not_found" for each in answers]

    assert told("./cars") == [False, True, True]
    assert told("./ships") == [True, False, True]
    assert told("./cars") == [False, True, True]


def test_a_sample_steps_back_for_what_a_team_brings_not_for_another_pack(weft, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_PACK", "./cars")
    (tmp_path / "cars" / "pack.yaml").write_text(f"{CARS}sample: true\n", "utf-8")

    def told():
        return json.loads(weft("ask", "Has a car four wheels?", "--pack", "./cars", "--json").stdout)["response_type"]

    assert weft("ask", "Has a ship one keel?", "--pack", "./ships").exit_code == 0
    assert told() == "answer"
    (tmp_path / "own.md").write_text("# Parts of trains\n\nA train has two buffers.\n", "utf-8")
    assert weft("ingest", "own.md").exit_code == 0
    assert told() == "not_found"


def test_channels_are_listed_with_their_packs_and_wrong_ones_refused(weft):
    assert json.loads(weft("channels", "set", "channel:slack:T1:C1", "off", "--pack", "medical", "--json").stdout) == {
        "place": "channel:slack:T1:C1", "mode": "off", "pack": "medical",
    }  # fmt: skip
    weft("channels", "set", "workspace:discord:G1", "--pack", "tax_audit")
    assert weft("channels", "list").stdout.splitlines() == [
        "workspace:discord:G1\tdefault\tpack tax_audit", "channel:slack:T1:C1\toff\tpack medical",
    ]  # fmt: skip
    assert "there is no pack named 'nope'" in weft("channels", "set", "channel:slack:T1:C1", "--pack", "nope").output
    assert "say a mode, or --pack NAME" in weft("channels", "set", "channel:slack:T1:C1").output
    weft("channels", "set", "channel:slack:T1:C1", "default", "--pack", "default")
    assert [each["place"] for each in json.loads(weft("channels", "list", "--json").stdout)] == ["workspace:discord:G1"]


def test_two_packs_of_one_name_do_not_start(weft, tmp_path, monkeypatch):
    (tmp_path / "ships" / "pack.yaml").write_text(CARS, "utf-8")
    monkeypatch.setenv("WEFT_PACK", "./cars,./ships")
    assert "two packs are called 'cars'" in weft("ask", "wheels?").output


class Shelf:
    """A library, in which a team has documents of its own or none."""

    own = False

    async def has_own(self):
        return self.own


async def test_a_sample_steps_back_while_the_process_runs(stored, channels):
    prompt = Words(en="What is a car?", ko="차가 뭐야?")
    sample = pack("cars").model_copy(update={"sample": True, "suggested_prompts": (prompt,)})
    shelf = Shelf()
    choice = PackChoice([sample, pack("ships")], channels, stored, shelf)
    await choice.of(message())
    assert choice.usual == sample
    shelf.own = True
    assert await choice.of(message()) == "cars"
    assert choice.usual.suggested_prompts == () and choice.usual.title.of("en") == say("own_title", "en")
    assert choice.packs["ships"].title.of("en") == "ships"
    shelf.own = False
    await choice.refresh()
    assert choice.usual == sample
