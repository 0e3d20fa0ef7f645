"""Korean follow-ups: 그거, 거기, ~는요?, and questions that leave out what they are about."""

import re
from collections.abc import Sequence

from agent.reasoning.offline import focus, korean, points
from agent.reasoning.offline.focus import Past
from agent.reasoning.offline.korean_swap import corrected, corrects, swapped, with_particle, without_no
from agent.reasoning.offline.topic import phrases_of, without_attribute
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
        ("그것과|그거랑|그것이랑|그거하고|그것하고|이것과|이거랑|이거하고", "과와"),
        ("그걸로|그거로|그것으로|이걸로|이거로|이것으로", "으로로"),
        ("(?:그|이) ?중에서?|(?:그|이) ?가운데", " 중에"),
        *((f"(?:그|이)(?:것|거){particle}", particle) for particle in ("보다", "만", "에", "부터", "까지", "처럼")),
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
_THIS = re.compile(r"^(?:그|이|저) ")
_WHY = re.compile(r"^왜(?!냐)|어째서")
_WHAT = re.compile(r"(?P<x>[가-힣]{2,}?)(?:이|가|은|는) (?:뭐|뭔|뭘|무엇|무슨|어떤|누구)")
_TOPIC_WORD = re.compile(r"^(?P<stem>[가-힣A-Za-z0-9-]{2,}?)(?:은|는|도)요?[?.!~]*$")
_IF = r"^(?!예를 들|말하자|다시 말|그러|그렇|어쩌|아니)(?:혹시 |만약에? |만일 )*"
_WHAT_IF = (
    (re.compile(_IF + r"(?P<x>.+[가-힣]려면)(?:요)?\s*[?.!~]*$"), "어떻게 해야 하나요?"),
    (re.compile(_IF + r"(?P<x>.+(?:[가-힣]면|경우(?:에는|엔|에|는)?))(?:요)?\s*[?.!~]*$"), "어떻게 되나요?"),
)
"""A condition alone asks what is to be done, or what happens."""


def rewrite(question: str, past: Sequence[Past]) -> str:
    """Return the follow-up with what it left out, from earlier turns (oldest first)."""
    numbered = points.meant(question, past, korean=True)
    if numbered:
        return _numbered(question, numbered, past)
    plain = _OPENING.sub("", question)
    if corrects(plain):
        new = corrected(plain, past)
        if new:
            return new
        plain = without_no(plain)
    pointed = next(((pattern, particle) for pattern, particle in _POINTING if pattern.search(plain)), None)
    if pointed is not None:
        pattern, particle = pointed
        name = _meant(plain, past)
        return pattern.sub(lambda _: _named(name, particle), plain, count=1) if name else question
    bare = _ASKS_BARE.match(plain)
    if bare:
        new, particle = (bare.group("x") or bare.group("y")).strip(), bare.group("p") or ""
        if not _relational(new) and not _THIS.match(new):
            put_in = swapped(new, particle, past[-1])
            if put_in:
                return put_in
    return _with_topic(plain, question, past)


def _with_topic(plain: str, question: str, past: Sequence[Past]) -> str:
    """Return a question with what the conversation is about: before it, or in brackets behind it."""
    plain, what_if = _in_full(plain)
    own = [phrase for phrase in phrases_of(plain) if not phrase.relational]
    if what_if and sum(len(phrase.stems) for phrase in own) > 1:
        return plain  # a case of its own: 수습 중에 퇴사하려면
    best = _best(question, past)
    if not best:
        return plain if what_if else question
    if _WHY.search(plain):
        return f"{plain} ({', '.join(_several(question, past))})"
    spoken = plain.split()
    if len(spoken) == 1 and _TOPIC_WORD.match(plain) and _relational(plain.rstrip("?.!~")):
        return f"{best} {plain}"  # 연장은? of 연차
    if what_if and own:
        return f"{plain} ({best})"
    if len(spoken) <= 6 and not any(_TOPIC_WORD.match(word) for word in spoken):
        mark = "을를" if re.search(r"알려|설명|말해|보여", plain) else "은는"
        return f"{korean.with_particle(best, mark)} {plain}"
    return f"{plain} ({best})"


def _in_full(plain: str) -> tuple[str, bool]:
    """Return a message that is a condition alone with what it asks, and whether it is one."""
    for pattern, asked in _WHAT_IF:
        found = pattern.match(plain)
        if found is not None:
            return f"{found.group('x')} {asked}", True
    return plain, False


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
    if particle in ("은는", "이가", "을를", "과와"):
        return korean.with_particle(name, particle)
    if particle == "으로로":
        return name + ("로" if not korean.has_final(name) or name[-1] in "ㄹ길일월말" else "으로")
    return name + {"도도": "도", "의의": "의"}.get(particle, particle)


def _numbered(question: str, numbered: Sequence[points.Mention], past: Sequence[Past]) -> str:
    """Name the points that were told by their number, and say in brackets what they are points of."""
    out = question
    for mention in reversed(numbered):
        out = with_particle(out[: mention.start], mention.label, out[mention.end :])
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
