"""Orders in a message: a document to write, figures to analyse or to chart. Everything else is a question."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agent.text import language_of

READ = 240
"""Characters of an order; what is longer is no order, or a paste behind one."""
Kind = Literal["document", "analysis"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made, and about what; `topic` is empty where the order names none."""

    kind: Kind
    text: str
    topic: str = ""
    noun: str = ""
    """What kind of document."""
    context: str = ""
    """What was told behind the order: the letter that is to be answered."""


# --- English -------------------------------------------------------------------------------------

_LEAD = (
    r"(?:(?:please|kindly|and|then|also|now|finally|next|ok(?:ay)?|so|first|afterwards|after that|hi|hello"
    r"|hey)\b,?\s+)*"
    r"(?:(?:can|could|would|will) you (?:please |also |then |kindly )?|i(?: would|'d) like you to |i need you to |"
    r"i want you to |i(?: would|'d) like to have you |help me (?:to )?|let(?:'s| us) )?(?:please |also |then )?"
)
_MAKE = (
    r"(?:draft|write(?: up| out)?|prepare|compose|create|generate|produce|put together|draw up|fill (?:in|out)|make)"
)
_DOCUMENTS = (
    r"(?:reply|replies|response|answer|letter|e-?mail|report|summary|request|memo(?:randum)?|minutes|statement|"
    r"notice|notification|proposal|contract|agreement|certificate|application|plan|checklist|announcement|complaint|"
    r"objection|appeal|opinion|brief(?:ing)?|document|resignation|justification|explanation letter|note|invitation|"
    r"handover|form|draft)"
)
_ENGLISH_DOCUMENT = re.compile(
    rf"^\W*{_LEAD}{_MAKE}\s+(?:(?:me|us|up|out)\s+)?(?P<what>(?:(?!(?:of|for|from|about|on|with|to|in|as)\b)"
    rf"[\w'’/&-]+\s+){{0,6}}?(?P<noun>{_DOCUMENTS}))\b"
    r"(?P<rest>[^?]*)[?.!]*$",
    re.IGNORECASE,
)
_DRAFT_IT = re.compile(rf"^\W*{_LEAD}draft\s+(?P<what>(?P<noun>\S.*?))(?P<rest>)[?.!]*$", re.IGNORECASE)
_NEEDED = re.compile(
    r"^\W*(?:please\s+)?i(?:\s+(?:need|want|would like)|'d like)\s+(?P<what>(?:[\w'’/-]+\s+){1,4}?(?P<noun>reply"
    r"|letter|e-?mail|report|"
    r"memo|summary|document|draft|request|statement|announcement))\s+(?P<rest>(?:that|which|about|on|to|for|asking"
    r"|explaining)\b"
    r"[^?]*)[.!]*$",
    re.IGNORECASE,
)
_ANSWERED_IN = re.compile(
    rf"^\W*{_LEAD}(?:answer|reply to|respond to)\s++(?P<rest>[^?]*?)(?<!\s)\s++(?:in|with"
    rf"|by)\s++(?P<what>an?\s++(?:\w+\s++)?(?P<noun>letter|"
    r"e-?mail|reply|memo))[.!]*$",
    re.IGNORECASE,
)
_NO_DOCUMENT = re.compile(
    r"\b(?:poem|song|story|joke|haiku|limerick|novel|lyrics|code|function|script|program)\b", re.I
)
_CHARTED = r"(?:charts?|graphs?|plots?|diagrams?|histograms?|visuali[sz]ations?|trends?|trend ?lines?)"
_ENGLISH_ANALYSIS = re.compile(
    rf"^\W*{_LEAD}(?:(?:chart|plot|graph|visuali[sz]e|analy[sz]e)\s+(?!out\b)(?P<what>\S.*?)"
    rf"|(?:draw|make|create|show|give|prepare|generate|produce|build|do|run)\s+(?:(?:me|us)\s+)?(?P<made>"
    rf"(?:(?:an?|the|some|this|that|these|those)\s+)?(?:[\w%-]+\s+){{0,4}}?(?:{_CHARTED}|analysis|(?:bar|line|pie)\s+"
    r"(?:chart|graph))\b.*?))[?.!]*$",
    re.IGNORECASE,
)
_ENGLISH_TREND = re.compile(
    r"^\W*(?:so |and |then )*(?:what(?:'s| is| are| was| were) the (?:trends?|development|growth)\s+(?:in|of|for"
    r"|over)\s+"
    r"(?P<of>\S.*?)|how (?:did|has|have|do|does) (?P<how>\S.*?) (?:develop|evolve|trend|grow|grown|changed?|developed|"
    r"evolved)(?:\s+(?:over|since|by|from|between|year)\b.*?))[?.!]*$",
    re.IGNORECASE,
)
_AS_CHART = re.compile(
    rf"^\W*{_LEAD}(?:show|give|present|put|display|draw|tell)\s+(?:(?:me|us)\s+)?(?P<what>\S.*?)\s+(?:as|in"
    rf"|on)\s+an?\s+"
    r"(?:\w+\s+)?(?:chart|graph|plot|diagram|histogram)[?.!]*$",
    re.IGNORECASE,
)
_DOCUMENT_ORDERS = (_ENGLISH_DOCUMENT, _NEEDED, _ANSWERED_IN, _DRAFT_IT)
_TEXT_TO_READ = re.compile(
    r"\b(?:polic(?:y|ies)|contracts?|clauses?|letters?|documents?|texts?|articles?|laws?|e-?mails?|wording"
    r"|sentences?)\b"
    r"|계약서|조항|규정|문서|법|편지|메일|문장|본문",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:about|on|regarding|concerning|summari[sz]ing|explaining|describing|covering|of|for|asking for|requesting)\s+"
    r"(?P<topic>\S.*)$",
    re.IGNORECASE,
)
_REQUESTS = re.compile(r"(?:request|application|proposal|plan)$", re.IGNORECASE)
_TO_DO = re.compile(r"\s+to\s+(?P<topic>\S.*)$", re.IGNORECASE)
_AS_DOCUMENT = re.compile(
    r"(?<!\s)\s++(?:as|in|into) an? (?:\w+ )?(?:document|file|letter|report|memo|pdf|docx?|word)\b.*$", re.I
)
_MADE_OF = re.compile(
    rf"^(?:(?:an?|the|some|this|that|these|those)\s+)?(?:(?:bar|line|pie|short|quick|nice|simple|clear)\s+)*"
    rf"(?:{_CHARTED}|analysis|chart|graph)\s*(?:\b(?:of|for|on|about|with|in|showing)\b\s*)?",
    re.IGNORECASE,
)
_EMPTY_WORDS = (
    r"the|an|a|this|that|these|those|it|them|our|my|some|all|of|results?|figures?|numbers?|data|trends?|values?|above"
    r"|same|answer|findings?|for|me|us|as|in|chart|graph|table|please|well|too|form|over|time|그것|그거|그걸|그 ?내용"
    r"|그|이걸|이거|이것|이|위의|위|내용|결과|수치|데이터|자료|추이|추세|답변|것"
)
# The longest word that fits, for good: many ways to divide a text into words are as many to try.
_EMPTY = re.compile(
    rf"^(?:(?:{'|'.join(sorted(_EMPTY_WORDS.split('|'), key=len, reverse=True))})\s*+)*+$",
    re.IGNORECASE,
)

# --- Korean --------------------------------------------------------------------------------------

_ASKED_TO = (
    r"(?:\s*(?:좀|한 ?번|도|하나)?\s*(?:줘요?|주세요|주십시오|주시겠어요|주실래요|주실 수 있(?:나요|어요|을까요)"
    r"|주시면|줄래요?|"
    r"줄 수 있(?:어|나요|니)\S*|주라|주고|달라|다오|봐요?|보자|부탁\S*|바랍니다|바라\S*|라|요|하고|고|서))"
)
KOREAN_DOCUMENTS = (
    r"(?:답장|답변서|답신|회신문?|편지|서한|이메일|메일|보고서|리포트|요약본|요약문|요약서|신청서|요청서|공문|의견서"
    r"|소명서|회의록|"
    r"통지서|안내문|공지문?|제안서|계획서|기획서|계약서|사직서|사유서|경위서|시말서|품의서|이의신청서|체크리스트"
    r"|확인서|동의서|진술서|"
    r"해명서|검토서|합의서|각서|서약서|신고서|설명서|안내서|견적서|발주서|청구서|추천서|인수인계서|초안|문서|메모"
    r"|(?<= )글)"
)
_KOREAN_DOCUMENT = re.compile(
    rf"^(?P<before>.*?)(?P<noun>{KOREAN_DOCUMENTS})(?:\s*(?:의\s*)?(?:초안|문서))?(?:을|를|도|으로|로|은|는)?\s*"
    r"(?:(?:하나|한 ?통|한 ?부|좀|먼저|빨리)\s*)?"
    rf"(?:써|쓰|적어|작성(?:해|하|을?)?|만들어?|준비(?:해|하)?|드래프트(?:해)?|뽑아|정리해|생성해)(?:{_ASKED_TO}"
    rf"|[.!]*$)\s*[?.!]*$"
)
_KOREAN_CHART = r"(?:그래프|차트|도표|추이|추세|시각화|히스토그램|막대그래프|꺾은선그래프)"
_KOREAN_ANALYSIS = re.compile(
    rf"^(?P<before>.*?)(?:(?P<noun>{_KOREAN_CHART}|통계|수치|데이터|분석)(?:으로|로|를|을|도|은|는"
    rf"|가)?\s*+(?:[가-힣]{{1,6}}\s++){{0,2}}?"
    r"(?:(?:그려|보여|만들어|나타내|뽑아|표시해|알려|비교해|시각화해|분석해|분석|해|내)"
    rf"(?:{_ASKED_TO}|[.!]*$)|부탁\S*)|(?P<ends>{_KOREAN_CHART})(?:는|은|가|를|로)?)\s*[?.!]*$"
)
_KOREAN_ANALYSE = re.compile(rf"^(?P<before>.*?)(?:을|를|도)?(?<!\s)\s*+(?:분석|시각화)(?:해|하)?{_ASKED_TO}\s*[?.!]*$")
_HOW_TO = re.compile(r"방법|어떻게|양식|절차|하려면|쓰는 ?법|작성 ?법|그리는 ?법|누가|언제|어디|해야")
_ABOUT_KOREAN = re.compile(
    r"(?<!\s)\s*+(?:(?:에|와|과|으로|로)\s*+)?(?:(?:대한|대해서?|관한|관해서?|관련된?|요청하는|설명하는|알리는|보낼|쓸|제출할)\s*+)?$"
)
_FOR_WHOM = re.compile(
    r"(?:^|(?<=\s))[가-힣A-Za-z]{1,20}(?: ?(?:씨|과장|부장|대리|팀장|차장|사원|대표))?(?:님)?(?:에게|께|한테)"
    r"(?:\s+(?:보낼|쓸|드릴|줄))?(?=\s|$)"
)
"""Who a document is for is not what it is about."""
_LED_BY = re.compile(
    r"^(?:(?:그리고|그럼|또|다음으로|그 ?다음(?:에|엔)?|그런 ?다음|이어서|마지막으로|제발|혹시|이제|그 ?내용(?:으로"
    r"|을)?|그걸(?:로)?|"
    r"이걸(?:로)?|그것(?:으로|을)|이 ?내용(?:으로|을)?|위 ?내용(?:으로|을)?|결과(?:로|를)?|그)\s*,?\s*)+"
)


@lru_cache(maxsize=2048)
def order_of(clause: str) -> Order | None:
    """Return the order that a clause gives; None for a question."""
    text = clause.strip()
    if not text or len(text) > READ:
        return None
    if language_of(text) == "ko":
        return _korean(text)
    return _english_document(text) or _english_analysis(text)


def _english_document(text: str) -> Order | None:
    match = next((m for each in _DOCUMENT_ORDERS if (m := each.match(text))), None)
    if match is None or _NO_DOCUMENT.search(text):
        return None
    if re.match(r"^\s*(?:to|from)\s+(?:my|the|our)\s+(?:phone|laptop|computer)\b", match["rest"], re.I):
        return None
    rest = _AS_DOCUMENT.sub("", match["rest"])
    kind = _bare(_before_noun(match["what"], match["noun"]))
    done = _TO_DO.match(rest) if _REQUESTS.match(match["noun"]) else None
    about = done or _ABOUT.search(rest)
    topic = _bare(about["topic"]) if about else ""
    if kind and (not topic or any(ch.isdigit() for ch in topic)):  # a leave request for 3 to 5 August is about leave
        topic = kind
    return Order("document", text, topic, match["noun"].lower())


def _before_noun(what: str, noun: str) -> str:
    """Return what tells a document apart: `leave` of `a leave request`."""
    before = what[: -len(noun)] if what.lower().endswith(noun.lower()) else ""
    return re.sub(
        r"\b(?:an?|the|my|our|your|this|that|short|formal|polite|brief|quick|first|good|reply|draft)\b", " ", before
    )


def _english_analysis(text: str) -> Order | None:
    charted = _AS_CHART.match(text)
    if charted:
        return Order("analysis", text, _bare(charted["what"]))
    match = _ENGLISH_ANALYSIS.match(text)
    if match is None:
        asked = _ENGLISH_TREND.match(text)
        return Order("analysis", text, _bare(asked["of"] or asked["how"])) if asked else None
    what = match["what"] or match["made"]
    if re.match(r"\W*(?:\w+\W+){0,8}?analy[sz]e", text, re.I) and _TEXT_TO_READ.search(what):
        return None
    return Order("analysis", text, _bare(_MADE_OF.sub("", what)))


def _korean(text: str) -> Order | None:
    if _HOW_TO.search(text):
        return None
    made = _KOREAN_DOCUMENT.match(text)
    if made and not _NO_DOCUMENT.search(text):
        return Order("document", text, _about(made["before"]), made["noun"])
    match = _KOREAN_ANALYSIS.match(text) or _KOREAN_ANALYSE.match(text)
    if match is None or _TEXT_TO_READ.search(match["before"][-8:]):
        return None
    return Order("analysis", text, _about(match["before"]))


def _about(before: str) -> str:
    """Return what a Korean order is about, from what stands before the thing to be made."""
    topic = _ABOUT_KOREAN.sub("", _FOR_WHOM.sub(" ", _LED_BY.sub("", before.strip())).strip())
    topic = re.sub(r"(?:을|를|(?<![문회동협정강주논합건질])의|으로|로)$", "", topic.strip())
    return "" if _EMPTY.match(topic) else topic.strip(" ,")


def _bare(topic: str) -> str:
    topic = re.sub(
        r"\s+(?:please|for me|for us|too|as well|in a chart|as a (?:chart|graph|document|file))\b.*$",
        "",
        topic,
        flags=re.I,
    )
    topic = " ".join(topic.strip(" ,.;:!?\"'").split())
    if _EMPTY.match(topic):
        return ""
    return re.sub(r"^(?:the|an?|our|my|your|this|that)\s+", "", topic, flags=re.I)
