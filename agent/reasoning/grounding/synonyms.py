"""Words that stand for each other wherever they are written. General language only, and no near misses."""

from functools import lru_cache

from agent.text import terms_of

_SAME = """
buy, purchase
film, movie
tv, television
employee, staff, worker
holiday, vacation
car, automobile
begin, start, commence
end, finish, conclude
close, shut
help, assist
need, require
must, require
get, receive, obtain
allow, permit
forbid, prohibit, ban
delete, remove, erase
create, make
make, produce
create, produce
found, establish
big, large
kid, child
child, childhood
photo, picture
phone, telephone
ask, request
show, display
use, utilize
pick, choose, select
fix, repair
live, reside
doctor, physician
show, series
job, occupation
part, portion
famous, popular
usually, generally, typically
annual, yearly
monthly, month
approximately, about, roughly
maximum, most
minimum, least
first, 1st
second, 2nd
third, 3rd
fourth, 4th
fifth, 5th
sixth, 6th
seventh, 7th
eighth, 8th
ninth, 9th
tenth, 10th
laptop, notebook
salary, pay, wage
pay, paid
expense, cost
reimburse, refund
manager, supervisor
hand, submit
send, submit
file, submit
deadline, due
late, delay
client, customer
american, america
british, britain
people, person
well-known, famous
fast, quick
immediately, promptly
휴가, 연차
직원, 사원, 임직원, 구성원, 근로자
급여, 월급, 임금
구매, 구입
신청, 요청, 접수
삭제, 제거
변경, 수정
비용, 경비
마감, 기한
식비, 식대
팀장, 상사, 관리자
퇴사, 퇴직
이메일, 메일
회의, 미팅
환불, 환급
시작, 개시
종료, 끝
불가능, 불가, 없
가능, 있
증액, 인상
감액, 인하
재택근무, 재택, 원격근무
"""


def same_as(stem: str) -> frozenset[str]:
    """Return the stems that may stand for this one; none for most."""
    return _groups().get(stem, frozenset())


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for line in _SAME.strip().splitlines():
        stems = {terms_of(word)[0] if word.isascii() and terms_of(word) else word for word in line.split(", ")}
        for stem in stems:
            out.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in out.items()}
