"""Which collections a step searches: the scopes that its words point at."""

import re
from collections.abc import Sequence, Set

from agent.packs.pack import Pack, ScopeSpec
from agent.text import normalise, tokens
from agent.types import KEPT, OF_NO_PACK


def collections_for(text: str, pack: Pack, intent: str, beside: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the collections to search for a text; all of the pack's where it points at no scope, or scopes are off.

    A scope that nothing can point at is general: it joins whichever scopes are pointed at, and so do those of the words
    that the search has `beside` the text: what is for a diabetic who asks about exercise stands with diabetes.
    """
    pointed = scopes_of(text, pack, intent)
    if not pointed:
        return collections_of(pack)
    pointed += [scope for words in beside for scope in scopes_of(words, pack, "")]
    chosen = [scope for scope in pack.scopes if scope in pointed or scope.is_general]
    return (*dict.fromkeys(name for scope in chosen for name in scope.collections), KEPT)


def collections_of(pack: Pack) -> tuple[str, ...]:
    """Return all that a pack searches: what it names, else its own and what is no pack's; and what people answered."""
    if pack.collections:
        return (*pack.collections, KEPT)
    own = (pack.name, *(name for scope in pack.scopes for name in scope.collections))
    return (*dict.fromkeys(own), OF_NO_PACK, KEPT)


def scopes_of(text: str, pack: Pack, intent: str) -> list[ScopeSpec]:
    """Return the scopes that a text points at by their keywords, or its intent; none where scopes are off."""
    if not pack.flags.dynamic_rag_routing:
        return []
    return [scope for scope in pack.scopes if intent in scope.intents or points_at(scope, text)]


def points_at(scope: ScopeSpec, text: str) -> bool:
    """Tell whether a text holds one of the scope's keywords."""
    said = normalise(text)
    held = set(tokens(said))
    return any(_stands_in(keyword, held, said) for keyword in scope.keywords)


def _stands_in(keyword: str, held: Set[str], text: str) -> bool:
    """Tell whether a keyword is in a text; one of stop words alone, such as IT, as it is written."""
    mine = set(tokens(keyword))
    if mine:
        return mine <= held
    return re.search(rf"(?<!\w){re.escape(keyword)}(?!\w)", text) is not None
