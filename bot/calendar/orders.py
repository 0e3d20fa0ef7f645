"""What people tell Weft's calendar in chat: set, list, pause, resume, remove; watch an answer."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from adapters.aside import ASIDE
from adapters.contract import Adapter, Managed, Zoned
from agent.language import say
from agent.reasoning.rules.reading.calendar_order import CalendarOrder, calendar_order
from agent.text import asked_in
from agent.types import ChannelMode, IncomingMessage, Language, MessageKind, ThreadKey
from agent.values.recurrence import Recurrence
from agent.values.timetable import Timetable, zone_of
from bot.calendar.comparison import clipped
from bot.calendar.events import entry_of
from bot.calendar.watching import Versions, cited_documents, name_of, with_versions
from bot.calendar.words import told_moment, told_plan
from storage.contracts import ChannelModes, Place, Schedule, ScheduleKind, Schedules
from storage.turns import StoredTurn

MOST = 20
"""Entries that people may set in one channel."""
_TO_WEFT = (MessageKind.MENTION, MessageKind.DIRECT, MessageKind.COMMAND, MessageKind.EDIT)


class Threads(Protocol):
    """The stored turns of a thread."""

    async def thread(self, thread: str) -> Sequence[StoredTurn]:
        """Return them, oldest first."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarRules:
    """What holds for all that people set."""

    zone: str = "UTC"
    """Where neither the channel nor the platform tells another."""
    channel_zones: Mapping[str, str] = field(default_factory=dict)
    """By `slack:T1:C1`."""
    least_pause: float = 3600.0
    """Seconds between two times of a standing question."""


_SET_IN = "set_in"
"""The thread in which a question was set, among its details."""


class CalendarOrders:
    """Reads and carries out what is said about the calendar."""

    def __init__(
        self,
        schedules: Schedules,
        turns: Threads,
        versions: Callable[[Sequence[tuple[str, str]]], Awaitable[Versions]],
        rules: CalendarRules,
        *,
        modes: ChannelModes | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._schedules = schedules
        self._turns = turns
        self._versions = versions
        self._rules = rules
        self._modes = modes
        self._now = now

    async def carried_out(self, message: IncomingMessage, adapter: Adapter) -> str | None:
        """Do what a message says about the calendar, and return what to say; None where it is about else.

        Raises DeliveryError, StorageError.
        """
        order = _order_in(message)
        if order is not None and order.wish == "unread" and not message.addressed:
            order = None
        if order is not None and not message.addressed and await self._wants_mentions(message):
            order = None
        if order is None:
            if message.kind is MessageKind.EDIT:  # it may have been one before
                await self._schedules.drop(message.turn_id)
            return None
        language = asked_in(message.text, message.locale)
        # what is shown to one alone in a channel must not be told to that channel later
        if order.wish in ("ask", "watch") and (not adapter.capabilities.later or ASIDE in message.extra):
            return say("schedule_not_here", language)
        match order.wish:
            case "ask":
                assert order.when is not None  # noqa: S101 - such an order says how often
                return await self._set(message, adapter, order.question, order.when, language)
            case "unread":
                return say("schedule_unread", language)
            case "list":
                return await self._list(message, language)
            case "watch":
                return await self._watch(message, language)
            case "unwatch":
                return await self._unwatch(message, adapter, language)
        return await self._change(message, adapter, order, language)

    async def _set(
        self, message: IncomingMessage, adapter: Adapter, question: str, when: Recurrence, language: Language
    ) -> str:
        zone, now = await self._zone(message, adapter), self._now()
        plan = when.on(datetime.fromtimestamp(now, zone_of(zone)).weekday())
        if plan.least_pause < self._rules.least_pause:
            return say("schedule_too_often", language, minutes=f"{self._rules.least_pause / 60:g}")
        here = [each for each in await self._at(message.key) if each.origin != message.turn_id]
        if len(here) >= MOST:
            return say("schedule_too_many", language, most=MOST)
        put = await self._schedules.put(
            Schedule(
                kind=ScheduleKind.QUESTION,
                key=_place_for(message),
                owner=message.author,
                private=message.private,
                guests=message.guests,
                plan=plan,
                zone=zone,
                text=question,
                language=language,
                origin=message.turn_id,
                created=now,
                since=now,
                details={_SET_IN: str(message.key)},
            )
        )
        return say(
            "schedule_set",
            language,
            when=told_plan(plan, language),
            zone=zone,
            first=told_moment(plan.after(now, zone, since=put.created), zone),
            question=clipped(question),
            number=put.id,
        )

    async def _list(self, message: IncomingMessage, language: Language) -> str:
        here = await self._seen_by(message)
        if not here:
            return say("schedule_none", language)
        lines = [f"- {told_entry(each, language, self._now())}" for each in here]
        for place, each in enumerate(here):
            if not _is_at(each, message.key):
                lines[place] += " " + say("schedule_elsewhere", language)
        return "\n".join([say("schedule_list", language), *lines])

    async def _change(
        self, message: IncomingMessage, adapter: Adapter, order: CalendarOrder, language: Language
    ) -> str:
        seen = await self._seen_by(message)
        found = await self._meant(message, order, seen)
        if not found:
            if order.number is not None:
                return say("schedule_unknown", language, number=order.number)
            return say("schedule_none", language)
        if len(found) > 1:
            lines = [f"- {told_entry(each, language, self._now())}" for each in found]
            return "\n".join([say("schedule_which", language, number=found[0].id), *lines])
        (entry,) = found
        if not await _may_change(entry, message, adapter):
            return say("schedule_refused", language)
        about = {"number": entry.id, "question": clipped(entry.text or str(entry.details.get("question", "")))}
        if order.wish == "remove":
            await self._schedules.remove(entry.id)
            return say("schedule_removed", language, **about)
        now = self._now()
        await self._schedules.pause(entry.id, paused=order.wish == "pause", now=now)
        if order.wish == "pause":
            return say("schedule_paused", language, **about)
        following = entry.plan.after(now, entry.zone, since=entry.created) if entry.plan else now
        return say("schedule_resumed", language, next=told_moment(following, entry.zone), **about)

    async def _meant(
        self, message: IncomingMessage, order: CalendarOrder, seen: Sequence[Schedule]
    ) -> Sequence[Schedule]:
        """Return the entries that an order may mean: by number, by its thread, by how often, or the only one."""
        if order.number is not None:
            return [each for each in seen if each.id == order.number]
        with_plan = [each for each in seen if each.plan is not None and _is_at(each, message.key)]
        begun = {entry_of(turn.message_id) for turn in await self._turns.thread(str(message.key))} - {None}
        here = str(message.key)
        of_thread = [each for each in with_plan if each.id in begun or each.details.get(_SET_IN) == here]
        wanted = order.when
        return [
            each
            for each in of_thread or with_plan
            if wanted is None or (each.plan is not None and _fits(each.plan, wanted))
        ]

    async def _watch(self, message: IncomingMessage, language: Language) -> str:
        turns = [turn for turn in await self._turns.thread(str(message.key)) if cited_documents(turn.response)]
        if not turns:
            return say("watch_nothing", language)
        answer = turns[-1].response
        documents = cited_documents(answer)
        documents = with_versions(documents, await self._versions([name_of(each) for each in documents]))
        titles = ", ".join(dict.fromkeys(clipped(str(each["title"])) for each in documents))
        known = [each for each in await self._watches(message.key) if each.details.get("turn") == answer.turn_id]
        if not known:
            if len(await self._at(message.key)) >= MOST:
                return say("schedule_too_many", language, most=MOST)
            now = self._now()
            await self._schedules.put(
                Schedule(
                    kind=ScheduleKind.ANSWER,
                    key=message.key,
                    owner=message.author,
                    private=message.private,
                    guests=message.guests,
                    language=language,
                    origin=message.turn_id,
                    created=now,
                    since=now,
                    details={"turn": answer.turn_id, "question": answer.standalone_query, "documents": documents},
                )
            )
        return say("watch_set", language, titles=titles)

    async def _unwatch(self, message: IncomingMessage, adapter: Adapter, language: Language) -> str:
        watches = await self._watches(message.key)
        if not watches:
            return say("watch_none", language)
        for each in watches:
            if not await _may_change(each, message, adapter):
                return say("schedule_refused", language)
        for each in watches:
            await self._schedules.remove(each.id)
        return say("watch_removed", language)

    async def _zone(self, message: IncomingMessage, adapter: Adapter) -> str:
        """Return the zone of a channel, else that of who asks, else the usual."""
        key = message.key
        if found := self._rules.channel_zones.get(f"{key.platform}:{key.workspace_id}:{key.channel_id}"):
            return found
        told = await adapter.zone_of(message) if isinstance(adapter, Zoned) else ""
        try:
            return zone_of(told).key
        except ValueError:
            return self._rules.zone

    async def _wants_mentions(self, message: IncomingMessage) -> bool:
        key = message.key
        place = Place(platform=key.platform, workspace=key.workspace_id, channel=key.channel_id)
        return self._modes is not None and await self._modes.mode_of(place) is ChannelMode.MENTIONS

    async def _at(self, key: ThreadKey) -> list[Schedule]:
        return [each for each in await self._schedules.all() if _is_at(each, key)]

    async def _watches(self, key: ThreadKey) -> list[Schedule]:
        return [each for each in await self._at(key) if each.kind is ScheduleKind.ANSWER and each.key == key]

    async def _seen_by(self, message: IncomingMessage) -> list[Schedule]:
        """Return what somebody may hear of: what is set where they ask; alone, also their own in other places."""
        key = message.key
        user = f"{key.platform}:{key.workspace_id}:{message.author.id}" if message.author.id else "-"
        return [
            each for each in await self._schedules.all() if _is_at(each, key) or (message.private and each.user == user)
        ]


def told_entry(entry: Schedule, language: Language, now: float) -> str:
    """Return an entry in one line."""
    if entry.plan is None:
        question = clipped(str(entry.details.get("question", "")))
        return say("schedule_answer", language, number=entry.id, question=question)
    when = told_plan(entry.plan, language)
    if entry.kind is ScheduleKind.DIGEST:
        return say("schedule_digest", language, number=entry.id, when=when, zone=entry.zone)
    about = {"number": entry.id, "when": when, "zone": entry.zone, "question": clipped(entry.text)}
    if entry.paused:
        return say("schedule_question_paused", language, **about)
    following = entry.plan.after(max(now, entry.since), entry.zone, since=entry.created)
    return say("schedule_question", language, next=told_moment(following, entry.zone), **about)


def _order_in(message: IncomingMessage) -> CalendarOrder | None:
    """Return what a message says; in a thread nobody has to call Weft for it, as long as nobody else is called."""
    replies = message.kind is MessageKind.THREAD_REPLY and not message.calls
    if message.kind not in _TO_WEFT and not replies:
        return None
    return calendar_order(message.text)


def _is_at(entry: Schedule, key: ThreadKey) -> bool:
    mine = (entry.key.platform, entry.key.workspace_id, entry.key.channel_id)
    return mine == (key.platform, key.workspace_id, key.channel_id)


def _place_for(message: IncomingMessage) -> ThreadKey:
    """Return where a question is asked from now on: in a thread of its own, but where a place is one conversation."""
    key = message.key
    return key if message.private and key.thread_id == key.channel_id else replace(key, thread_id="")


def _fits(plan: Timetable, wanted: Recurrence) -> bool:
    """Tell whether somebody may name a plan so: every Monday, or every Monday at 9."""
    named = wanted.plan
    if wanted.any_day:
        return len(plan.weekdays) == 1 and not plan.nth and plan.weeks == named.weeks
    if named.every or (named.hours != plan.hours and len(named.hours) > 1):
        return named == plan
    days = (named.days, named.weekdays, named.nth, named.weeks) == (plan.days, plan.weekdays, plan.nth, plan.weeks)
    return days and (not wanted.timed or (named.hours, named.minutes) == (plan.hours, plan.minutes))


async def _may_change(entry: Schedule, message: IncomingMessage, adapter: Adapter) -> bool:
    """Tell whether somebody may change an entry: their own, what stands where they are alone, or they manage it."""
    key = message.key
    if entry.owner.id and entry.user == f"{key.platform}:{key.workspace_id}:{message.author.id}":
        return True
    if not _is_at(entry, key):
        return False
    if entry.private:  # nobody else can be there
        return message.private
    return isinstance(adapter, Managed) and await adapter.may_manage(message)
