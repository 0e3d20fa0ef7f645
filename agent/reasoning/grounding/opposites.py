"""Words that exclude each other: open and closed, employer and employee, north and south, 증가 and 감소.

General language only. What only denies (forbidden, 불가) is read by `polarity`, not here. Each line of the lists is one
group; its kinds are parted by `|` and mean different things, what stands in one kind means the same.
"""

from collections.abc import Iterable
from functools import lru_cache

from agent.reasoning.grounding.wording import Wording

_ENGLISH = """
open opens opened opening | close closed closes closing shut
require requires required mandatory compulsory obligatory | optional voluntary
include includes including included | exclude excludes excluding excluded except
approve approves approved approval | reject rejects rejected rejection deny denies denied disapprove disapproved
accept accepts accepted acceptance | reject rejects rejected refuse refuses refused decline declined
enable enables enabled | disable disables disabled
activate activates activated active | deactivate deactivated inactive
valid | invalid
internal internally | external externally
public publicly | private privately
increase increases increased increasing rise rises rose risen raise raises raised grow grows grew growing grown |\
 decrease decreases decreased decreasing fall falls fell fallen reduce reduces reduced drop drops dropped decline\
 declines declined lower lowers lowered shrink shrinks shrank
high higher highest | low lower lowest
more | less fewer
most | least fewest
maximum max | minimum min
first | last final
start starts started begin begins began beginning | end ends ended finish finishes finished
paid | unpaid
full-time | part-time
employer employers | employee employees
buyer buyers | seller sellers
landlord landlords | tenant tenants
lender lenders | borrower borrowers
sender senders | recipient recipients
morning mornings | afternoon afternoons | evening evenings
weekday weekdays | weekend weekends
north northern | south southern | east eastern | west western
spring | summer | autumn | winter
male males man men | female females woman women
arrive arrives arrived arrival | depart departs departed departure
import imports imported | export exports exported
encrypted | unencrypted
temporary temporarily | permanent permanently
old older oldest | young younger youngest | new newer newest
long longer longest | short shorter shortest
large larger largest big bigger biggest | small smaller smallest
fast faster fastest | slow slower slowest
early earlier earliest | late later latest
safe safely | unsafe dangerous
legal | illegal
same identical | different
success successful successfully | failure unsuccessful unsuccessfully
add adds added | remove removes removed delete deletes deleted
domestic | international
daily | weekly | monthly | quarterly | yearly annual annually
gross | net
inside | outside
above | below
left | right
credit | debit
hot hotter | cold colder
strong stronger | weak weaker
positive positively | negative negatively
automatic automatically | manual manually
online | offline
single | married
available | unavailable
primary | secondary
direct directly | indirect indirectly
upper | lower
mother | father
son | daughter
husband | wife
king | queen
"""
_KOREAN = """
증가 늘어 늘었 늘리 늘린 상승 올라 올랐 올리 인상 증액 확대 |\
 감소 줄어 줄었 줄이 줄인 하락 내려 내렸 내리 인하 감액 축소
많은 많이 많다 많았 많아 | 적은 적게 적다 적었
높은 높다 높아 높았 높게 | 낮은 낮다 낮아 낮았 낮게
긴 길다 길게 길어 | 짧은 짧다 짧게 짧아
큰 크다 크게 커진 | 작은 작다 작게 작아
승인 허가 | 반려 거절 거부 기각
필수 의무 | 선택 임의
유료 | 무료
유급 | 무급
국내 | 해외 국외
내부 사내 | 외부 사외
공개 | 비공개
남성 남자 | 여성 여자
오전 | 오후
평일 | 주말
상반기 | 하반기
시작 개시 | 종료 끝난 끝나
임대인 | 임차인
매도인 | 매수인
채권자 | 채무자
사용자 사업주 고용주 | 근로자
정규직 | 계약직 비정규직
동쪽 동부 | 서쪽 서부 | 남쪽 남부 | 북쪽 북부
처음 최초 | 마지막 최후
합격 | 불합격
성공 | 실패
찬성 | 반대
수입 | 수출
입사 | 퇴사
입금 | 출금
최대 | 최소
최고 | 최저
열린 열었 개방 | 닫힌 닫았 폐쇄
매일 매주 | 매월 매달 | 매년
자동 | 수동
직접 | 간접
긍정 | 부정
상위 | 하위
승리 이겼 이긴 | 패배 졌다 패한
아버지 | 어머니
아들 | 딸
남편 | 아내
봄 | 여름 | 가을 | 겨울
"""
_LONGEST = 6
Kind = tuple[int, int]
"""A group, and one of its kinds."""


def kinds_of(text: Wording) -> dict[Kind, tuple[str, ...]]:
    """Return the opposites of a text: by group and kind, the stems that say so."""
    out: dict[Kind, list[str]] = {}
    english, _ = _tables()
    for stem, word in zip(text.stems, text.words, strict=True):
        for kind in english.get(word, ()) or (_korean_kinds(word) if "가" <= word[0] <= "힣" else ()):
            out.setdefault(kind, []).append(stem)
    for word in _hyphenated(text):
        for kind in english.get(word, ()):
            out.setdefault(kind, []).extend(word.split("-"))
    return {kind: tuple(stems) for kind, stems in out.items()}


def others(kind: Kind, kinds: Iterable[Kind]) -> list[Kind]:
    """Return the kinds that exclude this one."""
    return [other for other in kinds if other[0] == kind[0] and other[1] != kind[1]]


def _hyphenated(text: Wording) -> list[str]:
    return [f"{a}-{b}" for a, b in zip(text.words, text.words[1:], strict=False) if b == "time"]


@lru_cache(maxsize=20_000)
def _korean_kinds(word: str) -> tuple[Kind, ...]:
    korean = _tables()[1]
    found: dict[Kind, None] = {}
    for start in range(len(word)):
        for size in range(min(_LONGEST, len(word) - start), 0, -1):
            part = word[start : start + size]
            # A single syllable counts only as the whole word, a longer form anywhere in a compound.
            if part in korean and (size > 1 or (start == 0 and size == len(word))):
                found.update(dict.fromkeys(korean[part]))
                break
    longest = dict(found)
    for kind in list(found):  # 불가능 is not 가능, 비공개 is not 공개
        if any(other in longest for other in others(kind, found)) and not _outermost(word, kind):
            longest.pop(kind, None)
    return tuple(longest)


def _outermost(word: str, kind: Kind) -> bool:
    """Tell whether the longest form of its group that stands in the word is of this kind."""
    forms = [(len(form), held) for form, kinds in _tables()[1].items() if form in word for held in kinds]
    return max((each for each in forms if each[1][0] == kind[0]), default=(0, kind))[1] == kind


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, tuple[Kind, ...]], dict[str, tuple[Kind, ...]]]:
    """Return the kinds by English word and by Korean form."""
    english: dict[str, list[Kind]] = {}
    korean: dict[str, list[Kind]] = {}
    number = 0
    for lists, table in ((_ENGLISH, english), (_KOREAN, korean)):
        for line in lists.strip().splitlines():
            number += 1
            for side, forms in enumerate(line.split("|")):
                for form in forms.split():
                    table.setdefault(form, []).append((number, side))
    return {k: tuple(v) for k, v in english.items()}, {k: tuple(v) for k, v in korean.items()}
