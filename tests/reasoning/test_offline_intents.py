"""The classifier of intents: what it learns from a pack's few examples, and what it admits not to know."""

from collections import Counter

import numpy as np
import pytest

from agent.packs.load import builtin, load_pack
from agent.packs.pack import IntentSpec, Pack, Words
from agent.reasoning.rules import OfflineReasoner
from agent.reasoning.rules.fitted import linear_classifier
from agent.reasoning.rules.reading.intents import Intents, features
from tests.contracts.reasoning import message

WORDS = Words(en="Housing", ko="주택 임대차")
HOUSING = Pack(
    name="housing",
    title=WORDS,
    description=WORDS,
    intents=(
        IntentSpec(name="greeting", route="direct", examples=("안녕하세요", "hello", "반가워요", "hi there")),
        IntentSpec(
            name="legal_consult",
            examples=(
                "집주인이 보증금을 안 돌려줘요",
                "월세를 10% 올려 달라는데 거절할 수 있나요?",
                "계약갱신청구권은 몇 번 쓸 수 있어요?",
                "임대료 인상 한도가 어떻게 돼?",
                "전세 계약 중에 집이 팔리면 어떻게 되나요?",
                "묵시적 갱신이 되면 중도 해지 가능해?",
                "집주인이 수리를 안 해 주는데 법적으로 가능한가요?",
                "확정일자 없이도 보증금 보호되나요?",
                "전세금을 돌려받지 못하면 어떻게 해?",
                "갱신할 때 보증금 인상 거절 가능해?",
                "월세를 두 달 밀리면 쫓겨나나요?",
                "세입자가 중간에 나가도 되나요?",
                "can my landlord raise the rent by 10%?",
                "is a verbal lease binding?",
            ),
        ),
        IntentSpec(
            name="market_inquiry",
            examples=(
                "강남구 아파트 시세 알려줘",
                "요즘 마포 전세 시세가 어때?",
                "송파구 매매가 얼마야?",
                "판교 오피스텔 월세 평균은?",
                "올해 집값이 오를까?",
                "이 동네 실거래가 보여줘",
                "what do flats in Mapo cost?",
                "average rent in Seoul?",
            ),
        ),
        IntentSpec(
            name="loan_consult",
            examples=(
                "전세자금대출 얼마까지 받을 수 있어?",
                "주택담보대출 금리 비교해줘",
                "버팀목 대출 조건이 뭐야?",
                "LTV 한도가 얼마예요?",
                "신혼부부 대출 자격 알려줘",
                "대출 갈아타기 하면 이자가 줄어드나요?",
                "how much can I borrow for a deposit?",
                "which bank has the lowest mortgage rate?",
            ),
        ),
        IntentSpec(
            name="contract_creation",
            examples=(
                "임대차 계약서 작성해줘",
                "전세 계약서 초안 만들어줘",
                "월세 계약서 양식 줘",
                "특약 사항 넣어서 계약서 써줘",
                "매매 계약서 하나 만들어 주세요",
                "draft a lease for me",
                "write a rental contract",
            ),
        ),
    ),
)


@pytest.fixture(scope="module")
def housing():
    return Intents(HOUSING.intents)


async def test_a_question_unlike_any_example_is_consulted_about():
    understood = await OfflineReasoner().understand(message("전세금 5% 인상 가능해?", pack=HOUSING))
    assert understood.route == "research" and understood.language == "ko"
    assert understood.intent.name == "legal_consult"
    assert understood.intent.confidence == pytest.approx(0.9, abs=0.1)
    assert understood.intent.keywords == ("전세금", "인상", "5%")
    assert understood.intent.entities == ("5%",)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("보증금 인상 거절할 수 있어?", "legal_consult"),
        ("can the landlord raise the deposit by 5%?", "legal_consult"),
        ("마포구 아파트 매매 시세", "market_inquiry"),
        ("전세 대출 한도 알려줘", "loan_consult"),
        ("월세 계약서 만들어줘", "contract_creation"),
        ("please draft a rental lease", "contract_creation"),
    ],
)
def test_kinds_are_told_apart_by_a_few_examples(housing, text, intent):
    guess = housing.best(text)
    assert guess.inside and guess.name == intent and guess.confidence > 0.5


@pytest.mark.parametrize("text", ["피자 맛집 추천해줘", "양자역학 설명해줘", "손흥민 골 기록"])
async def test_what_is_like_no_example_is_of_no_kind_and_still_looked_up(housing, text):
    assert not housing.best(text).inside
    understood = await OfflineReasoner().understand(message(text, pack=HOUSING))
    assert (understood.route, understood.intent.name) == ("research", "question")


def test_the_nearer_an_example_the_surer(housing):
    said = [
        housing.best(text).confidence for text in ("임대료 인상 한도가 어떻게 돼?", "임대료 인상 한도는?", "한도 문의")
    ]
    assert said == sorted(said, reverse=True) and said[0] > 0.95 > said[2]


def test_shares_are_told_for_every_intent_and_leave_room_for_none(housing):
    shares = housing.best("전세 대출 한도").shares
    assert set(shares) == {spec.name for spec in HOUSING.intents}
    assert all(0 <= share <= 1 for share in shares.values()) and sum(shares.values()) < 1


@pytest.mark.parametrize(
    ("joined", "apart"),
    [
        ("육아휴직 신청", "육아 휴직 신청"),
        ("전세자금대출 조건", "전세 자금 대출 조건"),
        ("VPN 설정방법", "VPN 설정 방법"),
    ],
)
def test_korean_spacing_makes_no_difference(housing, joined, apart):
    def told(text):
        return Counter(feature for feature in features(text) if not feature.startswith("k:"))

    assert told(joined) == told(apart)
    assert housing.best(joined).name == housing.best(apart).name


def test_the_same_examples_give_the_same_classifier(housing):
    text = "보증금 인상 한도"
    assert Intents(HOUSING.intents).best(text) == housing.best(text)


def test_every_example_of_the_handbook_is_of_its_own_kind():
    pack = load_pack(builtin("handbook"))
    intents = Intents(pack.intents)
    for spec in pack.intents:
        for example in spec.examples:
            guess = intents.best(example)
            assert (guess.name, guess.inside) == (spec.name, True), example
            assert guess.confidence > 0.6, example


def test_packs_with_hardly_anything_to_learn_from():
    assert Intents(()).best("hello").name == ""
    one = Intents((IntentSpec(name="orders", examples=("where is my order", "cancel my order", "order status")),))
    assert one.best("where is my order?").confidence > one.best("양자역학 설명해줘").confidence
    signs = Intents(
        (IntentSpec(name="signs", examples=("👍", "🙏", "!!")), IntentSpec(name="b", examples=("x", "y", "z")))
    )
    assert signs.best("").name in ("signs", "b")


def test_nearness_is_one_for_an_example_and_nothing_for_the_unknown(housing):
    # 0.7 of the nearest example and 0.3 of the mean of the nearest three
    assert housing.nearness("임대차 계약서 작성해줘")["contract_creation"] > 0.75
    assert housing.nearness("zzz qqq")["contract_creation"] < 0.05


@pytest.mark.parametrize(
    ("text", "knows"),
    [
        ("draft a lease", True),
        ("draft a laese", True),
        ("전세계약서 초안 만들어줘", True),
        ("draft a poem", False),
        ("전세계약서 보증금", False),
    ],
)
def test_words_of_an_intent_are_known_with_slips_and_without_spaces(housing, text, knows):
    assert (not housing.strange("contract_creation", text)) is knows


def test_examples_are_scored_by_a_classifier_that_has_not_seen_them():
    """Each example has one feature, and no other example has it: unseen, all that is left of it is the bias."""
    owners = [n % 3 for n in range(30)]
    vectors = [(np.array([n]), np.ones(1, dtype=np.float32)) for n in range(30)]
    whole, unseen = linear_classifier.fit(vectors, owners, 3, 30)
    seen = np.stack([whole.scores(vector) for vector in vectors])
    assert (seen.argmax(axis=1) == owners).all()
    for fold in range(linear_classifier.FOLDS):
        own = unseen[[n for n in range(30) if (n // 3) % linear_classifier.FOLDS == fold]]
        assert (own == own[0]).all()


def test_a_small_kind_does_not_drown_among_large_ones():
    large = tuple(f"tell me about the {thing} in the {place}" for thing in "abcde" for place in ("north", "south"))
    specs = (
        IntentSpec(name="large", examples=large),
        IntentSpec(name="small", examples=("book a room", "book a desk", "book a car")),
    )
    assert Intents(specs).best("book a table").name == "small"
