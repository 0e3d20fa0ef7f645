"""Whether a message leans on the turns before it, and by which words."""

import re
from dataclasses import dataclass

from agent.reasoning.offline import korean, lexicon
from agent.text import language_of

_PRONOUN = re.compile(
    r"\b(?:its?|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|that|such|the same|the "
    r"former|the latter"
    r"|(?:the|that|this|another|which|first|second|third|last|other|new) ones?|either of|neither|both of)\b",
    re.IGNORECASE,
)
# Uses of the same words that point at nothing said before.
_EMPTY = re.compile(
    r"\b(?:is|was|does|did|would|will|can|could|should|might) it (?:\w+ ){0,3}(?:to|that|if|possible "
    r"to|necessary|true|ok|okay|allowed|legal|safe|worth|mean when)\b"
    r"|\bit (?:is|was|takes?|costs?|would be) (?:\w+ )?(?:to|that|possible)\b"
    r"|\b(?:this|these|that|those) (?:week|month|year|quarter|days|morning|afternoon|evening|time|"
    r"weekend|friday|monday|summer|winter|spring|autumn)s?\b"
    r"|\b(?:so|such|now|given|provided|ensure|know|sure|say|says|said|mean|means|think|true|fact|"
    r"possible|told|assume|suppose|believe|hope) that\b"
    r"|\b\w+s? that (?=(?:i|we|you|he|she|they|are|is|was|were|can|will|have|has|do|does|need|must|"
    r"should|would|could|may|might|use[sd]?|the|a|an|our|my|your)\b)"
    r"|\bsuch as\b|\b(?:he|she) or (?:he|she)\b|\b(?:his|her) or (?:his|her)\b|\bthat way\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^\W*(?:and|but|or|also|plus|then|so|what about|how about|what if|what else|anything else|why(?: "
    r"not| is that| so)?\s*\?*$|how so|how come\s*\?*$|"
    r"(?:and )?(?:for|on|in|with|without|at|from|by|of|to|about|under|after|before|during) |more(?: "
    r"details| info\w*| about)?\b|tell me more|go on|continue|"
    r"can you (?:elaborate|explain more|give (?:me )?(?:an )?example)|elaborate|really\?|are you sure|"
    r"any (?:others?|more|alternatives?|exceptions?)|(?:when|where|who|how|how much|how many|how long|"
    r"which|what)\s*\?*$|"
    r"(?:yes|no|ok|okay|sure|right|thanks|great|hmm|oh|ah)[,.! ]+\S|not |instead)",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:else|instead|other(?: \w+)? (?:ways?|options?|types?|kinds?|examples?)|the (?:first|second|"
    r"third|last|other) (?:one|option|step|point|case)|as well|too\?$|otherwise)\b",
    re.I,
)
# Nouns that need a "of what": said with "the" and nothing behind them, they point back.
_RELATIONAL = (
    "process|procedure|steps?|limits?|limitations?|differences?|similarit(?:y|ies)|form|deadline|"
    "costs?|price|fees?|rules?|results?|answer|document|"
    "symptoms?|causes?|effects?|side effects?|benefits?|(?:dis)?advantages?|pros and cons|types?|"
    "kinds?|requirements?|options?|exceptions?|alternatives?|"
    "reasons?|risks?|consequences?|impacts?|importance|size|average|length|duration|population|goals?|"
    "purpose|history|origins?|author|themes?|findings|"
    "signs?|stages?|parts?|features?|roots?|examples?|penalt(?:y|ies)|procedure|outcome|treatments?|"
    "members?|characters?|salary|schedule|timeline"
)
_DEFINITE = re.compile(
    rf"\b(?:the|an?|another|any|some|other) (?:[\w-]+ ){{0,2}}(?:{_RELATIONAL})\b(?! (?:of|for|to|on|in|"
    rf"about|between|with|at|from|if|when)\b| [A-Z])"
    rf"|\b(?:are|is) there\W*$|^(?:how many|what) (?:[\w-]+ )?(?:{_RELATIONAL}) (?:are|is|were|do|does|can)\b",
    re.IGNORECASE,
)
_KOREAN_POINT = re.compile(
    r"(?:^|\s)(?:그거|그것|그건|그게|그걸|그럼|그러면|그렇|그런|그때|그분|그곳|그|거기|거긴|걔|이거|"
    r"이것|이건|이게|이걸|이때|이런|여기|저거|저것|저건|위의|앞의|방금|아까|해당|두 ?번째|첫 ?번째|세 "
    r"?번째|마지막 것|둘 ?다|"
    r"둘 중|나머지|다른 (?:건|것|방법|경우|거)|또 ?(?:다른|있|뭐)|더 (?:자세히|알려|설명|있)|"
    r"왜요?\s*\?*$|왜 그|어째서\s*\?*$|그리고|그런데|근데|하지만|그래서|그래도|그중)"
)
_KOREAN_ELLIPSIS = re.compile(
    r"^\S{1,14}(?: \S{1,14}){0,2}(?:은|는|이는|은요|는요|도요|도|의 경우는|경우는|라면|이라면|면요|"
    r"에서는|에서는요|으로는|에는|일 때는|이면)\s*\??\.?$"
)
_KOREAN_BARE = re.compile(
    r"^\W*(?:언제|어디|누가|누구|어떻게|얼마나?|몇|며칠|왜|무엇을?|뭘)\S{0,3}(?: \S{1,8}){0,2}\s*\??$"
)
_KOREAN_VERB = re.compile(
    r"(?:나요|까요|가요|어요|아요|돼요|해요|되나|하나|합니까|됩니까|돼|해|야|지요|죠|면|서|려면|도)$"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NAMED = re.compile(r"(?<!^)\b[A-Z][a-z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a message depends on earlier turns: `kind` says by what, `mark` is the word that does it."""

    kind: str
    mark: str = ""


def leaning(text: str) -> Leaning | None:
    """Return how the message depends on what was said before; None when it stands alone."""
    if language_of(text) == "ko":
        return _korean(text)
    masked = _EMPTY.sub(lambda match: "_" * len(match.group()), text)
    pronoun = _PRONOUN.search(masked)
    if pronoun and not _inside(masked, pronoun):
        return Leaning("pronoun", pronoun.group())
    if _OPENING.match(text):
        return Leaning("ellipsis", _WORD.findall(text)[0] if _WORD.findall(text) else "")
    other = _ELSE.search(text) or _DEFINITE.search(text)
    if other:
        return Leaning("reference", other.group())
    return Leaning("fragment") if len(_WORD.findall(text)) <= 2 else None


def _names_something(word: str) -> bool:
    """Tell whether a Korean word is a noun of its own: not a verb, not a question word, not `~도`."""
    if word[0].isascii():
        return True
    light = korean.is_ending(word) or word in lexicon.FAINT_KOREAN or korean.stem_of(word) in lexicon.FAINT_KOREAN
    return not light and _KOREAN_VERB.search(word) is None


def _inside(text: str, pronoun: re.Match[str]) -> bool:
    """Tell whether the question itself names what he, she or they stands for."""
    if pronoun.group().lower() not in {"he", "him", "his", "she", "her", "hers", "they", "them", "their", "its", "it"}:
        return False
    before = text[: pronoun.start()]
    if pronoun.group().lower() in {"he", "him", "his", "she", "her", "hers"}:
        return _NAMED.search(before) is not None
    clause = re.search(
        r"(?:^|\b)(?:if|when|while|once|after|before|because|unless|until) \w+ \w+|,|[.!?] |\band "
        r"(?:how|when|where|who|what|why|can|do|is)\b",
        before,
        re.I,
    )
    return clause is not None and re.search(r"\b(?:the|a|an|my|our|your) \w+|[a-z] [A-Z]", before) is not None


def _korean(text: str) -> Leaning | None:
    point = _KOREAN_POINT.search(text)
    if point:
        return Leaning("pronoun", point.group().strip())
    if _KOREAN_ELLIPSIS.match(text) or _KOREAN_BARE.match(text):
        return Leaning("ellipsis")
    said = text.rstrip("?.! ").split()
    if len(said) <= 4 and not any(_names_something(word) for word in said):
        return Leaning("ellipsis")
    return Leaning("fragment") if len(said) == 1 and len(text) <= 8 else None
