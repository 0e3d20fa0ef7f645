"""How long one call may take."""

from dataclasses import dataclass

TIMEOUT, STREAM_TIMEOUT = 30.0, 90.0
"""Seconds of a call or a silence, and of a whole stream, where nobody set others and the model is not slow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The seconds that one call may take."""

    answer: float = TIMEOUT
    """Until a whole answer; until the first words of a stream."""
    silence: float = TIMEOUT
    """Between two pieces of a stream."""
    stream: float = STREAM_TIMEOUT
    """Until the end of a stream."""


def bounds(timeout: float | None, stream_timeout: float | None, *, adapted: float, left: float) -> Bounds:
    """Return the bounds of a call: those that were set, else what is `adapted` to the model, and what the turn has."""
    usual = timeout or TIMEOUT
    stream = stream_timeout or (left if left < float("inf") else STREAM_TIMEOUT)
    return Bounds(answer=min(usual, left) if timeout else adapted, silence=min(usual, left), stream=min(stream, left))
