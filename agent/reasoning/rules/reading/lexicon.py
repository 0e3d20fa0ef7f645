"""Word lists of the rules: words that say little, words that mean the same. General language only.

Nothing here may come from one team's documents: a list that knows a domain answers well only there.
"""

from functools import lru_cache

from agent.text import terms_of

# Words of asking, and verbs that every text has: they hardly tell one passage from another.
FAINT_ENGLISH = frozenset(
    """able actually also always another anybody anyone anything around ask asked asking available back become best
    better bit briefly call called case cases check come concerning consider could currently define definition
    describe detail details
    different difference do does done enough ensure etc ever every everyone exactly example examples explain explained
    explanation fact far find first following for general generally get gets getting give given gives go goes going
    good got great hand happen happened happens hello help hey hi hmm hope if important info information instead
    interested involved it its just keep kind kinds know known last least let lets like likely list little long look
    looking lot lots made main make makes making many matter may maybe mean meaning means mention might more much must
    name need needed needs new next now number often ok okay one ones others outline part particular people person
    please point possible possibly question quick quickly quite really reason reasons regarding related right said say
    says see seem set show shows shall since soon sort sorts start still stuff suppose supposed sure take takes taken
    talk tell thank thanks thing things think thought today told tomorrow try trying type types typical typically
    understand us use used useful user using usually various versus via vs want wanted wants way ways well whats whether
    whole within without wonder wondering work works would yes yet yesterday overview specific wrong properly
    mine somebody someone something somewhere sometimes provide provides provided include includes included including
    certain etc per either neither although however therefore thus hence another whatever whichever""".split()
)

# Whom a handbook is for: a table of what they get need not name them.
PEOPLE = frozenset("employee employees staff worker workers member members 직원 사원 구성원 임직원".split())

# Words that most handbooks are full of: they count, but their absence alone proves nothing.
COMMON_ENGLISH = frozenset(
    """allow allowed allows amount apply approval approve business change cost company day days department document
    documents employee employees entitled guideline guidelines handbook hour hours internal limit manual manager max
    maximum member members method minimum minute minutes month months office official organisation organization
    page percent period policies policy price procedure procedures process rate receive request require required
    requirement requirements requires responsible rule rules section service services staff standard step steps
    support system team teams time times total week weeks weekly monthly worker workers working year years yearly
    annual annually daily duration length long-term date deadline place location problem problems issue issues option
    options purpose benefit benefits accept affect answer
    avoid become begin begins belong bring brings bringing build buy carry choose close consist contain contains
    count cover covers covered
    decide depend differ do earn expect fall fill fit follow follows grow handle hold holds join keep lead learn leads
    listen live lose manage meet move obtain occur offer offers open participate pick play played prepare proceed
    produce put reach read receives receive remain run runs save sell send sent serve sit spend stand stay stop store
    submit turn visit wait wear win write calculated calculate computed compute determined determine
    advantage advantages eligible""".split()
)

FAINT_KOREAN = frozenset(
    """가능 간단 간략 것 거 걸 게 경우 계속 관련 관해 관하 관한 구체 그냥 그것 그게 그런 그럼 그렇 그리고 그거
    근데 궁금 기본 나 나는 내 내가 너무 누가 누구 누군 다른 다시 달라 당신 대신 대체 대하
    대한 대해 대해서 더 되 되나 되는 된 될 됨 등 따로 때 때문 또 또는 뜻 만약 만일 말 말씀 말해 먼저 며칠 명 몇
    모두 모든 모르 무슨 무엇 무얼 뭐 뭔 뭔가 뭘 뭐가 바로 받 받나 방금 방법 보통 부탁
    부탁드 빨리 사람 사용 상관 생각 설명 세부 수 시 실제 싶 아 아니 안 안내 않 알 알고 알려 알려줄 어느 어디
    어디서 어떠 어떡 어떤 어떻 어떻게 언제 얼마 얼마나 없 없는 없나 여기 여러 역시 예 예시 왜 요
    요약 우리 위 위한 위해 의 의미 이 이거 이건 이것 이런 이렇 이번 이유 이용 있 있나 있는 자세 자세히 잘 저
    저는 저희 전체 정도 정리 정의 정확 제 제가 제대로 좀 종류 주 준비 줄 줘 중 지금 지 진행 질문 차이
    찾 처리 최대 최소 쪽 참고 하 하나 하는 하려 하면 한 할 해 해도 해서 해야 했 혹시 확인 후 필요 보여 다음 그
    두 두번째 첫번째 번째 네 다 및 문의 답변 답 나요 인가 인가요 건가요 건지 꼭 쓴 쓰는 쓸 쓰 일해 일하 반드시
    언제까지 언제부터
    이상 이하 이내 얼마까지 그런데 아무 아직 이미 항상 해주 누구인 어디에 어디로 무엇을 무엇이 무엇인 된다 한다
    뭐예요 뭐에요 뭐야 뭐죠 뭐지 뭐니 뭔가요 뭔지 무엇인가요 무엇인지 일할 일해 일합 일한 어떡해 어떡하죠 어쩌죠
    자주 시킬 가장 각각 개 명은 명이 뭐뭐 하루 일주일 한달 일년 한번 오늘 내일 어제 어때 어때요 안녕 안녕하세요 감사
    고마워요 번이나
    번까지 말해야 말씀드려야 얘기해야 이야기해야 알려야 알려줘야 말해줘야""".split()
)

COMMON_KOREAN = frozenset(
    """개월 개인 결재 규정 규칙 기간 기준 금액 내용 날짜 담당 담당자 대상 문서 문제 부서 비율 사항 사유 상태
    서비스 시간 신청 시작 시점 시스템 업무 요건 요청 일수 장소 절차 정책 제도 제출 조건 종료 지급 지원 직원
    매달 매년 매일 매주 최소한 팀 팀장 한도 항목 허용 혜택 회사 횟수 승인 사내 근무 구성원 임직원""".split()
)

# The one-syllable nouns that mean something on their own; most others are counters and light words.
SHORT_KOREAN = frozenset("집 돈 차 약 옷 술 밥 책 땅 키 앱 표".split())

# Two words that mean something only together; by themselves each says little.
COMPOUNDS = frozenset(
    {"on call", "per diem", "time off", "day off", "first day", "first week", "first month", "first year"}
)

# Groups of words that stand for each other. A phrase counts when all of its words are there.
_SAME = """
leave, holiday, vacation, pto, time off, day off
sick, ill, illness, sickness, unwell
pay, salary, wage, payroll, compensation, paid, payday
expense, cost, spending
price, cost, fee, charge, rate
reimburse, refund, pay back, expense claim, reimbursement
manager, supervisor, boss, line manager, team lead, team leader
staff, employee, worker, personnel, team member, colleague
laptop, computer, notebook, macbook
buy, purchase, procure, order
apply, request, application, book
submit, hand in, turn in, upload, attach
start, begin, launch
end, finish, terminate, expire
delete, remove, erase
create, set up, setup, add
install, set up, setup
change, modify, update, edit, adjust
phone, mobile, smartphone, cell
car, vehicle
doctor, physician, gp
remote, from home, remotely, telework, telecommute, wfh, home office, home
log in, login, sign in, signin, log on
password, passphrase, passcode
customer, client
error, failure, fault
bug, defect
allow, permit, let, allowed, may
forbid, prohibit, ban, not allowed
resign, quit, resignation, hand in notice, notice period, leave the company
fire, dismiss, terminate, dismissal
hire, recruit, recruitment, hiring
training, course, learning, education, workshop
trip, travel, journey, travelling
hotel, accommodation, lodging
fly, flight, airfare, plane
food, meal, lunch, dinner
limit, maximum, cap, up to, most
minimum, at least, least
child, kid, baby, children, newborn, son, daughter
parental, maternity, paternity, parent
spouse, wife, husband, partner
deadline, due, due date, by the end
contact, reach, e-mail, call, email
mail, email, e-mail
repair, fix, mend
broken, damage, damaged, faulty, out of order
valid, expire, expiry, validity
discount, half off, % off, cheaper, reduced price, price reduction
credit card, debit card, payment card, card
first day, day 1, day one
first week, week 1, week one
first month, month 1, month one
at night, night, outside working hours, outside office hours, after hours, day and night
lost, lose, missing, stolen, steal, theft
picture, image, photo
size, big, large
rent, lease
meeting, appointment
bonus, incentive
overtime, extra hours
retire, retirement, pension
share, distribute
pet, dog, cat, animal
park, parking
mentor, buddy
feedback, review
visitor, guest
wifi, wi-fi, wireless
backup, back up
test, testing
deploy, release, deployment, rollout
roll back, rollback, revert
outage, downtime, incident
encrypt, encryption
duration, length, last
휴가, 연차, 휴무
병가, 아프, 아플, 질병, 몸이
급여, 월급, 임금, 봉급, 연봉
직원, 사원, 임직원, 구성원, 근로자
재택, 재택근무, 원격, 집에서, 집, 자택
노트북, 컴퓨터, PC, 랩톱, 맥북
비용, 경비, 금액, 요금, 가격
구매, 구입, 주문
신청, 요청, 접수, 제출
삭제, 제거
변경, 수정, 바꾸, 바꿀, 바꿔
만들, 생성
출장, 여행
상사, 팀장, 관리자, 매니저
비밀번호, 암호, 패스워드
퇴사, 퇴직, 사직, 그만두
채용, 입사
회의, 미팅
식대, 식비, 점심, 식사, 밥값
이메일, 메일, 전자우편
와이파이, 무선, wi-fi, wifi
마감, 기한, 까지
환불, 환급, 상환
정산, 환급, 청구
지각, 늦게
교육, 연수, 강의
최대, 한도, 상한, 이내
최소, 하한, 이상
가입, 등록
해지, 탈퇴, 취소
고장, 파손, 망가
분실, 잃어버, 도난, 없어졌, 없어지, 사라졌, 사라지
인상, 증액, 올리, 올릴
인하, 감액, 내리
임대, 임차, 전세, 월세
보증금, 전세금, 임대보증금
사진, 이미지
아이, 자녀, 아기, 육아
배우자, 남편, 아내
주차, 차량
차, 차량, 자동차, 승용차
할인, 감면
반려동물, 애완동물, 강아지, 고양이, 반려견
키우, 기르, 기를
점검, 검사
설치, 깔아
배포, 릴리스
복구, 되돌리, 롤백
시작, 개시
종료, 끝나
의사, 병원
전화, 연락, 연락처
가능, 할 수
금지, 불가
나이, 연령
"""


def _is_hangul(text: str) -> bool:
    return "가" <= text[:1] <= "힣"


def stems_of(phrase: str) -> tuple[str, ...]:
    """Return what a phrase is matched by: stems of its English words, Korean words as they stand."""
    out: list[str] = []
    for word in phrase.lower().split():
        if _is_hangul(word):
            out.append(word)
        elif "-" in word:
            out.append(stem(word.replace("-", "")))
        else:
            out.append(stem(word))
    return tuple(out)


def stem(word: str) -> str:
    """Return the stem of one lower-case word, also where it is a stop word."""
    found = terms_of(word)
    return found[-1] if found else word


@lru_cache(maxsize=1)
def _groups() -> dict[str, tuple[str, ...]]:
    out: dict[str, dict[str, None]] = {}
    for line in _SAME.strip().splitlines():
        phrases = [phrase.strip() for phrase in line.split(",")]
        for phrase in phrases:
            key = " ".join(stems_of(phrase))
            out.setdefault(key, {}).update((other, None) for other in phrases if other != phrase)
    return {key: tuple(others) for key, others in out.items()}


def same_as(key: str) -> tuple[str, ...]:
    """Return words and phrases that may stand for this stem (or stems joined by a space)."""
    return _groups().get(key, ())


def synonym_words() -> tuple[str, ...]:
    """Return all words and phrases that stand for each other."""
    return tuple(dict.fromkeys(phrase.strip() for line in _SAME.strip().splitlines() for phrase in line.split(",")))
