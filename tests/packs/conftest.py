"""Packs that come with Weft, asked through the command line on a data folder that a module's tests share."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from bot.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pack")


@pytest.fixture
def weft(folder, monkeypatch) -> Callable[..., dict]:
    """Run a command that prints JSON; returns what it printed, whatever its exit code."""
    monkeypatch.chdir(folder)

    def run(*command: str) -> dict:
        result = CliRunner().invoke(main, [*command, "--json", "--data", str(folder / "data")])
        assert result.stdout, result.output
        return json.loads(result.stdout)

    return run


@pytest.fixture
def ask(weft, pack) -> Callable[..., dict]:
    """Ask the module's `pack`, with options of `weft ask`; returns the response."""
    return lambda text, *options: weft("ask", text, "--pack", pack.name, *options)
