"""Words of offices in both languages: for a question in one over documents in the other.

General words of work, people, time and technology; nothing here may come from one team's documents.
"""

from collections.abc import Sequence
from functools import lru_cache

from agent.reasoning.rules.reading import lexicon
from agent.reasoning.rules.reading.answer_type import FAINT, Term

MOST = 3
"""Words of the other language for one word."""

_PAIRS = """
휴가 = leave, holiday, vacation
연차, 연차휴가 = annual leave
병가 = sick leave
육아휴직 = parental leave
출산휴가 = maternity leave
배우자 출산휴가 = paternity leave, partner leave
경조휴가, 경조사 = family event, bereavement
반차 = half day
휴일, 공휴일 = public holiday, holiday
결혼 = wedding, marriage
이사 = moving house, move
사망, 장례 = death, funeral
급여, 월급, 임금, 봉급 = salary, pay, wage
급여일, 월급날 = payday
연봉 = annual salary, salary
상여금, 성과급, 보너스 = bonus
수당 = allowance, pay
퇴직금, 연금, 퇴직연금 = pension, severance
급여명세서 = payslip
세금 = tax
경비, 비용 = expense, cost
정산, 환급 = reimbursement, refund
영수증 = receipt
예산 = budget
한도 = limit
일비 = per diem
숙박비, 숙소, 호텔 = hotel, accommodation
법인카드 = company card
출장 = business trip, travel, trip
항공권, 항공, 비행기 = flight
기차 = train
택시 = taxi
식대, 식비 = meal
점심, 점심값 = lunch
회식 = team meal
교통비 = transport, commute
주차 = parking, park
재택근무, 재택 = remote work, work from home
원격근무, 원격 = remote work, remote
해외 = abroad, another country
근무시간, 업무시간 = working hours, hours
초과근무, 야근, 시간외근무 = overtime
온콜, 당직 = on-call, on call
당번, 교대 = shift
사무실 = office
회의 = meeting
회의실 = meeting room, room
안내 데스크, 프런트 = reception
방문객, 손님 = visitor, guest
강아지, 개, 반려견 = dog
채용 = recruitment, hiring
입사 = start, joining, onboarding
온보딩 = onboarding
첫날 = first day
첫 주, 첫주 = first week
수습 = probation
퇴사, 사직 = resignation, leave the company, notice
해고 = dismissal
통보 = notice
계약 = contract
계약자, 외부 계약자, 프리랜서 = contractor, freelancer
평가, 인사평가 = review, evaluation
성과 = performance
성과평가 = performance review
승진 = promotion
목표 = goal
면담 = talk, interview
교육, 연수 = training, course
추천 = referral, recommendation
직원, 사원, 임직원 = employee, staff
신입 = new employee
팀장 = team lead, manager
본부장, 부서장 = department head
대표, 대표이사 = CEO
인사팀, 피플팀 = people team, human resources, HR
법무팀, 법무 = legal
재무팀, 재무 = finance
부서 = department
동료 = colleague, peer
고객 = customer, client
협력사, 공급사 = supplier, partner
경쟁사 = competitor
선물 = gift
뇌물 = bribe
겸직, 부업 = second job
괴롭힘 = harassment, bullying
차별 = discrimination
행동 강령, 윤리 강령 = code of conduct
신고 = report
징계 = warning, discipline
건강검진 = health check
보험 = insurance
병원 = clinic, hospital
의사 = doctor
진단서 = doctor's note, medical certificate
재직증명서 = employment certificate
증명서 = certificate
양식, 서식 = form
신청서 = application form
신청 = apply, application, request
승인, 결재 = approval, approve
취소 = cancel
변경 = change
연장 = extend, extension
제출 = submit, hand in
등록 = register, registration
예약 = book, booking
반납 = return, give back
기한, 마감 = deadline, due
일주일 = week
개월 = month
시간 = hour
기간 = duration, last, period
절차 = procedure, process
규정, 정책 = policy, rule
지침, 안내서, 가이드 = guide, guideline
조건, 자격 = condition, eligible
담당자 = contact, responsible
연락처 = contact
주소 = address
이메일, 메일 = email, mail
전화 = phone, call
휴대전화, 휴대폰, 핸드폰 = phone, mobile
노트북 = laptop
컴퓨터 = computer
모니터 = monitor, screen
장비, 기기 = equipment, device
비밀번호, 암호 = password
로그인 = sign in, log in
계정 = account
인증 = authentication
2단계 인증 = two-factor authentication
보안 = security
보안 사고, 사고 = incident
피싱 = phishing
유출 = leak, breach
개인정보 = personal data
기밀, 대외비 = confidential
암호화 = encryption, encrypted
백업 = backup
서버 = server
데이터베이스 = database
배포 = deployment, release
장애 = outage, incident
복구 = recovery, restore
설치 = install
설정 = set up, configure, configuration
업데이트 = update
소프트웨어, 프로그램 = software
와이파이, 무선 = wi-fi, wireless
네트워크 = network
인터넷 = internet
프린터 = printer
분실 = lost, loss
잃어버 = lost, lose
도난 = stolen, theft
고장 = broken, fault
수리 = repair
교체 = replace, replacement
사용 = use
구매, 구입 = buy, purchase
판매 = sale
매출 = sales, revenue
이익 = profit
주문 = order
배송 = delivery, shipping
환불 = refund
가격 = price
할인 = discount
재고 = stock, inventory
보증 = warranty
언론, 기자 = press, journalist
발표 = talk, presentation
오픈소스 = open source
라이선스 = license
금지 = not allowed, forbidden
허용 = allowed
필수 = required, mandatory
유급 = paid
무급 = unpaid
자녀, 아이 = child
배우자 = spouse, partner
부모 = parent
쌍둥이 = twins
입양 = adoption
싱가포르 = Singapore
서울 = Seoul
도쿄 = Tokyo
베를린 = Berlin
런던 = London
파리 = Paris
뉴욕 = New York
샌프란시스코 = San Francisco
한국 = Korea
일본 = Japan
미국 = United States
영국 = United Kingdom
독일 = Germany
"""


@lru_cache(maxsize=1)
def _korean() -> dict[str, tuple[str, ...]]:
    out: dict[str, tuple[str, ...]] = {}
    for line in _PAIRS.strip().splitlines():
        left, _, right = line.partition(" = ")
        english = tuple(word.strip() for word in right.split(","))
        for word in left.split(","):
            out[word.strip()] = english
    return out


@lru_cache(maxsize=1)
def _english() -> dict[str, tuple[str, ...]]:
    out: dict[str, dict[str, None]] = {}
    for korean, english in _korean().items():
        for phrase in english:
            out.setdefault(" ".join(lexicon.stems_of(phrase.lower())), {})[korean] = None
    return {key: tuple(words) for key, words in out.items()}


def words() -> tuple[str, ...]:
    """Return all words of the list, lower case."""
    return tuple(part.lower() for korean, english in _korean().items() for part in (*korean.split(), *english))


def others(term: Term) -> tuple[str, ...]:
    """Return words of the other language for a term; none for one that is not known."""
    if term.weight <= FAINT:
        return ()
    if not term.hangul:
        found = _english().get(term.stem, ()) or _english().get(" ".join(lexicon.stems_of(term.word)), ())
        return found[:MOST]
    known = _korean()
    for end in range(len(term.stem), 1, -1):
        if term.stem[:end] in known and (end == len(term.stem) or end > 2):
            rest = known.get(term.stem[end:], ())
            return (*known[term.stem[:end]], *rest)[:MOST]
    return known.get(term.stem, ())[:MOST]


def phrases(terms: Sequence[Term]) -> dict[int, tuple[str, ...]]:
    """Return words of the other language for neighbouring terms that mean something together: annual leave, 연차."""
    out: dict[int, tuple[str, ...]] = {}
    for i in range(len(terms) - 1):
        first, second = terms[i], terms[i + 1]
        if first.hangul and second.hangul:
            known = _korean()
            found = known.get(f"{first.stem} {second.stem}") or known.get(first.stem + second.stem)
        else:
            found = _english().get(f"{first.stem} {second.stem}")
        if found:
            out[i] = found[:MOST]
    return out
