"""Korean follow-ups that put one word in the place of another: 병가는요?, 아니 그거 말고 정규직이요."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import korean
from agent.reasoning.offline.focus import Past
from agent.reasoning.offline.topic import Phrase, phrases_of, without_attribute
from agent.reasoning.offline.wordclasses import RELATIONAL_KOREAN

_NOT = r"(?:아니|아뇨|아니요|아니아니|아냐|앗|잠깐)[,.!~ ]+"
_CORRECTED = re.compile(
    rf"^(?:{_NOT})*(?:(?P<old>\S{{1,15}}(?: \S{{1,15}})?) (?:말고|아니고|아니라) ?)?"
    r"(?P<x>\S{1,15}?(?: \S{1,15}?){0,2}?)(?P<p>으로|로|에서|에|은|는|을|를)?(?:이요|요|입니다|이에요|예요|"
    r" ?말이에요| ?말이야| ?말입니다| ?얘기예요|이야)?\s*[?.!~]*$"
)
_NO = re.compile(rf"^{_NOT}| (?:말고|아니고|아니라) |\S (?:말이에요|말이야|말입니다|얘기예요|얘기야)[\s.!~]*$")
_LEAD = re.compile(
    rf"^(?:{_NOT})*"
    r"(?:(?:그거|그것|그게|그걸|이거|이것|이게|저거) (?:말고|아니고|아니라)(?:요)?[, ]+)?"
)
_TIME = re.compile(
    r"(?:요일|주말|평일|공휴일|휴일|명절|연휴|오전|오후|저녁|야간|아침|내일|모레|다음 ?[주달]|올해|내년|"
    r"[0-9]+[월일시])$"
)
_HEADS = frozenset(
    """사무실 서비스 시스템 서버 센터 지점 지사 제도 프로그램 카드 계정 계약 회의 회의실 건물 부서 팀 본부
    공장 매장""".split()
)
_ASIDE = re.compile(r"\s\(([^()]*)\)\s*$")
_ORDINAL = re.compile(r"^(?:첫|두|세|네|다섯|\d) ?번?째?(?:\s|$)|^마지막|^나머지")
_PREDICATE_ALONE = re.compile(r"^ [가-힣]{1,6}(?: [가-힣]{1,6})?[\s?.!~]*$")


def corrects(plain: str) -> bool:
    """Tell whether a message takes back a word of the question before it."""
    return _NO.search(plain) is not None


def without_no(plain: str) -> str:
    """Return a correction without its "no, not that": 아니 그거 말고 숙박비 한도요 asks for 숙박비 한도요."""
    return _LEAD.sub("", plain) or plain


def corrected(plain: str, past: Sequence[Past]) -> str:
    """Take back a word: 아니 그거 말고 정규직이요, 아니 pdf로요."""
    match = _CORRECTED.match(without_no(plain))
    if match is None:
        return ""
    old, new, particle = match.group("old") or "", match.group("x"), match.group("p") or ""
    told = past[-1].told
    if old:
        stem = korean.stem_of(old)
        if stem in told and new not in told:
            return told.replace(stem, new, 1)
    if new in _ASIDE.sub("", told):
        return told  # said again, not changed
    if particle in ("로", "으로", "에서", "에"):
        slot = re.search(rf"(?<=[\s(])?(?P<w>[가-힣A-Za-z0-9.-]+){particle}(?=\s|$)", told)
        if slot:
            return told[: slot.start("w")] + new + told[slot.end("w") :]
    return swapped(new, "은", past[-1])


def swapped(new: str, particle: str, turn: Past) -> str:
    """Put the new topic where the last question had its own; the nouns around it stay.

    What that question had only taken over is still meant: it stays too, in brackets.
    """
    told = turn.told
    last = _ASIDE.sub("", told)
    aside = _ASIDE.search(told)
    if new in last or _ORDINAL.match(new):
        return ""
    if particle in ("에서는", "에는", "으로는", "로는", "에서도"):
        base = particle.removesuffix("는").removesuffix("도")
        parts = last.split()
        slot = next((i for i, part in enumerate(parts) if part.endswith(base) and len(part) > len(base)), None)
        if slot is not None:
            return " ".join([*parts[:slot], new + base, *parts[slot + 1 :]]) + (aside.group() if aside else "")
        return " ".join([new + base, *parts]) + (aside.group() if aside else "")
    found = _counterpart(new, phrases_of(told), last)
    if found is None:
        return ""
    phrase, word, sure = found
    at = told.find(word, phrase.start)
    if at < 0:
        return ""
    swapped = with_particle(told[:at], new, told[at + len(word) :])
    if not sure and word not in turn.asked and "(" not in swapped:
        swapped = f"{swapped} ({without_attribute(phrase).text})"
    return swapped if sure or aside is None or word not in aside.group() else with_particle(last[:at], new, last[at:])


def with_particle(before: str, new: str, after: str) -> str:
    """Join the pieces; the particle behind the new word takes the form that its last syllable asks for."""
    for pair in ("은는", "이가", "을를"):
        if after[:1] in pair and (len(after) == 1 or after[1] == "요" or not "가" <= after[1] <= "힣"):
            return before + korean.with_particle(new, pair) + after[1:]
    return before + new + after


def _counterpart(new: str, spoken: Sequence[Phrase], last: str) -> tuple[Phrase, str, bool] | None:
    """Return the phrase and the word of it that gives way to a new one, and whether that is sure."""
    words = new.split()
    for phrase in spoken:  # 숙박비 한도 for 출장비 한도
        if 1 < len(words) <= len(phrase.stems) and words[-1] == phrase.stems[-1]:
            return phrase, " ".join(phrase.stems[-len(words) :]), True
    nouns = [(phrase, word) for phrase in spoken for word in phrase.stems if word not in RELATIONAL_KOREAN]
    for phrase, word in nouns:  # 검색 서비스 for 결제 서비스
        place = phrase.stems.index(word)
        if len(words) > 1 and word == words[-1] and place:
            return phrase, " ".join(phrase.stems[max(0, place - len(words) + 1) : place + 1]), True
    for phrase, word in nouns:
        if _alike(words[-1], word):
            return phrase, word, True
    if _TIME.search(new):
        return None
    marked = [(phrase, word) for phrase, word in nouns if _marked(phrase, last)]
    for phrase, _ in sorted(marked, key=lambda item: (-_marked(item[0], last), item[0].start)):
        named = [word for word in phrase.stems if word not in RELATIONAL_KOREAN]
        if len(named) > 1 and named[-1] in _HEADS and len(words) == 1:
            return phrase, named[-2], True
        return phrase, named[-1], len(phrase.stems) > 1
    final = spoken[-1] if spoken else None
    if final is not None and not final.relational and not marked and _PREDICATE_ALONE.match(last[final.end :]):
        return final, final.text, True  # 사내 어린이집 있나요?
    return None


def _marked(phrase: Phrase, last: str) -> int:
    """Return how clearly a particle sets a phrase against others: 도, then 은 or 는, then 이, 가, 을, 를."""
    after = last[phrase.end : phrase.end + 1] if phrase.end <= len(last) else ""
    return {"도": 3, "은": 2, "는": 2, "이": 1, "가": 1, "을": 1, "를": 1}.get(after, 0)


def _alike(one: str, two: str) -> bool:
    """Tell whether two nouns are of one kind: written in Latin letters, times, or with a syllable in common."""
    if one == two:
        return False
    if one.isascii() and two.isascii():
        return one.isalpha() == two.isalpha()
    if _TIME.search(one) or _TIME.search(two):
        return _TIME.search(one) is not None and _TIME.search(two) is not None
    return len(one) > 1 and len(two) > 1 and (one[-1] == two[-1] or len(set(one) & set(two)) >= 2 or one[-2] == two[-2])
