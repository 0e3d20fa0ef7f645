"""What people are called: looked up once in a while, never waited for long."""

import asyncio
import logging
import time

from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.api import slack_errors
from agent.errors import DeliveryError

log = logging.getLogger(__name__)

_WAIT = 1.0  # seconds; Slack wants its acknowledgement within three
_KEPT = 5_000
_AGE = 3_600.0
_UNKNOWN_AGE = 60.0


class Names:
    """The display names of a workspace, remembered for an hour."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._known: dict[str, tuple[float, str]] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def of(self, users: tuple[str, ...]) -> dict[str, str]:
        """Return the names of people by id, without those that cannot be found in time."""
        now = time.monotonic()
        asked = [self._ask(user) for user in users if self._known.get(user, (0.0, ""))[0] <= now]
        if asked:
            await asyncio.wait(asked, timeout=_WAIT)
        return {user: self._known[user][1] for user in users if self._known.get(user, (0.0, ""))[1]}

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
        person = found.get("user") or {}
        profile = person.get("profile") or {}
        names = (profile.get("display_name"), person.get("real_name"), profile.get("real_name"), person.get("name"))
        self._keep(user, next((str(name) for name in names if name), ""), _AGE)

    def _keep(self, user: str, name: str, age: float) -> None:
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[user] = (time.monotonic() + age, name)
