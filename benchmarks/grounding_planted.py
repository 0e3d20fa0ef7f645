"""True sentences with one thing made false, by rules that know nothing of the checks: a digit, a name, a negation.

The rules are plain replacements, so some of what they make is clumsy, and a few of the sentences stay true.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.text import sentences, strip_particle

KINDS = ("number", "date", "name", "name of the source", "negation", "comparative", "antonym", "modality")


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """A sentence that is true, and the source that says so."""

    text: str
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Planted:
    """A sentence that was true until one thing in it was changed."""

    kind: str
    text: str
    source: str


def planted(true: Sequence[Statement], seed: int = 5) -> Iterator[Planted]:
    """Yield of each sentence what can be made false in it, each kind once."""
    choose = random.Random(seed)
    names = sorted({name for each in true for name in _names(each.text)})
    nouns = sorted({noun for each in true for noun in _nouns(each.text)})
    for each in true:
        made = {
            "number": _digit(each, choose),
            "date": _date(each, choose),
            "name": _other_name(each, nouns if re.search("[가-힣]", each.text) else names, choose),
            "name of the source": _own_name(each, choose),
            "negation": _first(each.text, _NEGATIONS),
            "comparative": _first(each.text, _COMPARATIVES),
            "antonym": _first(each.text, _ANTONYMS),
            "modality": _first(each.text, _MODALS),
        }
        for kind, text in made.items():
            if text and text != each.text and text.lower() not in each.source.lower():
                yield Planted(kind=kind, text=text, source=each.source)


# --- numbers and dates ------------------------------------------------------------------------------


def _digit(each: Statement, choose: random.Random) -> str:
    numbers = list(re.finditer(r"(?<![\w.,])\d[\d,.]*\d|(?<![\w.,])\d", each.text))
    for match in choose.sample(numbers, len(numbers)):
        written = match.group()
        place = choose.choice([i for i, ch in enumerate(written) if ch.isdigit()])
        other = choose.choice([digit for digit in "123456789" if digit != written[place]])
        new = written[:place] + other + written[place + 1 :]
        if not re.search(rf"(?<![\d.,]){re.escape(new)}(?![\d])", each.source):
            return each.text[: match.start()] + new + each.text[match.end() :]
    return ""


_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def _date(each: Statement, choose: random.Random) -> str:
    """Change a month, or a day of the week, for one that the source has too or for any other."""
    for names in (_MONTHS, _DAYS):
        match = re.search(rf"\b(?:{'|'.join(names)})\b", each.text)
        if match:
            other = choose.choice([name for name in names if name != match.group()])
            return each.text[: match.start()] + other + each.text[match.end() :]
    match = re.search(r"(?<!\d)(\d{1,2})월", each.text)
    if match:
        other = str(choose.choice([month for month in range(1, 13) if month != int(match.group(1))]))
        if f"{other}월" not in each.source:
            return f"{each.text[: match.start()]}{other}월{each.text[match.end() :]}"
    return ""


# --- names ------------------------------------------------------------------------------------------


def _names(text: str) -> list[str]:
    return [match.group() for match in re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*", text)]


def _nouns(text: str) -> list[str]:
    words = re.findall(r"(?<= )[가-힣]{3,7}(?= )", text)
    return [stem for word in words if 2 <= len(stem := strip_particle(word)) < len(word) and word.endswith(_MARKED)]


_MARKED = ("은", "는", "이", "가", "을", "를")


def _other_name(each: Statement, known: Sequence[str], choose: random.Random) -> str:
    mine = _names(each.text) or _nouns(each.text)
    others = [name for name in choose.sample(known, min(30, len(known))) if name.lower() not in each.source.lower()]
    if not mine or not others:
        return ""
    name = choose.choice(mine)
    others = [other for other in others if _closed(other) == _closed(name)]  # the particle that follows must fit
    return each.text.replace(name, others[0], 1) if others else ""


def _closed(word: str) -> bool:
    """Tell whether a word ends in a Korean syllable with a final consonant."""
    return "가" <= word[-1] <= "힣" and (ord(word[-1]) - ord("가")) % 28 != 0


def _own_name(each: Statement, choose: random.Random) -> str:
    """Put another name of the same source into the place of a name."""
    mine = _names(each.text)
    others = [name for name in _names(each.source) if name not in each.text and name.split()[0] not in each.text]
    if not mine or not others:
        return ""
    return each.text.replace(choose.choice(mine), choose.choice(others), 1)


# --- words ------------------------------------------------------------------------------------------

Rules = Sequence[tuple[str, str]]

_NEGATIONS: Rules = (
    (r"\b(is|are|was|were|can|could|will|would|may|must|should|has been|have been) not\b", r"\1"),
    (r"\b(?:do|does|did) not (\w+)", r"\1"),
    (r"\bcannot\b", "can"),
    (r"\b(never|no longer) ", ""),
    (r"\b(is|are|was|were|can|could|will|may|must|should)\b(?! not)", r"\1 not"),
    (r"\b(has|have) been\b", r"\1 not been"),
    (r"할 수 없", "할 수 있"),
    (r"할 수 있", "할 수 없"),
    (r"하지 않았", "하였"),
    (r"하지 못했", "했"),
    (r"(?<=[가-힣])했다(?=\.|$)", "하지 않았다"),
    (r"(?<=[가-힣])하였다(?=\.|$)", "하지 않았다"),
    (r"(?<=[가-힣])되었다(?=\.|$)", "되지 않았다"),
    (r"(?<=[가-힣])됐다(?=\.|$)", "되지 않았다"),
    (r"(?<=[가-힣])한다(?=\.|$)", "하지 않는다"),
    (r"(?<=[가-힣])했습니다(?=\.|$)", "하지 않았습니다"),
    (r"(?<=[가-힣])합니다(?=\.|$)", "하지 않습니다"),
    (r"있다(?=\.|$)", "없다"),
    (r"없다(?=\.|$)", "있다"),
)
_COMPARATIVES: Rules = (
    (r"\bat least\b", "at most"),
    (r"\bat most\b", "at least"),
    (r"\bup to\b", "at least"),
    (r"\bmore than\b", "less than"),
    (r"\bless than\b", "more than"),
    (r"\bfewer than\b", "more than"),
    (r"\bover (?=\d)", "under "),
    (r"\bunder (?=\d)", "over "),
    (r"\bbefore\b", "after"),
    (r"\bafter\b", "before"),
    (r"\ball of\b", "some of"),
    (r"\b[Aa]ll\b", "some"),
    (r"\bsome\b", "all"),
    (r"\bmost of\b", "all of"),
    (r"\bmore\b", "less"),
    (r"\bmost\b", "least"),
    (r"\bhigher\b", "lower"),
    (r"\blower\b", "higher"),
    (r"\blarger\b", "smaller"),
    (r"(\d[가-힣%]{0,3} ?)이상", r"\1이하"),
    (r"(\d[가-힣%]{0,3} ?)이하", r"\1이상"),
    (r"(\d[가-힣%]{0,3} ?)초과", r"\1미만"),
    (r"(\d[가-힣%]{0,3} ?)미만", r"\1초과"),
    (r"이전", "이후"),
    (r"이후", "이전"),
    (r"(?<= )전에(?= )", "후에"),
    (r"(?<= )후에?(?= )", "전에"),
    (r"최대", "최소"),
    (r"최초", "최후"),
    (r"모든(?= )", "일부"),
    (r"일부(?= )", "모든"),
    (r"많은", "적은"),
    (r"높은", "낮은"),
)
_ANTONYMS: Rules = tuple(
    rule
    for one, other in (
        ("first", "last"),
        ("open", "closed"),
        ("opened", "closed"),
        ("began", "ended"),
        ("begins", "ends"),
        ("required", "optional"),
        ("included", "excluded"),
        ("includes", "excludes"),
        ("including", "excluding"),
        ("increased", "decreased"),
        ("increase", "decrease"),
        ("high", "low"),
        ("north", "south"),
        ("northern", "southern"),
        ("east", "west"),
        ("eastern", "western"),
        ("public", "private"),
        ("internal", "external"),
        ("male", "female"),
        ("approved", "rejected"),
        ("accepted", "rejected"),
        ("early", "late"),
        ("older", "younger"),
        ("long", "short"),
        ("large", "small"),
        ("upper", "lower"),
        ("inside", "outside"),
        ("winter", "summer"),
    )
    for rule in ((rf"\b{one}\b", other), (rf"\b{other}\b", one))
) + tuple(
    rule
    for one, other in (
        ("증가", "감소"),
        ("상승", "하락"),
        ("확대", "축소"),
        ("찬성", "반대"),
        ("성공", "실패"),
        ("승리", "패배"),
        ("시작", "종료"),
        ("남성", "여성"),
        ("국내", "해외"),
        ("공개", "비공개"),
        ("북쪽", "남쪽"),
        ("동쪽", "서쪽"),
        ("북부", "남부"),
        ("최고", "최저"),
        ("허용", "금지"),
        ("포함", "제외"),
        ("승인", "거부"),
        ("가능", "불가능"),
    )
    for rule in ((rf"(?<![가-힣비불]){one}", other), (rf"(?<![가-힣]){other}", one))
)
_MODALS: Rules = (
    (r"\bmay\b(?! \d)", "must"),
    (r"\bmust\b(?! not)", "may"),
    (r"\bshould\b(?! not)", "may"),
    (r"\bshall\b(?! not)", "may"),
    (r"\bcan\b(?! not)", "must"),
    (r"\bhas to\b", "may"),
    (r"\bhave to\b", "may"),
    (r"할 수 있다", "해야 한다"),
    (r"할 수 있습니다", "해야 합니다"),
    (r"해야 한다", "할 수 있다"),
    (r"해야 합니다", "할 수 있습니다"),
    (r"하여야 한다", "할 수 있다"),
    (r"해야 했다", "할 수 있었다"),
)


def _first(text: str, rules: Rules) -> str:
    found = [rule for rule in rules if re.search(rule[0], text)]
    if not found:
        return ""
    pattern, other = found[0]
    return re.sub(pattern, other, text, count=1)


# --- true sentences in looser words -------------------------------------------------------------------


def loosened(passage: str, seed: int = 9) -> Iterator[str]:
    """Yield sentences of a Korean passage, loosely worded: brackets and an opening clause dropped, another ending."""
    choose = random.Random(f"{seed}{passage[:40]}")
    for start, end in sentences(passage):
        text = passage[start:end]
        if not 25 <= len(text) <= 160 or "\n" in text or not text.endswith("다."):
            continue
        loose = re.sub(r"\s?[(（][^()（）]*[)）]", "", text)
        parts = loose.split(", ")
        if len(parts) > 1 and len(parts[-1]) > 25:
            loose = ", ".join(parts[1:] if choose.random() < 0.5 else [parts[0], parts[-1]])
        for ending, other in (
            ("하였다.", "했습니다."),
            ("했다.", "했습니다."),
            ("있다.", "있습니다."),
            ("한다.", "합니다."),
        ):
            if loose.endswith(ending):
                loose = loose.removesuffix(ending) + other
                break
        loose = re.sub(r"(?:^|(?<= ))(?:특히|또한|그러나|하지만|그리고|결국|매우|이후에도|당시|한편) ", "", loose)
        yield loose
