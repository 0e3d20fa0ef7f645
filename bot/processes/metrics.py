"""What `/metrics` tells, in Prometheus' text format: figures, names of parts and models, never what was said.

Turns, their steps and errors are of this process since its start; the inbox, and what the model's calls cost, are read
from the data folder, whichever process it was.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from agent.events import Event, FinalResponse
from agent.types import Response
from bot.calendar.clock import due_at
from bot.platform_state import Standing
from storage.contracts import Schedule
from storage.database import Database

BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Seconds of a turn."""
_CALLS = "SELECT model, role, outcome, count(*), sum(tokens_in), sum(tokens_out), sum(cost) FROM usage GROUP BY 1, 2, 3"

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counts what goes by."""

    def __init__(self) -> None:
        self._turns: Counter[str] = Counter()
        self._buckets = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0
        self._node_seconds: dict[str, float] = {}
        self._node_count: Counter[str] = Counter()

    def observe(self, event: Event) -> None:
        """Take in what a turn tells; only its end counts."""
        if isinstance(event, FinalResponse):
            self._ended(event.response)

    def _ended(self, response: Response) -> None:
        self._turns[response.response_type] += 1
        seconds = response.total_ms / 1000
        self._buckets[bisect_left(BUCKETS, seconds)] += 1
        self._seconds += seconds
        for node, took in response.timings.items():
            self._node_seconds[node] = self._node_seconds.get(node, 0.0) + took / 1000
            self._node_count[node] += 1

    async def text(
        self,
        *,
        standing: Standing,
        waiting: Mapping[str, int],
        oldest: float,
        database: Database,
        connections: int,
        closed: Mapping[str, int],
        schedules: Sequence[Schedule] = (),
        now: float = 0.0,
    ) -> str:
        """Return all figures. `waiting` by status; `oldest`: seconds that the first of the waiting messages waits.

        `now`, in seconds since the epoch: what the `schedules` are late by.
        """
        calls = await database.read(lambda connection: connection.execute(_CALLS).fetchall())
        lines: list[str] = []

        def family(name: str, kind: str, help: str, samples: Mapping[Labels, float]) -> None:
            lines.extend((f"# HELP weft_{name} {help}", f"# TYPE weft_{name} {kind}"))
            lines.extend(f"weft_{name}{_labels(labels)} {value:.10g}" for labels, value in samples.items())

        for status, count in waiting.items():
            family(f"inbox_{status}", "gauge", f"Messages in the inbox that are {status}.", {(): count})
        family("inbox_oldest_seconds", "gauge", "How long the oldest waiting message has waited.", {(): oldest})
        family("turns_total", "counter", "Turns that ended, by what came of them.", _by("type", self._turns))
        lines.extend(self._histogram())
        node_seconds = _by("node", self._node_seconds)
        family("node_seconds_total", "counter", "Time spent in the steps of turns.", node_seconds)
        family("node_runs_total", "counter", "Runs of the steps of turns.", _by("node", self._node_count))
        family("turn_errors_total", "counter", "Turns that an error ended, by its kind.", _by("kind", standing.errors))
        family(
            "rate_limit_waits_total", "counter", "Answers that waited for a limit.", _by("platform", standing.limited)
        )
        keys = [(("model", row[0]), ("role", row[1]), ("outcome", row[2])) for row in calls]
        for name, column, help in (
            ("model_calls_total", 3, "Calls of models."),
            ("model_tokens_in_total", 4, "Tokens that models read."),
            ("model_tokens_out_total", 5, "Tokens that models wrote."),
            ("model_cost_total", 6, "What calls cost, in the currency of the prices."),
        ):
            family(name, "counter", help, {key: row[column] for key, row in zip(keys, calls, strict=True)})
        for name, value in standing.figures().items():
            family(name, "gauge", "How a platform is.", {(): value})
        states = Counter((each.kind.value, _state_of(each)) for each in schedules)
        entries: dict[Labels, float] = {
            (("kind", kind), ("state", state)): count for (kind, state), count in states.items()
        }
        family("schedules", "gauge", "Entries of the calendar.", entries)
        late = max((now - moment for each in schedules if (moment := due_at(each, now)) is not None), default=0.0)
        family("schedules_late_seconds", "gauge", "How long the entry that is due longest is due.", {(): late})
        family("connections", "gauge", "Connections that are open.", {(): connections})
        family("connections_closed_total", "counter", "Connections that were closed, and why.", _by("why", closed))
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterator[str]:
        yield "# HELP weft_turn_seconds How long turns took."
        yield "# TYPE weft_turn_seconds histogram"
        total = 0
        for bound, count in zip((*map(str, BUCKETS), "+Inf"), self._buckets, strict=True):
            total += count
            yield f'weft_turn_seconds_bucket{{le="{bound}"}} {total}'
        yield f"weft_turn_seconds_sum {self._seconds:.10g}"
        yield f"weft_turn_seconds_count {total}"


def _state_of(entry: Schedule) -> str:
    if entry.paused:
        return "paused"
    return "failing" if entry.failures else "on"


def _by(label: str, values: Mapping[str, float]) -> dict[Labels, float]:
    return {((label, name),): value for name, value in values.items()}


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
