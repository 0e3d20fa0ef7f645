"""What a document and its files are called."""

import re

from agent.packs.escaping import clean
from agent.packs.template import Template
from agent.text import shortened
from agent.types import Language

_LONGEST_TITLE = 100
_LONGEST_STEM = 60
_UNSAFE = re.compile(r"[^\w-]+", re.UNICODE)


def title_of(template: Template, topic: str, language: Language) -> str:
    """Return the title of a document: its kind, and what it is about."""
    kind, about = template.title.of(language), clean(topic)
    if not about or about.lower() in kind.lower():
        return kind
    title = f"{kind}: {about}"
    return shortened(title, _LONGEST_TITLE)


def stem_of(title: str) -> str:
    """Return the name of a document's files, without an ending: letters and digits of any script, and hyphens."""
    return _UNSAFE.sub("-", title)[:_LONGEST_STEM].strip("-_") or "document"
