"""The form of a text: whether it asks, bids or only names, and what it is about apart from what it asks with."""

import re

from agent.reasoning.rules.reading.answer_type import Term, read
from agent.text import language_of

CONTENT = 0.4
"""Weight from which a word is what a part is about, and not what it is asked with."""
ASKS = r"(?:how|what|when|where|who|which|why|can|could|do|does|is|are|should|may|must|will)\b"
BIDS = (
    r"(?:tell|show|list|explain|give|compare|describe|find|look up|check|search|write|translate|recommend"
    r"|summari[sz]e)\b"
)
POLITE = r"^\W*(?:(?:so|and|but|then|also|please|hi|hello|can you|could you|would you)\b,?\s+)*"
_ASKING = re.compile(rf"{POLITE}(?:{ASKS}|{BIDS})", re.IGNORECASE)
BIDDING = re.compile(rf"{POLITE}{BIDS}", re.IGNORECASE)
KOREAN_ASKING = re.compile(
    r"몇|며칠|얼마|언제|누구|누가|어디|무엇|뭐|뭘|어떻게|어떤|어느|왜|무슨|알려|설명|보여|비교|찾아"
)
_KOREAN_ENDING = re.compile(r"(?:[?까]|나요|가요|은지|는지|인지|을지|할지|해\s?줘|주세요)[\s?!.]*$")
KOREAN_BIDDING = re.compile(r"(?:줘요?|주세요)$")
_COMPARING = re.compile(
    r"compar|differ|distin|similar|versus|both|^vs$|비교|차이|다르|다른|달라|대조|각각|모두|둘|해줘|주세요|^우리|^저희",
    re.I,
)
"""What a comparison is asked with: it is not what is looked for."""


def content_of(text: str) -> list[Term]:
    """Return what a text is about: its words without those that things are asked for with."""
    return [
        term for term in read(text).terms
        if term.weight >= CONTENT and not _COMPARING.search(term.word) and not KOREAN_ASKING.search(term.word)
    ]  # fmt: skip


def is_question(part: str) -> bool:
    """Tell whether a piece asks; one that only tells the circumstances belongs to the question after it."""
    if language_of(part) == "ko":
        return bool(KOREAN_ASKING.search(part) or _KOREAN_ENDING.search(part))
    return _ASKING.match(part) is not None


def is_name(part: str) -> bool:
    """Tell whether a part only names a thing: one side of a comparison."""
    return not part.rstrip().endswith(("?", ".", "!")) and len(part.split()) <= 6 and not _ASKING.match(part)


_LINKED = (
    (re.compile(r"(?:하고|한 ?(?:뒤|다음|후)에?|하고 ?나서)[,\s]*$"), "해줘"),
    (re.compile(r"주고[,\s]*$"), "줘"),
)


def closed(part: str) -> str:
    """Return a Korean request whose verb led on to the next as one that ends."""
    for pattern, ending in _LINKED:
        if pattern.search(part):
            return pattern.sub(ending, part)
    return part
