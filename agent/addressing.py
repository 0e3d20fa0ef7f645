"""Whether a text is put as a question or a request, whoever it is for."""

import re

from agent.text import language_of, words

_ASKING = frozenset(
    """how what when where who whom whose which why can could do does did is are was were am will would should shall may
    might must has have tell show explain list find give describe compare summarise summarize help please define
    and or but so then also what's how's where's who's isn't aren't don't doesn't can't search look translate""".split()
)
_OPENERS = frozenset("ok okay well hmm hm ah oh hey hi hello sorry yes no right great thanks".split())
_WH = re.compile(r"[,.;:!]\s*(?:and |but |so )?(?:how|what|when|where|who|which|why|can|could|do|does|is|are)\b", re.I)
_KOREAN = re.compile(
    r"(?:까|나요|가요|는요|은요|죠|니|냐|래요|려줘|해줘|해주세요|주세요|줄래|인지|건지|어때|어떄)[\s.?!~]*$"
    r"|어떻게|어떤|무엇|무슨|뭐|뭔|언제|어디|누구|누가|왜|몇|얼마|알려|설명해|보여|찾아|정리해|요약해|그럼|그러면"
)


def asks(text: str) -> bool:
    """Tell whether the text is put as a question or a request, in English or Korean."""
    if "?" in text or "？" in text:
        return True
    if language_of(text) == "ko":
        return bool(_KOREAN.search(text))
    spoken = [word for word, _, _ in words(text)]
    while spoken and spoken[0] in _OPENERS:
        spoken.pop(0)
    return bool(spoken) and (spoken[0] in _ASKING or bool(_WH.search(text)))
