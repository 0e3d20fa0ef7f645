"""Messages about the answer before: why, source?, shorter, as a table, in English, the second point."""

import re
from typing import Literal

from agent.reasoning.rules.reading import lexicon
from agent.text import words
from agent.types import FollowUp

Kind = Literal["why", "source", "shorter", "longer", "list", "table", "repeat"]

_MOST_WORDS = 9
# Words that ask for the answer itself, and say nothing of what is wanted of it.
_FILLER = frozenset(
    """please pls can could would will you make put give show write say do tell me us it that this them the your last
    above whole answer reply response again now ok okay so and then a an bit just in as into to for of only
    좀 더 다시 이걸 그걸 이거 그거 위 내용 내용을 답변 답변을 답 답을 요 해 줘 줄래 주세요 해줘 해주세요 부탁해 부탁해요
    정리 정리해 정리해줘 정리해주세요 만들어 만들어줘 만들어주세요 바꿔 바꿔줘 바꿔주세요
    보여 보여줘 보여주세요 써줘 말해 말해줘 말해주세요 알려 알려줘 알려주세요""".split()
)


def _any(*cores: str) -> re.Pattern[str]:
    return re.compile("|".join(cores), re.IGNORECASE)


_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "source",
        _any(
            r"(?:what(?:'s| is| are) |which )?(?:your |the )?(?:sources?|citations?|references?|proof|evidence|links?)"
            r"(?: (?:for )?(?:that|this))?",
            r"where (?:does|did) (?:it|that) (?:say|come from)(?: (?:that|this|so))?",
            r"where (?:is|was) (?:that|this|it) (?:written|stated|from)",
            r"(?:in )?which (?:document|doc|page|file|section)(?: (?:is (?:that|this) (?:in|from)|says (?:that|so)))?",
            r"(?:who|what) says (?:that|so)|says who|how do you know(?: that)?",
            # Doubt is answered by the documents themselves.
            r"are you (?:really |quite |absolutely )?(?:sure|certain)(?: about (?:that|this|it))?|really"
            r"|for real|seriously"
            r"|is (?:that|this|it) (?:right|correct|true)|can i (?:trust|rely on) (?:that|this|it)",
            r"(?:정말|진짜|확실|맞)(?:로|이)?(?:야|요|이에요|예요|인가요|인가|해|해요|한가요|한 ?거야|한 ?거예요"
            r"|아|아요|나요|는 ?거야|는 ?거예요|죠|습니까)?",
            r"출처(?:는|가|를|도)?(?: ?(?:뭐야|뭐예요|뭔가요|어디야|어디예요|어디인가요|있어|있나요))?",
            r"근거(?:는|가|를)?(?: ?(?:뭐야|뭐예요|뭔가요|있어|있나요|무엇인가요))?",
            r"(?:어디에?|(?:어느|무슨) 문서에?|몇 ?(?:쪽|페이지)에?)서? ?"
            r"(?:나와 ?있?|있|적혀 ?있?|써 ?있|쓰여 ?있?)(?:어|어요|나요|는지|습니까)?",
        ),
    ),
    (
        "why",
        _any(
            r"(?:but |and |so )?why(?: (?:is (?:that|this|it)(?: so)?|so|not|though|exactly|that))?|how come",
            r"what(?:'s| is) the (?:reason|rationale)(?: for (?:that|this))?|for what reason",
            r"왜(?:요|죠|지)?(?: ?(?:그래|그래요|그런가요|그런 ?거야|그런 ?건가요|그렇죠|그렇지|그렇게 ?\S{1,4}))?"
            r"|어째서",
            r"이유(?:는|가)?(?: ?(?:뭐야|뭐예요|뭔가요|무엇인가요))?",
        ),
    ),
    ("table", _any(r"table(?: form(?:at)?)?|tabular", r"표(?:로|형식으로)?")),
    (
        "list",
        _any(
            r"(?:bullet(?:ed)? ?)?(?:list|bullets|points|bullet points?)",
            r"(?:목록|리스트|글머리 ?기호|항목별)(?:으로|로)?",
        ),
    ),
    (
        "shorter",
        _any(
            r"(?:much |even )?(?:short(?:er)?|brief(?:er|ly)?|concise(?:ly)?)|tl;?dr|too long|cut down",
            r"less (?:text|words)",
            r"(?:one sentence|nutshell)|summari[sz]e|(?:short )?summary",
            r"(?:짧게|간단히|간단하게|간략히|간략하게|한 ?줄로|한 ?문장으로)"
            r"(?: ?(?:요약|정리|말|설명|알려)\S*(?: ?\S{1,4})?)?",
            r"요약|요약해\S*|줄여\S*|너무 길어\S*",
        ),
    ),
    (
        "longer",
        _any(
            r"(?:some |any )?more(?: (?:details?|info(?:rmation)?))?(?: (?:on|about))?|(?:more )?detail|longer",
            r"elaborate(?: on)?|go on|explain(?: (?:more|further|better))?|expand(?: on)?",
            r"and(?: then)?|what else|anything else|is (?:that|this|it) (?:all|it|everything)",
            r"what (?:does|do|did) (?:that|this|it|you) mean(?: by (?:that|this|it))?|meaning",
            r"(?:i )?(?:do ?n[o']?t|dont|did ?n[o']?t|cant|can[o']?t) (?:get|understand|follow)(?: (?:it|that|this))?",
            r"(?:자세히|자세하게|상세히|상세하게|길게)(?: 설명\S*)?|(?:부연 ?)?설명\S*",
            r"더 ?(?:있|없)\S{1,4}|(?:그게|이게|그거|이거)? ?(?:다|전부|끝)(?:야|예요|이에요|인가요|에요)",
            r"(?:그게 |이게 |그거 |이거 )?(?:무슨|뭔) ?(?:뜻|말|소리|의미)\S*(?: ?\S{1,4})?"
            r"|이해(?:가|를)? ?(?:안|못)\s?\S{1,6}",
        ),
    ),
    (
        "repeat",
        _any(
            r"(?:say|repeat)(?: (?:it|that))? again|repeat(?: (?:it|that))?|come again|pardon",
            r"what was (?:that|it|the answer)(?: again)?|what did you (?:just )?say(?: again)?",
            r"다시(?: ?한 ?번)?(?:요| ?(?:말|알려|설명)\S*(?: ?\S{1,4})?)?|다시 ?한 ?번.{0,8}"
            r"|(?:방금 )?뭐라고\S{0,4}(?: ?\S{1,4})?",
        ),
    ),
)
_TRANSLATE = _any(
    r"(?:translate )?(?P<en>english)|(?:translate )?(?P<ko>korean)",
    r"(?P<en_ko>영어|영문)(?:로|으로)?(?: ?번역\S*)?|(?P<ko_ko>한국어|한글|국문|우리말)(?:로|으로)?(?: ?번역\S*)?",
)
_POINT = re.compile(
    r"\b(?:(?P<nth>first|second|third|fourth|fifth|last)|(?P<number>\d)(?:st|nd|rd|th))\s+"
    r"(?:point|item|bullet|step|part|reason|one)\b"
    r"|\b(?:point|item|bullet|step|number)\s+(?P<of>\d)\b"
    r"|(?P<ko>첫|두|세|네|다섯|마지막|\d)\s?(?:번째|번|째)?\s?(?:항목|내용|단계|포인트|문장|이유|줄|거|것|건|게|걸)"
    r"|(?P<nth_ko>첫|두|세|네|다섯|\d) ?번?째|(?<![\d.])(?P<digit_ko>\d)번",
    re.IGNORECASE,
)
_AS_SUCH = re.compile(
    r"\b(?:point|item|bullet|step|part|reason|number)\b|항목|내용|단계|포인트|문장|이유|줄", re.IGNORECASE
)
_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1,
           "첫": 1, "두": 2, "세": 3, "네": 4, "다섯": 5, "마지막": -1}  # fmt: skip
_ABOUT_POINT = frozenset(
    """what about explain more on of tell me detail details the and first second third fourth fifth last point item
    bullet step part reason number elaborate can you please in further mean means does do is that there one it to
    거 것 건 게 걸 거는 것은 거요 건요 는요 은요 요 에서 자세하게 상세히 대해서 말해줘
    설명해주세요 알려주세요 뭔가요 무슨 의미예요
    에 대해 자세히 더 설명 설명해 설명해줘 알려줘 알려 줘 뭐야 뭐예요 무슨 뜻이야 은 는 도 을 를 좀 다시""".split()
)


def about_answer(text: str) -> FollowUp | None:
    """Return what a message wants of the answer before it; None for one that asks something of its own."""
    said = re.sub(r"[^\w\s;']", " ", text.lower()).split()
    if not 0 < len(said) <= _MOST_WORDS:
        return None
    spoken = {" ".join(said), " ".join(word for word in said if word not in _FILLER)}
    for kind, pattern in _KINDS:
        if any(pattern.fullmatch(each) for each in spoken):
            return FollowUp(kind=kind)
    for each in spoken:
        language = _TRANSLATE.fullmatch(each)
        if language is not None:
            return FollowUp(kind="translate", language="en" if language["en"] or language["en_ko"] else "ko")
    return _point(text)


def calls_it_a_point(text: str) -> bool:
    """Tell whether a message names the points of an answer as such: `the second point`, and not `the second one`."""
    return _AS_SUCH.search(text) is not None


def _point(text: str) -> FollowUp | None:
    found = _POINT.search(text)
    if found is None:
        return None
    rest = {word for word, _, _ in words(text[: found.start()] + " " + text[found.end() :])}
    if rest - _ABOUT_POINT - lexicon.FAINT_ENGLISH - lexicon.FAINT_KOREAN:
        return None  # "the first step of the approval process" is another question
    said = (found["nth"] or found["ko"] or found["nth_ko"] or "").lower()
    number = found["number"] or found["of"] or found["digit_ko"] or (said if said.isdigit() else "")
    return FollowUp(kind="point", point=int(number) if number else _PLACES[said])
