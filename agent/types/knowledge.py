"""What is searched and what is found: passages, files, pages, a search and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal

from agent.language.registry import DEFAULT, Language

Kind = Literal["chunk", "finding"]
"""A chunk is a piece of a document, in a section; a finding is a short statement that stands for itself."""


class Category(StrEnum):
    """What a passage is made of."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    TABLE = "table"
    LIST = "list"
    CODE = "code"
    FIGURE = "figure"


def reference_of(collection: str, public_id: str) -> str:
    """Return what names one passage of one collection."""
    return f"{collection}\t{public_id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A piece of a document, as search returns it. `text` is a verbatim slice of what was parsed."""

    id: int
    document_id: str
    collection: str
    title: str
    text: str
    section: str = ""
    """Headings above the passage, outermost first, joined by ` > `."""
    page: int | None = None
    position: int = 0
    """Which passage of its document this is, from 0."""
    category: Category = Category.PARAGRAPH
    language: Language = DEFAULT
    source: str = ""
    """A path or URL that leads a person to the document."""
    entities: tuple[str, ...] = ()
    kind: Kind = "chunk"
    date: str = ""
    """Of the document, `YYYY-MM-DD`; empty where it tells none."""
    document: int = 0
    """The document's number in this library: the same document, the same number, as long as it is unchanged."""
    asked: tuple[str, ...] = ()
    """How people ask for it, as its author notes: it is found by that, and never quoted of it."""

    @property
    def innermost(self) -> str:
        """The last of the headings above it; empty where there is none."""
        return self.section.rpartition(" > ")[2]

    def is_beside(self, other: "Passage") -> bool:
        """Tell whether it stands in another section of the same document, below the same headings."""
        mine, its = self.section.rpartition(" > ")[0], other.section.rpartition(" > ")[0]
        return self.document_id == other.document_id and self.section != other.section and mine == its

    def is_below(self, section: str) -> bool:
        """Tell whether it stands in a section, or in one of those in it."""
        return self.section == section or self.section.startswith(f"{section} > ")

    @property
    def public_id(self) -> str:
        """The id that people and other programs see."""
        return f"{self.document_id}#{self.position}"

    @property
    def reference(self) -> str:
        """What names this passage alone: another collection may hold a document of the same id."""
        return reference_of(self.collection, self.public_id)


WEB = "web"
"""The collection that passages of web pages carry."""
ATTACHED = "attached"
"""The collection that passages of files carry which came with a question."""
SAID = "said"
"""The collection that passages of messages carry which a question points at."""
OF_NO_PACK = "*"
"""Stands for every collection that is no pack's: what a team has brought itself."""
KEPT = "thread-answers-"
"""Begins the names of the collections of what people answered in a channel: searched beside those that a pack names."""
RESERVED = frozenset((WEB, ATTACHED, SAID))
"""Names that no collection of the library may have: a citation would lead to another text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WebPage:
    """What a search of the web tells of a page."""

    url: str
    title: str
    text: str
    """Plain text, paragraphs with a line between them."""
    score: float = 0.0
    """As the service gives it; comparable within one answer only."""
    date: str = ""
    """When it was published, `YYYY-MM-DD`; empty where that is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Concept:
    """A thing of a terminology that a text names."""

    id: str
    """Its number in the terminology, such as C0011849 of UMLS."""
    name: str
    """What the terminology calls it."""
    words: str
    """What the text calls it."""
    types: tuple[str, ...] = ()
    """Numbers of its semantic types, such as T047 of UMLS: a disease or syndrome."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """A table of a file, every cell as the text that a person sees."""

    name: str
    header: tuple[str, ...]
    """Empty where nothing names the columns."""
    rows: tuple[tuple[str, ...], ...]
    whole: bool = True
    """False: only the first rows were kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachedFile:
    """A file that came with a question of the thread."""

    name: str
    """As people see it: without folders, and without characters that are not to be seen."""
    passages: tuple[Passage, ...] = ()
    """In order; of the collection `attached`, with ids below 0 that are unique in the turn."""
    sheets: tuple[Sheet, ...] = ()
    """The tables of CSV and XLSX, for whoever calculates."""
    whole: bool = True
    """False: only the beginning was kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFilter:
    """What a search is limited to; an empty field limits nothing."""

    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """Whole sources, or names of files, which stand at the end of a source."""
    categories: tuple[Category, ...] = ()
    page_range: tuple[int, int] | None = None
    entity: str = ""
    language: Language | None = None
    foreign_to: Language | None = None
    """A language; what is in it is left out."""
    kinds: tuple[Kind, ...] = ()
    date_range: tuple[str, str] | None = None
    """First and last day, `YYYY-MM-DD`, both included; an empty side is open. A document without a date is outside."""
    names: tuple[str, ...] = ()
    """Names and codes, all of which a passage must name (`Passage.entities`)."""
    documents: tuple[int, ...] = ()
    """Numbers of documents (`Passage.document`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WeightedTerm:
    """Words to search for at another weight than the text's own 1.0; `text` is tokenised like a document."""

    text: str
    weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """One way of asking: a text, and terms that join it at their own weights."""

    text: str
    terms: tuple[WeightedTerm, ...] = ()
    weight: float = 1.0
    by_meaning: bool = True
    """Whether it is worth a vector; else it goes by words alone."""
    factors: tuple[tuple[str, float], ...] = ()
    """What single terms of the index count of their weight; all others count in full."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRequest:
    """All variations of one question, searched and fused together; `k` passages come back."""

    queries: tuple[Query, ...]
    language: Language | None = None
    """In which it is asked."""
    abroad: Query | None = None
    """The question in another language: what is in another one than it was asked in is searched by that as well."""
    k: int = 10
    filter: SearchFilter = SearchFilter()
    must_have: tuple[str, ...] = ()
    before: Mapping[str, float] = field(default_factory=dict)
    """By document id, what the passages of a document count more: .2 is a fifth more by words."""
    today: date | None = None
    """The day on which it is asked, by which "tomorrow" is told; None: as it stands."""
    told: tuple[str, ...] = ()
    """References of the passages that the last answer rests on, best first: they are looked at whatever is found."""
    thread: str = ""
    """What the first query asks behind the questions before it, which is compared by its meaning, too."""
    leans: float = 0.0
    """How much of what the first query means stands in its thread, 0 to 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A passage that a search found; `score` is its fused rank score."""

    passage: Passage
    score: float
    near: float | None = None
    """How near it is to the question in meaning: the cosine of their vectors; None where there are none."""
    words: float = 0.0
    """Its score by words for the first query: 1 is what the best has without phrases, 0 what words did not find."""
    resumed: int = 0
    """Its place, from 1, among the passages of the documents that the turns before rest on; 0: it is of no such."""
    told: int = 0
    """Its place, from 1, among the passages that the last answer rests on; 0: it is none of them."""
    matched: tuple[tuple[float, float], ...] = ()
    """How well each of its pieces matches the question token by token, 0 to 1: by itself, and behind the questions of
    its thread. Empty where they were not compared."""
    abroad: tuple[float, float] | None = None
    """`score` and `words` of the search in the words of its own language, where that found it."""

    @property
    def only_abroad(self) -> bool:
        """Whether the question's own words did not find it."""
        return self.abroad is not None and not self.score


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionGroup:
    """The chunks of the target documents that stand in sections of one name, best first."""

    section: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TermCounts:
    """In how many of some passages each of some terms stands."""

    passages: int
    """How many there are in all."""
    holding: Mapping[str, int] = field(default_factory=dict)
    """By term; 0 for one that none of them holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult:
    """What a search found, and what it had to give up on the way."""

    hits: tuple[Hit, ...]
    """Findings and chunks together, best first."""
    findings: tuple[Hit, ...] = ()
    sections: tuple[SectionGroup, ...] = ()
    excluded: tuple[Hit, ...] = ()
    """What was ranked too, but is not among the hits."""
    folded: Mapping[int, int] = field(default_factory=dict)
    """Of the excluded that say what a better passage says, by `Passage.id`: which one."""
    must_have: tuple[str, ...] = ()
    """The must-have words that the target documents hold: all of them, or the largest part that any document holds."""
    nowhere: tuple[str, ...] = ()
    """Must-have words that no document holds."""
    target_documents: int = 0
    """How many documents hold all of them; 0 where nothing was a must."""
    keyword_freq: Mapping[str, int] = field(default_factory=dict)
    """How often each must-have word stands in what was found."""
    keyword_block_counts: Mapping[str, int] = field(default_factory=dict)
    """In how many of the hits each must-have word stands."""
    rarity: Mapping[str, float] = field(default_factory=dict)
    """How rare each term of the question is among what the audience may read: its inverse document frequency."""
    unheld: frozenset[str] = frozenset()
    """Terms of the question that nothing holds of what the audience may read."""
    read_as: Mapping[str, str] = field(default_factory=dict)
    """Misspelt words of the question, each with what was searched for in its place."""
    warnings: tuple[str, ...] = ()
    """Keys of the catalogue."""
    total_ms: float = 0.0
