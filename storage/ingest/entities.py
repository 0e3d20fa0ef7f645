"""Names, codes, articles of law and dates in a passage, found by their shape alone."""

import re

from agent.language import lexicon
from agent.values.names import month_names

MOST = 20
"""Entities of one passage; a list of names is no reason for hundreds."""

# Every entity begins with one of three kinds of character: the engine leaps over all others.
_ENTITY = re.compile(
    rf"""
    [{"".join(lexicon.words("documents.article_openers"))}0-9A-Z](?:
      (?P<law>{lexicon.regex("documents.articles")})
    | (?<!\w[0-9A-Z])(?:
        (?<=[0-9])(?P<date>\d{{3}}-\d{{2}}-\d{{2}}\b
          | {lexicon.regex("documents.days")}
          | \d?\ (?:{"|".join(month_names())})\ \d{{4}}\b)
      | (?<=[A-Z])(?:
          (?P<day>[a-z]{{2,8}}\.?\ \d{{1,2}},\ \d{{4}}\b)
        | (?P<code>[A-Z0-9]{{1,9}}(?:-[A-Z0-9]{{1,9}}){{0,2}}-\d{{1,8}}[A-Z]?\b)
        | (?P<name>[A-Za-z]+(?:[ ](?:(?:of|for|and)[ ])?[A-Z][A-Za-z]+){{1,4}}\b))))
    """,
    re.VERBOSE,
)
_OPENERS = lexicon.words("documents.capitalised")


def entities_of(text: str) -> tuple[str, ...]:
    """Return what looks like an entity, each once, in order of appearance."""
    found: dict[str, None] = {}
    for match in _ENTITY.finditer(text):
        entity = match.group()
        if match.lastgroup == "name":
            entity = _name_in(entity)
        elif match.lastgroup == "day" and entity.split(" ", 1)[0].rstrip(".") not in month_names():
            continue
        if entity:
            found.setdefault(entity)
            if len(found) == MOST:
                break
    return tuple(found)


def _name_in(name: str) -> str:
    """Return what of some capitalised words is a name of at least two."""
    words = name.split(" ")
    while words and (words[0] in _OPENERS or words[0].islower()):
        words.pop(0)
    while words and words[-1] in _OPENERS:
        words.pop()
    # A heading in capitals is no name.
    return " ".join(words) if len(words) > 1 and not all(map(str.isupper, words)) else ""
