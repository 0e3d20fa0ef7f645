from pathlib import Path

import yaml

import adapters.slack


def test_the_manifest_asks_for_what_the_adapter_uses() -> None:
    manifest = yaml.safe_load((Path(adapters.slack.__file__).parent / "manifest.yaml").read_text())
    scopes = set(manifest["oauth_config"]["scopes"]["bot"])
    events = set(manifest["settings"]["event_subscriptions"]["bot_events"])
    assert {"chat:write", "commands", "users:read", "files:write", "app_mentions:read"} <= scopes
    places = {"channels", "groups", "im", "mpim"}
    assert {f"{place}:history" for place in places} <= scopes  # to find a message after a crash
    assert {f"message.{place}" for place in places} | {"app_mention", "reaction_added", "reaction_removed"} == events
    assert "reactions:read" in scopes
    assert manifest["features"]["slash_commands"][0]["command"] == "/ask"
