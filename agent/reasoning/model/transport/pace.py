"""How fast a model is: measured at every call, and what follows for the time that the next one gets.

A call is counted in units of work, a token that is written being one. A model is as slow as a unit takes it, whatever
the call was: so the first small one tells what a large one will take.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

log = logging.getLogger(__name__)

TIMEOUT, STREAM_TIMEOUT = 30.0, 90.0
"""Seconds of a call or a silence, and of a whole stream, where nobody set others and the model is not slow."""
_READ = 0.1
"""What reading a token is beside writing one: a tenth, about, with llama.cpp on a processor and on a graphics card."""
_WRITTEN = 8
"""Of the most that a call may write it usually writes one part in so many."""
USUAL = 300.0
"""Units of a usual call: a prompt of 1,500 tokens, and 150 written."""
SLOW = 0.06
"""Seconds a unit from which a model is slow: a usual call takes 18 s, and the smallest more than what it adds may."""
_MEASURED_SECONDS = 900.0
"""How long a measure is believed: a model that was only loading is tried again."""
_IN_VAIN_SECONDS = 60.0
"""How long it counts that one never heard of was waited for in vain; twice as long each time, up to the same."""
_PATIENCE = 3.0
"""How many times what a call should take it may take."""


def work(read: int, written: float) -> float:
    """Return the units of a call that reads and writes so many tokens."""
    return _READ * read + written


def expected(read: int, most: int) -> float:
    """Return the units that are expected of a call that reads so many tokens, and may write `most`."""
    return work(read, most / _WRITTEN)


def readable(units: float, most: int) -> int:
    """Return how many tokens a call may read that is to have so many units, and may write `most`; perhaps none."""
    return max(0, int((units - most / _WRITTEN) / _READ))


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The seconds that one call may take."""

    answer: float = TIMEOUT
    """Until a whole answer; until the first words of a stream."""
    silence: float = TIMEOUT
    """Between two pieces of a stream."""
    stream: float = STREAM_TIMEOUT
    """Until the end of a stream."""


@dataclass(frozen=True, slots=True)
class _Measure:
    unit: float
    at: float
    seconds: float = _MEASURED_SECONDS
    """How long it is believed."""
    in_vain: bool = False
    """Whether nothing came: a unit is thought to take twice as long as was waited for it."""

    def holds(self, now: float) -> bool:
        """Tell whether it is still believed."""
        return now - self.at < self.seconds


class Paces:
    """What a unit of work takes each model of an endpoint, in seconds.

    `tell` hears once of each slow model, with the seconds of a usual call.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        tell: Callable[[str, float], None] | None = None,
    ) -> None:
        self._clock = clock
        self._tell = tell or _log
        self._measured: dict[str, _Measure] = {}
        self._told: set[str] = set()

    def unit(self, model: str) -> float | None:
        """Return the seconds of a unit, as far as they can be told; None where nothing is known of this model."""
        measured = self._measured.get(model)
        return measured.unit if measured and measured.holds(self._clock()) else None

    def took(self, model: str, units: float, seconds: float) -> None:
        """Note how long so many units took: half of what is believed from now on, the rest being from before."""
        last, unit = self._measured.get(model), seconds / max(units, 1.0)
        if not (last and last.in_vain) and (known := self.unit(model)) is not None:
            unit = (known + unit) / 2
        self._measured[model] = _Measure(unit, self._clock())
        if unit >= SLOW and model not in self._told:
            self._told.add(model)
            self._tell(model, USUAL * unit)

    def waited(self, model: str, units: float, seconds: float) -> None:
        """Note that so many units were waited for in vain; it says nothing of a model that has answered before."""
        last, now, unit = self._measured.get(model), self._clock(), 2 * seconds / max(units, 1.0)
        if last is None or not last.in_vain:
            if self.unit(model) is None:
                self._measured[model] = _Measure(unit, now, _IN_VAIN_SECONDS, in_vain=True)
        elif last.holds(now):
            self._measured[model] = replace(last, unit=max(unit, last.unit))
        else:
            self._measured[model] = replace(last, unit=unit, at=now, seconds=min(2 * last.seconds, _MEASURED_SECONDS))

    def limit(self, model: str, units: float, *, left: float) -> float:
        """Return the seconds that a call may take: `TIMEOUT`, and more for a slow model, but never all that is `left`.

        One of which nothing is known gets half of what is left of its turn.
        """
        unit = self.unit(model)
        if unit is not None:
            return min(left, max(TIMEOUT, _PATIENCE * unit * units))
        return left / 2 if left < float("inf") else TIMEOUT


def _log(model: str, seconds: float) -> None:
    log.warning(
        "The model %s is slow, some %.0f s for a usual call: its calls get more time, and the rules do what a turn has "
        "no time for. A smaller model is faster; limits.deadline_seconds of the pack gives more.",
        model,
        seconds,
        extra={"action": "model_slow"},
    )
