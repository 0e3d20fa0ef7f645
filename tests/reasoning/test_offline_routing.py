import pytest

from agent.packs.pack import IntentSpec, Pack, Words
from agent.reasoning.offline import OfflineReasoner
from tests.contracts.reasoning import message, turn

PACK = Pack(
    name="handbook",
    title=Words(en="Team handbook", ko="팀 핸드북"),
    description=Words(en="Rules", ko="규정"),
    intents=(
        IntentSpec(name="greeting", route="direct", examples=("hi", "hello", "how are you?", "안녕하세요")),
        IntentSpec(name="thanks", route="direct", examples=("thanks", "that answers my question", "고마워요")),
        IntentSpec(
            name="help",
            route="direct",
            examples=("what can you do?", "which documents do you know?", "무엇을 물어볼 수 있나요?"),
            reply=Words(en="Ask me about the rules.", ko="규정을 물어보세요."),
        ),
        IntentSpec(
            name="out_of_scope",
            route="decline",
            examples=(
                "write me a poem about autumn",
                "what's the weather like tomorrow?",
                "tell me a joke",
                "who won the football match yesterday?",
                "내일 날씨 어때?",
                "가을에 대한 시를 써줘",
            ),
        ),
        IntentSpec(
            name="policy_question",
            examples=(
                "how many days of annual leave do I get?",
                "who approves my expenses?",
                "연차휴가는 며칠인가요?",
                "출장 숙박비 한도가 얼마예요?",
            ),
        ),
        IntentSpec(
            name="how_to",
            examples=("how do I request leave?", "how do I set up the VPN?", "휴가는 어떻게 신청하나요?"),
        ),
    ),
    suggested_prompts=(Words(en="How many days of leave?", ko="휴가는 며칠인가요?"),),
)
VPN = turn("How do I set up the VPN on macOS?")


@pytest.fixture(scope="module")
def reasoner():
    return OfflineReasoner()


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("hi", "greeting"),
        ("Hello there!", "greeting"),
        ("안녕하세요", "greeting"),
        ("how are you?", "greeting"),
        ("thanks!", "thanks"),
        ("ok, thanks a lot", "thanks"),
        ("thanks Anna", "thanks"),
        ("정말 감사합니다!", "thanks"),
        ("help", "help"),
        ("what can you do?", "help"),
        ("which documents do you know?", "help"),
        ("뭘 할 수 있어?", "help"),
    ],
)
async def test_small_talk_needs_no_documents(reasoner, text, intent):
    understood = await reasoner.understand(message(text, VPN, pack=PACK))
    assert (understood.route, understood.intent.name) == ("direct", intent)


@pytest.mark.parametrize(
    "text",
    [
        "hi, how many leave days do I get?",
        "안녕하세요, 연차는 며칠인가요?",
        "good morning, is the office open?",
        "help me set up the VPN",
        "thank you. who approves my expenses?",
        "what is the joke policy?",
        "is there a weather rule for the office?",
        "What is the capital of France?",
        "which laptop should I buy?",
        "how do I write a bug report?",
        "전세금 5% 인상 가능해?",
    ],
)
async def test_what_may_be_in_the_documents_is_looked_up(reasoner, text):
    assert (await reasoner.understand(message(text, pack=PACK))).route == "research"


@pytest.mark.parametrize(
    "text",
    [
        "write me a poem about spring",
        "what's the weather like today?",
        "tell me a joke",
        "who won the football match?",
        "오늘 날씨 어때?",
        "시를 써줘",
    ],
)
async def test_what_is_plainly_outside_is_declined(reasoner, text):
    understood = await reasoner.understand(message(text, pack=PACK))
    assert (understood.route, understood.intent.name) == ("decline", "out_of_scope")
    assert understood.intent.confidence > 0.5


@pytest.mark.parametrize("text", ["😀😀", "???", ":thumbsup:", "…"])
async def test_a_message_without_words_is_unreadable(reasoner, text):
    asked = message(text, VPN, pack=PACK)
    understood = await reasoner.understand(asked)
    assert (understood.route, understood.reason) == ("decline", "unreadable")
    assert "could not find a question" in await reasoner.respond(asked, understood)


@pytest.mark.parametrize(
    "text",
    [
        "and on Windows?",
        "What about the phone?",
        "why?",
        "how do I install it?",
        "Who approves that?",
        "contractors?",
        "tell me more",
        "Is there an alternative?",
        "그건 어떻게 신청하나요?",
        "병가는요?",
        "언제까지 해야 하나요?",
        "그럼 윈도우에서는?",
    ],
)
async def test_a_follow_up_is_read_in_its_conversation(reasoner, text):
    assert (await reasoner.understand(message(text, VPN, pack=PACK))).route == "contextualize"


@pytest.mark.parametrize(
    "text",
    [
        "How many leave days do I get?",
        "Is it allowed to bring a dog to the office?",
        "If I lose my badge, how do I replace it?",
        "Are there any forms that I need for parental leave?",
        "How long does it take to get a visa?",
        "What are the office days this week?",
        "연차는 며칠인가요?",
        "법인카드는 어떻게 신청하나요?",
    ],
)
async def test_a_question_of_its_own_is_not(reasoner, text):
    assert (await reasoner.understand(message(text, VPN, pack=PACK))).route == "research"


async def test_without_earlier_turns_nothing_is_a_follow_up(reasoner):
    assert (await reasoner.understand(message("and on Windows?", pack=PACK))).route == "research"


async def test_intent_keywords_and_entities(reasoner):
    understood = await reasoner.understand(message("전세금 5% 인상 가능해?", pack=PACK))
    assert understood.intent.keywords == ("전세금", "5%", "인상") and understood.intent.entities == ("5%",)
    understood = await reasoner.understand(message("휴가 신청은 어떻게 하나요?", pack=PACK))
    assert understood.intent.name == "how_to"
    named = "What does 제7조 say about E-1042 in New York on 31 March 2024 for 1,000 euros?"
    understood = await reasoner.understand(message(named, pack=PACK))
    assert understood.intent.entities == ("제7조", "E-1042", "New York", "31 March 2024", "1,000 euros")


@pytest.mark.parametrize(("locale", "language"), [("ko-KR", "ko"), ("en-US", "en")])
async def test_codes_alone_are_in_the_language_of_the_asker(reasoner, locale, language):
    assert (await reasoner.understand(message("VPN?", pack=PACK, locale=locale))).language == language


async def test_replies(reasoner):
    async def told(text):
        asked = message(text, pack=PACK)
        return await reasoner.respond(asked, await reasoner.understand(asked))

    assert await told("what can you do?") == "Ask me about the rules."
    assert await told("무엇을 물어볼 수 있나요?") == "규정을 물어보세요."
    assert "Team handbook" in await told("hello") and "- How many days of leave?" in await told("hello")
    assert "범위를 벗어난" in await told("내일 날씨 어때?") and "팀 핸드북" in await told("내일 날씨 어때?")
    assert "You're welcome" in await told("thanks")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("hey team, how many days of leave do I get?", "how many days of leave do I get?"),
        ("Good morning everyone! Who approves it?", "Who approves it?"),
        ("안녕하세요 여러분, 휴가는 며칠인가요?", "휴가는 며칠인가요?"),
        ("Hi, there", "Hi, there"),
        ("How do I greet, say hello, in a mail?", "How do I greet, say hello, in a mail?"),
    ],
)
async def test_whom_a_question_greets_is_not_what_it_is_about(text, question):
    assert (await OfflineReasoner().understand(message(text))).question == question
