"""What people answered in threads, as documents: a collection for each channel, which its readers may read."""

from datetime import UTC, datetime

from agent.text import clipped, visible
from agent.types import KEPT
from storage.access import SqlAccess
from storage.contracts import HumanAnswer, Place
from storage.documents import SqlLibrary
from storage.ingest.parsed import ParsedDocument, fingerprint
from storage.ingest.passages import build, language_of_document

_TITLE = 200


class SqlHumanAnswers:
    """Implements `storage.contracts.HumanAnswers`."""

    def __init__(self, library: SqlLibrary, access: SqlAccess) -> None:
        self._library = library
        self._access = access

    async def keep(self, place: Place, answer: HumanAnswer) -> None:
        """Keep an answer, in place of the one to the same question."""
        collection = collection_of(place)
        # One that is there may have been given other readers by the operator.
        await self._access.create(collection, [f"channel:{place.platform}:{place.workspace}:{place.channel}"])
        await self._library.put(collection, [document_of(answer)])


def collection_of(place: Place) -> str:
    """Return the collection of what was answered in a channel."""
    return f"{KEPT}{place.platform}-{place.workspace}-{place.channel}"


def document_of(answer: HumanAnswer) -> ParsedDocument:
    """Return an answer as a Markdown document: the question as its title, who answered when below the answer."""
    from storage.ingest.formats import markdown  # it takes long to load, and is needed once in a while

    title = clipped(" ".join(visible(answer.question).split()), _TITLE)
    date = datetime.fromtimestamp(answer.at, UTC).date().isoformat()
    text = f"# {title}\n\n{answer.text.strip()}\n\n*{answer.note}*\n"
    extracted = markdown.extract(text.encode("utf-8", "replace"))
    passages = build(extracted)
    source = answer.link or f"thread:{answer.id}"
    metadata = {"author": answer.author}
    return ParsedDocument(
        document_id=answer.id,
        title=title,
        source=source,
        origin=f"thread:{answer.id}",
        passages=passages,
        language=language_of_document(extracted.text),
        content_hash=fingerprint(
            title=title, source=source, text=extracted.text, metadata=metadata, date=date, passages=passages
        ),
        metadata=metadata,
        date=date,
    )
