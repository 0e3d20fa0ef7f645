"""Variables that are named like settings and are none."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.settings import Settings
from bot.variables import unknown

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_misspelt_variable_is_told_with_the_one_it_is_nearest_to(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_PAKC", "medical")
    monkeypatch.setenv("weft_slack_bot_tokn", "xoxb-1")
    monkeypatch.setenv("WEFT_XYZZY", "1")
    monkeypatch.setenv("WEFT_SLACK_BOT_TOKEN", "xoxb-1")
    (tmp_path / ".env").write_text("WEFT_KEEP_DAY=3\nKEEP_DAY=3\nWEFT_PORT=8081\n")
    assert list(unknown(Settings)) == [
        "WEFT_PAKC is no setting: did you mean WEFT_PACK?",
        "WEFT_SLACK_BOT_TOKN is no setting: did you mean SLACK_BOT_TOKEN?",
        "WEFT_XYZZY is no setting",
        "WEFT_KEEP_DAY in .env is no setting: did you mean WEFT_KEEP_DAYS?",
    ]


def test_a_command_tells_it_once_and_goes_on(monkeypatch, sampled):
    monkeypatch.setenv("WEFT_PAKC", "medical")
    result = CliRunner().invoke(main, ["gaps", "--json", "--data", str(sampled)])
    assert (result.exit_code, json.loads(result.stdout)["gaps"]) == (0, [])
    assert result.stderr == "weft: WEFT_PAKC is no setting: did you mean WEFT_PACK?\n"


def test_doctor_warns_of_it(monkeypatch, sampled):
    monkeypatch.setenv("WEFT_PAKC", "medical")
    result = CliRunner().invoke(main, ["doctor", "--json", "--data", str(sampled)])
    told = [check for check in json.loads(result.stdout)["checks"] if "WEFT_PAKC" in check["detail"]]
    assert [(check["name"], check["status"]) for check in told] == [("settings", "warning")] and result.exit_code == 0
    assert result.stderr == ""


def test_every_variable_that_is_named_somewhere_is_known(monkeypatch):
    folders = ("adapters", "agent", "benchmarks", "bot", "docs", "storage", "tests")
    kinds = {".md", ".py", ".toml", ".yaml", ".yml", ".example"}
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in kinds]
    files += [path for path in ROOT.iterdir() if path.is_file() and path.name != "CHANGELOG.md"]
    named = {
        name
        for path in files
        if path != Path(__file__)
        for name in re.findall(r"\bWEFT_[A-Z0-9_]*[A-Z0-9]\b", path.read_text(errors="replace"))
    }
    for name in named:
        monkeypatch.setenv(name, "")
    assert len(named) > 50 and list(unknown(Settings)) == []
