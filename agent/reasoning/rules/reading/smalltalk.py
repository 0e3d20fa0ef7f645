"""Greetings, thanks and calls for help that say nothing else, as people type them: hiii, thx!!, ㄱㅅ, 고마웡ㅎㅎ."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

_NOISE = re.compile(r"<[@#!][^>]*>|<a?:\w+:\d+>|:[a-z0-9_+-]+:|@\S+|[^\w\s]|_")
_LAUGHTER = re.compile(
    r"[ㅋㅎㅠㅜㅡㅍ]+|\b(?:a?(?:ha){2,}h?|(?:he){2,}h?|lo+l+|lmf?ao+|xd+)\b|(?<=\s)\^\^", re.IGNORECASE
)
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")

_GREETING = (
    r"(?:hi+|hello+|hullo|hallo|hey+|heya|hiya|howdy|yo|greetings|gm|good (?:morning|afternoon|evening|day)|morning"
    r"|evening|sup|wh?assup|whats up|how(?:s it| is it) going|how are you(?: doing)?(?: today)?"
    r"|nice (?:to meet|meeting) you"
    r"|안녕(?:하세요|하십니까|히|하신가요|하시죠)?|안뇽|반가워요?|반갑습니다|만나서|하이요?|하잉|헬로우?|ㅎㅇ|ㅎ2"
    r"|좋은 ?(?:아침|오후|저녁|하루)(?:이에요|입니다|이네요|되세요)?|잘 ?지내(?:요|세요|니|시죠|시나요))"
)
_ADDRESSED = r"(?:there|all|everyone|everybody|team|folks|guys|bot|weft|again|to you|y ?all|여러분|모두|다들|봇|위프트)"
_FILLER = (
    r"(?:yes|yep|yeah|oh|ah|wow|so|really|very|a lot|again|you|u|guys|team|weft|bot|man|mate|all|everyone|then"
    r"|no worries"
    r"|much|just what i needed|for (?:your |the |all (?:your |the )?)?(?:help|answer|info|information|that|this"
    r"|quick \w+)"
    r"|that|네+|넵+|넹|예|응|아+|오+|와+|정말|너무|진짜|많이|덕분에|답변|답변해|알려|도와|줘서|주셔서|알려줘서"
    r"|알려주셔서|도와줘서"
    r"|도와주셔서|답변해줘서|빠른|친절한|다|잘|항상|늘)"
)
_THANKS = (
    r"(?:thanks|thank (?:you|u|ya)|thankyou|thanku|thx+|thnx|tnx|tks|tyvm|tysm|ty|cheers|much appreciated|much obliged"
    r"|(?:good ?)?bye+(?: ?bye+)?|see (?:you|ya)(?: later| soon)?|good night|안녕히 ?(?:계세요|가세요)|잘 ?있어요?"
    r"|다음에 ?봐요?"
    r"|(?:i )?(?:really )?appreciate (?:it|that|this|the help|your help)"
    r"|고마워요?|고맙(?:습니다|다|네요?|소|지)|고마웠(?:어요?|습니다)|감사(?:해요?|합니다|드려요|드립니다"
    r"|했습니다|요|감사)|감삼다|감사함다|고맙슴다"
    r"|ㄱㅅ(?:ㄱㅅ)*|ㄳ+|땡큐|땡스|탱큐|쌩유|수고(?:하세요|하셨습니다|했어요?|많으셨습니다|요))"
)
_ACKNOWLEDGED = (
    r"(?:ok+|okay|okey|okie|k|kk|great|perfect|awesome|cool|nice|super|wonderful|excellent|lovely|good|got it|gotcha"
    r"|understood|noted|makes sense|all good|(?:that |this )?(?:really )?(?:helps|helped)|sounds good|good (?:bot"
    r"|job|answer)"
    r"|ㅇㅋ+|ㅇㅋㅇㅋ|오키+|오케이?|옼+|알겠(?:습니다|어요?|음|다)|알았(?:습니다|어요?|음)|확인했(?:습니다|어요?)"
    r"|이해했(?:습니다|어요?)"
    r"|해결(?:됐|되었|했)(?:습니다|어요?|네요)|도움(?:이|도)? ?(?:됐|되었|많이 됐)(?:습니다|어요?|네요)"
    r"|좋(?:네요?|아요?|습니다)|굿|굳|최고(?:예요|네요)?)"
)
_HELP = (
    r"(?:(?:(?:can|could) you |please |pls |i need (?:some )?)?help(?: me)?(?: please| pls)?"
    r"|what can you do(?: for me)?"
    r"|who are you|what are you|how do you work|what can i ask(?: you)?|how (?:do|can|should) i use (?:you|this"
    r"|weft|this bot)"
    r"|도움말?|도와줘요?|도와주세요|도와줄래|사용 ?(?:법|방법)(?:을|은|이)? ?(?:알려 ?줘|알려 ?주세요|뭐야|뭐예요"
    r"|어떻게 돼)?"
    r"|(?:너는|넌|당신은|위프트는|봇은)? ?(?:뭘|뭐|뭐를|무엇을|무슨 ?일을|어떤 ?걸|어떤 ?것을)? ?(?:할 ?수|할 ?줄"
    r"|도와줄 ?수|물어볼 ?수|물어봐도)"
    r" ?(?:있어|있니|있나|있나요|있어요|있습니까|있지|있죠|알아|아니|아나요|돼|되나요)"
    r"|(?:너는|넌|당신은)? ?누구(?:야|니|세요|십니까|신가요|예요|지))"
)
_PATTERNS = (
    ("greeting", re.compile(rf"^(?:{_GREETING}(?: {_ADDRESSED})* ?)+$")),
    (
        "thanks",
        re.compile(rf"^(?:(?:{_FILLER}|{_ACKNOWLEDGED}) )*{_THANKS}(?: (?:{_FILLER}|{_ACKNOWLEDGED}|{_THANKS}))*$"),
    ),
    ("help", re.compile(rf"^{_HELP}$")),
)
_NOTED = re.compile(rf"^(?:(?:{_FILLER}) )*{_ACKNOWLEDGED}(?: (?:{_FILLER}|{_ACKNOWLEDGED}))*$")
# 감사 is an audit too: alone it is a topic.
_SHORT_THANKS = re.compile(rf"^(?:(?:{_FILLER}|{_ACKNOWLEDGED}) )+감사$")
_CALLED = re.compile(r"(?<=[a-z]) (?:[A-Z][a-z]+|bye)$")
"""Somebody's name at the end of a greeting or of thanks."""
_MOST = 60
"""Characters of small talk; a longer message says something."""


_ROWS = tuple(row + " " + row[::-1] for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm"))
_JAMO = re.compile(r"^[ㄱ-ㅎㅏ-ㅣ]{3,}$")


def is_unreadable(text: str) -> bool:
    """Tell whether a message has no words at all: emoji, punctuation, laughter, keys pressed in a row."""
    said = _LAUGHTER.sub("", _NOISE.sub(" ", text)).split()
    return all(_is_typed_blindly(word) for word in said)


def _is_typed_blindly(word: str) -> bool:
    """Tell whether a word is made of neighbouring keys alone, one after the other: asdf, qwer, ㅁㄴㅇㄹ."""
    if _JAMO.match(word):
        return not any(pattern.match(word) for _, pattern in _PATTERNS)
    low = word.lower()
    return len(low) > 3 and any(_is_made_of(low, row) for row in _ROWS)


def _is_made_of(word: str, row: str) -> bool:
    """Tell whether a word is pieces of a row of keys, each of four keys or more."""
    if not word:
        return True
    sizes = range(len(word), 3, -1)
    return any(word[:size] in row and _is_made_of(word[size:], row) for size in sizes)


def without_laughter(text: str) -> str:
    """Return a message without the ㅋㅋ and ㅎㅎ in it, unless it is made of nothing else."""
    calm = " ".join(re.sub(r"[ㅋㅎㅠㅜ]{2,}|(?<=[가-힣])[ㅋㅎㅠㅜ]", " ", text).split())
    return calm or text


def small_talk(text: str) -> str:
    """Return `greeting`, `thanks` or `help` for a message that is nothing else; empty for any other."""
    asked = "?" in text
    spoken = " ".join(_NOISE.sub(" ", text.replace("'", "").replace("’", "")).split())
    if len(spoken) > _MOST:
        return ""
    forms = [spoken] if asked else [spoken, _CALLED.sub("", spoken)]
    forms += [" ".join(_LAUGHTER.sub(" ", form).split()) for form in forms]
    for said in dict.fromkeys(variant for form in forms for variant in _variants(form.lower(), slips=not asked)):
        for name, pattern in _PATTERNS:
            if pattern.match(said):
                return name
        if not asked and (_NOTED.match(said) or _SHORT_THANKS.match(said)):
            return "thanks"
    return ""


def _variants(said: str, *, slips: bool) -> Iterator[str]:
    """Yield a message as it is, then with drawn-out letters, playful endings and slips of the keyboard put right."""
    yield said
    short = _DRAWN_OUT.sub(r"\1", said)
    yield short
    yield (plain := " ".join(_plain_ending(word) for word in short.split()))
    if slips:
        yield " ".join(_corrected(word) for word in plain.split())


# Korean endings that are only played with: 고마웡, 안녕하세용, 감사합니당, 고마워욤, 감사해여.
_NIEUN_LIKE = frozenset({16, 21})  # final ㅁ and ㅇ


def _plain_ending(word: str) -> str:
    last = ord(word[-1]) - 0xAC00
    if len(word) < 2 or not 0 <= last < 11172:
        return word
    if last % 28 in _NIEUN_LIKE:
        word = word[:-1] + chr(0xAC00 + last - last % 28)
    return re.sub(r"(?<=[요다])[오우아어]$", "", re.sub(r"(?<=[가-힣])(?:여|염|유)$", "요", word))


_WORDS = (
    "thanks thank hello morning afternoon evening appreciate appreciated perfect awesome great okay understood "
    "감사합니다 감사드립니다 고맙습니다 안녕하세요 반갑습니다 알겠습니다 수고하세요 고마워요 안녕하십니까 도와주세요"
).split()


@lru_cache(maxsize=1000)
def _corrected(word: str) -> str:
    """Return the word of small talk that a word is a slip of the keyboard away from, or the word itself."""
    if len(word) < 4 or len(word) > 16:
        return word
    spelt = unicodedata.normalize("NFD", word)
    for known in _WORDS:
        letters = unicodedata.normalize("NFD", known)
        if spelt == letters:
            return word
        if slips(spelt, letters, most=1 if len(letters) < 9 else 2) >= 0:
            return known
    return word


def slips(a: str, b: str, *, most: int) -> int:
    """Return how many slips (a letter more, less, wrong, or two swapped) lie between two words; -1 for too many."""
    if abs(len(a) - len(b)) > most or not a or not b or a[0] != b[0]:
        return -1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        following = [i]
        for j, (other, (diagonal, above)) in enumerate(zip(b, pairwise(row), strict=True), start=1):
            best = min(diagonal + (letter != other), above + 1, following[-1] + 1)
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            following.append(best)
        if min(following) > most:
            return -1
        before, row = row, following
    return row[-1] if row[-1] <= most else -1
