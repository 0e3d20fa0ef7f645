"""`weft doctor`, the models: each is really asked for a few words, through the same door as in a turn.

A slow one is told from a broken one: it gets as long as a turn has, and is then asked something of usual length.
"""

import asyncio
import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click
from pydantic import BaseModel

from agent.errors import ModelError
from agent.prompts import load
from bot.doctor.check import Check, fine, problem, warning
from bot.models.model_discovery import listed

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from agent.reasoning.model.transport.calls import Calls
    from agent.reasoning.model.transport.dialect import Dialects
    from agent.reasoning.model.transport.endpoint import Said
    from agent.reasoning.model.transport.roles import Served

SECONDS = 5.0
"""What an endpoint takes at most for a few words, if it is not slow."""
TOKENS = 200
"""The most that an answer may have: a dozen for what is asked, the rest for a model that thinks first."""
_WAYS = {"strict": "by schema", "plain": "by schema", "json_object": "by JSON mode"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A model that may be asked, and where it is set."""

    served: "Served"
    places: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.served.name} ({', '.join(dict.fromkeys(self.places))})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How many seconds a model has."""

    turn: float
    """For a turn, until its end."""
    left: float
    """For all calls of a turn."""
    call: float | None = None
    """For one call, where that is set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tried:
    """What came of asking: the way in which it takes a shape, or what went wrong."""

    way: str = ""
    wrong: str = ""
    advice: str = ""
    answered: bool = True
    first: float = 0.0
    """Seconds of the first answer."""
    usual: float | None = 0.0
    """Seconds of a call of usual length, of a slow one; None: more than a turn has."""


async def models(
    client: "AsyncOpenAI", wanted: Mapping[str, Wanted], where: str, patience: Patience
) -> Sequence[Check]:
    """Tell of each model whether it answers, all asked at once; `where` names the endpoint."""
    waiting = asyncio.get_running_loop().call_later(SECONDS, _say_waiting, patience)
    try:
        trials = asyncio.gather(*(_try(client, each.served, patience) for each in wanted.values()))
        names, tried = await asyncio.gather(listed(client, SECONDS), trials)
    finally:
        waiting.cancel()
    first = tried[0]
    if len(tried) > 1 and not first.answered and all(each == first for each in tried):
        asked = ", ".join(map(str, wanted.values()))
        return [problem("model", f"{asked} at {where}: {first.wrong}", first.advice)]
    return [
        _told("model" if n == 0 else f"model {each.served.name}", each, found, where, names, patience)
        for n, (each, found) in enumerate(zip(wanted.values(), tried, strict=True))
    ]


def _say_waiting(patience: Patience) -> None:
    if sys.stderr.isatty():
        click.echo(f"waiting for the model, at most {2 * patience.turn:.0f} s …", err=True)


def _told(name: str, wanted: Wanted, found: _Tried, where: str, names: Sequence[str], patience: Patience) -> Check:
    absent = bool(names) and wanted.served.name not in names
    unlisted = f"; {where} does not list {wanted.served.name}" if absent else ""
    if not found.answered:
        return problem(name, f"{wanted} at {where}: {found.wrong}{unlisted}", found.advice)
    if found.wrong:
        return warning(name, f"{wanted} at {where} answers, but: {found.wrong}{unlisted}", found.advice)
    detail = f"{wanted} at {where} answers, asks for JSON {found.way}"
    if slow := _slow(found, patience):
        return warning(name, f"{detail}; {slow[0]}{unlisted}", slow[1])
    if found.first > SECONDS:
        detail += f"; its first answer took {found.first:.0f} s, as of a model that had to be loaded"
    if absent:
        advice = "check the name: some endpoints answer with another model where they do not know one"
        return warning(name, f"{detail}{unlisted}", advice)
    return fine(name, detail)


def _slow(found: _Tried, patience: Patience) -> tuple[str, str] | None:
    """Return what there is to tell of a slow model, and what to do; None where it is not slow."""
    from agent.reasoning.model.transport.pace import SLOW, USUAL

    if found.usual is not None and found.usual < SLOW * USUAL:
        return None
    kept = patience.turn - patience.left
    other = "use a smaller model or a faster machine"
    told = f"slow, not broken: a few words took {found.first:.0f} s"
    if found.usual is None:
        told += f", and a prompt of usual length more than the {patience.turn:.0f} s of a turn"
        return told, f"{other}, or raise limits.deadline_seconds of the pack; the offline rules answer until then"
    question = 3 * found.usual
    told += f", and a question that it reads, answers and checks takes some {question:.0f} s"
    if patience.call is not None and patience.call < found.usual:
        return told, f"raise WEFT_MODEL_TIMEOUT to {_round(2 * found.usual)} or leave it unset, or {other}"
    if found.usual > patience.left:
        what = f"{_round(found.usual + kept)} or more; the offline rules answer until then"
    elif question > patience.left:
        what = f"{_round(question + kept)}; what a turn has no time for is done by the offline rules until then"
    else:
        return told, f"{other} if people should not wait so long"
    return told, f"{other}, or raise limits.deadline_seconds of the pack ({patience.turn:.0f} s) to {what}"


def _round(seconds: float) -> int:
    """Return seconds rounded up, to tens."""
    return 10 * math.ceil(seconds / 10)


class Reached(BaseModel):
    """What a model is asked for."""

    ok: bool


_ASKED: "Said" = {"role": "user", "content": 'Answer with the JSON object {"ok": true} and nothing else.'}


async def _try(client: "AsyncOpenAI", served: "Served", patience: Patience) -> _Tried:
    """Ask a model for a tiny object. What it says stays here."""
    from agent.reasoning.model.transport.dialect import Dialects
    from agent.reasoning.model.transport.endpoint import Endpoint
    from agent.reasoning.model.transport.failures import LateError, UnusableError

    dialects = Dialects()
    # A door for each model: one that fails does not make the others wait.
    endpoint = Endpoint(_calls(client, patience, dialects), {"trial": served})
    said: list[Said] = [{"role": "system", "content": "You are asked whether you can be reached."}, _ASKED]
    begun = time.monotonic()
    try:
        await endpoint.ask("trial", said, shape=Reached, tokens=TOKENS)
    except UnusableError as error:
        advice = "where it goes on so, the offline rules answer: try another model"
        return _Tried(wrong=str(error).rstrip("."), advice=advice)
    except LateError:
        advice = "it hangs, or is far too slow for people who wait: look at the endpoint"
        wrong = f"the model did not answer in time, a few words in the {patience.turn:.0f} s of a turn"
        return _Tried(wrong=wrong, advice=advice, answered=False)
    except ModelError as error:
        wrong, _, advice = str(error).rstrip(".").partition(": ")
        return _Tried(wrong=wrong, advice=_advice(advice), answered=False)
    first = time.monotonic() - begun
    usual = await _usual(client, served, patience, dialects) if first > SECONDS else 0.0
    return _Tried(way=_WAYS.get(dialects.of(served.name).way, "by prompt"), first=first, usual=usual)


def _calls(client: "AsyncOpenAI", patience: Patience, dialects: "Dialects") -> "Calls":
    from agent.reasoning.model.transport.calls import Calls
    from agent.reasoning.model.transport.pace import Paces

    # That it is slow is told here, and not the log.
    return Calls(client, timeout=patience.turn, dialects=dialects, paces=Paces(tell=lambda *_: None))


async def _usual(client: "AsyncOpenAI", served: "Served", patience: Patience, dialects: "Dialects") -> float | None:
    """Return the seconds of a call of usual length, measured by a prompt of that length; None: more than a turn has."""
    from agent.reasoning.model.transport.endpoint import Endpoint
    from agent.reasoning.model.transport.failures import LateError

    endpoint = Endpoint(_calls(client, patience, dialects), {"trial": served})
    # Another beginning than that of the first: what an endpoint keeps of a prompt would make this one look fast.
    filling = "\n\n".join(load(name) for name in ("compose", "quoting", "judge"))
    said: list[Said] = [{"role": "system", "content": f"Pay no heed to this text:\n{filling}"}, _ASKED]
    try:
        await endpoint.ask("trial", said, shape=Reached, tokens=TOKENS)
    except LateError:
        return None
    except ModelError:  # it was heard that it answers: here only the time counts
        pass
    return endpoint.takes(1)


def _advice(told: str) -> str:
    """Return what to do; `told`: what the error says of it, if it says anything."""
    if told == "check OPENAI_BASE_URL":
        return f"{told}, which often ends in /v1"
    return told or "look at the endpoint; one that is only starting may answer soon"
