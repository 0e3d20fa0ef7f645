"""What the tests of the model path are made with."""

from agent.packs.pack import IntentSpec, Limits, Pack, Words
from agent.reasoning.contract import Brief, Message
from agent.reasoning.model.transport.roles import Roles, Served
from agent.types import Block, Language, Passage, TurnRecord

HOURS = "The library closes at six on weekdays. On Saturday it closes at noon."
LEAVE = "연차 휴가는 1년에 15일입니다. 남은 휴가는 다음 해로 이월할 수 없습니다."

PACK = Pack(
    name="handbook",
    title=Words(en="the team handbook", ko="팀 안내서"),
    description=Words(en="Rules of the house", ko="사내 규정"),
    intents=(
        IntentSpec(
            name="greeting",
            route="direct",
            examples=("hello", "hi there", "안녕하세요"),
            reply=Words(en="Hello from the handbook!", ko="안내서입니다!"),
        ),
        IntentSpec(name="smalltalk", route="direct", examples=("how are you", "nice day", "잘 지내?")),
        IntentSpec(name="poem", route="decline", examples=("write a poem", "tell a joke", "시를 써 줘")),
        IntentSpec(name="policy", route="research", examples=("when does it close", "how many days", "휴가 며칠")),
    ),
    limits=Limits(answer_sentences=5),
)


def both(served: Served) -> Roles:
    """Return a model in both roles."""
    return {"large": served, "small": served}


def message(text: str, *turns: TurnRecord, locale: str = "") -> Message:
    return Message(text=text, pack=PACK, turns=turns, locale=locale)


def turn(question: str, answer: str) -> TurnRecord:
    return TurnRecord(
        turn_id="t1",
        message_id="m1",
        asked_by="u1",
        question=question,
        standalone=question,
        answer=answer,
        route="research",
        at=0.0,
    )


def block(n: int, text: str, title: str = "House rules") -> Block:
    passage = Passage(id=n, document_id=f"d{n}", collection="handbook", title=title, text=text)
    return Block(n=n, passage=passage, score=1.0)


def brief(question: str = "When does the library close?", *texts: str, language: Language = "en") -> Brief:
    blocks = [block(n, text) for n, text in enumerate(texts or (HOURS, LEAVE), start=1)]
    return Brief(question=question, language=language, pack=PACK, blocks=blocks)


def reading(**given: object) -> dict[str, object]:
    """Return what a model answers to `understand`; `standalone` counts where there were turns before."""
    return {"intent": "policy", "standalone": "", "several": False, "words": "", **given}
