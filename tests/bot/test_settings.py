"""Settings: where they come from, and what is said when they are wrong."""

import re
from pathlib import Path

import pytest

from agent.errors import SettingsError
from bot.settings import Settings
from bot.variables import names_of


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
        ("prot = 1\n", "no setting 'prot': did you mean port?"),
        ("xyzzy = 1\n", "no setting 'xyzzy'; there are allowed_hosts, answer_tokens, "),
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


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("WEFT_MODELS", "{bad", 'WEFT_MODELS: must be a JSON object, {"NAME": ...}; in weft.toml a table'),
        ("WEFT_MODELS", "[]", 'WEFT_MODELS: must be a JSON object, {"NAME": ...}; in weft.toml a table'),
        ("WEFT_MODELS", '{"a": {"price_in": -1}}', "WEFT_MODELS.a.price_in: must be 0 or more"),
        ("WEFT_MODELS", '{"a": {"price": 1}}', "WEFT_MODELS.a.price: there is no such key"),
        ("WEFT_BURST_SECONDS", "abc", "WEFT_BURST_SECONDS: must be a number"),
        ("WEFT_PORT", "1.5", "WEFT_PORT: must be a whole number"),
        ("WEFT_CONCURRENCY", "", "WEFT_CONCURRENCY: is empty: leave it out, or give a whole number"),
        ("WEFT_PORT", "70000", "WEFT_PORT: must be 65535 or less"),
        ("WEFT_FETCH_PRIVATE", "maybe", "WEFT_FETCH_PRIVATE: must be true or false"),
        ("WEFT_WEB_SEARCH_SECONDS", "0", "WEFT_WEB_SEARCH_SECONDS: must be more than 0"),
        ("WEFT_ZONE", "Mars", "WEFT_ZONE: there is no time zone 'Mars': write a name like Asia/Seoul, or UTC"),
        ("WEFT_EMBEDDING_QUERY_PREFIX", "x" * 81, "WEFT_EMBEDDING_QUERY_PREFIX: must have 80 characters or fewer"),
        ("WEFT_DATA", "", "WEFT_DATA: is empty: name a folder, or leave it out"),
    ],
)
def test_a_wrong_value_is_named_by_its_variable_with_what_it_may_be(monkeypatch, name, value, told):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        Settings.load()
    assert str(caught.value) == f"settings: {told}"


def test_a_wrong_value_is_told_with_the_place_that_it_stands_in(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("WEFT_MODELS={bad\n")
    with pytest.raises(SettingsError, match=r"^settings: WEFT_MODELS in \.env: must be a JSON object"):
        Settings.load()
    (tmp_path / ".env").write_text("WEFT_PORT=many\nWEFT_RATE_USER=few\n")
    (tmp_path / "weft.toml").write_text('slack_client_id = 7\nmodels = {a = {price_in = "x"}}\nallowed_hosts = [1]\n')
    monkeypatch.setenv("WEFT_RATE_USER", "none")
    with pytest.raises(SettingsError) as caught:
        Settings.load(concurrency=0, host=None)
    assert set(str(caught.value).removeprefix("settings: ").split("; ")) == {
        "--concurrency: must be 1 or more",
        "WEFT_PORT in .env: must be a whole number",
        "WEFT_RATE_USER: must be a whole number",
        "slack_client_id in weft.toml: must be a text",
        "models.a.price_in in weft.toml: must be a number",
        "allowed_hosts.0 in weft.toml: must be a text",
    }
    (tmp_path / ".env").write_bytes(b"WEFT_PORT=\xff\n")
    with pytest.raises(SettingsError, match=r"^settings: \.env is no text in UTF-8$"):
        Settings.load()


@pytest.mark.parametrize("value", ["?", '{"a": 1}', "[1]"])
def test_nothing_is_told_in_a_librarys_words(monkeypatch, value):
    for field in Settings.model_fields:
        monkeypatch.setenv(names_of(Settings, field)[0], value)
    with pytest.raises(SettingsError) as caught:
        Settings.load()
    for words in ("Input", "Value error", "valid", "cannot be that"):
        assert words not in str(caught.value)


def test_the_example_names_every_setting_and_no_other():
    example = (Path(__file__).parents[2] / ".env.example").read_text()
    named = set(re.findall(r"^# ([A-Z_]+)=", example, re.MULTILINE))
    assert named == {names_of(Settings, field)[0] for field in Settings.model_fields}
