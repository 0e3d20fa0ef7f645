"""What a message tells for fields of text, taken from it word for word."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator, BaseModel

from agent.packs.pack import SlotSpec
from agent.reasoning.model.tasks.untrusted_text import Quoting
from agent.reasoning.model.transport.endpoint import Endpoint, Said
from agent.text import language_of, normalise

MOST = 20
"""Fields that are asked for in one call."""
_TOKENS = 60
_TEXT_CHARACTERS = 8000
_VALUE_CHARACTERS = 200


class Value(BaseModel):
    """What the message tells for one field."""

    name: str
    value: Annotated[str, AfterValidator(normalise)]


class Values(BaseModel):
    """The model's answer."""

    values: list[Value] = []


async def extract(endpoint: Endpoint, text: str, specs: Sequence[SlotSpec]) -> Mapping[str, str]:
    """Return what the text tells of these fields, by name. Raises ModelError.

    Only fields of text: numbers, dates and choices are the rules' alone. A value that does not stand in the text is
    left out.
    """
    wanted = [spec for spec in specs if spec.type == "text"][:MOST]
    if not wanted or not text.strip():
        return {}
    answer = await endpoint.ask("small", request(text, wanted), shape=Values, tokens=100 + _TOKENS * len(wanted))
    names = {spec.name for spec in wanted}
    said = normalise(text).casefold()
    told: dict[str, str] = {}
    for each in answer.values:
        stands = 0 < len(each.value) <= _VALUE_CHARACTERS and each.value.casefold() in said
        if each.name in names and stands:
            told.setdefault(each.name, each.value)
    return told


def request(text: str, specs: Sequence[SlotSpec]) -> list[Said]:
    """Return what the model is asked about a message."""
    quoting = Quoting()
    language = language_of(text)
    fields = "\n".join(
        f"- `{spec.name}`: {spec.title.of(language)}" + (f" ({spec.ask.of(language)})" if spec.ask else "")
        for spec in specs
    )
    return quoting.request("slots", [quoting.block("message", text[:_TEXT_CHARACTERS])], fields=fields)
