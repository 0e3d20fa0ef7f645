"""What people look up and change about Weft by themselves (`adapters.desk.Desk`): the same for every platform.

Each answer is for one person alone, and made from what they may read at this moment.
"""

from collections.abc import Sequence
from typing import Protocol

from adapters.contract import Adapter
from adapters.desk import Fact, Order, Remembered, Shelf
from agent.language import say
from agent.packs.pack import Pack
from agent.ports import Profiles
from agent.reasoning.profile_summary import profile_summary, shown
from agent.retrieval.search import KnowledgeBase
from agent.text import asked_in, clipped, normalise
from agent.types import (
    Audience,
    ChannelMode,
    IncomingMessage,
    Language,
    Memory,
    Passage,
    Preferences,
    ThreadKey,
)
from bot.audience import Memberships, alone, audience_of
from bot.turns.hearing import Hearing, place_of
from bot.turns.hearing import Order as ModeOrder
from bot.turns.packs import PackChoice
from storage.access import CollectionInfo
from storage.contracts import ChannelModes

SHOWN = 40
"""Collections that are told at once."""


class Questions(Protocol):
    """Knows what waits and runs."""

    async def open_of(self, platform: str, workspace: str, user: str) -> Sequence[ThreadKey]:
        """Return the threads in which questions of somebody wait or are worked on."""
        ...

    async def stop(self, key: ThreadKey) -> int:
        """Ask for what runs in a thread, and waits behind it, to stop; returns how many."""
        ...


class Access(Memberships, Protocol):
    """Knows who may read what; asked anew for every message."""

    async def collections(self) -> Sequence[CollectionInfo]:
        """Return every collection."""
        ...


class Desk:
    """The desk of one engine."""

    def __init__(
        self,
        *,
        packs: PackChoice,
        access: Access,
        knowledge: KnowledgeBase,
        profiles: Profiles,
        inbox: Questions,
        modes: ChannelModes,
        hearing: Hearing,
    ) -> None:
        self._access = access
        self._knowledge = knowledge
        self._profiles = profiles
        self._inbox = inbox
        self._modes = modes
        self._hearing = hearing
        self._packs = packs

    def title(self, language: Language) -> str:
        """Return what Weft knows about."""
        return self._packs.usual.title.of(language)

    def description(self, language: Language) -> str:
        """Return what Weft does for this team."""
        return self._packs.usual.description.of(language)

    def prompts(self, language: Language) -> Sequence[str]:
        """Return questions to begin with."""
        return [prompt.of(language) for prompt in self._packs.usual.suggested_prompts]

    async def carry_out(self, order: Order, asker: IncomingMessage) -> str:
        """Do what a word asks for, and return what to tell its asker, Markdown."""
        language, pack = asked_in(asker.text, asker.locale), await self._pack_for(asker)
        match order:
            case Order.HELP:
                return say("desk_help", language, topic=pack.title.of(language))
            case Order.SOURCES:
                return _shelves(await self.sources(asker), language)
            case Order.PACKS:
                title, description = pack.title.of(language), pack.description.of(language)
                return say("desk_pack", language, title=title, description=description)
            case Order.SETTINGS:
                return await self._settings(asker, language)
            case Order.MEMORY:
                return await self._memory(asker, language)
            case Order.QUESTIONS:
                return _questions((await self.remembered(asker)).questions, language)
            case Order.FORGET:
                return say("forgotten" if await self.forget(asker) else "nothing_known", language)
            case Order.STOP:
                return say("desk_stopped" if await self.stop(asker) else "desk_nothing_runs", language)

    async def sources(self, asker: IncomingMessage) -> Sequence[Shelf]:
        """Return the collections that somebody may read when they are alone with Weft."""
        audience, pack = await self._audience(asker), await self._pack_for(asker)
        wanted = {*pack.collections, *(name for scope in pack.scopes for name in scope.collections)}
        return [
            Shelf(name=each.name, documents=each.documents, passages=each.passages, sample=each.sample)
            for each in await self._access.collections()
            if audience.may_read(each.readers)
            and each.documents
            and (each.name in wanted or (not pack.collections and each.pack in ("", pack.name)))
        ]

    async def remembered(self, asker: IncomingMessage, *, most: int = 10) -> Remembered:
        """Return what is kept of somebody."""
        pack = await self._pack_for(asker)
        if pack.flags.memory_mode == "none" or not asker.author.id:
            return Remembered(enabled=False)
        user, language = _user(asker), asked_in(asker.text, asker.locale)
        profile = await self._profiles.load(user, pack.name)
        specs = {spec.name: spec for spec in pack.slots}
        facts = tuple(
            Fact(
                name=name,
                title=specs[name].title.of(language) if name in specs else name,
                value=shown(value, specs.get(name), language),
            )
            for name, value in profile.slots.items()
            if value not in (None, "", [])
        )
        kept = await self._profiles.memories(user, pack.name, "", k=most)
        questions = await self._as_readable(kept, await self._audience(asker))
        return Remembered(facts=facts, preferences=profile.preferences, questions=tuple(questions))

    async def prefer(self, asker: IncomingMessage, preferences: Preferences) -> None:
        """Set how somebody wants to be answered."""
        await self._profiles.prefer(_user(asker), preferences)

    async def forget(self, asker: IncomingMessage) -> int:
        """Forget everything about somebody."""
        return await self._profiles.forget(_user(asker))

    async def forget_fact(self, asker: IncomingMessage, name: str) -> None:
        """Forget one thing that somebody told."""
        await self._profiles.fill(_user(asker), (await self._pack_for(asker)).name, {name: None})

    async def forget_question(self, asker: IncomingMessage, turn_id: str) -> bool:
        """Forget one question of somebody; False where it is none of theirs."""
        kept = await self._profiles.memories(_user(asker), (await self._pack_for(asker)).name, "", k=1_000)
        if turn_id not in {memory.turn_id for memory in kept}:
            return False
        await self._profiles.drop(turn_id)
        return True

    async def stop(self, asker: IncomingMessage) -> int:
        """Stop what somebody has asked in this channel, in private everywhere; returns in how many threads."""
        here = asker.key
        threads = await self._inbox.open_of(here.platform, here.workspace_id, asker.author.id)
        wanted = [key for key in threads if asker.private or key.channel_id == here.channel_id]
        return sum([bool(await self._inbox.stop(key)) for key in wanted])

    async def mode(self, asker: IncomingMessage) -> ChannelMode | None:
        """Return the mode of the channel; None in private."""
        return None if asker.private else await self._modes.mode_of(place_of(asker.key))

    async def set_mode(self, asker: IncomingMessage, mode: ChannelMode, platform: Adapter) -> str:
        """Set the mode of the channel, and return what to say: that it is set, or may not be."""
        language = asked_in(asker.text, asker.locale)
        return await self._hearing.carry_out(ModeOrder(mode), asker, platform, language)

    def packs(self, language: Language) -> Sequence[tuple[str, str]]:
        """Return the name and the title of each pack that a channel may be given; none where there is one for all."""
        packs = self._packs.packs
        return [(name, pack.title.of(language)) for name, pack in packs.items()] if len(packs) > 1 else []

    async def set_pack(self, asker: IncomingMessage, name: str, platform: Adapter) -> str:
        """Set the pack of the channel, and return what to say: that it is set, or may not be."""
        order = ModeOrder(None, pack=normalise(name).lower())
        return await self._hearing.carry_out(order, asker, platform, asked_in(asker.text, asker.locale))

    async def passage(self, asker: IncomingMessage, reference: str) -> Passage | None:
        """Return a passage by reference; None where somebody may not, or no longer, read it."""
        return next(iter(await self._knowledge.passages([reference], await self._audience(asker))), None)

    async def _pack_for(self, asker: IncomingMessage) -> Pack:
        """Return the pack of the channel that somebody stands in."""
        await self._packs.refresh()
        return self._packs.packs[await self._packs.of_channel(asker.key)]

    async def _audience(self, asker: IncomingMessage) -> Audience:
        return await audience_of(alone(asker), self._access)

    async def _as_readable(self, memories: Sequence[Memory], audience: Audience) -> list[Memory]:
        """Return what somebody asked; without the answers whose evidence is closed to them by now."""
        wanted = list(dict.fromkeys(reference for memory in memories for reference in memory.evidence))
        open_now = {passage.reference for passage in await self._knowledge.passages(wanted, audience)}
        return [memory if open_now.issuperset(memory.evidence) else _without_answer(memory) for memory in memories]

    async def _settings(self, asker: IncomingMessage, language: Language) -> str:
        lines = [say("desk_settings", language)]
        mode = await self.mode(asker)
        if mode is not None:
            meaning = say(f"mode_{mode.value}", language)
            lines.append("- " + say("mode_is", language, mode=mode.value, meaning=meaning))
        preferences = (await self.remembered(asker, most=1)).preferences
        wishes = [each for each in (preferences.language, preferences.length, preferences.format) if each]
        wanted = ", ".join(say(f"wish_{wish}", language) for wish in wishes) or say("desk_as_usual", language)
        return "\n".join([*lines, f"- {say('preferences', language)}: {wanted}"])

    async def _memory(self, asker: IncomingMessage, language: Language) -> str:
        pack = await self._pack_for(asker)
        if pack.flags.memory_mode == "none":
            return say("no_memory", language)
        profile = await self._profiles.load(_user(asker), pack.name)
        lines = profile_summary(profile, pack, language)
        questions = (await self.remembered(asker, most=5)).questions
        if not lines and not questions:
            return say("nothing_known", language)
        parts = [f"{say('known_about_you', language)}\n\n{lines}"] if lines else []
        parts += [_questions(questions, language)] if questions else []
        return "\n\n".join([*parts, say("how_to_forget", language)])


def _user(asker: IncomingMessage) -> str:
    return f"{asker.key.platform}:{asker.key.workspace_id}:{asker.author.id}"


def _without_answer(memory: Memory) -> Memory:
    return Memory(turn_id=memory.turn_id, question=memory.question, answer="", at=memory.at)


def _shelves(shelves: Sequence[Shelf], language: Language) -> str:
    if not shelves:
        return say("desk_no_sources", language)
    lines = [
        "- " + say("desk_source", language, name=shelf.name.replace("`", "'"), documents=shelf.documents)
        for shelf in shelves[:SHOWN]
    ]
    if len(shelves) > SHOWN:
        lines.append("- " + say("desk_more", language, count=len(shelves) - SHOWN))
    return "\n".join([say("desk_sources", language), "", *lines])


def _questions(questions: Sequence[Memory], language: Language) -> str:
    if not questions:
        return say("desk_no_questions", language)
    lines = [f"- {clipped(normalise(memory.question), 200)}" for memory in questions]
    return "\n".join([say("latest_questions", language), "", *lines])
