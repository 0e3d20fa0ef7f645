"""What people are called: looked up once in a while, never waited for long."""

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.api import slack_errors
from agent.errors import DeliveryError

log = logging.getLogger(__name__)

_WAIT = 1.0  # seconds; Slack wants its acknowledgement within three
_KEPT = 5_000
_AGE = 3_600.0
_UNKNOWN_AGE = 60.0
_ONE_BY_ONE = 20
"""People who are asked about one at a time: Slack takes some 100 such calls a minute (users.info, tier 4)."""
_PAGES = 5
"""Of the workspace's people, 1,000 each."""


class Names:
    """The display names of a workspace, remembered for an hour."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._known: dict[str, tuple[float, str]] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._locales: dict[str, tuple[float, str]] = {}

    async def of(self, users: tuple[str, ...]) -> dict[str, str]:
        """Return the names of people by id, without those that cannot be found in time."""
        now = time.monotonic()
        asked = [self._ask(user) for user in users if self._known.get(user, (0.0, ""))[0] <= now]
        if asked:
            await asyncio.wait(asked, timeout=_WAIT)
        return {user: self._known[user][1] for user in users if self._known.get(user, (0.0, ""))[1]}

    async def of_many(self, users: tuple[str, ...]) -> dict[str, str]:
        """Return the names of all who write in a thread; of too many the workspace's list of people is asked for."""
        now = time.monotonic()
        if sum(self._known.get(user, (0.0, ""))[0] <= now for user in users) > _ONE_BY_ONE:
            await self._look_up_all()
        unknown = [user for user in users if user not in self._known]
        await self.of(tuple(unknown[:_ONE_BY_ONE]))
        return {user: self._known[user][1] for user in users if self._known.get(user, (0.0, ""))[1]}

    async def zone_of(self, user: str) -> str:
        """Return the time zone that somebody has set; empty where Slack does not tell."""
        try:
            with slack_errors("users.info"):
                about = (await self._client.users_info(user=user)).get("user") or {}
        except DeliveryError as error:
            log.info("A time zone could not be looked up: %s", error, extra={"action": "slack_zone_unknown"})
            return ""
        return str(about.get("tz") or "")

    async def locale_of(self, user: str) -> str:
        """Return the language in which somebody uses Slack, such as ko-KR; nothing where it is not told in time."""
        until, locale = self._locales.get(user, (0.0, ""))
        if not user or until > time.monotonic():
            return locale
        try:
            async with asyncio.timeout(_WAIT):
                with slack_errors("users.info"):
                    about = (await self._client.users_info(user=user, include_locale=True)).get("user") or {}
        except (DeliveryError, TimeoutError) as error:
            log.info("A language could not be looked up: %s", error, extra={"action": "slack_locale_unknown"})
            return ""
        self.learn(user, about)
        if len(self._locales) >= _KEPT:
            self._locales.clear()
        self._locales[user] = (time.monotonic() + _AGE, str(about.get("locale") or ""))
        return self._locales[user][1]

    async def close(self) -> None:
        """Give up what is still being asked."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _ask(self, user: str) -> asyncio.Task[None]:
        task = self._asking.get(user)
        if task is None:
            task = self._asking[user] = asyncio.create_task(self._look_up(user))
            task.add_done_callback(lambda _: self._asking.pop(user, None))
        return task

    async def _look_up(self, user: str) -> None:
        try:
            with slack_errors("users.info"):
                found = await self._client.users_info(user=user)
        except DeliveryError as error:
            log.info("A name could not be looked up: %s", error, extra={"action": "slack_name_unknown"})
            self._keep(user, "", _UNKNOWN_AGE)
            return
        self.learn(user, found.get("user") or {})

    def learn(self, user: str, about: Mapping[str, Any]) -> None:
        """Take the name from what Slack says of a person."""
        self._keep(user, _name_of(about), _AGE)

    async def _look_up_all(self) -> None:
        cursor = ""
        for _ in range(_PAGES):
            try:
                with slack_errors("users.list"):
                    page = await self._client.users_list(limit=1000, cursor=cursor)
            except DeliveryError as error:
                log.info("The names could not be looked up: %s", error, extra={"action": "slack_names_unknown"})
                return
            for person in page.get("members") or ():
                self._keep(str(person.get("id", "")), _name_of(person), _AGE)
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return

    def _keep(self, user: str, name: str, age: float) -> None:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[user] = (time.monotonic() + age, name)


def _name_of(person: Mapping[str, Any]) -> str:
    profile = person.get("profile") or {}
    names = (profile.get("display_name"), person.get("real_name"), profile.get("real_name"), person.get("name"))
    return next((str(name) for name in names if name), "")
