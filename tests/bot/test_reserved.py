"""No collection may have a name that answers cite something else by."""

import pytest
from click.testing import CliRunner

from bot.cli import main


@pytest.mark.parametrize("name", ["web", "Web", "attached"])
@pytest.mark.parametrize("command", ["ingest", "create"])
def test_a_reserved_name_is_refused_with_a_sentence(tmp_path, monkeypatch, name, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    words = ["ingest", "a.md", "--collection", name] if command == "ingest" else ["collections", "create", name]
    result = CliRunner().invoke(main, [*words, "--data", str(tmp_path / "data")])
    assert result.exit_code == 2 and f"{name!r} is what answers cite" in result.stderr
    assert not (tmp_path / "data").exists()
