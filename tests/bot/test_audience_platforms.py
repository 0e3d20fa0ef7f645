"""Nobody is shown on a platform what they may not read: from real events, through both adapters, to what is posted.

Colleagues, guests and people from outside ask, in channels of their own and in shared ones, by mention, command and
directly. What one of them alone is shown, the others see once they press "Share here", and not before.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.adapter import DiscordAdapter
from adapters.slack.adapter import SlackAdapter
from tests.bot.test_audience_property import QUESTIONS, Rules, World, a_world, examples, secret, seen_in
from tests.servers.discord import EPHEMERAL, DiscordServer
from tests.servers.slack import SlackServer

CHANNELS, PEOPLE = {"C1": "own", "C2": "shared"}, {"U1": "T1", "U9": "T9", "U3": "guest"}
MEMBERS = (
    "user:slack:T1:U1", "user:slack:T1:U9", "user:slack:T1:U3", "channel:slack:T1:C1", "channel:slack:T1:C2",
    "user:discord:G1:alice", "channel:discord:G1:general",
)  # fmt: skip
READERS = (
    "*", "workspace:slack:T1", "workspace:slack:T9", "workspace:discord:G1", "workspace:discord:G9", "group:finance",
    "group:guests", *MEMBERS,
)  # fmt: skip
WORDS = {secret(c, d) for c in range(3) for d in range(3)}


@dataclass(frozen=True)
class Asking:
    """Who asks where, and how; `G1` is Discord's server."""

    platform: str
    user: str
    channel: str
    """Empty: directly."""
    way: str = "mention"

    def holds(self, rules: Rules) -> frozenset[str]:
        """Return what everybody holds who reads the answer: the rule of `docs/audience.md` in other words."""
        workspace = "slack:T1" if self.platform == "slack" else "discord:G1"
        alone = not self.channel or self.way == "alone"
        own = f"user:{workspace}:{self.user}" if alone else f"channel:{workspace}:{self.channel}"
        groups = {name for name, members in rules.groups.items() if own in members}
        if self.platform == "slack" and (
            (CHANNELS.get(self.channel) == "shared" and not alone) or PEOPLE[self.user] != "T1"
        ):
            groups.add("guests")
        known = "guests" not in groups and (self.platform == "slack" or bool(self.channel))
        return frozenset({"*", own, *(f"group:{g}" for g in groups), *([f"workspace:{workspace}"] if known else [])})

    @property
    def among_guests(self) -> bool:
        """Whether Slack says that who asks, or who reads along, is a guest."""
        return self.platform == "slack" and (CHANNELS.get(self.channel) == "shared" or PEOPLE[self.user] != "T1")

    @property
    def alone(self) -> "Asking":
        """The same for the asker's eyes alone."""
        return self if not self.channel else replace(self, way="alone")


askings = st.one_of(
    st.builds(Asking, st.just("slack"), st.sampled_from(sorted(PEOPLE)), st.sampled_from(("C1", "C2", ""))),
    st.builds(
        Asking, st.just("slack"), st.sampled_from(sorted(PEOPLE)), st.sampled_from(("C1", "C2")), st.just("alone")
    ),
    st.builds(Asking, st.just("slack"), st.just("U1"), st.sampled_from(("C1", "C2")), st.just("command")),
    st.builds(Asking, st.just("discord"), st.just("alice"), st.sampled_from(("general", ""))),
    st.builds(Asking, st.just("discord"), st.just("alice"), st.just("general"), st.sampled_from(("command", "alone"))),
)
rules_of = st.builds(
    Rules,
    readers=st.tuples(*[st.frozensets(st.sampled_from(READERS), max_size=2)] * 3),
    groups=st.fixed_dictionaries({}, optional={g: st.frozensets(st.sampled_from(MEMBERS), min_size=1, max_size=2)
                                               for g in ("finance", "guests")}),
)  # fmt: skip


@dataclass
class Told:
    """What Weft sent: to everybody in a channel, to one person alone, and with a button that shares it."""

    for_all: list[str] = field(default_factory=list)
    for_one: list[str] = field(default_factory=list)
    offers: list[dict] = field(default_factory=list)


class Platforms:
    """Both platforms, with Weft on them."""

    def __init__(self, slack: SlackServer, discord: DiscordServer, world: World) -> None:
        self.slack, self.discord, self.world = slack, discord, world
        self.seen: set[str] = set()
        """Offers of Discord that were looked at."""

    def written(self, rules: Rules) -> Rules:
        """Return rules with Discord's ids in them."""
        ids = {"G1": self.discord.guild_id, "alice": self.discord.alice, "general": self.discord.general}

        def written(principals: frozenset[str]) -> frozenset[str]:
            return frozenset(":".join(ids.get(part, part) for part in each.split(":")) for each in principals)

        groups = {name: written(members) for name, members in rules.groups.items()}
        return Rules(readers=tuple(written(each) for each in rules.readers), groups=groups)

    async def ask(self, asking: Asking, question: str) -> "Told":
        """Return all that Weft sends to either platform until the question is answered."""
        return await self._watch(
            lambda: (self._in_slack if asking.platform == "slack" else self._in_discord)(asking, question)
        )

    async def press(self, asking: Asking, shown: dict) -> "Told":
        """Press the button of what the asker alone was shown."""
        if asking.platform == "discord":
            return await self._watch(lambda: self.discord.click(dict(shown), 0, self.discord.alice))
        given = {"ts": "1.0", **shown}
        channel = shown.get("channel", f"D9{asking.user}")
        return await self._watch(
            lambda: self.slack.click(None, given, 0, user=asking.user, channel=channel, ephemeral=True)
        )

    async def _watch(self, does) -> "Told":
        slack, discord = self.slack, self.discord
        calls, requests, responses = len(slack.calls), len(discord.requests), len(slack.responses)
        done = (await self.world.engine.inbox.counts())["done"]
        await does()
        async with asyncio.timeout(60):
            while (counts := await self.world.engine.inbox.counts())["done"] == done or counts["doing"]:
                await asyncio.sleep(0.01)
        told = Told(for_one=[repr(each) for each in slack.responses[responses:]])
        for call in slack.calls[calls:]:
            direct = str(call.args.get("channel", "")).startswith(("D", "U"))
            of_one = call.method == "chat.postEphemeral" or direct
            (told.for_one if of_one else told.for_all).append(repr(call.args))
            if of_one and "weft_share" in repr(call.args.get("blocks")):
                told.offers.append(call.args)
        for request in discord.requests[requests:]:
            place = next((c for c in discord.channels if f"/channels/{c}/messages" in request.path), "")
            hidden = {m["id"] for c in discord.channels for m in discord.from_bot(c) if m["flags"] & EPHEMERAL}
            token = next((t for t in discord.interactions if t in request.path), "")
            of_one = bool(place and "guild_id" not in discord.channels[place])
            of_one |= bool(token) and (
                discord.interactions[token]["message_id"] in hidden or request.body.get("flags", 0) & EPHEMERAL
            )
            of_one |= bool(token) and (request.body.get("data") or {}).get("flags", 0) & EPHEMERAL
            (told.for_one if of_one else told.for_all).append(repr((request.path, request.body)))
        shown = [m for c in discord.channels for m in discord.from_bot(c) if "weft_share" in repr(m.get("components"))]
        told.offers += [each for each in shown if each["id"] not in self.seen]
        self.seen |= {each["id"] for each in shown}
        return told

    def seen_by_all(self) -> list[str]:
        """Return what stands in the channels for everybody there."""
        slack, discord = self.slack, self.discord
        said = [repr(message) for channel in CHANNELS for message in slack.bot_messages(channel)]
        return said + [repr(each) for each in discord.from_bot(discord.general) if not each["flags"] & EPHEMERAL]

    async def _in_slack(self, asking: Asking, question: str) -> None:
        if asking.way in ("command", "alone"):
            question = f"private {question}" if asking.way == "alone" else question
            await self.slack.command(None, question, channel=asking.channel, user=asking.user)
        elif asking.channel:
            await self.slack.mention(None, question, channel=asking.channel, user=asking.user)
        else:
            await self.slack.message(None, question, channel=f"D{asking.user}", user=asking.user)

    async def _in_discord(self, asking: Asking, question: str) -> None:
        discord = self.discord
        if asking.way in ("command", "alone"):
            await discord.slash(discord.general, discord.alice, question, private=asking.way == "alone")
        elif asking.channel:
            await discord.post(discord.general, discord.alice, f"<@{discord.bot}> {question}")
        else:
            await discord.post(await discord.dm(discord.alice), discord.alice, question)


@asynccontextmanager
async def nothing_left() -> AsyncIterator[None]:
    """End the tasks that discord.py makes for events and leaves behind: every example has a loop of its own."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


@asynccontextmanager
async def both_platforms(rules: Rules) -> AsyncIterator[Platforms]:
    async with nothing_left(), SlackServer() as slack, DiscordServer() as discord, a_world(rules) as world:
        slack.channels |= {"C1": True, "C2": True, "DU1": True, "DU9": True, "DU3": True}
        slack.shared_outside.add("C2")
        slack.users |= {"U9": "Eve", "U3": "Gil"}
        slack.teams["U9"], slack.guests["U3"] = "T9", "is_ultra_restricted"
        on_slack = SlackAdapter(
            bot_token=slack.bot_token, app_token=slack.app_token, api_base_url=slack.url, retry_pause=0.01
        )
        on_discord = DiscordAdapter(
            token=discord.token, api_base_url=discord.api_url, gateway_url=discord.gateway_url, patience=(0.01,) * 6
        )
        adapters = (on_slack, on_discord)
        tasks = [asyncio.create_task(each.listen(world.engine.conversation)) for each in adapters]
        await slack.until(lambda: slack.sockets)
        await discord.until(lambda: discord.gateway.open_sessions)
        tasks.append(asyncio.create_task(world.engine.worker(list(adapters)).run()))
        try:
            yield Platforms(slack, discord, world)
        finally:
            for task in reversed(tasks):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            for each in adapters:
                await each.close()


@examples(5)
@given(
    cases=st.lists(
        st.tuples(rules_of, askings, st.sampled_from(QUESTIONS[:4]), st.sampled_from(("kept", "revoked"))),
        min_size=8, max_size=10,
    )
)  # fmt: skip
async def test_nobody_is_shown_on_a_platform_what_they_may_not_read(cases):
    async with both_platforms(Rules(readers=(frozenset(),) * 3, groups={})) as both:
        for rules, asking, question, rights in cases:
            await both.world.obey(both.written(rules))
            before = both.seen_by_all()
            told = await both.ask(asking, question)
            in_room, own = (both.world.hidden(rules, each.holds(rules)) for each in (asking, asking.alone))
            assert told.for_all or told.for_one
            assert not seen_in(repr(told.for_all), in_room) and not seen_in(repr(told.for_one), own), asking
            if asking.way == "alone":
                assert both.seen_by_all() == before
            assert not (told.offers and asking.among_guests), asking
            for offer in told.offers:
                assert asking.channel and seen_in(repr(told.for_one), in_room)
                if rights == "revoked":
                    await both.world.obey(Rules(readers=(frozenset(),) * 3, groups={}))
                shared = await both.press(asking, offer)
                assert not seen_in(repr(shared.for_all), own if rights == "kept" else WORDS), asking
                assert bool(seen_in(repr(shared.for_all), in_room)) == (rights == "kept"), asking
        await both.world.obey(Rules(readers=(frozenset("*"),) * 3, groups={}))
        for asking in (Asking("slack", "U9", "C2"), Asking("discord", "alice", "general")):
            assert seen_in(repr((await both.ask(asking, QUESTIONS[0])).for_all), WORDS)


@pytest.mark.parametrize("rights", ["kept", "revoked"])
@pytest.mark.parametrize("asking", [Asking("slack", "U1", "C1"), Asking("discord", "alice", "general", "command")])
async def test_what_its_asker_alone_may_read_is_offered_and_shared_on_both_platforms(asking, rights):
    async with both_platforms(Rules(readers=(frozenset(),) * 3, groups={})) as both:
        mine = frozenset({f"user:slack:T1:{asking.user}", "user:discord:G1:alice"})
        await both.world.obey(both.written(Rules(readers=(frozenset(), mine, frozenset()), groups={})))
        told = await both.ask(asking, "How high is the travel allowance?")
        assert not seen_in(repr(told.for_all), WORDS) and seen_in(repr(told.for_one), WORDS)
        [offer] = told.offers
        if rights == "revoked":
            await both.world.obey(Rules(readers=(frozenset(),) * 3, groups={}))
        shared = await both.press(asking, offer)
        assert bool(seen_in(repr(shared.for_all), WORDS)) == (rights == "kept")
        assert not seen_in(repr(shared.for_all), {secret(c, d) for c in (0, 2) for d in range(3)})
