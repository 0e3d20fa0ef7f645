"""Messages that are nothing but the number of a choice: 2, #2, option 2, 2번이요."""

import re

from agent.language.lexicon import regex

NUMBER = re.compile(
    rf"^\W*(?:{regex('reading.before_choice')}\s*)?#?\(?(?P<n>[1-9])\s*"
    rf"(?:[).:]|{regex('reading.choice_counter')})?(?:\s+{regex('reading.behind_choice')})*\W*$",
    re.IGNORECASE,
)


def is_bare_number(text: str) -> bool:
    """Tell whether a message is nothing but the number of a choice."""
    return NUMBER.match(text) is not None
