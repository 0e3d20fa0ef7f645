"""Slack's socket, on which what is not formed as documented is acknowledged and left alone."""

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from adapters.slack import shape


class SocketHandler(AsyncSocketModeHandler):
    """Bolt's handler for sound payloads."""

    async def handle(self, client: SocketModeClient, req: SocketModeRequest) -> None:  # type: ignore[override]
        """Hand in what came."""
        wrong = shape.fault(req.payload)
        if not wrong:
            try:
                await super().handle(client, req)
                return
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError):  # before bolt asked any of us
                wrong = "no payload that could be read"
        shape.tell(wrong)
        await client.send_socket_mode_response(SocketModeResponse(envelope_id=req.envelope_id))
