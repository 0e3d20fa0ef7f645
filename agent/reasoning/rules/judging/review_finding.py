"""What one rule of the review found."""

from dataclasses import dataclass

from agent.results import Risk


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A risk of a draft, in the asker's words, and what should be done about it."""

    text: str
    risk: Risk
    advice: str = ""
