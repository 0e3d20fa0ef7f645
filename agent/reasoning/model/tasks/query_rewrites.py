"""Other words for a search that found too little."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel

from agent.packs.pack import Pack
from agent.reasoning.model.tasks.untrusted_text import Quoting, line
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.results import Again
from agent.text import normalise
from agent.types import Language, Query, Standalone, Step

VARIATIONS = 3
WEIGHT = 0.6
"""Beside the question's own 1.0: more than a first search gives other wordings, since the question's own found too
little. Chosen, not measured."""
_TOKENS = 250
_FOUND = 5
_CHARACTERS = 300
_QUESTION_CHARACTERS = 1000


def _few(items: list[str]) -> list[str]:
    return [text for item in items if (text := normalise(item)[:200])][:8]


class Rewording(BaseModel):
    """The model's answer."""

    variations: Annotated[list[str], AfterValidator(_few)] = []


async def again(
    endpoint: Endpoint, step: Step, question: Standalone, language: Language, pack: Pack, tried: Again
) -> tuple[Query, ...]:
    """Return searches that were not tried. Raises ModelError."""
    answer = await endpoint.ask(
        "small", request(step, question, language, pack, tried), shape=Rewording, tokens=_TOKENS
    )
    known = {query.text.casefold() for query in tried.tried.queries}
    new = dict.fromkeys(text for text in answer.variations if text.casefold() not in known)
    return tuple(Query(text=text, weight=WEIGHT) for text in list(new)[:VARIATIONS])


def request(step: Step, question: Standalone, language: Language, pack: Pack, tried: Again) -> list[Said]:
    """Return what the model is asked about a search and what it found."""
    quoting = Quoting()
    searches = "\n".join(dict.fromkeys(f"- {line(query.text, _CHARACTERS)}" for query in tried.tried.queries))
    found = "\n".join(
        f"- {line(f'{hit.passage.title}: {hit.passage.text}', _CHARACTERS)}" for hit in tried.hits[:_FOUND]
    )
    asked = (step.description or question.text)[:_QUESTION_CHARACTERS]
    parts = (quoting.block("question", asked), quoting.block("tried", searches), quoting.block("found", found))
    return quoting.request("expand", parts, topic=pack.title.of(language))
