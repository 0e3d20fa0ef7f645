"""What kinds of answer look like: a number for "how many", a date for "when", a cause for "why"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from agent.reasoning.offline import speech
from agent.reasoning.offline.question import Kind, Question

_NUMBER_WORDS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|"
    r"hundred|thousand|million|billion|half|once|twice|percent|unlimited|dozen"
)
_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?"
)
_DAYS = r"mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?"
_KOREAN_COUNT = r"(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|반) ?(?:개|명|번|달|시간|주|배|살|시|해|곳|차례|나절)"

_PATTERNS: dict[Kind, re.Pattern[str]] = {
    Kind.NUMBER: re.compile(rf"\d|\b(?:{_NUMBER_WORDS})\b|{_KOREAN_COUNT}|무제한|절반", re.IGNORECASE),
    Kind.TIME: re.compile(
        rf"\b(?:{_MONTHS})\b\.? ?\d|\d ?(?:{_MONTHS})\b|\b(?:{_DAYS})\b|\b(?:1[0-9]|20)\d\d\b|"
        rf"\d{{1,2}}:\d\d|\b\d{{1,2}} ?[ap]\.?m\b"
        rf"|\b(?:within|after|before|until|by|every|since|during|in) (?:the )?(?:(?:\d+|{_NUMBER_WORDS}|"
        rf"first|last|end|beginning|start) )*"
        r"(?:of )?(?:the )?(?:\w+ )?(?:minutes?|hours?|days?|weeks?|months?|quarters?|years?|noon|midnight|century)\b"
        rf"|\b(?:\d+|{_NUMBER_WORDS}) (?:\w+ )?(?:minutes?|hours?|days?|weeks?|months?|years?)\b|"
        rf"\b(?:{_MONTHS})\b|\d ?(?:년|월|일|시|분|주|개월)|매(?:년|월|주|일)"
        r"|(?:월|화|수|목|금|토|일)요일|(?:이내|전까지|까지|이후|말일|오전|오후|당일|다음 ?(?:날|달|주))",
        re.IGNORECASE,
    ),
    Kind.PERSON: re.compile(
        r"(?<![.!?] )(?<!^)\b[A-Z][a-z]+\b|\b[A-Z][a-z]+ [A-Z][a-z]+|@[\w.]+|\b(?:manager|lead|head|"
        r"director|officer|team|department|owner|admin\w*|"
        r"desk|ceo|cto|cfo|hr|supervisor|committee)\b|(?:팀|부서|담당자|본부|위원회|센터|님|장|"
        r"관)(?:은|는|이|가|에|의|을|를|과|와|께|,|\.| |$)|[가-힣]{2,4}(?:은|는|이|가) "
    ),
    Kind.PLACE: re.compile(
        r"https?://|\b(?:in|at|on|under|from|to|near|via) (?:the )?[A-Z#/\"“]|[#/][a-z][\w-]+|"
        r"\b(?:floor|room|building|desk|page|folder|drive|portal|channel|street|menu|tab|located?)\b"
        r"|(?:에서|에 있|층|호실|건물|페이지|폴더|채널|포털|메뉴|시|도|구|국)(?:에|의|은|는|이|로| |,|\.|$)"
    ),
    Kind.REASON: re.compile(
        r"\b(?:because|since|due to|so that|in order to|as a result|therefore|reasons?|caused?|causes|"
        r"to (?:avoid|ensure|prevent|protect|keep|reduce)|otherwise|owing to|leads? to)\b"
        r"|때문|이유|위해|위하여|원인|인해|으로써|므로|(?:하|되|이|었|았|했)여서|어서|아서|기에|탓",
        re.IGNORECASE,
    ),
    Kind.STEPS: re.compile(
        r"^\W*(?:\d+[.)]\s*)?(?:to \w+|if you|open|click|select|go to|run|enter|choose|send|submit|"
        r"fill|use|create|install|download|sign|log|ask|add|set|type|press|call|"
        r"contact|book|request|complete|follow|make sure|report|tell|email|check|navigate|specify|"
        r"configure|upload|first|then|next|you (?:can|must|should|need|have to))\b"
        r"|\b(?:by (?:\w+ing)|you (?:can|must|should|need to|have to)|please|via|using)\b|(?:세요|"
        r"십시오|하면|한 뒤|한 후|한다|합니다|됩니다|해야|통해|따라|먼저|다음)",
        re.IGNORECASE,
    ),
    Kind.YES_NO: re.compile(
        r"\b(?:not|no|never|only|may|can|cannot|must|allowed|permitted|required|possible|available|"
        r"supports?|supported|eligible|entitled|up to|unless|except|is|are|does|includes?)\b"
        r"|수 있|수 없|가능|불가|금지|허용|못|않|해야|만 |된다|됩니다|하여야|아니한다",
        re.IGNORECASE,
    ),
}
_DEFINES = re.compile(
    r"\b(?:is|are|was|were) (?:an?|the|our|one of|used|any|when|where)\b|\b(?:means?|refers? to|stands "
    r"for|defined as|is called|known as|consists? of|provides?|lets? you|enables?|helps?)\b"
    r"|(?:이란|란|은|는) .*(?:이다|입니다|말한다|말합니다|뜻한다|뜻합니다|의미한다|의미합니다|것이다|가리킨다)",
    re.IGNORECASE,
)
_TOLD, _UNTOLD = 1.25, 0.85
"""What telling somebody to act counts where that is asked for, and what not doing so counts."""
_NO_REASON = re.compile(
    r"\b(?:without|no)\b.{0,20}\breasons?\b|(?:사유|이유)\S{0,2} (?:\S+ )?(?:없이|않)", re.IGNORECASE
)
_PURPOSE = re.compile(
    r"\b(?:purpose|believed|represent\w*|honou?r|in response|motivat\w*|intend\w*|designed to|importan\w*"
    r"|significan\w*|"
    r"deriv\w*|named (?:after|for)|aim(?:s|ed)?|need(?:s|ed) to|so as|thus|hence|result\w*|serves? to|helps? to|"
    r"as an? (?:way|means|alternative|response|reaction))\b|목적|의미로|뜻에서|결과|영향",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(r"\b(?:if|when|once|after|unless)\b|\bwill\b|하면|으면|이면|면 |경우|뒤", re.IGNORECASE)
_UNREACHED = 0.6
"""What a text without any way to reach somebody counts where one is asked for."""
_NEGATIVE = 0.8
_POSITIVE = 1.2
_EXACT = 1.3
_HOW_MANY = re.compile(r"\bhow many (?P<a>[a-z-]+)(?: (?P<b>[a-z-]+))?", re.IGNORECASE)
_MEASURES = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))
    for asked, given in (
        (
            r"\bhow much\b|\bwhat (?:is the )?(?:price|cost|fee|allowance|budget)\b",
            r"[$€£₩]\s?\d|\d[\d,.]*\s?(?:\w+ ){0,2}(?:euros?|dollars?|won|usd|eur|gbp|krw|pounds?|%|percent|days?|"
            r"weeks?|months?|hours?|"
            r"[gmtk]b)\b|\d\s?%|\d원|\d만",
        ),
        (
            r"\bhow long\b",
            rf"\b(?:\d[\d,.]*|{_NUMBER_WORDS})[ -](?:\w+ )?(?:seconds?|minutes?|hours?|days?|weeks?|"
            rf"months?|years?|characters?|letters?)\b",
        ),
        (
            r"\bhow (?:often|frequently)\b|\bhow many times\b",
            rf"\b(?:once|twice|times|(?:\d+|{_NUMBER_WORDS}) \w+) (?:a|an|per|each|every|in|within) (?:\w+ ){{0,2}}"
            r"(?:second|minute|hour|day|night|week|month|quarter|year|shift)s?\b|\bevery\b|\beach (?:day|week"
            r"|month|quarter|year)\b"
            r"|\b(?:hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually|periodically|regularly|rarely|never|always)\b|\bexpire",
        ),
        (
            r"얼마나 자주|자주|주기",
            r"매(?:년|월|주|일|번|달)|마다|\d\s?(?:년|개월|달|주|주일|일|시간|분)에|\d\s?(?:회|번)|(?:한|두|세"
            r"|네) ?(?:번|차례)"
            r"|정기|분기|격주|만료|언제든",
        ),
        (
            r"며칠|몇 ?일|일수",
            r"(?<!월)(?<!월 )(?<!\d)\d+\s?(?:영업)?일(?!\s?(?:전|후|이내|안에|차))|하루|이틀|사흘|나흘|열흘|보름",
        ),
        (r"몇 ?번|몇 ?회|횟수", r"\d\s?(?:회|번|차례)|(?:한|두|세|네) ?(?:번|차례)"),
        (r"몇 ?명|인원", r"\d\s?(?:명|인)|(?:한|두|세|네) ?(?:명|사람)"),
        (r"몇 ?(?:달|개월)", r"\d\s?개월|(?:한|두|세|네|여섯) ?달"),
        (r"몇 ?년|몇 ?해|년도|연도", r"\d\s?년"),
        (r"몇 ?(?:시간)", r"\d\s?시간"),
        (r"몇 ?살|나이", r"\d\s?(?:세|살)"),
        (r"몇 ?(?:퍼센트|프로|%)|비율", r"\d\s?(?:%|퍼센트|프로)|분의"),
        (
            r"얼마(?!나 (?:걸|오래|자주))|금액|가격|한도",
            r"\d[\d,.]*\s?(?:[십백천만억]+\s?)*(?:원|달러|유로|엔|%|퍼센트)|[$€₩]\s?\d",
        ),
        (r"얼마나 (?:걸|오래)|기간", r"\d\s?(?:분|시간|일|주|개월|년)|(?:한|두|세|네) ?(?:달|주|시간)"),
    )
)

_DEADLINE = re.compile(
    r"\b(?:by when|deadline|due|how (?:early|late|far (?:ahead|in advance))|how (?:many|much) \w+ (?:ahead"
    r"|before|in advance|notice)"
    r"|latest)\b|언제까지|기한|마감|며칠 ?전|몇 ?일 ?전|몇 ?시까지",
    re.IGNORECASE,
)
_BY_THEN = re.compile(
    r"\b(?:before|by|within|until|at least|at the latest|no later than|ahead|in advance|due)\b|(?:전까지|전에"
    r"|일까지|시까지|월까지|까지|이내|안에|전 )",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"\bwho(?:m)?\b.{0,20}\b(?:call|contact|ask|tell|phone|write|report|turn|talk|speak|reach|inform|notify|email)\b"
    r"|누구(?:에게|한테)|(?:어디|누구)\S* ?(?:\S+ )?(?:전화|연락|문의|신고|접수|물어)",
    re.IGNORECASE,
)
_REACHED = re.compile(
    r"(?<!on-)(?<!on )\b(?:call|contact|ask|tell|phone|write to|report|extension|ext|hotline|helpdesk"
    r"|e-?mail)\b|[\w.]+@[\w.]+|#[a-z]|"
    r"\+?\d[\d -]{2,}\d|\d{2,4}-\d{3,4}|(?:에게|에|로|으로) ?(?:\S+ )?(?:전화|연락|문의|신고|접수|제출|알)",
    re.IGNORECASE,
)
_WHO_IS = re.compile(
    r"^\W*(?:and |so )?who(?:['’]s| is| are| runs| leads| heads)\b|\bwho(?:m)? do i register\b|누구(?:인|야|예"
    r"|죠|입|$)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:[,:]| is| are| by| with|은|는)\s+(?:the \w+ \w+, |(?:Dr|Prof|Mr|Ms|Mrs)\.? )?[A-Z][\w-]+ [A-Z][\w-]+"
    r"|\b[A-Z][\w-]+ [A-Z][\w-]+ (?:is|runs|leads|heads)\b|[가-힣]{2,4} ?님|(?:은|는|이|가) [가-힣]{2,4}(?:이다"
    r"|입니다|이며|였)"
)
_A_TIME = re.compile(
    rf"(?:\d|\b(?:{_NUMBER_WORDS}))(?:[\s-]+\w+){{0,2}}[\s-]+(?:minutes?|hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_TIME_UNIT = re.compile(r"^(?:minute|hour|day|week|month|year)s?$", re.IGNORECASE)
_COUNTER = re.compile(r"몇 ?(?P<c>[가-힣]{1,2}?)(?=까지|이나|인|이|은|을|를|에|동안|나|예|입|간|정도|$|[\s?])")


def fit(question: Question, text: str) -> float:
    """Return how far a text has the form of an answer: about 1.2 with it, 0.8 without, 1.0 when nothing can be told."""
    if question.kinds & {Kind.ADVICE, Kind.OUTCOME} and Kind.REASON not in question.kinds:
        told = speech.instructs(text) if Kind.ADVICE in question.kinds else _FOLLOWS.search(text) is not None
        return _TOLD if told else _UNTOLD
    checks = [kind for kind in question.kinds if kind in _PATTERNS]
    if _WHO_IS.search(question.text) and _NAMED.search(text):
        return _EXACT
    if Kind.DEFINITION in question.kinds and not {Kind.NUMBER, Kind.TIME} & question.kinds:
        subject = next((term for term in question.terms if term.specific), None)
        if subject is not None:
            head = " ".join(text.split()[:6]).lower()
            early = subject.word.lower() in head or subject.stem in head
            if Kind.CONTRAST in question.kinds and not early:
                return _UNTOLD * _NEGATIVE
            return _POSITIVE if early and _DEFINES.search(text) else 1.0 if early or _DEFINES.search(text) else 0.9
    if not checks:
        return 1.0
    wanted = _wanted(question.text)
    if wanted is not None and wanted.search(text):
        return _EXACT
    if _DEADLINE.search(question.text):
        return _EXACT if _BY_THEN.search(text) and holds(Kind.TIME, text) else _UNTOLD
    if checks and _CONTACT.search(question.text):
        return _EXACT if _REACHED.search(text) else _UNREACHED
    if Kind.NUMBER in checks or Kind.TIME in checks or Kind.REASON in checks:  # a yes or a how beside them says less
        checks = [kind for kind in checks if kind in (Kind.NUMBER, Kind.TIME, Kind.REASON)]
        if wanted is not None and _counts_time(question.text) and _A_TIME.search(text):
            return _POSITIVE  # months answer a question for days
        found = any(holds(kind, text) for kind in checks)
        return _NEGATIVE if not found else 1.05 if wanted is not None else _POSITIVE
    share = sum(holds(kind, text) for kind in checks) / len(checks)
    if Kind.STEPS in checks:
        return 0.85 + 0.3 * share
    return 0.9 + 0.2 * share


@lru_cache(maxsize=256)
def _wanted(text: str) -> re.Pattern[str] | None:
    """Return what a number must stand with to be the one asked for: `how many days` wants a number of days."""
    counted = _HOW_MANY.search(text)
    if counted:
        nouns = "|".join(re.escape(noun[: max(3, len(noun) - 2)]) for noun in counted.groups() if noun)
        number = rf"(?:\b(?:{_NUMBER_WORDS})|\d)"
        beside = rf"{number}(?:[\s-]+\S+){{0,3}}?[\s-]+(?:{nouns})"
        labelled = rf"\b(?:{nouns})[^:;|]{{0,60}}: (?:[^:;|]{{0,20}} )?\d"  # a row with its header: `Days of leave: 16`
        return re.compile(f"{beside}|{labelled}", re.IGNORECASE)
    measure = next((given for asked, given in _MEASURES if asked.search(text)), None)
    counter = _COUNTER.search(text) if measure is None else None
    return re.compile(rf"(?:\d|한|두|세|네|다섯|여섯) ?{counter.group('c')}") if counter else measure


def _counts_time(text: str) -> bool:
    counted = _HOW_MANY.search(text)
    return counted is not None and any(_TIME_UNIT.match(noun) for noun in counted.groups() if noun)


def has_form(question: Question, texts: Sequence[str]) -> bool:
    """Tell whether one of the texts holds the number, date or person that is asked for; True where none is."""
    asked = question.kinds & {Kind.NUMBER, Kind.TIME}
    if Kind.PERSON in question.kinds and _CONTACT.search(question.text):
        return any(_REACHED.search(text) for text in texts)
    if not asked:
        return True
    measure = next((given for wanted, given in _MEASURES if wanted.search(question.text)), None)
    if measure is not None:
        return any(measure.search(text) for text in texts)
    return any(holds(kind, text) for kind in asked for text in texts)


def may_explain(text: str) -> bool:
    """Tell whether a text has words of cause or purpose at all."""
    return holds(Kind.REASON, text) or _PURPOSE.search(text) is not None


def holds(kind: Kind, text: str) -> bool:
    """Tell whether a text has what this kind of question asks for."""
    pattern = _PATTERNS.get(kind)
    if kind == Kind.REASON:
        text = _NO_REASON.sub(" ", text)
    return pattern is None or pattern.search(text) is not None
