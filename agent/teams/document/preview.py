"""What the thread is told about a document: the verdict, what is open, and how it begins."""

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.language import say
from agent.results import Review, Told
from agent.teams.document.document_text import Piece
from agent.types import Block, Language, ProducedFile, Sentence

PREVIEW = 1200
"""Characters of a document that the thread shows where the whole of it is in a file."""
_RISKS, _ADVICE = 5, 3
_VERDICTS = {"low": "review_low", "medium": "review_medium", "high": "review_high"}
_HEADING = re.compile(r"^#{1,6} ++(.+?)(?<! ) *+$", re.MULTILINE)
_ENDS = re.compile(r".*(?:\n|[.!?。] |, | )", re.DOTALL)


def told(
    title: str,
    pieces: Sequence[Piece],
    blocks: Sequence[Block],
    *,
    language: Language,
    review: Review | None,
    blanks: Sequence[str],
    files: Sequence[ProducedFile],
) -> Told:
    """Return the part of the answer that hands a document over; a high risk comes first."""
    head = _verdict(review, language) if review is not None else []
    handed = [say("document_files", language, files=", ".join(f"`{file.name}`" for file in files))] if files else []
    left = [say("document_left_open", language, fields=", ".join(blanks))] if blanks else []
    high = review is not None and review.risk_level == "high"
    lines = [*head, *handed, *left] if high else [*handed, *left, *head]
    shown, whole = _bounded(pieces, PREVIEW) if files else (list(pieces), True)
    sentences = [Sentence(text=line, lead="\n\n") for line in lines]
    sentences += [Sentence(text=say("document_preview" if files else "document_text", language), lead="\n\n")]
    sentences += _quoted(_untitled(shown, title))
    if not whole:
        sentences.append(Sentence(text=say("document_goes_on", language), lead="\n\n"))
    return Told(title=title, sentences=tuple(sentences), blocks=tuple(blocks))


def _untitled(pieces: Sequence[Piece], title: str) -> Sequence[Piece]:
    """Return the pieces without a first heading that is the title: the part of the answer is under it already."""
    first = pieces[0] if pieces else ""
    found = _HEADING.match(first.lstrip()) if isinstance(first, str) else None
    if found is None or found[1] != title:
        return pieces
    return [str(first).lstrip()[found.end() :].lstrip(), *pieces[1:]]


def _verdict(review: Review, language: Language) -> list[str]:
    lines = [say(_VERDICTS[review.risk_level], language)]
    lines += [f"- {risk}" for risk in review.risks[:_RISKS]]
    if len(review.risks) > _RISKS:
        lines.append(f"- {say('review_more', language, count=len(review.risks) - _RISKS)}")
    advice = [f"- {each}" for each in review.recommendations[:_ADVICE]]
    if advice:
        lines += ["", say("review_advice", language), *advice]
    return ["\n".join(lines)]


def _quoted(pieces: Sequence[Piece]) -> list[Sentence]:
    """Return the pieces as sentences; headings as bold lines, so that the answer keeps its own structure."""
    out: list[Sentence] = []
    for piece in pieces:
        if isinstance(piece, Sentence):
            out.append(piece)
        else:
            out.append(Sentence(text=_HEADING.sub(r"**\1**", piece), lead=""))
    return [replace(out[0], lead="\n\n"), *out[1:]] if out else out


def _bounded(pieces: Sequence[Piece], most: int) -> tuple[list[Piece], bool]:
    """Return the pieces that fit, and whether they are all; the template's words may be cut, a sentence never is."""
    out: list[Piece] = []
    room = most
    for piece in pieces:
        text = piece if isinstance(piece, str) else piece.lead + piece.text
        if len(text) <= room:
            out.append(piece)
            room -= len(text)
            continue
        if isinstance(piece, str) and (cut := _ENDS.match(piece[:room])):
            out.append(cut.group().rstrip() + " …")
        return out, False
    return out, True
