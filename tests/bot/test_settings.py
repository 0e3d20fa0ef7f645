"""Settings: where they come from, and what is said when they are wrong."""

import re
from pathlib import Path

import pytest

from agent.errors import SettingsError
from bot.settings import Settings


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_defaults_need_nothing():
    settings = Settings.load()
    assert settings.pack == "handbook" and not settings.model_configured


def test_the_data_folder_is_in_one_place_unless_there_is_one_here(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert Settings.load().data == tmp_path / "share" / "weft"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert Settings.load().data == tmp_path / "home" / ".local" / "share" / "weft"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert Settings.load().data == tmp_path / "home" / ".local" / "share" / "weft"
    (tmp_path / "weft-data").mkdir()
    assert Settings.load().data == Path("weft-data")
    assert Settings.load(data=tmp_path / "mine").data == tmp_path / "mine"
    monkeypatch.setenv("WEFT_DATA", "other")
    assert Settings.load().data == Path("other")


def test_the_command_line_beats_the_environment_which_beats_the_file(monkeypatch, tmp_path):
    (tmp_path / "weft.toml").write_text('port = 1000\nhost = "10.0.0.1"\npack = "mine"\n')
    monkeypatch.setenv("WEFT_PORT", "2000")
    monkeypatch.setenv("WEFT_HOST", "10.0.0.2")
    settings = Settings.load(port=3000, host=None)
    assert (settings.port, settings.host, settings.pack) == (3000, "10.0.0.2", "mine")


def test_the_platforms_own_names_are_read_from_the_environment_and_dotenv(monkeypatch, tmp_path):
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    (tmp_path / ".env").write_text("DISCORD_TOKEN=abc\nOPENAI_BASE_URL=http://127.0.0.1:1/v1\nUNRELATED=1\n")
    settings = Settings.load()
    assert settings.slack_bot_token.get_secret_value() == "xoxb-1"
    assert settings.discord_token.get_secret_value() == "abc"
    assert settings.model_configured


def test_secrets_are_not_shown(monkeypatch):
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-very-secret")
    assert "very-secret" not in repr(Settings.load()) + str(Settings.load().model_dump())


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("prot = 1\n", "no setting 'prot'"),
        ('slack_bot_token = "x"\n', "slack_bot_token is a secret"),
        ("port = [", "cannot be read"),
        ("port = 70000\n", "port"),
        ('concurrency = "many"\n', "concurrency"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path, toml, words):
    (tmp_path / "weft.toml").write_text(toml)
    with pytest.raises(SettingsError, match=re.escape(words)) as caught:
        Settings.load()
    assert "\n" not in str(caught.value)


def test_the_example_names_every_setting_and_no_other():
    example = (Path(__file__).parents[2] / ".env.example").read_text()
    named = set(re.findall(r"^# ([A-Z_]+)=", example, re.MULTILINE))
    expected = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        expected.add(str(alias.choices[0]) if alias else f"WEFT_{name.upper()}")
    assert named == expected
