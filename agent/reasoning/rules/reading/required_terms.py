"""Which words documents must hold: those of a question that looks documents up by their words.

`Cases about force majeure in Berlin` and `합병법인, 대리납부 관련 적출 사례` do; so does whoever puts words
in quotes. Other questions are asked in other words than documents are written in, so they require none.
"""

import re
from collections.abc import Sequence

from agent.reasoning.rules.reading.answer_type import SPECIFIC, Term
from agent.types import Language

MOST = 5

_QUOTED = re.compile(r"[\"“”„「『]([^\"“”„「」『』]{2,60})[\"“”」』]")
_ENGLISH = re.compile(
    r"\b(?:cases?|incidents?|findings?|documents?|files?|reports?|records?|precedents?|rulings?|tickets?|minutes|notes|"
    r"examples?|entries|postmortems?)\s+(?:(?:that|which)\s+(?:mention|concern|involve|deal with|are about)|about|on|"
    r"involving|concerning|regarding|mentioning|related to|relating to|dealing with)\s+(?P<words>[^?!.;]+)",
    re.IGNORECASE,
)
_LOOKED_UP = r"(?:사례|판례|선례|사건|문서|자료|보고서|기록|이력|내역|회의록|예시|적출|지적)"
_KOREAN = re.compile(
    r"(?<![^?!.;])(?P<words>[^?!.;]+?)(?:(?:와|과|에)?\s?(?:관련(?:된|한)?|대한|관한)"
    r"|(?:이|가) (?:있는|나오는|포함된))\s++"
    rf"(?:\S++\s++){{0,2}}?{_LOOKED_UP}"
)
_KOREAN_END = re.compile(
    rf"(?<![^?!.;])(?P<words>[^?!.;]+?)(?<!\s)\s++(?:적출 )?{_LOOKED_UP}(?:이|가|은|는|을|를|들)?"
    r"(?:\s*+(?:있나요|있어요?|있습니까|찾아\S*+|알려\S*+|보여\S*+|모아\S*+|정리\S*+|주세요|줘|목록))*+\s*+[?!.]*+$"
)
# 조사시, 퇴사 시: when it was, not what it was about.
_WHEN = re.compile(
    r"(?:조사|신고|신청|계약|입사|퇴사|출장|해지|변경|발생|위반|취득|양도|이전|폐업|처리|적용|지급|납부|청구|검토)시$"
)


def required(text: str, terms: Sequence[Term], language: Language) -> tuple[str, ...]:
    """Return the words of a question that documents must hold; mostly none."""
    quoted = [" ".join(words.split()) for words in _QUOTED.findall(text)]
    match = _KOREAN.search(text) or _KOREAN_END.search(text) if language == "ko" else _ENGLISH.search(text)
    about = match["words"].lower() if match else ""
    named = [
        word
        for term, word in ((term, term.stem if term.hangul else term.word) for term in terms)
        if term.weight >= SPECIFIC and not term.aside and word in about and not _WHEN.search(term.word)
    ]
    outside = [word for word in named if not any(word.lower() in words.lower() for words in quoted)]
    return tuple(dict.fromkeys((*quoted, *outside)))[:MOST]
