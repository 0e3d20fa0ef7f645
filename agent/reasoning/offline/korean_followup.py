"""Korean follow-ups: 그거, 거기, ~는요?, and questions that leave out what they are about."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import focus, korean, points
from agent.reasoning.offline.focus import Past
from agent.reasoning.offline.topic import Phrase, phrases_of, without_attribute
from agent.reasoning.offline.wordclasses import RELATIONAL_KOREAN

# A pointing word, and the particle that its stand-in takes.
_POINTING: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?:(?<=\s)|^)(?:{words})(?=\s|[?.!,]|$)"), particle)
    for words, particle in (
        ("그것은|그거는|그건|이것은|이거는|이건|저건", "은는"),
        ("그것이|그거가|그게|이것이|이게", "이가"),
        ("그것을|그거를|그걸|이것을|이거를|이걸", "을를"),
        ("그것도|그거도|이것도|이거도", "도도"),
        ("그것의|그거의|그의|그녀의", "의의"),
        ("거기서|거기에서|그곳에서|여기서|여기에서", "에서"),
        ("거기에|거긴|거기는|그곳에|그곳은", "에는"),
        ("그분은|그는|그녀는|걔는|그들은|그 ?사람은", "은는"),
        ("그분이|그가|그녀가|걔가|그들이|그 ?사람이", "이가"),
        ("그것|그거|이것|이거|거기|그곳|여기|그분|그 ?사람|걔|그 ?친구", ""),
    )
)
_PERSON = re.compile(r"그분|그 ?사람|걔|그녀|그는|그가|그의|그들|그 ?친구")
_PLACE = re.compile(r"거기|거긴|그곳|여기")
_OPENING = re.compile(
    r"^(?:(?:그럼|그러면|그리고|그런데|근데|그렇다면|그래서|하지만|또|아|음|네|넵|오|앗|참|ㅋ+|ㅎ+)[ ,.!]+)+"
)
_GENERIC = (
    r"(?:똑같|같은가|마찬가지|그런가|그래|돼요|되나요|됩니까|돼|되나|가능|해당|어때|어떤가|어떻게 ?(?:돼|되)|"
    r"있어|있나|있는)\S*"
)
_ASKS_BARE = re.compile(
    rf"^(?P<x>\S{{1,14}}?(?: \S{{1,14}}?){{0,2}}?)(?P<p>은|는|도|에서는|에는|으로는|로는|에서도|이면)(?:요)?"
    rf"(?: {_GENERIC})?\s*[?.!~]*$"
    rf"|^(?P<y>\S{{1,14}}?(?: \S{{1,14}}?){{0,2}}?)(?:의 경우는|의 경우에는|이라면|라면)(?:요)?\s*\??$"
)
_CORRECTED = re.compile(
    r"^(?:(?:아니|아뇨|아니요|아니아니|아냐|앗|잠깐)[,.!~ ]+)?(?:(?P<old>\S{1,15}(?: \S{1,15})?) 말고 ?)?"
    r"(?P<x>\S{1,15}?(?: \S{1,15}?){0,2}?)(?P<p>으로|로|에서|에|은|는|을|를)?(?:이요|요|입니다|이에요|예요|"
    r"말이에요|말이야|이야)?\s*[?.!~]*$"
)
_NO = re.compile(r"^(?:아니|아뇨|아니요|아니아니|아냐|앗|잠깐)[,.!~ ]+| 말고 ")
_THIS = re.compile(r"^(?:그|이|저) ")
_WHY = re.compile(r"^왜(?!냐)|어째서")
_WHAT = re.compile(r"(?P<x>[가-힣]{2,}?)(?:이|가|은|는) (?:뭐|뭔|뭘|무엇|무슨|어떤|누구)")
_TIME = re.compile(
    r"(?:요일|주말|평일|공휴일|휴일|명절|연휴|오전|오후|저녁|야간|아침|내일|모레|다음 ?[주달]|올해|내년|"
    r"[0-9]+[월일시])$"
)
_HEADS = frozenset(
    """사무실 서비스 시스템 서버 센터 지점 지사 제도 프로그램 카드 계정 계약 회의 회의실 건물 부서 팀 본부
    공장 매장""".split()
)
_TOPIC_WORD = re.compile(r"^(?P<stem>[가-힣A-Za-z0-9-]{2,}?)(?:은|는|도)$")
_ASIDE = re.compile(r"\s\(([^()]*)\)\s*$")


def rewrite(question: str, past: Sequence[Past]) -> str:
    """Return the follow-up with what it left out, from earlier turns (oldest first)."""
    numbered = points.meant(question, past, korean=True)
    if numbered:
        return _numbered(question, numbered, past)
    plain = _OPENING.sub("", question)
    if _NO.search(plain):
        corrected = _corrected(plain, past)
        if corrected:
            return corrected
    pointed = next(((pattern, particle) for pattern, particle in _POINTING if pattern.search(plain)), None)
    bare = _ASKS_BARE.match(plain)
    if bare and pointed is None:
        new, particle = (bare.group("x") or bare.group("y")).strip(), bare.group("p") or ""
        if not _relational(new) and not _THIS.match(new):
            swapped = _swap(new, particle, past[-1])
            if swapped:
                return swapped
    if pointed is not None:
        pattern, particle = pointed
        name = _meant(plain, past)
        return pattern.sub(lambda _: _named(name, particle), plain, count=1) if name else question
    best = _best(question, past)
    if not best:
        return question
    if _WHY.search(plain):
        return f"{plain} ({', '.join(_several(question, past))})"
    if len(plain.split()) <= 6 and not any(_TOPIC_WORD.match(word) for word in plain.split()):
        mark = "을를" if re.search(r"알려|설명|말해|보여", plain) else "은는"
        return f"{korean.with_particle(best, mark)} {plain}"
    return f"{plain} ({best})"


def about(name: str, question: str) -> str:
    """Return a question with what it goes back to: in the place of its pointing word, or before it."""
    for pattern, particle in _POINTING:
        found = pattern.search(question)
        if found:
            return question[: found.start()] + _named(name, particle) + question[found.end() :]
    return f"{korean.with_particle(name, '은는')} {question}"


def _relational(new: str) -> bool:
    """Tell whether a noun asks for a part of the topic: 한도는요?, but not 법인카드 한도는요?."""
    words = [korean.stem_of(word) for word in new.split()]
    return len(words) == 1 and words[0] in RELATIONAL_KOREAN


def _best(question: str, past: Sequence[Past], mark: str = "") -> str:
    """Return what the conversation is about; for what was left out, a noun of something else is left off."""
    found = [item for item in focus.ranked(past, mark) if not item.phrase.relational]
    for item in found or focus.ranked(past, mark):
        text = item.phrase.text if mark else without_attribute(item.phrase).text
        if text not in question:
            asked = _WHAT.search(past[-1].told)
            part = asked.group("x") if asked and text in past[-1].told else ""
            return f"{text} {part}" if part in RELATIONAL_KOREAN else text
    return ""


def _several(question: str, past: Sequence[Past]) -> list[str]:
    """Return the topic, and what is about as likely to be it."""
    found = [item for item in focus.ranked(past) if not item.phrase.relational and item.phrase.text not in question]
    near = [item for item in found if item.score >= 0.75 * found[0].score][:2]
    return [without_attribute(item.phrase).text for item in near]


def _meant(question: str, past: Sequence[Past]) -> str:
    """Return what the pointing word of a question stands for."""
    if _PERSON.search(question):
        person = focus.person_in(past[-1])
        if person:
            return person
    if _PLACE.search(question):
        place = _place_in(past)
        if place:
            return place
    return _best(question, past, "it")


_PLACE_NOUN = re.compile(
    r"[가-힣A-Za-z0-9]+ ?(?:사무실|지점|지사|공장|센터|건물|회의실|역|공항|호텔|식당|도서관|병원|학교|매장|"
    r"창고|연구소|캠퍼스|라운지)"
)
_WHERE = re.compile(r"어디|어느 ?(?:사무실|곳|건물|층|지점)|위치|장소")


def _place_in(past: Sequence[Past]) -> str:
    """Return the place that the last answer named, where its question asked where."""
    found = _PLACE_NOUN.search(past[-1].answer[:300]) if _WHERE.search(past[-1].asked) else None
    return found.group() if found else ""


def _named(name: str, particle: str) -> str:
    if not particle:
        return name
    if particle in ("은는", "이가", "을를"):
        return korean.with_particle(name, particle)
    return name + ("에서" if particle == "에서" else "에는" if particle == "에는" else particle[0])


def _numbered(question: str, numbered: Sequence[points.Mention], past: Sequence[Past]) -> str:
    """Name the points that were told by their number, and say in brackets what they are points of."""
    out = question
    for mention in reversed(numbered):
        out = _with_particle(out[: mention.start], mention.label, out[mention.end :])
    others = [point for point in points.listed(past) if point not in out]
    for item in focus.ranked(past):
        text = without_attribute(item.phrase).text
        if (
            not item.phrase.relational
            and text not in out
            and not any(text in point or point in text for point in others)
        ):
            return f"{out} ({text})"
    return out


# --- one word for another -----------------------------------------------------------------------


def _corrected(plain: str, past: Sequence[Past]) -> str:
    """Take back a word: 아니 그거 말고 정규직이요, 아니 pdf로요."""
    match = _CORRECTED.match(plain)
    if match is None:
        return ""
    old, new, particle = match.group("old") or "", match.group("x"), match.group("p") or ""
    told = past[-1].told
    if old:
        stem = korean.stem_of(old)
        if stem in told:
            return told.replace(stem, new, 1)
    if particle in ("로", "으로", "에서", "에"):
        slot = re.search(rf"(?<=[\s(])?(?P<w>[가-힣A-Za-z0-9.-]+){particle}(?=\s|$)", told)
        if slot:
            return told[: slot.start("w")] + new + told[slot.end("w") :]
    return _swap(new, "은", past[-1])


def _swap(new: str, particle: str, turn: Past) -> str:
    """Put the new topic where the last question had its own; the nouns around it stay.

    What that question had only taken over is still meant: it stays too, in brackets.
    """
    told = turn.told
    last = _ASIDE.sub("", told)
    aside = _ASIDE.search(told)
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
    swapped = _with_particle(told[:at], new, told[at + len(word) :])
    if not sure and word not in turn.asked and "(" not in swapped:
        swapped = f"{swapped} ({without_attribute(phrase).text})"
    return swapped if sure or aside is None or word not in aside.group() else _with_particle(last[:at], new, last[at:])


def _with_particle(before: str, new: str, after: str) -> str:
    """Join the pieces; the particle behind the new word takes the form that its last syllable asks for."""
    for pair in ("은는", "이가", "을를"):
        if after[:1] in pair and (len(after) == 1 or after[1] == "요" or not "가" <= after[1] <= "힣"):
            return before + korean.with_particle(new, pair) + after[1:]
    return before + new + after


def _counterpart(new: str, spoken: Sequence[Phrase], last: str) -> tuple[Phrase, str, bool] | None:
    """Return the phrase and the word of it that gives way to a new one, and whether that is sure."""
    words = new.split()
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
