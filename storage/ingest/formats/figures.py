"""What is said about a picture."""

import re

_FILE = re.compile(r"\S{0,200}\.(?:png|jpe?g|gif|bmp|svg|emf|wmf|tiff?|webp|heic)", re.IGNORECASE)
_MACHINE = re.compile(
    r"(?:(?<!\s)\s++)?(?:Description automatically generated(?: with \w+ confidence)?"
    r"|AI-generated content may be incorrect\.?"
    r"|자동 생성된 설명|AI가 생성한 콘텐츠는 부정확할 수 있습니다\.?)",
    re.IGNORECASE,
)
_SHORTEST = 2
_NOTHING = re.compile(r"(?:image|picture|photo|img|figure|graphic|logo|icon|그림|이미지|사진)?\s*\d*", re.IGNORECASE)


def described(text: str | None) -> str:
    """Return an alternative text; nothing for a file name, or a word that would suit any picture."""
    words = " ".join(_MACHINE.sub("", text or "").split())
    return "" if len(words) < _SHORTEST or _FILE.fullmatch(words) or _NOTHING.fullmatch(words) else words
