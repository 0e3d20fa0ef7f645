"""Where Weft may not write in Discord: its asker is told over what is left."""

import pytest

from agent.language import say
from bot.turns import worker
from tests.adapters.discord.test_discord_conduct import ASKED, room  # noqa: F401 - a fixture

CREATE = r"/channels/{}/messages$"
THREADS = r"/channels/\d+/messages/\d+/threads$"


async def directly(discord, user: str) -> str:
    return "\n".join(message["content"] for message in discord.from_bot(await discord.dm(user)))


def forbid(discord, code: int, *, status: int = 403) -> None:
    """Let nothing be posted in the channel, nor a thread be made there."""
    discord.fault("POST", THREADS, status=403, code=50013, times=99)
    discord.fault("POST", CREATE.format(discord.general), status=status, code=code, times=99)


@pytest.mark.parametrize(
    ("status", "code", "key"),
    [
        (403, 50001, "closed_rights"),
        (403, 50013, "closed_rights"),
        (400, 160005, "closed_locked"),
        (400, 50083, "closed_archived"),
        (400, 200000, "closed_filtered"),
    ],
)
async def test_who_asked_by_mention_is_told_directly(room, discord, caplog, status, code, key):  # noqa: F811
    forbid(discord, code, status=status)
    await room.ask()
    told = await directly(discord, discord.alice)
    assert told.startswith(say(key, "en")) and "days" in told and say("sources", "en") in told
    assert [r for r in caplog.records if getattr(r, "action", "") == "place_closed"]


async def test_who_asked_by_command_is_told_with_its_token(room, discord):  # noqa: F811
    forbid(discord, 50013)
    interaction = await discord.slash(discord.general, discord.alice, ASKED)
    await discord.until(lambda: interaction["followups"])
    [told] = interaction["followups"]
    assert told["content"].startswith(say("closed_rights", "en")) and told["flags"] & 64
    assert await directly(discord, discord.alice) == ""


async def test_where_replying_is_not_possible_the_answer_is_no_reply(room, discord):  # noqa: F811
    discord.fault("POST", THREADS, status=403, code=50013, times=99)
    discord.no_history.add(discord.general)
    await room.ask()
    answers = [m for m in discord.from_bot(discord.general) if say("sources", "en") in m["content"]]
    assert len(answers) == 1 and "message_reference" not in answers[0]


async def test_who_takes_no_direct_messages_leaves_a_line_in_the_log(room, discord, caplog):  # noqa: F811
    forbid(discord, 50013)
    discord.fault("POST", CREATE.format(await discord.dm(discord.alice)), status=403, code=50007)
    await room.ask()
    assert [r for r in caplog.records if getattr(r, "action", "") == "closed_untold"]


async def test_an_answer_waits_for_another_token(room, discord, monkeypatch):  # noqa: F811
    monkeypatch.setattr(worker, "DELIVERY_RETRY_SECONDS", 0.01)
    discord.fault("POST", r"/channels/\d+/messages$", status=401, times=6)
    thread = await room.ask()
    assert any("days" in text for text in room.said(thread))
