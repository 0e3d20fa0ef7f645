"""What the clock puts into the inbox: a message that nobody wrote, the same for the same entry and time.

It goes the way of every message, so that leases, lanes, audience and retries hold for it. Which entry it comes from
stands in its id.
"""

from adapters.contract import BELOW, HEADING
from agent.language import say
from agent.types import IncomingMessage, Language, MessageKind, ThreadKey
from bot.calendar.words import told_plan
from storage.contracts import NOBODY, Schedule, ScheduleKind

_PLANNED, _WATCHED = "plan-", "watch-"


def planned(schedule: Schedule, due: float, now: float) -> IncomingMessage:
    """Return what an entry with a plan hands in for one of its times; `due` and `now` in seconds since the epoch."""
    heading = ""
    if schedule.plan is not None:
        heading = say("standing_heading", schedule.language, when=told_plan(schedule.plan, schedule.language))
    asks = schedule.kind is ScheduleKind.QUESTION
    return IncomingMessage(
        key=schedule.key,
        event_id=f"plan:{schedule.id}:{due:.0f}",
        message_id=f"{_PLANNED}{schedule.id}-{due:.0f}",
        author=schedule.owner,
        text=schedule.text if asks else "",
        kind=MessageKind.SCHEDULED if asks else MessageKind.NOTICE,
        received_at=now,
        private=schedule.private,
        guests=schedule.guests,
        locale=schedule.language,
        extra={HEADING: heading},
    )


def changed(schedule: Schedule, places: list[int], mark: str, now: float) -> IncomingMessage:
    """Return the word that documents of a watched answer changed, those at these places; `mark` names the versions."""
    return IncomingMessage(
        key=schedule.key,
        event_id=f"watch:{schedule.id}:{mark}",
        message_id=f"{_WATCHED}{schedule.id}-{'.'.join(map(str, places))}-{mark}",
        author=schedule.owner,
        text="",
        kind=MessageKind.NOTICE,
        received_at=now,
        private=schedule.private,
        guests=schedule.guests,
        locale=schedule.language,
        extra={BELOW: str(schedule.details.get("turn", ""))},
    )


def announcement(
    key: ThreadKey, text: str, *, event: str, language: Language, now: float, private: bool = False
) -> IncomingMessage:
    """Return what posts a text, Markdown, in a place: in its thread, or in the channel where `thread_id` is empty.

    `event` names it: a second one of the same name is not posted. Who adds it to the inbox sees to who may read it.
    """
    return IncomingMessage(
        key=key,
        event_id=f"notice:{event}",
        message_id=f"notice-{event}",
        author=NOBODY,
        text=text,
        kind=MessageKind.NOTICE,
        received_at=now,
        private=private,
        locale=language,
    )


def entry_of(message_id: str) -> int | None:
    """Return the number of the entry with a plan that a message comes from; None where it comes from none."""
    return _number(message_id, _PLANNED)


def watch_of(message_id: str) -> tuple[int, list[int]] | None:
    """Return the number of the watched answer that a message comes from, and the places of what changed."""
    number = _number(message_id, _WATCHED)
    if number is None:
        return None
    places = message_id.split("-")[2]
    return number, [int(place) for place in places.split(".") if place.isdecimal()]


def _number(message_id: str, prefix: str) -> int | None:
    if not message_id.startswith(prefix):
        return None
    number = message_id.removeprefix(prefix).partition("-")[0]
    return int(number) if number.isdecimal() else None
