"""`/gaps`: what people ask and the documents do not answer, as a page behind the playground's guard.

Whoever may use the playground may see it: questions from direct messages, and titles of documents that the playground
may not read, are left to `weft gaps`.
"""

import json
import time
from collections.abc import Collection
from dataclasses import replace
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from agent.language import say
from agent.text import language_of_locale
from agent.types import Language, SearchFilter
from bot.audience import PLAYGROUND
from bot.gaps import Gap, grouped
from bot.operator.snippets import printable
from storage.admission import readable
from storage.gaps import weak_turns
from storage.sql import Connection, SqlDatabase

DAYS = (7, 30, 90)
USUAL = 30
MOST = 50
_DAY = 86_400.0


def gaps_route(database: SqlDatabase) -> Route:
    """Return the page; `?days=` says how far back, one of `DAYS`."""

    async def page(request: Request) -> Response:
        language = language_of_locale(request.query_params.get("lang") or request.headers.get("accept-language", ""))
        wanted = request.query_params.get("days", "")
        days = int(wanted) if wanted in map(str, DAYS) else USUAL
        weak = await weak_turns(database, since=time.time() - days * _DAY)
        open_turns = [turn for turn in weak if not turn.alone]
        titles = await _titles(database)
        shown = [replace(turn, titles=tuple(title for title in turn.titles if title in titles)) for turn in open_turns]
        return HTMLResponse(_html(grouped(shown), language, days, hidden=len(weak) - len(open_turns)))

    return Route("/gaps", page)


async def _titles(database: SqlDatabase) -> Collection[str]:
    """Return the titles of all documents that the playground may read."""

    def work(connection: Connection) -> set[str]:
        found = json.dumps(sorted(readable(connection, PLAYGROUND, SearchFilter())))
        sql = (
            "SELECT DISTINCT title FROM documents WHERE collection IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
        )
        return {title for (title,) in connection.execute(sql, (found,))}

    return await database.read(work)


def _html(gaps: list[Gap], language: Language, days: int, *, hidden: int) -> str:
    title = escape(say("gaps_title", language))
    links = " · ".join(
        f"<b>{each}</b>" if each == days else f'<a href="?days={each}&amp;lang={language}">{each}</a>' for each in DAYS
    )
    items = "".join(_item(gap, language) for gap in gaps[:MOST])
    body = f'<ol class="gaps">{items}</ol>' if items else f"<p>{escape(say('gaps_none', language))}</p>"
    more = [say("gaps_more", language, count=len(gaps) - MOST)] if len(gaps) > MOST else []
    more += [say("gaps_alone", language, count=hidden)] if hidden else []
    notes = "".join(f'<p class="gap-note">{escape(note)}</p>' for note in more)
    return f"""<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Weft</title><link rel="icon" href="/static/mark.svg">
<link rel="stylesheet" href="/static/style.css"></head>
<body class="report"><main><h1>{title}</h1>
<p>{escape(say("gaps_intro", language))} {escape(say("gaps_days", language))}: {links}</p>
{body}{notes}</main></body></html>
"""


def _shown(text: str) -> str:
    """Return what people or documents say as text of a page, without what is not to be seen."""
    return escape(printable(text))


def _item(gap: Gap, language: Language) -> str:
    counts = ", ".join(f"{say(f'gap_{name}', language)} {count}" for name, count in sorted(gap.shortfalls.items()))
    lines = [f"<h2>{_shown(gap.question)}</h2>", f"<p><b>{gap.asked}×</b> {escape(counts)} · {gap.last}</p>"]
    if gap.near:
        lines.append(f"<p>{escape(say('gaps_near', language))}: {_shown(' · '.join(gap.near))}</p>")
    if gap.reasons:
        told = ", ".join(f"{say(f'reason_{kind.value}', language)} {count}" for kind, count in gap.reasons.items())
        lines.append(f"<p>{escape(say('gaps_why', language))}: {escape(told)}</p>")
    lines += [f"<blockquote>{_shown(remark)}</blockquote>" for remark in gap.remarks[:5]]
    return f"<li>{''.join(lines)}</li>"
