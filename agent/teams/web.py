"""Pages of the web as passages that an answer may rest on.

Only the question's own words leave this machine: nothing that is known of its author, and no address,
number or id that names a person. What comes back is data, whatever it says.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence

from agent.errors import WebSearchError
from agent.ports import WebSearch
from agent.retrieval.fuse import RRF_K
from agent.teams.ranking import bm25
from agent.text import language_of, normalise
from agent.types import WEB, Hit, Language, Passage, Query, WebPage

LONGEST_PIECE = 1_500
"""Characters of a passage."""

_PERSONAL = tuple(
    re.compile(pattern)
    for pattern in (
        r"<(?:@[!&]?|#|!subteam\^)[^<>\s]{1,80}>",  # a mention as Slack and Discord write it
        r"(?<![\w.%+-])[\w.%+-]++@[\w-]+(?:\.[\w-]+)+",  # an e-mail address
        r"(?<![\w/.])@[\w.-]++(?!/)",  # the name of somebody who is mentioned
        r"\b[UWCGDTBEF](?=[A-Z]*\d)[A-Z0-9]{8,20}\b",  # an id of Slack
        r"(?<!\d)\d{17,20}(?!\d)",  # an id of Discord
        r"\+\d[\d ().-]{6,18}\d",  # a telephone number: with its country
        r"(?<![\d.])\(?0\d{1,4}\)?[ .-]?\d{3,4}[ .-]?\d{4}(?!\d)",  # with its area
        r"(?<![\d.])\(?\d{3}\)?[ .-]\d{3,4}[ .-]\d{4}(?!\d)",
    )
)
_BORDERS = tuple(map(re.compile, (r"\n\s*\n", r"(?<=[.!?。])\s|\n", r"\s")))
"""Between paragraphs, sentences or lines, and words."""


async def web_hits(
    search: WebSearch, question: str, *, k: int, language: Language, timeout: float, first_id: int = -1
) -> tuple[Hit, ...]:
    """Return passages of at most `k` pages that answer the question, best first.

    Their ids go down from `first_id`, which is below every id that the turn has given out. `language` is that of a page
    without letters. Raises WebSearchError, also where nothing comes within `timeout` seconds.
    """
    asked = impersonal(question)
    if not asked:
        return ()
    try:
        async with asyncio.timeout(timeout):
            found = await search.search(asked, k=k)
    except TimeoutError as error:
        raise WebSearchError("The web search did not answer in time.") from error
    pages = list({page.url: page for page in found}.values())[:k]
    passages = list(_passages(pages, language, first_id))
    return _ranked(passages, pages, Query(text=asked))


def impersonal(text: str) -> str:
    """Return the words of a question without what names a person: mentions, ids, e-mail and telephone."""
    for pattern in _PERSONAL:
        text = pattern.sub(" ", text)
    return normalise(text)


def pieces(text: str, most: int = LONGEST_PIECE) -> Iterator[str]:
    """Yield a text in pieces of at most `most` characters, cut between paragraphs, or where else it must be."""
    while text.strip():
        ends = [most]
        for border in _BORDERS if len(text) > most else ():
            if found := [match.end() for match in border.finditer(text, most // 2, most)]:
                ends = found
                break
        if piece := text[: ends[-1]].strip():
            yield piece
        text = text[ends[-1] :]


def _passages(pages: Sequence[WebPage], language: Language, first_id: int) -> Iterator[Passage]:
    identity = first_id
    for page in pages:
        document = identity
        for position, text in enumerate(pieces(page.text)):
            yield Passage(
                id=identity,
                document_id=page.url,
                collection=WEB,
                title=page.title,
                text=text,
                position=position,
                language=language_of(text, language),
                source=page.url,
                date=page.date,
                document=document,
            )
            identity -= 1


def _ranked(passages: Sequence[Passage], pages: Sequence[WebPage], query: Query) -> tuple[Hit, ...]:
    """Return the passages by how good their page is and how much of the question they hold, fused by rank."""
    place = {page.url: rank for rank, page in enumerate(pages, start=1)}
    scores = bm25([f"{passage.title} {passage.text}" for passage in passages], [query])
    by_words = sorted(range(len(passages)), key=lambda at: (-scores[at], at))
    fused = {
        at: 1 / (RRF_K + rank) + 1 / (RRF_K + place[passages[at].document_id])
        for rank, at in enumerate(by_words, start=1)
    }
    best = sorted(fused, key=lambda at: (-fused[at], at))
    return tuple(Hit(passage=passages[at], score=fused[at]) for at in best)
