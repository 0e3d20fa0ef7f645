"""Older turns in few words, by a model."""

import re
from collections.abc import Sequence

from agent.reasoning.contract import SUMMARY_BYTES
from agent.reasoning.model.tasks.untrusted_text import Quoting
from agent.reasoning.model.tasks.word_checks import amiss
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.reasoning.model.transport.failures import UnusableError
from agent.types import Summary, TurnRecord

CHARACTERS = 300
"""That a summary is asked to have. In Korean that is three quarters of what one may hold: the rules can add a few turns
before the model is asked again."""
_TOKENS = 700
_TURNS = 12
_TURN_CHARACTERS = 1500
_MARKS = re.compile(r"\s?\[\d{1,3}\]")


async def summarise(endpoint: Endpoint, before: Summary | None, turns: Sequence[TurnRecord]) -> str:
    """Return a summary of the turns and of the summary before them, at most `SUMMARY_BYTES` long. Raises ModelError.

    One with a number that stands nowhere in them is of no use.
    """
    text = _MARKS.sub("", await endpoint.text("small", request(before, turns), tokens=_TOKENS))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    text = "\n".join(line for line in lines if line)
    if not text or len(text.encode()) > SUMMARY_BYTES:
        raise UnusableError("The model's summary did not keep to its length.")
    told = [part for turn in turns for part in (turn.question, turn.standalone, _MARKS.sub("", turn.answer))]
    if amiss(text, [before.text if before else "", *told]):
        raise UnusableError("The model's summary says what nobody said.")
    return text


def request(before: Summary | None, turns: Sequence[TurnRecord]) -> list[Said]:
    """Return what the model is asked about the turns."""
    quoting = Quoting()
    parts = (
        quoting.block("summary", before.text) if before else "",
        quoting.conversation(turns, most=_TURNS, characters=_TURN_CHARACTERS),
    )
    return quoting.request("summarise", parts, characters=CHARACTERS)
