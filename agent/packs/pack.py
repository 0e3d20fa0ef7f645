"""The shape of `pack.yaml`, validated on load."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from agent.types import Language, Route

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
    route: Route = "research"
    examples: Annotated[tuple[Line, ...], Field(min_length=3)]
    reply: Words | None = None
    """What to say, where the route needs no documents; the catalogue's words otherwise."""


class Flags(_Part):
    """Stages that a pack switches on and off."""

    query_routing_enabled: bool = True


class Limits(_Part):
    """Bounds of one turn."""

    passages: Annotated[int, Field(ge=1, le=50)] = 8
    """Passages that reach the composer."""
    context_characters: Annotated[int, Field(ge=500, le=200_000)] = 12_000
    answer_sentences: Annotated[int, Field(ge=1, le=30)] = 5
    max_retries: Annotated[int, Field(ge=0, le=10)] = 3
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

    @property
    def documents(self) -> Path:
        """The folder with the pack's own documents."""
        return self.folder / "documents"
