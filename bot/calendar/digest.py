"""What the documents did not answer well in a channel, told there: counts and questions, and never who asked."""

from agent.language import say
from agent.types import Language
from bot.calendar.comparison import clipped
from bot.gaps import grouped
from storage.database import Database
from storage.gaps import weak_turns

DAYS = 7
_MOST = 10
_DAY = 86_400.0


async def digest_of(database: Database, channel: str, language: Language, *, now: float) -> str:
    """Return the digest of the last days, Markdown; `channel` is how the keys of its threads begin.

    Only questions that were asked in this very channel are told. Raises StorageError.
    """
    weak = await weak_turns(database, since=now - DAYS * _DAY, channel=channel)
    if not weak:
        return say("digest_none", language, days=DAYS)
    gaps = grouped(weak)
    lines = [say("digest_heading", language, days=DAYS, count=len(weak))]
    for gap in gaps[:_MOST]:
        line = "- " + say("digest_line", language, count=gap.asked, question=clipped(gap.question))
        if gap.near:
            line += f" ({say('digest_near', language, titles=', '.join(map(clipped, gap.near)))})"
        lines.append(line)
    if len(gaps) > _MOST:
        lines.append("- " + say("digest_more", language, count=len(gaps) - _MOST))
    return "\n".join(lines)
