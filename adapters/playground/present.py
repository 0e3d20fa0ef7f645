"""What the board holds, as the page gets it: Markdown rendered and sanitised, paths kept back."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.playground.board import Change, Post, Thread
from adapters.playground.markdown import render
from agent.types import Passage


def thread_view(thread: Thread) -> dict[str, Any]:
    """Return a thread for the list."""
    return {"id": thread.id, "title": thread.title, "created": thread.created, "updated": thread.updated}


def post_view(post: Post, now: float) -> dict[str, Any]:
    """Return a post; `age_ms` lets the page go on counting from a TODO list's elapsed time."""
    payload = post.payload
    view: dict[str, Any] = {
        "thread": post.thread,
        "id": post.id,
        "role": post.role,
        "turn": payload.get("turn", ""),
        "version": post.version,
        "at": post.created,
    }
    if post.role == "user":
        view |= {"text": payload["text"], "edited": "edit" in payload}
        view["files"] = [{key: file[key] for key in ("name", "size")} for file in payload.get("files", ())]
    elif post.role == "todo":
        view |= {key: payload[key] for key in ("status", "language", "elapsed_ms", "steps")}
        view["waits"] = payload.get("waits", "")
        view["age_ms"] = max(0, round((now - post.updated) * 1000))
    elif post.role == "answer":
        view |= _answer_view(payload)
    elif post.role == "clarification":
        view |= {key: payload[key] for key in ("question", "options", "assumption")}
    elif post.role == "file":
        view |= {key: payload.get(key, "") for key in ("name", "media_type", "text")}
    else:
        view |= {"text": payload.get("text", ""), "html": render(payload.get("text", ""))}
    return view


def change_view(change: Change, now: float) -> tuple[str, dict[str, Any]]:
    """Return the name and the data of the event that tells a page about a change."""
    if change.thread is not None:
        return "thread", thread_view(change.thread)
    if change.post is not None:
        return "post", post_view(change.post, now)
    if change.post_id:
        return "post", {
            "thread": change.thread_id,
            "id": change.post_id,
            "version": change.version,
            "removed": True,
        }
    return "thread", {"id": change.thread_id, "removed": True}


def passage_view(passage: Passage) -> dict[str, Any]:
    """Return a passage: its text is data, and the page shows it as it is."""
    return {
        "passage_id": passage.public_id,
        "document_id": passage.document_id,
        "title": passage.title or passage.document_id,
        "section": passage.section,
        "page": passage.page,
        "text": passage.text,
        "category": passage.category.value,
        "language": passage.language,
        "source": _shown(passage.source),
        "href": _href(passage.source),
    }


def _answer_view(payload: Mapping[str, Any]) -> dict[str, Any]:
    text = payload["text"]
    if payload.get("draft"):
        return {"draft": True, "html": render(text, None) if text else ""}
    citations: Sequence[Mapping[str, Any]] = payload["citations"]
    kept = ("n", "document_id", "passage_id", "collection", "title", "section", "page", "quote")
    return {
        "draft": False,
        "text": text,
        "html": render(text, frozenset(int(citation["n"]) for citation in citations)),
        "language": payload["language"],
        "response_type": payload["response_type"],
        "warnings": payload["warnings"],
        "total_ms": payload["total_ms"],
        "rated": payload.get("rated"),
        "citations": [
            {
                **{key: citation[key] for key in kept},
                "source": _shown(citation["source"]),
                "href": _href(citation["source"]),
            }
            for citation in citations
        ],
    }


def _shown(source: str) -> str:
    """Return a URL as it is, and of a path on the server's disk only the file's name."""
    return source if _href(source) else re.split(r"[/\\]", source)[-1]


def _href(source: str) -> str:
    """Return what a browser may open."""
    return source if source.startswith(("https://", "http://")) else ""
