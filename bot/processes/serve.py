"""The processes: `weft serve` is all of them in one; `web`, `worker`, `discord` and `clock` are one each."""

import asyncio
import gc
import logging
import signal
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from agent.errors import StorageError, UsageError
from agent.language.registry import languages
from agent.task_group import end
from bot.app import Engine, PageReader, open_engine
from bot.models.vector_progress import logged
from bot.processes.metrics import Metrics
from bot.processes.platforms import Platforms, Role, is_alone, keep_listening, open_platforms
from bot.settings import Settings

logger = logging.getLogger(__name__)

_UNCOLLECTED = 10_000
"""Objects after which the youngest are looked through; 700, as Python has it, took a fortieth of a busy process."""


async def run(settings: Settings, roles: Sequence[Role]) -> None:
    """Run these parts of Weft until told to stop. Raises UsageError, StorageError."""
    async with AsyncExitStack() as stack:
        web = _Web(settings) if "web" in roles else None  # first: a port in use should be said at once
        if web is not None:
            stack.callback(web.socket.close)
        engine = await stack.enter_async_context(open_engine(settings))
        if "clock" in roles and web is not None and not engine.shared:  # one clock, so there is one `serve` as well
            await stack.enter_async_context(engine.locks.held("clock", what="weft serve"))
        platforms = await stack.enter_async_context(open_platforms(engine, roles))
        metrics = Metrics()
        parts: list[Coroutine[Any, Any, None]] = []
        if web is not None:
            parts.append(web.serve(engine, platforms, metrics))
            parts.append(platforms.playground.listen(engine.conversation))
        heard = [platforms.slack if web is not None else None, platforms.discord if "discord" in roles else None]
        for adapter in heard:
            if adapter is not None:
                alone = is_alone(roles)
                parts.append(keep_listening(adapter, engine.conversation, platforms.standing, alone=alone))
        if "worker" in roles:
            await tell_damage(engine)
            worker = engine.worker(platforms.all, platforms.standing, observe=lambda _: metrics.observe)
            parts.append(worker.run())
            trying = asyncio.create_task(try_models(engine.settings))
            stack.push_async_callback(end, trying)
            filling = asyncio.create_task(engine.meanings.complete(logged()))
            stack.push_async_callback(end, filling)
        if "clock" in roles:
            alone = web is not None and not engine.shared
            parts.append(clock(engine) if alone else engine.locks.lead("clock", partial(clock, engine)))
        keep_out_of_collections()
        await _until_stopped(parts)


def keep_out_of_collections() -> None:
    """Have the garbage collector walk through nothing of what is loaded by now, which stays as long as the process.

    Else every full collection, some each minute of a busy day, held up all turns and acknowledgements for 150 ms. And
    a turn makes thousands of objects, of which hardly one is left to the collector: it looks when there are more.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_UNCOLLECTED)


async def tell_damage(engine: Engine) -> None:
    """Log that the index of words is damaged: at the start, not when somebody waits for an answer.

    Vectors that are damaged are told by what completes them.
    """
    try:
        await engine.library.index.verify()
    except StorageError as error:
        logger.error("No question can be searched for: %s", error, extra={"action": "index_damaged"})


async def try_models(settings: Settings) -> None:
    """Ask every model for a few words, and log what is wrong: at the start, not when somebody waits for an answer."""
    if not settings.model_configured:
        return
    from bot.doctor.settings import model
    from bot.models.endpoint import model_client

    async with model_client(settings) as client:
        for check in await model(settings, client):
            line = f"{check.name}: {check.detail}" + (f": {check.advice}" if check.advice else "")
            facts = {"action": "model_check"}
            if check.status == "problem":
                logger.error("The %s. Answers are made without it until then.", line, extra=facts)
            elif check.status == "warning":
                logger.warning("The %s.", line, extra=facts)


class _Web:
    """The web server, on a socket that is bound before anything else is opened."""

    def __init__(self, settings: Settings) -> None:
        from bot.processes.web import is_loopback, listen_on

        if not is_loopback(settings.host) and not settings.token.get_secret_value():
            raise UsageError(
                f"on {settings.host} other machines reach the playground: set WEFT_TOKEN to a secret of your choice"
            )
        self._settings = settings
        self.socket = listen_on(settings.host, settings.port)

    async def serve(self, engine: Engine, platforms: Platforms, counted: Metrics) -> None:
        """Serve the playground, Slack's events, health and metrics until stopped."""
        from adapters.playground.http import Welcome, playground_routes
        from bot.calendar.state import CalendarState
        from bot.processes.connections import FEW_CONNECTIONS, Doors, Limits, room_for_connections
        from bot.processes.gaps_page import gaps_route
        from bot.processes.previews import previews
        from bot.processes.web import WebServer, create_web

        async def welcome() -> Welcome:
            await engine.packs.refresh()
            pack = engine.packs.usual
            return Welcome(
                pack=pack.name,
                title={code: pack.title.of(code) for code in languages()},
                description={code: pack.description.of(code) for code in languages()},
                people=pack.people.on("playground"),
                prompts=tuple({code: prompt.of(code) for code in languages()} for prompt in pack.suggested_prompts),
            )

        room = room_for_connections()
        doors = Doors(Limits(total=room))

        async def metrics() -> str:
            return await counted.text(
                standing=platforms.standing,
                waiting=await engine.inbox.counts(),
                oldest=await engine.inbox.oldest(),
                database=engine.database,
                connections=len(doors),
                closed={"slow": doors.slow, "crowded": doors.crowded},
                schedules=await engine.schedules.all(),
                now=time.time(),
            )

        calendar = CalendarState(engine.schedules)

        async def health() -> Mapping[str, object]:
            return {**platforms.standing.told(), "schedules": await calendar.told()}

        application = create_web(
            routes=[
                gaps_route(engine.database),
                *playground_routes(
                    platforms.playground,
                    passages=PageReader(library=engine.library),
                    welcome=welcome,
                    previews=previews(),
                ),
            ],
            open_routes=platforms.slack.routes() if platforms.slack is not None else (),
            token=self._settings.token.get_secret_value(),
            allowed_hosts=self._settings.allowed_hosts,
            metrics=metrics,
            health=health,
            ready=lambda: engine.inbox.counts(),
        )
        if room < FEW_CONNECTIONS:
            logger.warning(
                "Only %d connections can be held at once: raise the limit of open files (ulimit -n, LimitNOFILE=).",
                room,
                extra={"action": "few_connections"},
            )
        server = WebServer(
            application,
            hang_up=platforms.playground.close,
            doors=doors,
            proxies=self._settings.trusted_proxies,
        )
        host, port = self.socket.getsockname()[:2]
        logger.info("Weft is on http://%s:%d", host, port, extra={"action": "serving"})
        heard = ", ".join(adapter.name for adapter in platforms.all)
        logger.info("It answers in: %s. Ctrl-C stops it.", heard, extra={"action": "serving"})
        await server.serve(sockets=[self.socket])


async def clock(engine: Engine) -> None:
    """Do the housekeeping and what the calendar says until stopped. One process at a time may."""
    from bot.calendar.clock import Clock
    from bot.calendar.sources import Sources, ingesting
    from bot.processes.housekeeping import Housekeeping, schedule
    from storage.catalogue import versions

    settings = engine.settings
    hands = Clock(
        schedules=engine.schedules,
        inbox=engine.inbox,
        modes=engine.modes,
        versions=partial(versions, engine.database),
    )
    sources = Sources(engine.schedules, hands, ingesting(settings.data, settings.pack))
    scheduler = schedule(
        Housekeeping(
            inbox=engine.inbox,
            checkpoints=engine.checkpoints,
            deliveries=engine.deliveries,
            turns=engine.turns,
            attachments=engine.attachments,
            files=engine.files,
            schedules=engine.schedules,
            keep_days=settings.keep_days,
        ),
        often={"calendar": hands.ask, "watched_answers": hands.look, "watched_sources": sources.begin},
    )
    scheduler.start()
    try:
        await asyncio.Event().wait()
    finally:
        scheduler.shutdown(wait=False)
        await sources.close()


async def _until_stopped(parts: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run the parts until one of them ends or a signal comes; then stop the others and wait for them.

    A second signal tells them not to wait for what is under way.
    """
    tasks = [asyncio.create_task(part) for part in parts]
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def told() -> None:
        if stop.is_set():
            for task in tasks:
                task.cancel()
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told)
    waiting = asyncio.create_task(stop.wait())
    try:
        done, _ = await asyncio.wait([*tasks, waiting], return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end(*tasks, waiting)
    for task in done - {waiting}:
        task.result()  # raises what ended it
