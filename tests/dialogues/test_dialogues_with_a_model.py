"""A few of the conversations with a model behind a socket: one that does what it is asked, and ones that fail.

With a model that fails every answer is the one that there is without a model, and says so once.
"""

import os
import shutil
from collections.abc import Mapping, Sequence

import pytest
from click.testing import CliRunner

from agent.language import say
from agent.types import Response
from bot.app import open_engine
from bot.cli import main
from bot.operator.asking import Asker, Console
from bot.settings import Settings
from tests.dialogues.test_dialogues import HERE, dialogues
from tests.reasoning_model.capable import capable
from tests.servers.openai import Hang, OpenAIServer, refusal

SAMPLE: Mapping[str, Sequence[str]] = {
    "handbook": ("en-02", "en-10", "en-12", "ko-01", "ko-09", "ko-14"),
    "guides": ("en-37", "ko-31"),
}
CALLS = 3
"""Of a turn that asks one thing: read, write, check."""


@pytest.fixture(scope="module")
def libraries(_sample, tmp_path_factory):
    """A data folder for each file of dialogues."""
    folders = {}
    for name in SAMPLE:
        folders[name] = shutil.copytree(_sample, tmp_path_factory.mktemp(name), dirs_exist_ok=True)
        if name == "guides":
            result = CliRunner().invoke(main, ["ingest", str(HERE / "guides"), "--data", str(folders[name])])
            assert result.exit_code == 0, result.output
    return folders


@pytest.fixture
def play(libraries, tmp_path, monkeypatch):
    for key in list(os.environ):
        if key.startswith(("WEFT_", "SLACK_", "DISCORD_", "OPENAI_")):
            monkeypatch.delenv(key)
    monkeypatch.chdir(tmp_path)

    async def played(
        server: OpenAIServer | None = None, **settings: str
    ) -> dict[tuple[str, int], tuple[Response, int]]:
        """Return what came of each message, and how many calls it cost."""
        with monkeypatch.context() as patched:
            for key, value in ({"OPENAI_BASE_URL": server.url, **settings} if server else {}).items():
                patched.setenv(key, value)
            turns = {}
            for name, labels in SAMPLE.items():
                data = tmp_path / f"{name}-{server.url[-9:-3] if server else 'alone'}"
                shutil.copytree(libraries[name], data)
                said = {title.split()[0]: messages for title, messages in dialogues(name)}
                async with open_engine(Settings.load(data=data)) as engine:
                    for label in labels:
                        console, asker = Console(engine, quiet=True), Asker(user=label)
                        for n, text in enumerate(said[label]):
                            before = len(server.chats) if server else 0
                            response = await console.ask(asker.message(text, label))
                            turns[label, n] = response, (len(server.chats) if server else 0) - before
            return turns

    return played


async def test_with_a_model_that_does_what_it_is_asked_every_turn_has_an_answer(play):
    async with OpenAIServer() as server:
        server.answer(capable)
        turns = await play(server)
    assert len(turns) > 20
    for place, (response, calls) in turns.items():
        assert response.status == "completed" and response.answer.strip(), place
        assert not {say("model_fallback", language) for language in ("en", "ko")} & set(response.warnings), place
        plain = response.plan is not None and len(response.plan.steps) == 1
        if plain and not response.retry_count and not response.iteration_count and not response.clarification:
            assert calls <= CALLS, place
        if response.route in ("direct", "decline") and response.intent and response.intent.confidence == 1.0:
            assert calls == 0, place
    assert sum(bool(response.citations) for response, _ in turns.values()) > len(turns) / 3


@pytest.fixture(scope="module")
def without_model():
    """What came of the sample without a model, once it was played."""
    return {}


@pytest.mark.parametrize("fault", ["down", "nonsense", "slow"])
async def test_with_a_model_that_fails_every_answer_is_the_one_without_a_model(play, without_model, fault):
    if not without_model:
        without_model.update(await play())
    alone = without_model
    async with OpenAIServer() as server:
        server.answer(
            {"down": refusal(500, "down", **{"Retry-After": "0"}), "nonsense": "Lorem ipsum dolor.", "slow": Hang()}[
                fault
            ]
        )
        turns = await play(server, WEFT_MODEL_TIMEOUT="0.2", WEFT_MODEL_STREAM_TIMEOUT="0.2")
        assert server.chats
    assert turns.keys() == alone.keys()
    for place, (response, _) in turns.items():
        without = alone[place][0]
        failed = f"\n- {say('model_fallback', response.language)}"  # the way of an answer tells it, too
        assert response.answer.replace(failed, "") == without.answer, place
        assert (response.route, response.standalone_query) == (without.route, without.standalone_query), place
        told = [warning for warning in response.warnings if warning not in without.warnings]
        assert told in ([], [say("model_fallback", response.language)]), place
        if response.route in ("research", "contextualize"):
            assert told, place
