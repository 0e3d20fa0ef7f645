"""How a Korean message depends on earlier turns: 그거, 그럼 병가는요?, 누가 승인해요?, 아까 그 육아휴직 급여."""

import re

from agent.reasoning.offline import korean, lexicon
from agent.reasoning.offline.leaning import Leaning
from agent.reasoning.offline.wordclasses import RELATIONAL_KOREAN

_BACK_TO = re.compile(
    r"^\W*(?:아까|다시|처음|전에|이전에)?\s*(?:그|말한|말씀하신|얘기한)?\s*(?P<x>\S{1,15}(?: \S{1,15}){0,2}?) ?"
    r"(?:말인데|말이야|말인데요|얘긴데|얘기인데|얘긴데요|얘기로 돌아가서|이야기로 돌아가서|로 돌아가서|"
    r"으로 돌아가서|관련해서|건으로)(?:요)?[, ]+"
    r"(?P<rest>\S.*)$"
)
_EARLIER = re.compile(
    r"^(?:(?:그럼|그러면|그리고|그런데|근데|아|음|참)[ ,.!]+)*(?:아까|방금|좀 ?전에|위에서?|앞에서?|조금 전에?)"
    r"(?: ?(?:그|말한|말했던|말씀하신|말씀해 ?주신|얘기한|얘기했던|물어본|물어봤던|나온|나왔던|답한|알려준|알려주신))? "
    r"(?=[가-힣A-Za-z0-9]{2,})(?!그|이거|저거|이것|저것)"
)
_POINT = re.compile(
    r"(?:^|\s)(?:그거|그것|그건|그게|그걸|그럼|그러면|그렇|그런|그때|그분|그곳|그|거기|거긴|걔|이거|"
    r"이것|이건|이게|이걸|이때|이런|여기|저거|것도|저것|저건|위의|앞의|방금|아까|해당|두 ?번째|첫 ?번째|세 "
    r"?번째|네 ?번째|마지막 ?(?:것|거|건|걸|방법|단계|항목|옵션)|\d번(?=[이은을째 ])|둘 ?다|"
    r"둘 중|나머지|다른 (?:건|것|방법|경우|거)|또 ?(?:다른|있|뭐)|더 (?:자세히|알려|설명|있)|"
    r"왜요?\s*\?*$|왜 그|어째서\s*\?*$|그래서|그래도|그중|안 ?하면|안되면|안 되면)"
)
# What joins a message to the one before it without leaning on it.
_LEAD = re.compile(r"^(?:(?:아|음|네|넵|오|앗|ㅋ+|ㅎ+|그리고|그런데|근데|하지만|참|그건 그렇고)[ ,.!~]+)+")
_THEN = re.compile(r"^(?:그럼|그러면|그렇다면)[ ,]+(?=(?:\S+ )?(?P<topic>\S{2,})[은는] \S)")
_MEANT = re.compile(
    r"^(?:아니|아뇨|아니요|아니아니|아냐|앗|잠깐)[,.!~ ]+|(?:\S+) (?:말고|아니고|아니라) \S"
    r"|^\S+(?: \S+)? (?:말이에요|말이야|말입니다|말한 ?거예요|말한 ?건데요?|얘기예요|얘기야)[\s.!~]*$"
)
_TOO = re.compile(
    r"^\S{1,14}(?: \S{1,14}){0,2}(?:도|은|는) (?:똑같|같은가|마찬가지|그런가|그래|돼요|되나요|됩니까|돼|되나|"
    r"가능|해당|어때|어떤가|어떻)\S*\s*\?*$"
)
# Its topic is in the question itself: 치과보험은 교정도 되나요.
_TOPIC = re.compile(r"^(?:\S+ )?\S{2,}[은는] \S+도 ")
_ELLIPSIS = re.compile(
    r"^\S{1,14}(?: \S{1,14}){0,2}(?:은|는|이는|은요|는요|도요|도|의 경우는|경우는|라면|이라면|면요|"
    r"에서는|에서는요|으로는|에는|일 때는|이면)\s*\??\.?$"
)
_BARE = re.compile(r"^\W*(?:언제|어디|누가|누구|어떻게|얼마나?|몇|며칠|왜|무엇을?|뭘)\S{0,3}(?: \S{1,8}){0,2}\s*\??$")
_VERB = re.compile(
    r"(?:나요|까요|가요|어요|아요|돼요|해요|되나|하나|합니까|됩니까|돼|해|야|지요|죠|면|서|려면|도|데|데요|는지|줘)$"
)


def korean_leaning(text: str) -> Leaning | None:
    """Return how a Korean message depends on what was said before; None when it stands alone."""
    text = _LEAD.sub("", text)
    then = _THEN.match(text)
    if then is not None and _names_something(then.group("topic")):  # it brings a topic of its own
        text = text[then.end() :]
    if _BACK_TO.match(text):
        return Leaning("return")
    if _MEANT.search(text):
        return Leaning("correction")
    point = _POINT.search(text)
    if point:
        return Leaning("pronoun", point.group().strip(), point.start())
    too = _TOO.match(text) is not None and _TOPIC.match(text) is None
    if too or _ELLIPSIS.match(text) or _BARE.match(text):
        return Leaning("ellipsis")
    said = text.rstrip("?.!~ ").split()
    if len(said) <= 5 and not any(_names_something(word) for word in said):
        return Leaning("ellipsis")
    return Leaning("fragment") if len(said) == 1 and len(text) <= 8 else None


def _names_something(word: str) -> bool:
    """Tell whether a Korean word is a noun of its own: not a verb, not a question word, not one of something else."""
    if word[0].isascii():
        return word[0].isalnum() and not word.isdigit()
    stem = korean.stem_of(word)
    light = korean.is_ending(word) or word in lexicon.FAINT_KOREAN or stem in lexicon.FAINT_KOREAN
    relational = stem in RELATIONAL_KOREAN or word.removesuffix("요") in RELATIONAL_KOREAN
    return not light and not relational and _VERB.search(word) is None


def korean_earlier(text: str) -> str:
    """Return a message without its "the one that you mentioned earlier": 아까 그 육아휴직 급여 is 육아휴직 급여.

    Empty for one that says nothing of the kind, and for one that points to what it means.
    """
    rest = _EARLIER.sub("", text)
    return rest if rest != text and not _POINT.search(rest) else ""


def korean_back_to(text: str) -> re.Match[str] | None:
    """Return what a message goes back to (group `x`), and what it asks of it (`rest`)."""
    return _BACK_TO.match(text)
