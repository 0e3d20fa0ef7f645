"""Text that is nothing but text: without what a model's server, or a model, might take for something else."""

import re

_UNSEEN = re.compile(r"[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069\u0000-\u0008]")
"""Letters that nobody sees and a model reads (Unicode tags), and those that turn the direction of what is seen."""
_CONTROL = re.compile(
    r"<(?=[|｜][^<>\n]{1,40}[|｜]>)"  # <|im_start|>, <|eot_id|>, and DeepSeek's with its wide bars
    r"|<(?=/?(?:start_of_turn|end_of_turn|think|thinking|thoughts?|reasoning|reflection|s|bos|eos)>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|THINK|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\])"
)
"""Where a chat template's own marks begin. Servers that parse them in a message's text would take what follows for
another role."""


def inert(text: str) -> str:
    """Return the text with a space inside every mark of a chat template, and without letters that nobody sees."""
    return _CONTROL.sub(lambda match: f"{match[0]} ", _UNSEEN.sub("", text))
