"""Nouns that are always somebody's or something's: said alone, they point to what was spoken of."""

RELATIONAL = frozenset(
    """
    accomplishments achievement achievements address advantage advantages age agenda aim aims alternative
    alternatives amount answer answers application applications approval approver approvers aspect aspects
    attendance attendees author authors average award awards background basics beginning behavior behaviour
    benefit benefits birthplace budget capacity capital career categories category cause causes ceo challenge
    challenges chance chances change changes characteristic characteristics charge charges children class
    classes climate color colour comparison competitor competitors component components concept concepts concern
    concerns conclusion condition conditions connection cons consequence consequences contact content contents
    context contribution contributions controversy cost costs count creation creator creators criteria criterion
    criticism criticisms cuisine culture cure cures cutoff date deadline deadlines death decline definition
    demographics deputy description design detail details development diagnosis diet difference differences
    difficulty director directors disadvantage disadvantages discovery distance downside downsides drawback
    drawbacks duration duties duty economy effect effectiveness effects efficacy eligibility email end ending
    environment etymology event events evidence evolution example examples exception exceptions expense extent
    fact factor factors facts family feature features fee fees findings form format forms founder founders
    founding frequency function functions funding future gdp geography goal goals government growth guideline
    guidelines habitat head headquarters health height highlights history husband idea ideas impact impacts
    implementation implication implications importance incidence increase influence influences ingredient
    ingredients inspiration instructions invention issue issues job jobs kind kinds layout leader leaders legacy
    length level limit limitation limitations limits link location locations login main maintenance manager
    maximum meaning measure measures member members membership method methods minimum mission model models name
    names nature number numbers objective objectives opening option options order organizer origin origins
    outcome outcomes outlook output overview owner owners parameters params parents part parts password
    penalties penalty percent percentage performance period personality phone plot population portal precaution
    precautions prerequisites presence prevalence prevention price prices pricing principle principles priority
    problem problems procedure procedures process processes product production profit prognosis program project
    projects proof properties property proportion pros purpose purposes quality quantity quota rate rates ratio
    reaction reason reasons reception recipe recipes recommendation recommendations recovery refund regulation
    regulations reimbursement relation relationship relevance reliability reputation requirement requirements
    response responsibilities responsibility restriction restrictions result results review reviews reward
    rewards risk risks role roles root roots rule rules safety salary sample scale schedule scope score season
    sequel setting settings shape share side sign significance signs similarities similarity site size skills
    solution solutions sort sorts source sources speed stage stages start statistics status step steps story
    strength strengths style styles success successor survival symptom symptoms taste technique techniques terms
    test tests theme themes threats threshold time timeline tip tips title topic topics total tradition
    traditions treatment treatments trend trends truth type types upside usage use uses validity value values
    variant variants variation variations varieties variety version versions victims view views volume warranty
    way ways weakness weaknesses website weight wife winner winners year
    """.split()
)
RELATIONAL_KOREAN = frozenset(
    """
    가격 가족 감독 개설 개수 갱신 검사 결과 결재 경우 계획 고장 고향 관리 관리자 교체 규격 규칙 근거 금리 금액
    급여 기간 기능 기원 기준 기한 나라 나이 날짜 내용 높이 단계 단위 단점 담당
    담당자 대상 대상자 대안 대체 도움 등록 뜻 링크 마감 마감일 면적 명단 목록 목적 무게 문의 문의처 문제 방법
    방식 배경 배우자 번호 벌칙 범위 변경 보고 보상 보장 복구 부작용 분량 비밀번호
    비용 비율 사용 사용법 사유 사이즈 상태 상한 색상 서류 서식 설명 설정 설치 성능 소개 소요 속도 수도 수량 수리
    수수료 수정 순서 승인 승인자 시간 시기 시작일 신청 신청서 신청자 안내 양식
    업데이트 업무 역사 역할 연결 연도 연락처 연봉 연장 영향 예시 예약 예외 요건 요금 용도 우편 운영 원리 원인
    위약금 위치 유래 유지 유형 유효 의미 이름 이월 이유 이점 인구 인원 일수 일정
    자격 자녀 작가 작성 장단점 장소 장점 재료 재발급 저자 전화 전화번호 절차 접수 정원 정의 제출 제한 조건
    종료일 종류 주기 주소 주의사항 주의점 주인공 준비물 중요성 증빙 증상 지급 지급일
    지원 직급 직업 진행 차이 차이점 책임자 처리 처벌 최대 최소 추가 출신 출처 취소 치료 치료법 크기 특징 팀장
    파일 페널티 평가 품질 필요 학력 한계 한도 할인 해결 해결책 해지 혜택 확인
    환불 회수 횟수 효과 후기
    """.split()
)
