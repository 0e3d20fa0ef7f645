"""What a turn looks like in Slack, as what is sent for it: chunks and blocks of a stream, or blocks of a message."""

from collections.abc import Sequence
from typing import Any

from adapters.contract import Failure
from adapters.preview import Shown
from adapters.slack import render
from adapters.slack.mrkdwn import harmless
from adapters.slack.plan import Chunk, Plan
from adapters.slack.render import Post
from adapters.slack.streams import text_chunk
from agent.types import Response

Json = dict[str, Any]


def preview(shown: Shown) -> list[Json]:
    """Return the messages of a turn, each as the arguments of the calls that make it (`adapters.preview.Preview`).

    `chunks` are all that a stream is given, in order (chat.startStream, chat.appendStream, chat.stopStream), `blocks`
    what stands in a message that is posted, or at the bottom of one that was streamed.
    """
    plan = Plan()
    chunks = plan.changes(shown.todo) if shown.todo is not None else []
    outcome = shown.outcome
    if outcome is None:
        chunks += text_chunk(harmless(shown.draft or ""))
        return [{"chunks": chunks}] if chunks else []
    answered = outcome if isinstance(outcome, Response) else None
    if shown.todo is not None:
        chunks += plan.end(answered, shown.todo.language)
    if isinstance(outcome, Response):
        posts = [render.tabled(post) for post in render.below(render.answer(outcome, plain=False), outcome)]
    elif isinstance(outcome, Failure):
        posts = render.notice(outcome.text, plain=False)
    else:
        posts = render.question(outcome, plain=False)
    return [_message(posts[0], chunks), *(_message(post, ()) for post in posts[1:])]


def _message(post: Post, plan: Sequence[Chunk]) -> Json:
    """Return a message: streamed where a plan stands above it, else posted."""
    if plan:
        return {"chunks": [*plan, *text_chunk(post.markdown)], "blocks": list(post.below)}
    return {"text": post.text, "blocks": list(post.blocks)}
