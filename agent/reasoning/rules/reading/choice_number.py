"""Messages that are nothing but the number of a choice: 2, #2, option 2, 2번이요."""

import re

NUMBER = re.compile(
    r"^\W*(?:(?:option|number|no\.?|choice|answer|the)\s*)?#?\(?(?P<n>[1-9])\s*"
    r"(?:[).:]|번(?:째)?(?:요|이요|으로|으로요)?|st|nd|rd|th)?"
    r"(?:\s+(?:one|option|please|pls|thanks|주세요|부탁해요?))*\W*$",
    re.IGNORECASE,
)


def is_bare_number(text: str) -> bool:
    """Tell whether a message is nothing but the number of a choice."""
    return NUMBER.match(text) is not None
