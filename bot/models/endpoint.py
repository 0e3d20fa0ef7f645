"""The client of the model's endpoint: what the settings say of it, checked."""

import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agent.errors import SettingsError
from bot.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def model_client(settings: Settings) -> "AsyncOpenAI":
    """Return a client of the endpoint that the settings name. Raises SettingsError for what cannot be one."""
    from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAsyncHttpxClient

    from bot.models.response_limit import bounded

    for name in ("openai", "httpx2", "httpcore2"):  # below this they may log what people wrote
        logging.getLogger(name).setLevel(logging.WARNING)
    # An endpoint of one's own often needs no key, but the library wants one; retries are ours, within our time limits.
    key = settings.openai_api_key.get_secret_value().strip() or "none"
    url = settings.openai_base_url
    if not key.isascii() or not key.isprintable():
        raise SettingsError("OPENAI_API_KEY holds a line break or letters that no key has: copy it once more")
    if url and not _is_address(url):
        raise SettingsError("OPENAI_BASE_URL is no address: write it like http://127.0.0.1:11434/v1")
    http = DefaultAsyncHttpxClient(event_hooks={"response": [bounded]})
    if settings.openai_api_version and url:
        version = settings.openai_api_version
        if "/openai" in url:  # the path of a deployment
            return AsyncAzureOpenAI(api_key=key, base_url=url, api_version=version, max_retries=0, http_client=http)
        return AsyncAzureOpenAI(api_key=key, azure_endpoint=url, api_version=version, max_retries=0, http_client=http)
    return AsyncOpenAI(api_key=key, base_url=url or None, max_retries=0, http_client=http)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        web = parts.scheme in ("http", "https") and url.isprintable()
        return web and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets or a port that cannot be
        return False
