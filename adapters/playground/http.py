"""The page's server: what it shows, what it takes. Who may call it is decided in `bot/processes/web.py`."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from adapters.playground.adapter import NotThereError, PlaygroundAdapter
from adapters.playground.present import passage_view, post_view, thread_view
from adapters.playground.previews import drawn, shown_on
from adapters.playground.stream import events
from adapters.preview import Preview
from agent.errors import StorageError
from agent.language import keys, say
from agent.language.lexicon import ordered
from agent.language.registry import DEFAULT, languages, registered
from agent.types import REASON_CHARACTERS, Language, Passage, Reason, ReasonKind

STATIC = Path(__file__).parent / "static"
BODY_LIMIT = 1_000_000
"""Bytes; how long a question may be is for the application to say, in the thread."""
LONGEST_NAME = 400
"""Characters of a file's name."""
NEIGHBOURS = 1
"""Passages shown above and below the one asked for."""


class PassageReader(Protocol):
    """Where the page's passages come from. It gives only what readers of the page may read."""

    async def around(self, passage_public_id: str, collection: str, window: int) -> Sequence[Passage]:
        """Return a passage with up to `window` of its document before and behind; nothing if it is not there."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Welcome:
    """What a page without a question says; each text by language."""

    pack: str
    title: Mapping[Language, str]
    description: Mapping[Language, str]
    prompts: tuple[Mapping[Language, str], ...] = ()
    people: str = ""
    """Who can help where the documents do not answer."""


Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


B = TypeVar("B", bound=_Body)


class _Message(_Body):
    text: str
    client_id: Id
    files: Annotated[tuple[Id, ...], Field(max_length=20)] = ()
    thread: Id | None = None
    edit_of: Id | None = None
    locale: Annotated[str, Field(max_length=35)] = ""
    zone: Annotated[str, Field(max_length=64)] = ""


class _Stop(_Body):
    thread: Id
    language: Annotated[Language, AfterValidator(registered)] = DEFAULT


class _Reason(_Body):
    kind: ReasonKind
    text: Annotated[str, Field(max_length=REASON_CHARACTERS)] = ""


class _Rating(_Body):
    helpful: bool | None
    reason: _Reason | None = None


class _Title(_Body):
    title: Annotated[str, Field(min_length=1, max_length=200)]


def playground_routes(
    adapter: PlaygroundAdapter,
    *,
    passages: PassageReader,
    welcome: Callable[[], Awaitable[Welcome]],
    previews: Mapping[str, Preview] | None = None,
) -> list[BaseRoute]:
    """Return the routes of the page and its API, to be served behind `bot.processes.web`'s guard.

    `previews`: how other platforms would show a turn, by their names.
    """
    page = _Page(adapter, passages, welcome, previews or {})

    def route(
        path: str, endpoint: Callable[[Request], Awaitable[Response]], *methods: str, limit: int = BODY_LIMIT
    ) -> Route:
        return Route(path, _answering(endpoint), methods=methods or ["GET"], max_body_size=limit)

    return [
        route("/", page.index),
        route("/api/config", page.config),
        route("/api/threads", page.threads),
        route("/api/threads/{thread}", page.thread),
        route("/api/threads/{thread}", page.rename, "PATCH"),
        route("/api/threads/{thread}", page.delete, "DELETE"),
        route("/api/messages", page.message, "POST"),
        route("/api/uploads", page.upload, "POST", limit=adapter.upload_bytes),
        route("/api/messages/{message}/stop", page.stop, "POST"),
        route("/api/threads/{thread}/posts/{post}/rating", page.rate, "PUT"),
        route("/api/passages", page.passage),
        route("/api/files/{thread}/{post}", page.file),
        route("/api/previews", page.preview),
        route("/api/stream", page.stream),
        route("/static/words.json", page.words),  # for the sign-in, which stands outside the door like all of /static
        Mount("/static", _Static(directory=STATIC)),
    ]


class _Page:
    def __init__(
        self,
        adapter: PlaygroundAdapter,
        passages: PassageReader,
        welcome: Callable[[], Awaitable[Welcome]],
        previews: Mapping[str, Preview],
    ) -> None:
        self._welcome = welcome
        self._adapter = adapter
        self._board = adapter.board
        self._passages = passages
        self._previews = previews
        self._config = {
            "editing": adapter.editing,
            "previews": list(previews),
            "uploads": {"bytes": adapter.upload_bytes, "most": adapter.uploads_most},
            "reasons": [kind.value for kind in ReasonKind],
            "words": {language: _words(language) for language in languages()},
        }

    async def index(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    async def config(self, request: Request) -> Response:
        return JSONResponse({**asdict(await self._welcome()), **self._config})

    async def words(self, request: Request) -> Response:
        return JSONResponse(self._config["words"])

    async def threads(self, request: Request) -> Response:
        cursor = await self._board.cursor()  # before the list: what changes in between comes again, as the same
        threads = await self._board.threads()
        return JSONResponse({"threads": [thread_view(thread) for thread in threads], "cursor": cursor})

    async def thread(self, request: Request) -> Response:
        thread_id = request.path_params["thread"]
        cursor = await self._board.cursor()
        thread = await self._board.thread(thread_id)
        if thread is None:
            raise NotThereError("there is no such thread")
        posts = await self._board.posts(thread_id)
        now = self._adapter.now()
        views = [post_view(post, now) for post in posts]
        return JSONResponse({"thread": thread_view(thread), "posts": views, "cursor": cursor})

    async def rename(self, request: Request) -> Response:
        body = await _read(request, _Title)
        if not await self._board.rename_thread(request.path_params["thread"], " ".join(body.title.split())):
            raise NotThereError("there is no such thread")
        return Response(status_code=204)

    async def delete(self, request: Request) -> Response:
        await self._adapter.forget(request.path_params["thread"])
        return Response(status_code=204)

    async def message(self, request: Request) -> Response:
        body = await _read(request, _Message)
        ask = {"text": body.text, "client_id": body.client_id, "locale": body.locale, "zone": body.zone}
        if body.edit_of:
            asked = await self._adapter.edit(thread=body.thread or "", message_id=body.edit_of, **ask)
        else:
            asked = await self._adapter.ask(thread=body.thread or "", files=body.files, **ask)
        return JSONResponse(asdict(asked), status_code=202)

    async def upload(self, request: Request) -> Response:
        _expect(request, "application/octet-stream")
        query = request.query_params
        name, media_type = _storable(query.get("name", "")), _storable(query.get("type", ""))
        if not name or len(name) > LONGEST_NAME or len(media_type) > LONGEST_NAME:
            raise _BadRequestError(f"name: one of up to {LONGEST_NAME} characters is needed")
        identity = await self._adapter.upload(name=name, media_type=media_type, data=await request.body())
        return JSONResponse({"id": identity}, status_code=201)

    async def stop(self, request: Request) -> Response:
        body = await _read(request, _Stop)
        message_id = request.path_params["message"]
        await self._adapter.stop(thread=body.thread, message_id=message_id, language=body.language)
        return Response(status_code=202)

    async def rate(self, request: Request) -> Response:
        body = await _read(request, _Rating)
        thread, post = request.path_params["thread"], request.path_params["post"]
        if body.reason is not None and body.helpful is not False:
            raise _BadRequestError("reason: only what is not helpful has one")
        reason = Reason(kind=body.reason.kind, text=body.reason.text) if body.reason is not None else None
        await self._adapter.rate(thread=thread, post_id=post, helpful=body.helpful, reason=reason)
        return Response(status_code=204)

    async def passage(self, request: Request) -> Response:
        wanted, query = request.query_params.get("passage_id", ""), request.query_params
        found = await self._passages.around(wanted, query.get("collection", ""), NEIGHBOURS) if wanted else ()
        here = next((index for index, passage in enumerate(found) if passage.public_id == wanted), None)
        if here is None or query.get("document_id", found[here].document_id) != found[here].document_id:
            raise NotThereError("there is no such passage")
        views = [passage_view(passage) for passage in found]
        return JSONResponse({"passage": views[here], "before": views[:here], "after": views[here + 1 :]})

    async def preview(self, request: Request) -> Response:
        query = request.query_params
        preview = self._previews.get(query.get("platform", ""))
        posts = await self._board.posts(query.get("thread", "")) if preview is not None else ()
        shown = shown_on(posts, query.get("turn", ""))
        if preview is None or shown is None:
            raise NotThereError("there is nothing to show of such a turn, or no such platform")
        messages = await asyncio.to_thread(preview, shown)
        return JSONResponse({"messages": drawn(messages)})

    async def file(self, request: Request) -> Response:
        for post in await self._board.posts(request.path_params["thread"]):
            if post.role == "file" and post.id == request.path_params["post"]:
                path = Path(post.payload["path"])
                if await asyncio.to_thread(path.is_file):
                    if post.payload["media_type"] == "image/png":  # a chart is seen where it stands
                        return FileResponse(path, media_type="image/png", headers={"X-Content-Type-Options": "nosniff"})
                    # Anything else is a download: a produced HTML file must not run as a page of ours.
                    return FileResponse(path, media_type="application/octet-stream", filename=post.payload["name"])
        raise NotThereError("there is no such file")

    async def stream(self, request: Request) -> Response:
        query = request.query_params
        cursor = request.headers.get("last-event-id") or query.get("since")
        if cursor is None:
            cursor = await self._board.cursor()
        feed = events(self._board, cursor, query.get("thread", ""), self._adapter.closing)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(feed, media_type="text/event-stream", headers=headers)


class _Static(StaticFiles):
    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        # Always asked for again, and mostly not modified: an update of Weft is seen at once, without a build step.
        response.headers["Cache-Control"] = "no-cache"
        return response


class _BadRequestError(Exception):
    """What came cannot be read; the message says what was expected."""


def _expect(request: Request, media_type: str) -> None:
    # A form of another site can send any text, but not these types without the browser asking us first.
    if request.headers.get("content-type", "").partition(";")[0].strip() != media_type:
        raise _BadRequestError(f"send {media_type}")


async def _read(request: Request, shape: type[B]) -> B:
    _expect(request, "application/json")
    try:
        values = json.loads(await request.body())
        if isinstance(values, dict) and isinstance(values.get("text"), str):
            values["text"] = _storable(values["text"])
        return shape.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise _BadRequestError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise _BadRequestError("this is not JSON") from None


def _answering(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Turn what is known to go wrong into a status and a word that the page understands."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except _BadRequestError as error:
            return JSONResponse({"error": "bad_request", "detail": str(error)}, status_code=400)
        except NotThereError as error:
            return JSONResponse({"error": "not_found", "detail": str(error)}, status_code=404)
        except StorageError as error:
            return JSONResponse(
                {"error": "unavailable", "detail": str(error)}, status_code=503, headers={"Retry-After": "1"}
            )

    return answer


def _storable(text: str) -> str:
    """Return the text without what UTF-8 cannot say (half a surrogate pair) and without NUL."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


def _words(language: Language) -> dict[str, str]:
    shared = ("working", "done", "stopped", "failed", "sources", "page", "updated", "try_asking", "attached_only",
              "person_ask", "person_is")  # fmt: skip
    told = {key: say(key, language) for key in keys() if key in shared or key.startswith(("web_", "reason_"))}
    return {**told, "web_stop_words": ", ".join(ordered("conduct.stop"))}
