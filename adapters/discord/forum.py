"""Posts of a forum on Discord: their title belongs to the question, and a tag says that they are solved."""

from typing import Any

import discord

from adapters.discord.components import Json, button
from agent.language import say
from agent.language.lexicon import words
from agent.text import normalise, tokens
from agent.types import Language

SOLVE = "weft_solved"
"""How the custom id of the button begins that marks a post as solved; the tag's id follows."""
SOLVED_TAG = "solved_tag"
"""Key in `extra`: the id of the forum's tag for what is solved, where Weft may set it."""
TAGS = 5
"""Of one post: Discord's limit."""
_SOLVED = words("conduct.solved_tags")


def is_opening(message: discord.Message) -> bool:
    """Tell whether a message is the first of a forum's post: it has the post's own id."""
    return _post_of(message.channel) is not None and message.id == message.channel.id


def titled(message: discord.Message, text: str) -> str:
    """Return the words of a message; of a post's first one below the title, where that says more than they do."""
    post = _post_of(message.channel)
    if post is None or not is_opening(message) or set(tokens(post.name)) <= set(tokens(text)):
        return text
    return f"{post.name}\n\n{text}".strip()


def is_solved(message: discord.Message) -> bool:
    """Tell whether the post in which a message stands has a tag that calls it solved."""
    post = _post_of(message.channel)
    return post is not None and any(_calls_solved(tag.name) for tag in post.applied_tags)


def solved_tag(message: discord.Message) -> str:
    """Return the id of the tag that Weft could give the post of a message; nothing where it may not, or has one."""
    post = _post_of(message.channel)
    if post is None or is_solved(message) or not post.permissions_for(post.guild.me).manage_threads:
        return ""
    tags: Any = getattr(post.parent, "available_tags", ())
    return next((str(tag.id) for tag in tags if _calls_solved(tag.name)), "")


def solve_button(tag: str, language: Language) -> Json:
    """Return the button that marks a post as solved."""
    return button(f"{SOLVE}:{tag}", say("mark_solved", language), emoji="✅")


def _post_of(channel: Any) -> discord.Thread | None:
    is_post = isinstance(channel, discord.Thread) and isinstance(channel.parent, discord.ForumChannel)
    return channel if is_post else None


def _calls_solved(name: str) -> bool:
    return normalise(name).casefold() in _SOLVED
