"""The shape of `pack.yaml`, validated on load."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from agent.language.registry import registered
from agent.packs.cases import CasesSpec
from agent.packs.emergencies import EmergencySpec
from agent.packs.slots import ChoiceSpec, Line, Misplaced, Name, Part, SlotSpec, Words, once
from agent.packs.template import FieldSpec, Template
from agent.types import RESERVED, Language

__all__ = ["ChoiceSpec", "Flags", "IntentSpec", "Limits", "Pack", "SlotSpec", "Words"]

ABOUT_ANSWERS = ("explain", "followup")
"""Routes that answer from the evidence of the answer before."""
Team = Literal["search", "document", "analysis"]


class IntentSpec(Part):
    """A kind of question, known by its examples."""

    name: Name
    route: Literal["direct", "decline", "contextualize", "research", "explain", "followup", "clarify"] = "research"
    examples: Annotated[tuple[Line, ...], Field(min_length=3)]
    reply: Words | None = None
    """What to say, where the route needs no documents; the catalogue's words otherwise."""
    wants: Literal["longer", "simpler", "why", "source", "shorter", "list", "table", "repeat"] | None = None
    """Of the routes `explain` and `followup`: what becomes of the answer before."""
    ask: Words | None = None
    """Of the route `clarify`: what is asked back."""
    choices: Annotated[tuple[Words, ...], Field(max_length=4)] = ()
    """What is offered with it."""
    cases: CasesSpec | None = None
    """Where such questions look cases up: how these are told."""

    @model_validator(mode="after")
    def _fits_its_route(self) -> Self:
        if self.route == "clarify" and self.ask is None:
            raise ValueError("an intent with the route clarify asks back: write the question under `ask`")
        of_routes: dict[str, tuple[object, tuple[str, ...]]] = {
            "reply": (self.reply, ("direct", "decline")),
            "wants": (self.wants, ABOUT_ANSWERS),
            "ask": (self.ask, ("clarify",)),
            "choices": (self.choices, ("clarify",)),
            "cases": (self.cases, ("research", "contextualize")),
        }
        for key, (value, routes) in of_routes.items():
            if value and self.route not in routes:
                raise ValueError(f"`{key}` is of the route {' or '.join(routes)}, not of {self.route}")
        return self

    @property
    def wanted(self) -> Literal["longer", "simpler", "why", "source", "shorter", "list", "table", "repeat"]:
        """What becomes of the answer before, where the intent is about that."""
        return self.wants or ("longer" if self.route == "explain" else "repeat")


class ScopeSpec(Part):
    """A part of what is searched: its collections, and the words of a question that point at it."""

    name: Name
    title: Words
    collections: Annotated[tuple[Name, ...], Field(min_length=1)]
    keywords: Annotated[tuple[Line, ...], Field(max_length=200)] = ()
    intents: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    """Kinds of question that point at it, whatever their words."""

    @property
    def is_general(self) -> bool:
        """Tell whether nothing points at it: it is searched for every question."""
        return not self.keywords and not self.intents


class PeopleSpec(Part):
    """Whom a question is handed to that the documents do not answer; where none is named it is not offered."""

    slack: str | None = None
    """The id of a user group."""
    discord: str | None = None
    """The id of a role."""
    playground: Line | None = None
    """Who that is, in words: the playground can call nobody."""

    @field_validator("slack")
    @classmethod
    def _is_group(cls, id: str | None) -> str | None:
        if id is not None and not re.fullmatch(r"S[A-Z0-9]{2,20}", id):
            raise ValueError(f"{id!r} is no id of a user group: write S0123ABCD, which its menu copies")
        return id

    @field_validator("discord", mode="before")
    @classmethod
    def _is_role(cls, id: object) -> str | None:
        if id is not None and not re.fullmatch(r"\d{5,20}", str(id)):
            raise ValueError(f"{id!r} is no id of a role: write digits, which its menu copies in the developer mode")
        return None if id is None else str(id)

    def on(self, platform: str) -> str:
        """Return the group of a platform; nothing where there is none."""
        return (platform in type(self).model_fields and getattr(self, platform)) or ""


class Flags(Part):
    """Stages that a pack switches on and off."""

    query_routing_enabled: bool = True
    must_have_enabled: bool = True
    """Whether a question that looks documents up by their words ("cases about ...") is held to those that hold them."""
    clarification_enabled: bool = True
    """Whether a question is asked back about when the evidence splits over several things."""
    query_rewrite_enabled: bool = True
    """Whether what the asker told of themselves joins the search, faintly, where it bears on the question."""
    medcat2_enabled: bool = True
    """Whether MedCAT reads what messages name, where a model pack is configured and slots have concepts."""
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
    """How an answer is graded: the weights of the terms, below which mean it is searched again, what is told."""

    length: Annotated[float, Field(ge=0, le=1)] = 0.3
    evidence: Annotated[float, Field(ge=0, le=1)] = 0.4
    personalization: Annotated[float, Field(ge=0, le=1)] = 0.3
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5
    held: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """How likely the documents must answer for anything to be told, where that is more than what was fitted."""


FURTHER = 2
"""How many times as many passages a model is given as are quoted from: it reads past what does not answer."""


class Limits(Part):
    """Bounds of one turn."""

    passages: Annotated[int, Field(ge=1, le=50)] = 8
    """Passages that are quoted from; a model is given `FURTHER` times as many, of as many times the characters."""
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


Synonyms = Annotated[tuple[Line, ...], Field(min_length=2, max_length=20)]


class Pack(Part):
    """What Weft is for a team: its words, its kinds of question, its documents."""

    name: Name
    title: Words
    description: Words
    languages: Annotated[tuple[Annotated[Language, AfterValidator(registered)], ...], Field(min_length=1)] = (
        "en",
        "ko",
    )
    """Of the team: every text of the pack is told in each of them."""
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
    translations: dict[Line, Line] = Field(default={}, max_length=500)
    """Words of the team's trade and what they are called in English; commas part words that mean the same."""
    synonyms: Annotated[tuple[Synonyms, ...], Field(max_length=200)] = ()
    """Groups of words that mean the same to the team, in one language or in several."""
    suggested_prompts: tuple[Words, ...] = ()
    disclaimer: Words | None = None
    disclaimer_always: bool = False
    """Whether it stands below everything that is said, and not only below answers from documents."""
    people: PeopleSpec = PeopleSpec()
    """Who is asked what the documents do not answer."""
    emergencies: Annotated[tuple[EmergencySpec, ...], Field(max_length=20)] = ()
    """Whatever else a message is taken for, and whatever comes of it, these are told first."""
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
    def _fits_together(self) -> Self:
        once((intent.name for intent in self.intents), "intents")
        once((slot.name for slot in self.slots), "slots")
        for number, slot in enumerate(self.slots):
            self._known(slot.required_for, "slots", number, "required_for")
        for number, scope in enumerate(self.scopes):
            self._known(scope.intents, "scopes", number, "intents")
        seen: set[str] = set()
        for number, group in enumerate(self.synonyms):
            words = {each.casefold() for each in group}
            if twice := sorted(words & seen):
                said = f"{twice[0]!r} stands in several groups; put what means the same into one"
                raise Misplaced(said, "synonyms", number)
            seen |= words
        return self

    def _known(self, names: tuple[str, ...], *place: int | str) -> None:
        """Raise Misplaced for a name that is no intent's."""
        intents = [intent.name for intent in self.intents]
        unknown = [name for name in names if name not in intents]
        if unknown:
            raise Misplaced(f"{unknown[0]!r} is no intent; there are {', '.join(intents) or 'none'}", *place)

    def cases_for(self, intent: str) -> CasesSpec | None:
        """Return how cases are told to questions of an intent; None where it does not look any up."""
        return next((each.cases for each in self.intents if each.name == intent), None)

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        """What its templates are filled with, as TEMPLATE.FIELD."""
        return {f"{template.name}.{field.name}": field for template in self.templates for field in template.fields}

    @property
    def reads_concepts(self) -> bool:
        """Whether a slot is told by things of a terminology, and the pack lets them be read."""
        concepts = (slot.concept_types or any(choice.concepts for choice in slot.choices) for slot in self.slots)
        return self.flags.medcat2_enabled and any(concepts)

    @property
    def trade(self) -> tuple[tuple[str, str], ...]:
        """The translations, each as a pair."""
        return tuple(self.translations.items())

    @property
    def documents(self) -> Path:
        """The folder with the pack's own documents."""
        return self.folder / "documents"

    def holdings(self) -> dict[str, tuple[Path, ...]]:
        """Return what lies in that folder by the collection that it belongs to; nothing where there is no folder.

        A sub-folder that is named like a collection of the pack or of its scopes is that collection; all else is of the
        pack's own, which has its name.
        """
        if not self.documents.is_dir():
            return {}
        named = {*self.collections, *(name for scope in self.scopes for name in scope.collections)}
        entries = sorted(path for path in self.documents.iterdir() if not path.name.startswith("."))
        parts = {path.name: (path,) for path in entries if path.is_dir() and path.name in named}
        rest = tuple(path for path in entries if path.name not in parts)
        own = {} if self.name in parts or (parts and not rest) else {self.name: rest if parts else (self.documents,)}
        return own | parts
