"""The manifest asks for what the adapter uses, and for nothing else."""

import re
from pathlib import Path

import yaml

import adapters.slack
from adapters.slack.surfaces import ASK_ABOUT

HOME = Path(adapters.slack.__file__).parent
CODE = "\n".join(path.read_text() for path in HOME.glob("*.py"))
MANIFEST = yaml.safe_load((HOME / "manifest.yaml").read_text())
PLACES = ("channels", "groups", "im", "mpim")

# What each scope is for: https://docs.slack.dev/reference/scopes. Methods, events and features of the manifest.
FOR = {
    "app_mentions:read": {"event:app_mention"},
    "assistant:write": {"assistant.threads.setSuggestedPrompts", "feature:agent_view"},
    "channels:history": {"conversations.replies", "event:message.channels"},
    "channels:read": {"conversations.info", "conversations.members", "event:member_joined_channel"},
    "chat:write": {"chat.postMessage", "chat.startStream", "agents.sessions.setStatus"},
    "commands": {"feature:slash_commands", "feature:shortcuts"},
    "files:read": {"files.info"},
    "files:write": {"files.upload_v2", "files.delete"},
    "groups:history": {"conversations.replies", "event:message.groups"},
    "groups:read": {"conversations.info", "conversations.members", "event:member_joined_channel"},
    "im:history": {"conversations.history", "event:message.im"},
    "im:write": {"chat.postMessage"},
    "mpim:history": {"conversations.replies", "event:message.mpim"},
    "reactions:read": {"event:reaction_added", "event:reaction_removed"},
    "usergroups:read": {"usergroups.users.list"},
    "users:read": {"users.info", "users.list"},
}
FREE = {"auth.test", "apps.connections.open", "views.open", "views.publish"}
"""Methods that ask for no scope."""
BY_CHAT_WRITE = re.compile(r"^(chat\.|agents\.sessions\.|assistant\.threads\.setStatus)")


def used() -> set[str]:
    """Everything that the adapter calls, hears and offers, as the table above names it."""
    calls = {name.replace("_", ".", 1) for name in re.findall(r"client\.((?:chat|files|users|auth|views)_\w+)\(", CODE)}
    calls |= {f"conversations.{name}" for name in re.findall(r"client\.conversations_(\w+)", CODE)}
    calls |= set(re.findall(r'"((?:conversations|assistant\.threads|agents\.sessions)\.\w+)"', CODE))
    calls |= {"usergroups.users.list"} if "usergroups_users_list" in CODE else set()
    calls |= {"apps.connections.open"} if "apps_connections_open" in CODE else set()
    events = {f"event:{name}" for name in MANIFEST["settings"]["event_subscriptions"]["bot_events"]}
    return calls | events | {f"feature:{name}" for name in MANIFEST["features"]}


def test_every_scope_is_used() -> None:
    scopes = MANIFEST["oauth_config"]["scopes"]["bot"]
    assert set(scopes) == set(FOR) and len(scopes) == len(set(scopes))
    for scope, uses in FOR.items():
        assert uses & used(), scope


def test_nothing_is_called_that_no_scope_allows() -> None:
    allowed = set().union(*FOR.values()) | FREE
    unknown = {name for name in used() if not name.startswith(("event:", "feature:")) and name not in allowed}
    assert {name for name in unknown if not BY_CHAT_WRITE.match(name)} == set()


def test_every_event_that_is_asked_for_is_heard() -> None:
    for event in MANIFEST["settings"]["event_subscriptions"]["bot_events"]:
        name = "message" if event.startswith("message.") else event
        assert f'app.event("{name}")' in CODE or f'"{name}"' in CODE, event


def test_commands_and_shortcuts_are_those_that_are_listened_to() -> None:
    assert [each["command"] for each in MANIFEST["features"]["slash_commands"]] == ["/ask", "/weft"]
    assert [each["callback_id"] for each in MANIFEST["features"]["shortcuts"]] == [ASK_ABOUT]
    assert MANIFEST["features"]["app_home"]["home_tab_enabled"] is True
    assert set(MANIFEST["features"]["agent_view"]) == {"agent_description"}
