"""The smallest parts of a pack: names, texts in its languages, and what is taken from messages."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from agent.language.registry import DEFAULT, languages, registered
from agent.packs.patterns import searchable
from agent.text import language_of
from agent.types import Language

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]


class Misplaced(ValueError):
    """A mistake that is seen where parts are put together; `place` is where it stands below them."""

    def __init__(self, text: str, *place: int | str) -> None:
        super().__init__(text)
        self.place = place


def once(names: Iterable[str], what: str) -> None:
    """Raise Misplaced where a name stands twice; `what` is the key of those that it is a name of."""
    seen: set[str] = set()
    for number, name in enumerate(names):
        if name in seen:
            raise Misplaced(
                f"{name!r} is the name of another one; give each of the {what} its own", what, number, "name"
            )
        seen.add(name)


class Part(BaseModel):
    """A piece of a pack's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Words(Part):
    """A text in some languages, under their codes."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[Annotated[str, AfterValidator(registered)], Line]

    if TYPE_CHECKING:

        def __init__(self, **texts: str) -> None: ...

    @classmethod
    def by(cls, text: Callable[[Language], str]) -> Self:
        """Return what `text` gives for every language that Weft speaks."""
        return cls(**{code: text(code) for code in languages()})

    @property
    def texts(self) -> dict[Language, str]:
        """The texts by language, those of Weft's own order first."""
        return {code: self.__pydantic_extra__[code] for code in languages() if code in self.__pydantic_extra__}

    def of(self, language: Language) -> str:
        """Return the text in this language; where it has none, the English one, or the first."""
        texts = self.texts
        return texts.get(language) or texts.get(DEFAULT) or next(iter(texts.values()))

    def __str__(self) -> str:
        """Return all of its texts, for what looks for words of any language."""
        return " ".join(self.texts.values())


class ChoiceSpec(Part):
    """One value that a slot can have, and what people call it; the value itself counts as a name too."""

    value: Line
    names: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    concepts: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    """Numbers of the things of a terminology that it stands for, where one is read (`agent.ports.Concepts`)."""


class SlotSpec(Part):
    """Something that people tell of themselves or of their case: how it is recognised, and what asks for it."""

    name: Name
    title: Words
    type: Literal["text", "number", "date", "choice", "list"]
    choices: Annotated[tuple[ChoiceSpec, ...], Field(max_length=500)] = ()
    patterns: Annotated[tuple[Annotated[Line, AfterValidator(searchable)], ...], Field(max_length=20)] = ()
    """Regular expressions; a group marks the value, without one it is all that is matched."""
    units: Annotated[dict[Line, Annotated[float, Field(gt=0)]], Field(max_length=20)] = {}
    """What stands after a number, and what the number is multiplied by then."""
    concept_types: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    """Semantic types of a terminology: of a list, all that is of one of them is a value of its own."""
    people: bool = False
    """Whether its values are what people are: "my landlord" is somebody else, and who "is a landlord" tells of it."""
    required_for: tuple[Name, ...] = ()
    """Intents that cannot be answered without it."""
    ask: Words | None = None
    filter: bool = False
    """Whether its value is of what is looked up, not of the asker: cases must name it, and it is not remembered."""

    def counted(self, value: float) -> str:
        """Return a number with the unit that numbers of this slot are counted in, as it is written: 300,000,000원."""
        unit = next((name for name, factor in self.units.items() if factor == 1), "")
        return f"{value:,}{' ' if unit and unit.isascii() else ''}{unit}"

    def called(self, value: str, language: Language) -> str:
        """Return what a choice is called in a language: its value, or the first of its names in that language."""
        choice = next((each for each in self.choices if each.value == value), None)
        names = (choice.value, *choice.names) if choice else ()
        return next((name for name in names if language_of(name, language) == language), value)

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
        if self.concept_types and self.type != "list":
            raise ValueError(f"a slot of type {self.type} has no concept_types; only a list takes all of a kind")
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
