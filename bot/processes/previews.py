"""How other platforms would show what the playground shows; nothing of theirs is loaded before somebody looks."""

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.preview import Preview, Shown


def previews() -> Mapping[str, Preview]:
    """Return the previews by the name of their platform."""
    return {"slack": _slack, "discord": _discord}


def _slack(shown: Shown) -> Sequence[Mapping[str, Any]]:
    from adapters.slack.preview import preview

    return preview(shown)


def _discord(shown: Shown) -> Sequence[Mapping[str, Any]]:
    from adapters.discord.preview import preview

    return preview(shown)
