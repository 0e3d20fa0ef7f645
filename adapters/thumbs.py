"""Thumbs under an answer, up or down: the reactions that tell what somebody thinks of it."""

_HELPFUL = {"+1": True, "thumbsup": True, "👍": True, "-1": False, "thumbsdown": False, "👎": False}
_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
"""Colours of skin, each a sign behind the thumb."""


def helpful(reaction: str) -> bool | None:
    """Return whether a reaction, by its name or as a sign, calls an answer helpful; None for one that tells nothing."""
    name = reaction.partition("::")[0].rstrip("\ufe0f")
    return _HELPFUL.get("".join(sign for sign in name if sign not in _TONES))
