"""Packs that come with Weft, asked through the command line on a data folder that a module's tests share."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from bot.cli import main
from storage.ingest.parse import parse
from storage.ingest.parsed import Limits
from storage.ingest.sources import find


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pack")


@pytest.fixture(scope="module")
def documents(pack):
    """Return the documents of the module's `pack` by id; all of its files are read, and nothing is refused."""
    found = find([pack.documents])
    assert (found.refused, found.skipped) == ([], [])
    batches = [batch for item in found.items for batch in parse(item, Limits())]
    assert [batch for batch in batches if batch.refused or batch.skipped] == []
    return {document.document_id: document for batch in batches for document in batch.documents}


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
