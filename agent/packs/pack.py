"""The shape of `pack.yaml`, validated on load."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from agent.packs.patterns import searchable
from agent.types import Language

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Words(_Part):
    """A text in both languages."""

    en: Line
    ko: Line

    def of(self, language: Language) -> str:
        """Return the text in this language."""
        return self.en if language == "en" else self.ko


class IntentSpec(_Part):
    """A kind of question, known by its examples."""

    name: Name
    route: Literal["direct", "decline", "contextualize", "research"] = "research"
    examples: Annotated[tuple[Line, ...], Field(min_length=3)]
    reply: Words | None = None
    """What to say, where the route needs no documents; the catalogue's words otherwise."""


class ChoiceSpec(_Part):
    """One value that a slot can have, and what people call it; the value itself counts as a name too."""

    value: Line
    names: Annotated[tuple[Line, ...], Field(max_length=50)] = ()


class SlotSpec(_Part):
    """Something that people tell of themselves or of their case: how it is recognised, and what asks for it."""

    name: Name
    title: Words
    type: Literal["text", "number", "date", "choice", "list"]
    choices: Annotated[tuple[ChoiceSpec, ...], Field(max_length=500)] = ()
    patterns: Annotated[tuple[Annotated[Line, AfterValidator(searchable)], ...], Field(max_length=20)] = ()
    """Regular expressions; a group marks the value, without one it is all that is matched."""
    units: Annotated[dict[Line, Annotated[float, Field(gt=0)]], Field(max_length=20)] = {}
    """What stands after a number, and what the number is multiplied by then."""
    required_for: tuple[Name, ...] = ()
    """Intents that cannot be answered without it."""
    ask: Words | None = None

    @model_validator(mode="after")
    def _can_be_found(self) -> Self:
        ways = {"choices": self.choices, "patterns": self.patterns, "units": self.units}
        allowed, needed = _FOUND_BY[self.type]
        given = [way for way, value in ways.items() if value]
        wrong = [way for way in given if way not in allowed]
        if wrong:
            raise ValueError(
                f"a slot of type {self.type} has no {wrong[0]}; allowed are {', '.join(allowed) or 'none of these'}"
            )
        if needed and not given:
            raise ValueError(f"a slot of type {self.type} is found by its {' or '.join(allowed)}; give one")
        owners: dict[str, str] = {}
        for choice in self.choices:
            for name in {"".join(each.lower().split()) for each in (choice.value, *choice.names)}:
                if owners.setdefault(name, choice.value) != choice.value:
                    raise ValueError(f"the name {name!r} stands for both {owners[name]!r} and {choice.value!r}")
        return self


_FOUND_BY: dict[str, tuple[tuple[str, ...], bool]] = {
    "text": (("patterns",), True),
    "number": (("units", "patterns"), True),
    "date": (("patterns",), False),
    "choice": (("choices",), True),
    "list": (("choices", "patterns"), True),
}
"""How a slot of each type is found, and whether it must be told."""


class Flags(_Part):
    """Stages that a pack switches on and off."""

    query_routing_enabled: bool = True
    must_have_enabled: bool = True
    """Whether a question that looks documents up by their words ("cases about ...") is held to those that hold them."""
    clarification_enabled: bool = True
    """Whether a question is asked back about when the evidence splits over several things."""
    memory_mode: Literal["structured", "none"] = "structured"
    """Whether what people tell of themselves, and what they asked, is remembered for them."""


class Limits(_Part):
    """Bounds of one turn."""

    passages: Annotated[int, Field(ge=1, le=50)] = 8
    """Passages that reach the composer."""
    context_characters: Annotated[int, Field(ge=500, le=200_000)] = 12_000
    answer_sentences: Annotated[int, Field(ge=1, le=30)] = 5
    max_retries: Annotated[int, Field(ge=0, le=10)] = 3
    clarification_hours: Annotated[float, Field(gt=0, le=720)] = 24.0
    """How long a question back waits for its answer."""
    deadline_seconds: Annotated[float, Field(gt=0, le=3600)] = 120.0


class Pack(_Part):
    """What Weft is for a team: its words, its kinds of question, its documents."""

    name: Name
    title: Words
    description: Words
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = ("en", "ko")
    sample: bool = False
    """True where the documents only show what Weft can do: they step back once the team has its own."""
    flags: Flags = Flags()
    limits: Limits = Limits()
    intents: tuple[IntentSpec, ...] = ()
    slots: tuple[SlotSpec, ...] = ()
    """What is taken from messages besides their intent."""
    collections: tuple[Name, ...] = ()
    """What is searched; empty: every collection."""
    suggested_prompts: tuple[Words, ...] = ()
    disclaimer: Words | None = None
    folder: Path = Field(default=Path(), exclude=True)
    """Where the pack lies; set on load, not in the file."""

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        names = [intent.name for intent in self.intents]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"intents of the same name: {', '.join(twice)}")
        return self

    @model_validator(mode="after")
    def _slots_fit(self) -> Self:
        names = [slot.name for slot in self.slots]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"slots of the same name: {', '.join(twice)}")
        intents = [intent.name for intent in self.intents]
        for slot in self.slots:
            unknown = [name for name in slot.required_for if name not in intents]
            if unknown:
                raise ValueError(
                    f"slot {slot.name} is required for {unknown[0]!r}, which is no intent; "
                    f"there are {', '.join(intents) or 'none'}"
                )
        return self

    @property
    def documents(self) -> Path:
        """The folder with the pack's own documents."""
        return self.folder / "documents"
