"""The composition root: what is built, from which settings, in which order. Read it top to bottom.

`open_engine` is all that answers a question; `open_adapters` is where people are heard and answered.
Libraries that only one part needs are imported where that part is built, so that `weft ask` does
not pay for Slack, Discord or the model.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.contract import Adapter
from agent.context import Context, TurnRequest
from agent.errors import ConceptsError, PackError, SettingsError, WebSearchError
from agent.graph import build_graph
from agent.packs.load import available, builtin, load_packs
from agent.packs.pack import Pack
from agent.ports import Concepts, WebSearch
from agent.reasoning.rules.answering.quotes import pieces_of
from agent.retrieval.search import KnowledgeBase
from agent.run import Agent
from agent.task_group import end
from agent.types import ChannelMode, IncomingMessage, Passage
from bot.audience import PLAYGROUND
from bot.calendar.calendar import Calendar
from bot.calendar.orders import CalendarRules
from bot.desk import Desk
from bot.models.endpoint import model_client
from bot.models.model_discovery import with_served_model
from bot.models.reasoners import OFFLINE, reasoners
from bot.models.vector_sync import Meanings, open_meanings
from bot.platform_state import Standing
from bot.settings import Settings
from bot.stores import Locks, open_stores
from bot.turns.attachments import Attachments
from bot.turns.conversation import Conversation
from bot.turns.handover import Handover
from bot.turns.hearing import Hearing
from bot.turns.packs import PackChoice
from bot.turns.pointed_messages import Pointing
from bot.turns.remainders import Remainders
from bot.turns.turn import Observer, Rules, Turns
from bot.turns.worker import Worker
from storage.access import SqlAccess
from storage.attachments import SqlAttachments
from storage.channels import SqlChannelModes, SqlChannelPacks
from storage.contracts import Checkpoints, KeptFiles, Rates
from storage.deliveries import SqlDeliveries
from storage.documents import SqlLibrary
from storage.human_answers import SqlHumanAnswers
from storage.inbox import SqlInbox
from storage.ingest.run import ingest
from storage.last_heard import SqlLastHeard
from storage.profiles import SqlProfiles
from storage.schedules import SqlSchedules
from storage.sql import SqlDatabase
from storage.step_times import SqlStepTimes
from storage.turns import SqlTurns

if TYPE_CHECKING:
    from openai import AsyncOpenAI

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """Everything that answers a question, on one data folder or database."""

    settings: Settings
    pack: Pack
    database: SqlDatabase
    inbox: SqlInbox
    checkpoints: Checkpoints
    library: SqlLibrary
    meanings: Meanings
    knowledge: KnowledgeBase
    deliveries: SqlDeliveries
    turns: SqlTurns
    attachments: SqlAttachments
    access: SqlAccess
    modes: SqlChannelModes
    channel_packs: SqlChannelPacks
    packs: PackChoice
    profiles: SqlProfiles
    files: KeptFiles
    locks: Locks
    shared: bool
    """Whether processes on other machines may be at the same."""
    schedules: SqlSchedules
    agent: Agent
    agent_alone: Agent
    """Answers by the rules, and remembers nothing of it."""
    conversation: Conversation
    desk: Desk
    """What people look up and change by themselves."""

    def turns_on(self, adapters: Collection[Adapter]) -> Turns:
        """Return what runs turns on these platforms."""
        return Turns(
            agent=self.agent,
            adapters={adapter.name: adapter for adapter in adapters},
            deliveries=self.deliveries,
            turns=self.turns,
            checkpoints=self.checkpoints,
            memberships=self.access,
            profiles=self.profiles,
            files=self.files,
            inbox=self.inbox,
            rules=Rules(
                pack=self.pack.name,
                question_limit=self.settings.question_limit,
                choice_hours=self.pack.limits.clarification_hours,
            ),
            packs=self.packs,
            hearing=Hearing(self.modes, self.inbox, self.turns, self.packs if len(self.packs.packs) > 1 else None),
            pointing=Pointing(self.turns),
            calendar=Calendar(
                schedules=self.schedules,
                turns=self.turns,
                library=self.library,
                database=self.database,
                modes=self.modes,
                rules=CalendarRules(
                    zone=self.settings.zone,
                    channel_zones=self.settings.channel_zones,
                    least_pause=self.settings.schedule_minutes * 60.0,
                ),
            ),
            remainders=Remainders(
                agent=self.agent_alone,
                access=self.access,
                knowledge=self.knowledge,
                deliveries=self.deliveries,
                turns=self.turns,
            ),
            handover=Handover(
                people=self.pack.people,
                deliveries=self.deliveries,
                turns=self.turns,
                answers=SqlHumanAnswers(self.library, self.access),
                kept=self.meanings.follow,
            ),
            attachments=Attachments(
                self.attachments,
                folder=self.settings.data,
                most_bytes=self.settings.attachment_bytes,
                most_files=self.settings.attachments_most,
            ),
        )

    def worker(
        self,
        adapters: Collection[Adapter],
        standing: Standing | None = None,
        observe: Callable[[IncomingMessage], Observer | None] = lambda _: None,
    ) -> Worker:
        """Return a worker that answers on these platforms, and notes how they are."""
        return Worker(
            self.inbox,
            self.turns_on(adapters),
            platforms=[adapter.name for adapter in adapters],
            concurrency=self.settings.concurrency,
            lease=self.settings.lease_seconds,
            standing=standing,
            observe=observe,
            grace=self.settings.shutdown_seconds,
        )


def _rates(settings: Settings) -> Rates | None:
    rates = Rates(person=settings.rate_user, channel=settings.rate_channel, seconds=settings.rate_seconds)
    return rates if rates.person or rates.channel else None


def pack_folder(name: str) -> Path:
    """Return the folder of a pack, given by the name of one that ships with Weft or by its path."""
    path = Path(name)
    return path if path.name != name or (path.is_dir() and name not in available()) else builtin(name)


@asynccontextmanager
async def open_engine(settings: Settings, *, follows: bool = False) -> AsyncIterator[Engine]:
    """Open the data folder and build what answers from it. Raises StorageError, PackError.

    `follows`: the caller makes the vectors of new passages itself, and tells how far it is.
    """
    packs = load_packs([pack_folder(name) for name in settings.packs])
    async with AsyncExitStack() as stack:
        stores = await stack.enter_async_context(open_stores(settings))
        database, inbox, checkpoints = stores.database, stores.inbox, stores.checkpoints
        profiles, files, locks = stores.profiles, stores.files, stores.locks
        ratings, schedules = stores.ratings, stores.schedules
        library = SqlLibrary(stores.documents)
        added = any([await add_pack_documents(library, pack, locks) for pack in packs])
        client: AsyncOpenAI | None = None
        if settings.model_configured:
            client = model_client(settings)
            stack.push_async_callback(client.close)
            settings = await with_served_model(settings, client)
        meanings = await stack.enter_async_context(open_meanings(settings, client, library, locks))
        if added and meanings.slow and not follows:  # words are found at once
            filling = asyncio.create_task(meanings.follow())
            stack.push_async_callback(end, filling)
        elif added and not follows:
            await meanings.follow()
        knowledge = KnowledgeBase(
            lexical=library.index,
            passages=library,
            vectors=meanings.index,
            embeddings=meanings.embeddings,
            matching=meanings.matching,
            pieces=pieces_of,
        )
        pack, by_name = packs[0], {each.name: each for each in packs}
        web = await stack.enter_async_context(web_search(settings))
        names = await concepts(settings, packs)
        step_times, turns = SqlStepTimes(database), SqlTurns(database)
        reasoner = await stack.enter_async_context(reasoners(settings, client, pack, database, by_name))

        def in_force(request: TurnRequest) -> Pack:
            return choice.packs.get(request.pack, choice.usual)

        def context(request: TurnRequest) -> Context:
            notices: list[str] = []
            return Context(
                request=request,
                pack=in_force(request),
                reasoner=reasoner(request, notices.append),
                knowledge=knowledge,
                profiles=profiles,
                web=web,
                concepts=names,
                files=files,
                answers=turns,
                step_times=step_times,
                without_model=OFFLINE if client is not None else None,
                notices=lambda: tuple(dict.fromkeys(notices)),
            )

        def by_rules(request: TurnRequest) -> Context:
            return Context(request=request, pack=in_force(request), reasoner=OFFLINE, knowledge=knowledge)

        usual = {"slack": ChannelMode.MENTIONS} if settings.slack_mentions_only else {}
        modes, deliveries = SqlChannelModes(database, usual=usual), SqlDeliveries(database)
        turns, access, channel_packs = SqlTurns(database), SqlAccess(database), SqlChannelPacks(database)
        choice = PackChoice(packs, channel_packs, turns, library)
        await choice.refresh()
        several = choice if len(packs) > 1 else None
        yield Engine(
            settings=settings,
            pack=pack,
            database=database,
            inbox=inbox,
            checkpoints=checkpoints,
            library=library,
            meanings=meanings,
            knowledge=knowledge,
            deliveries=deliveries,
            turns=turns,
            attachments=SqlAttachments(database),
            access=access,
            channel_packs=channel_packs,
            packs=choice,
            modes=modes,
            profiles=profiles,
            files=files,
            locks=locks,
            shared=stores.shared,
            schedules=schedules,
            agent=Agent(build_graph(checkpoints.saver), context, summariser=OFFLINE),
            agent_alone=Agent(build_graph(None), by_rules, summariser=OFFLINE),
            conversation=Conversation(
                inbox,
                modes,
                deliveries,
                ratings,
                heard=SqlLastHeard(database),
                answered=turns,
                rates=_rates(settings),
                burst_seconds=settings.burst_seconds,
                people=pack.people,
            ),
            desk=Desk(
                packs=choice,
                access=access,
                knowledge=knowledge,
                profiles=profiles,
                inbox=inbox,
                modes=modes,
                hearing=Hearing(modes, inbox, turns, several),
            ),
        )


TEAMS = "documents"
"""Where `weft ingest` puts what a team brings, if it is told nothing else: this is no pack's, whatever lies there."""


async def add_pack_documents(library: SqlLibrary, pack: Pack, locks: Locks) -> bool:
    """Bring the pack's own documents up to date in the collections that they belong to; tells whether any are new.

    Unchanged ones cost nothing. Raises PackError for one that cannot be read.
    """
    changed = False
    for collection, paths in pack.holdings().items():
        await library.declare(collection, sample=pack.sample, pack=pack.name if collection != TEAMS else "")
        async with locks.ingesting(collection):
            report = await ingest(paths, library=library, collection=collection)
        if report.refused:
            raise PackError(f"{report.refused[0].path}: {report.refused[0].reason}")
        changed = changed or bool(report.added or report.updated)
    return changed


@asynccontextmanager
async def web_search(settings: Settings) -> AsyncIterator[WebSearch | None]:
    """Give what searches the web, where there is a key for it. Raises SettingsError."""
    key = settings.tavily_api_key.get_secret_value()
    if not key:
        yield None
        return
    from adapters.services.tavily import TavilySearch

    try:
        search = TavilySearch(key, base_url=settings.tavily_base_url, timeout=settings.web_search_seconds)
    except WebSearchError as error:
        raise SettingsError(str(error)) from error
    try:
        yield search
    finally:
        await search.aclose()


async def concepts(settings: Settings, packs: Sequence[Pack]) -> Concepts | None:
    """Return what reads the names of a terminology, where one is set and a pack wants it. Raises SettingsError."""
    if settings.medcat_model is None or not any(pack.reads_concepts for pack in packs):
        return None
    from adapters.services.medcat import MedCat

    try:
        return await MedCat.open(settings.medcat_model.expanduser())
    except ConceptsError as error:
        raise SettingsError(f"WEFT_MEDCAT_MODEL: {error}") from error


@dataclass(frozen=True, kw_only=True, slots=True)
class PageReader:
    """The passages that the playground's page may show."""

    library: SqlLibrary

    async def around(self, passage_public_id: str, collection: str, window: int) -> list[Passage]:
        """Return a passage with its neighbours; nothing if it is not there."""
        # The page may read what its own answers may cite, and no more.
        found = await self.library.around(passage_public_id, collection=collection, window=window, audience=PLAYGROUND)
        return list(found)
