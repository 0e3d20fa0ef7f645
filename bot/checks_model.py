"""`weft doctor`, the models: each is really asked for a few words, through the same door as in a turn."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import BaseModel

from agent.errors import ModelError
from bot.checks import Check, fine, problem, warning
from bot.served import listed

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from agent.reasoning.model.roles import Served

SECONDS = 5.0
"""How long an endpoint may take to answer."""
TOKENS = 200
"""The most that an answer may have: a dozen for what is asked, the rest for a model that thinks first."""
_WAYS = {"strict": "by schema", "plain": "by schema", "json_object": "by JSON mode", "tool": "by function"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A model that may be asked, and where it is set."""

    served: "Served"
    places: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.served.name} ({', '.join(dict.fromkeys(self.places))})"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tried:
    """What came of asking: the way in which it takes a shape, or what went wrong."""

    way: str = ""
    wrong: str = ""
    advice: str = ""
    answered: bool = True


async def models(client: "AsyncOpenAI", wanted: Mapping[str, Wanted], where: str) -> Sequence[Check]:
    """Tell of each model whether it answers, all asked at once; `where` names the endpoint."""
    trials = asyncio.gather(*(_try(client, each.served) for each in wanted.values()))
    names, tried = await asyncio.gather(listed(client, SECONDS), trials)
    first = tried[0]
    if len(tried) > 1 and not first.answered and all(each == first for each in tried):
        asked = ", ".join(map(str, wanted.values()))
        return [problem("model", f"{asked} at {where}: {first.wrong}", first.advice)]
    return [
        _told("model" if n == 0 else f"model {each.served.name}", each, found, where, names)
        for n, (each, found) in enumerate(zip(wanted.values(), tried, strict=True))
    ]


def _told(name: str, wanted: Wanted, found: _Tried, where: str, names: Sequence[str]) -> Check:
    absent = bool(names) and wanted.served.name not in names
    unlisted = f"; {where} does not list {wanted.served.name}" if absent else ""
    if not found.answered:
        return problem(name, f"{wanted} at {where}: {found.wrong}{unlisted}", found.advice)
    if found.wrong:
        return warning(name, f"{wanted} at {where} answers, but: {found.wrong}{unlisted}", found.advice)
    detail = f"{wanted} at {where} answers, asks for JSON {found.way}"
    if absent:
        advice = "check the name: some endpoints answer with another model where they do not know one"
        return warning(name, f"{detail}{unlisted}", advice)
    return fine(name, detail)


class Reached(BaseModel):
    """What a model is asked for."""

    ok: bool


async def _try(client: "AsyncOpenAI", served: "Served") -> _Tried:
    """Ask a model for a tiny object. What it says stays here."""
    from agent.reasoning.model.calls import Calls
    from agent.reasoning.model.dialect import Dialects
    from agent.reasoning.model.endpoint import Endpoint, Said
    from agent.reasoning.model.failures import UnusableError

    dialects = Dialects()
    # A door for each model: one that fails does not make the others wait.
    endpoint = Endpoint(Calls(client, timeout=SECONDS, dialects=dialects), {"trial": served})
    said: list[Said] = [
        {"role": "system", "content": "You are asked whether you can be reached."},
        {"role": "user", "content": 'Answer with the JSON object {"ok": true} and nothing else.'},
    ]
    try:
        await endpoint.ask("trial", said, shape=Reached, tokens=TOKENS)
    except UnusableError as error:
        advice = "where it goes on so, the offline rules answer: try another model"
        return _Tried(wrong=str(error).rstrip("."), advice=advice)
    except ModelError as error:
        wrong, _, advice = str(error).rstrip(".").partition(": ")
        return _Tried(wrong=wrong, advice=_advice(advice), answered=False)
    return _Tried(way=_WAYS.get(dialects.of(served.name).way, "by prompt"))


def _advice(told: str) -> str:
    """Return what to do; `told`: what the error says of it, if it says anything."""
    if told == "check OPENAI_BASE_URL":
        return f"{told}, which often ends in /v1"
    return told or "look at the endpoint; one that is only starting may answer soon"
