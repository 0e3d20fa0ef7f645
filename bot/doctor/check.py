"""What a check of `weft doctor` says, and how one that fails to run says it."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.errors import WeftError

logger = logging.getLogger(__name__)

Status = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """How one thing is, and what to do about it."""

    name: str
    status: Status
    detail: str
    advice: str = ""


def fine(name: str, detail: str, advice: str = "") -> Check:
    """Return a check that found nothing wrong."""
    return Check(name=name, status="ok", detail=detail, advice=advice)


def warning(name: str, detail: str, advice: str) -> Check:
    """Return a check that found something to look at; Weft works without."""
    return Check(name=name, status="warning", detail=detail, advice=advice)


def problem(name: str, detail: str, advice: str) -> Check:
    """Return a check that found something that does not work."""
    return Check(name=name, status="problem", detail=detail, advice=advice)


async def run(name: str, look: Callable[[], Iterator[Check]]) -> Sequence[Check]:
    """Run a check on a thread; whatever stops it becomes a problem, never a stack trace."""
    try:
        return await asyncio.to_thread(lambda: list(look()))
    except (WeftError, OSError) as error:
        return [failed(name, error)]


def failed(name: str, error: Exception) -> Check:
    """Return the problem that an error is; what it advises stands in it."""
    detail, _, advice = str(error).partition(": run ")
    return problem(name, detail, f"run {advice.rstrip('.')}" if advice else "see what the message names")
