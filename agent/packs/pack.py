"""The shape of `pack.yaml`, validated on load."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from agent.packs.cases import CasesSpec
from agent.packs.slots import ChoiceSpec, Line, Name, Part, SlotSpec, Words
from agent.packs.template import Template
from agent.types import RESERVED, Language

__all__ = ["ChoiceSpec", "Flags", "IntentSpec", "Limits", "Pack", "SlotSpec", "Words"]

Team = Literal["search", "document", "analysis"]


class IntentSpec(Part):
    """A kind of question, known by its examples."""

    name: Name
    route: Literal["direct", "decline", "contextualize", "research"] = "research"
    examples: Annotated[tuple[Line, ...], Field(min_length=3)]
    reply: Words | None = None
    """What to say, where the route needs no documents; the catalogue's words otherwise."""
    cases: CasesSpec | None = None
    """Where such questions look cases up: how these are told."""


class ScopeSpec(Part):
    """A part of what is searched: its collections, and the words of a question that point at it."""

    name: Name
    title: Words
    collections: Annotated[tuple[Name, ...], Field(min_length=1)]
    keywords: Annotated[tuple[Line, ...], Field(max_length=200)] = ()
    """None: the scope is general, and searched for every question."""


class Flags(Part):
    """Stages that a pack switches on and off."""

    query_routing_enabled: bool = True
    must_have_enabled: bool = True
    """Whether a question that looks documents up by their words ("cases about ...") is held to those that hold them."""
    clarification_enabled: bool = True
    """Whether a question is asked back about when the evidence splits over several things."""
    query_rewrite_enabled: bool = True
    """Whether what the asker told of themselves joins the search, faintly, where it bears on the question."""
    memory_mode: Literal["structured", "none"] = "structured"
    """Whether what people tell of themselves, and what they asked, is remembered for them."""
    self_refine_enabled: bool = True
    """Whether a weak answer is searched for again, with other words."""
    dynamic_rag_routing: bool = True
    """Whether a step searches the scopes that its words point at, where the pack has scopes."""
    web_search_enabled: bool = True
    """Whether the web may be asked, where it is configured, when the documents hold too little."""
    require_web_search: bool = False
    """Whether the web is asked for every step."""


class Quality(Part):
    """How an answer is graded: the weights of the terms, and below which mean it is searched for again."""

    length: Annotated[float, Field(ge=0, le=1)] = 0.3
    evidence: Annotated[float, Field(ge=0, le=1)] = 0.4
    personalization: Annotated[float, Field(ge=0, le=1)] = 0.3
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5


class Limits(Part):
    """Bounds of one turn."""

    passages: Annotated[int, Field(ge=1, le=50)] = 8
    """Passages that reach the composer."""
    context_characters: Annotated[int, Field(ge=500, le=200_000)] = 12_000
    answer_sentences: Annotated[int, Field(ge=1, le=30)] = 5
    max_retries: Annotated[int, Field(ge=0, le=10)] = 3
    """How often an answer is written again, for both checks together."""
    max_refine_iterations: Annotated[int, Field(ge=0, le=5)] = 2
    """How often is searched again for a weak answer."""
    enough_documents: Annotated[int, Field(ge=0, le=50)] = 3
    """Documents below which the web is asked."""
    max_steps: Annotated[int, Field(ge=1, le=50)] = 12
    """Steps of a plan; what is more is left out, and said."""
    team_seconds: Annotated[float, Field(gt=0, le=600)] = 45.0
    """Of one step; one that takes longer has failed, and the others answer."""
    clarification_hours: Annotated[float, Field(gt=0, le=720)] = 24.0
    """How long a question back waits for its answer."""
    deadline_seconds: Annotated[float, Field(gt=0, le=3600)] = 120.0


class PackModels(Part):
    """The models of this pack, where they differ from the operator's settings."""

    small: Annotated[str, Field(max_length=200)] = ""
    """Reads messages and checks answers; empty: as the settings say."""
    large: Annotated[str, Field(max_length=200)] = ""
    """Writes answers."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


class Pack(Part):
    """What Weft is for a team: its words, its kinds of question, its documents."""

    name: Name
    title: Words
    description: Words
    languages: Annotated[tuple[Language, ...], Field(min_length=1)] = ("en", "ko")
    sample: bool = False
    """True where the documents only show what Weft can do: they step back once the team has its own."""
    flags: Flags = Flags()
    limits: Limits = Limits()
    models: PackModels = PackModels()
    quality: Quality = Quality()
    intents: tuple[IntentSpec, ...] = ()
    slots: tuple[SlotSpec, ...] = ()
    """What is taken from messages besides their intent."""
    collections: tuple[Name, ...] = ()
    """What is searched; empty: every collection."""
    teams: tuple[Team, ...] = ("search", "document", "analysis")
    """Who works for this pack."""
    scopes: tuple[ScopeSpec, ...] = ()
    """Parts of the documents, each with the words that point at it."""
    suggested_prompts: tuple[Words, ...] = ()
    disclaimer: Words | None = None
    templates: tuple[Template, ...] = Field(default=(), exclude=True)
    """Of its folder `templates/`; set on load, not in the file."""
    folder: Path = Field(default=Path(), exclude=True)
    """Where the pack lies; set on load, not in the file."""

    @field_validator("name")
    @classmethod
    def _not_reserved(cls, name: str) -> str:
        if name in RESERVED:  # its documents live in the collection of its name
            raise ValueError(f"the name {name!r} is taken by Weft; choose another")
        return name

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

    def cases_for(self, intent: str) -> CasesSpec | None:
        """Return how cases are told to questions of an intent; None where it does not look any up."""
        return next((each.cases for each in self.intents if each.name == intent), None)

    @property
    def documents(self) -> Path:
        """The folder with the pack's own documents."""
        return self.folder / "documents"
