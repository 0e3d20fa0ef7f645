"""What a model is told: one Markdown file a prompt, with `{{names}}` where values go.

A file begins with a comment that says what the prompt is for; the model does not see it.
"""

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_COMMENT = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@cache
def load(name: str) -> str:
    """Return the prompt as it stands in `name.md`, without its leading comment."""
    return _COMMENT.sub("", (_FOLDER / f"{name}.md").read_text(encoding="utf-8")).strip()


def fields(name: str) -> frozenset[str]:
    """Return the names of the values that a prompt takes."""
    return frozenset(_PLACE.findall(load(name)))


def render(name: str, **values: object) -> str:
    """Return the prompt with its values in place. Raises ValueError for a value missing or not asked for.

    Values go in as they are: a `{{name}}` inside a value is text, not a place.
    """
    if fields(name) != values.keys():
        wrong = sorted(fields(name) ^ values.keys())
        raise ValueError(f"prompt {name!r} and its values differ in: {', '.join(wrong)}")
    return _PLACE.sub(lambda match: str(values[match[1]]), load(name))
