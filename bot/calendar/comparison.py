"""What an answer to a standing question says that the last one did not.

Compared are the passages that are quoted; where both answers are the same, word for word, that is all there is to say.
"""

import re

from agent.language import say
from agent.text import normalise, visible
from agent.types import Citation, Language, Response

SHOWN = 3
"""Of what is new, and of what is gone."""
QUOTE = 200
"""Characters of a quotation."""
NOTE = "since_last"
"""In `structured_data` of a response: what was said about the one before, at the end of the answer."""
_MARK = re.compile(r"\s?\[\d+\]")
_ANSWERED = ("answer", "passages", "document", "analysis")


def what_changed(before: Response, now: Response, language: Language, day: str) -> str:
    """Return, as Markdown, what is new since the answer of that day; empty where the two cannot be compared."""
    if now.clarification is not None or now.response_type == "error" or before.response_type == "error":
        return ""
    was, is_now = before.response_type in _ANSWERED, now.response_type in _ANSWERED
    if was != is_now:
        return say("since_now_answered" if is_now else "since_no_longer", language, day=day)
    if _plain(before) == _plain(now):
        return say("since_same", language, day=day)
    new = [each for key, each in _quotes(now).items() if key not in _quotes(before)]
    cited = {(each.collection, each.document_id) for each in now.citations}
    gone = [each.title for each in before.citations if (each.collection, each.document_id) not in cited]
    lines = [say("since_new", language, quote=clipped(each.quote), title=clipped(each.title)) for each in new[:SHOWN]]
    lines += [say("since_gone", language, title=clipped(title)) for title in list(dict.fromkeys(gone))[:SHOWN]]
    if not lines:
        return say("since_same_sources", language, day=day)
    return "\n".join([say("since_changed", language, day=day), *(f"- {line}" for line in lines)])


def clipped(text: str) -> str:
    """Return what a document says in one line, without marks that would make more of it than words."""
    line = normalise(visible(text)).replace("`", "'").replace("*", "")
    return line if len(line) <= QUOTE else line[: QUOTE - 1].rsplit(" ", 1)[0] + "…"


def _plain(response: Response) -> str:
    """Return an answer without its marks and without what was said about the one before it."""
    note = str(response.structured_data.get(NOTE, ""))
    return normalise(_MARK.sub("", response.answer.removesuffix(note)))


def _quotes(response: Response) -> dict[tuple[str, str, str], Citation]:
    return {(each.collection, each.document_id, normalise(each.quote)): each for each in response.citations}
