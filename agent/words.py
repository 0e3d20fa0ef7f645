"""Every word that Weft says by itself, in English and Korean, chosen by the asker's language.

`say("no_answer", "ko")` returns a text; named values go in as `say("too_long", "en", limit=8000)`.
"""

from agent.types import Language

_WORDS: dict[str, tuple[str, str]] = {
    # key: (English, Korean)
    # --- answers that need no documents
    "greeting": (
        "Hello! Ask me anything about {topic}. I answer from the documents and show where each statement stands.",
        "안녕하세요! {topic}에 대해 무엇이든 물어보세요. 문서에서 찾아 출처와 함께 답해 드립니다.",
    ),
    "thanks": (
        "You're welcome! Ask on in this thread whenever you like.",
        "천만에요! 이 스레드에서 이어서 물어보셔도 됩니다.",
    ),
    "help": (
        "I answer questions about {topic}, from the documents that I was given, and cite every statement. "
        "Ask in a full sentence; in the thread you can simply ask on.",
        "{topic}에 관한 질문에 주어진 문서를 근거로 답하고, 문장마다 출처를 밝힙니다. "
        "문장으로 물어보시고, 스레드 안에서는 편하게 이어서 물어보세요.",
    ),
    "declined": (
        "That is outside what I can help with: I answer questions about {topic} from the documents that I was given.",
        "제가 도울 수 있는 범위를 벗어난 요청입니다. 저는 주어진 문서를 근거로 {topic}에 관한 질문에 답합니다.",
    ),
    "unreadable": (
        "I could not find a question in that. Please write what you would like to know in a few words.",
        "질문을 찾지 못했습니다. 알고 싶은 것을 몇 마디로 적어 주세요.",
    ),
    "try_asking": ("For example:", "예를 들면:"),
    # --- answers from documents
    "no_answer": (
        "I found nothing in the documents that answers this.",
        "문서에서 이 질문에 답하는 내용을 찾지 못했습니다.",
    ),
    "nearest": ("The nearest documents are:", "가장 가까운 문서는 다음과 같습니다:"),
    "no_documents": (
        "I have no documents to answer from yet. Add some with `weft ingest FOLDER`.",
        "아직 답변에 쓸 문서가 없습니다. `weft ingest 폴더`로 문서를 추가해 주세요.",
    ),
    "unsupported_left_out": (
        "I left out what I could not verify in the documents.",
        "문서에서 확인하지 못한 내용은 답변에서 제외했습니다.",
    ),
    "sources": ("Sources", "출처"),
    "page": ("p. {page}", "{page}쪽"),
    "updated": ("(updated after the question was edited)", "(질문이 수정되어 답변을 갱신했습니다)"),
    # --- the TODO list
    "working": ("Working on it", "답변을 준비하고 있습니다"),
    "done": ("Done", "완료"),
    "stopped": ("Stopped", "중지됨"),
    "failed": ("Not finished", "완료하지 못함"),
    "step_search": ("Search the documents", "문서 검색"),
    "step_result": ("{passages} passages from {documents} documents", "문서 {documents}개에서 구절 {passages}개"),
    "step_result_none": ("nothing found", "찾은 내용 없음"),
    # --- notices and failures
    "model_fallback": (
        "The model did not answer; this reply was made without it.",
        "모델이 응답하지 않아 모델 없이 답변했습니다.",
    ),
    "llm_mode_needs_model": (
        "Mode `llm` needs a model: set OPENAI_API_KEY or OPENAI_BASE_URL.",
        "`llm` 모드에는 모델이 필요합니다. OPENAI_API_KEY 또는 OPENAI_BASE_URL을 설정해 주세요.",
    ),
    "empty_question": (
        "The question is empty. Write what you would like to know.",
        "질문이 비어 있습니다. 알고 싶은 내용을 적어 주세요.",
    ),
    "too_long": (
        "The question has {length} characters; at most {limit} are taken. "
        "Please shorten it, or attach the text as a document.",
        "질문이 {length}자입니다. 최대 {limit}자까지 받을 수 있으니 줄이거나 문서로 첨부해 주세요.",
    ),
    "turn_failed": (
        "Something went wrong on my side and I could not answer. "
        "Please ask again; the operator finds the cause under {turn_id}.",
        "내부 문제로 답변하지 못했습니다. 다시 질문해 주세요. 운영자는 {turn_id}로 원인을 찾을 수 있습니다.",
    ),
    "turn_timeout": (
        "This took too long, so I stopped. Please ask again, perhaps more narrowly.",
        "시간이 너무 오래 걸려 중단했습니다. 질문을 조금 좁혀 다시 물어봐 주세요.",
    ),
    "turn_stopped": ("Stopped as you asked.", "요청하신 대로 중지했습니다."),
    "nothing_to_stop": ("There is nothing running in this thread.", "이 스레드에서 실행 중인 작업이 없습니다."),
}


def say(key: str, language: Language, **values: object) -> str:
    """Return the words for a key. Raises KeyError for a key or a value that is missing."""
    english, korean = _WORDS[key]
    text = english if language == "en" else korean
    return text.format(**values) if values else text


def keys() -> tuple[str, ...]:
    """Return every key of the catalogue."""
    return tuple(_WORDS)
