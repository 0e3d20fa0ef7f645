"""The least that an app in Slack can do: bolt, one listener, one post. Run by `benchmarks.slack` beside Weft."""

import os
import sys
from typing import Any

import uvicorn
from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


def application() -> Starlette:
    """Return the app, which answers each mention in its thread with what it said."""
    client = AsyncWebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_BASE_URL"])
    client.proxy = None
    app = AsyncApp(client=client, signing_secret=os.environ["SLACK_SIGNING_SECRET"])

    @app.event("app_mention")
    async def echo(event: dict[str, Any]) -> None:
        thread = event.get("thread_ts") or event["ts"]
        answer = f"echo {event['ts']}"
        await client.chat_postMessage(channel=event["channel"], thread_ts=thread, text=answer)

    handler = AsyncSlackRequestHandler(app)

    async def events(request: Request) -> Response:
        return await handler.handle(request)

    async def health(request: Request) -> Response:
        return PlainTextResponse("ok")

    return Starlette(routes=[Route("/slack/events", events, methods=["POST"]), Route("/health", health)])


def run() -> None:
    """Serve it on the port that the command line names."""
    uvicorn.run(application(), port=int(sys.argv[1]), log_level="error")
