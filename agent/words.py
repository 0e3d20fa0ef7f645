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
    # --- asking back, memory
    "assumption": (
        "Say “just answer” and I assume: {choice}",
        "“그냥 답해줘”라고 하시면 다음으로 보고 답합니다: {choice}",
    ),
    "which_one": (
        "The documents answer this differently for several things. Which one do you mean?",
        "문서에는 대상에 따라 답이 다릅니다. 어느 것을 말씀하시나요?",
    ),
    "which_slot": ("I need one more detail: {slot}?", "한 가지 더 알려 주세요: {slot}"),
    "known_about_you": ("This is what I remember about you:", "제가 기억하고 있는 내용입니다:"),
    "latest_questions": ("Your latest questions:", "최근 질문:"),
    "how_to_forget": ("Say “forget me” and I delete all of it.", "“나에 대해 잊어줘”라고 하시면 모두 지웁니다."),
    "asked_before": ("You asked this before:", "전에 이렇게 물어보셨습니다:"),
    "nothing_asked_before": (
        "I find no earlier question of yours about this.",
        "이에 대해 전에 물어보신 기록이 없습니다.",
    ),
    "preferences": ("How you want to be answered", "원하시는 답변 방식"),
    "wish_en": ("in English", "영어로"),
    "wish_ko": ("in Korean", "한국어로"),
    "wish_short": ("short", "짧게"),
    "wish_long": ("in detail", "자세히"),
    "wish_list": ("as a list", "목록으로"),
    "wish_table": ("as a table", "표로"),
    "table_point": ("What", "내용"),
    "table_source": ("Where", "출처"),
    "cannot_translate": (
        "I cannot translate without a model. The documents say it in their own language only.",
        "모델 없이는 번역할 수 없습니다. 문서에 적힌 언어로만 답할 수 있습니다.",
    ),
    "too_late": (
        "I no longer know which question this answers. Please ask it again.",
        "어떤 질문에 대한 답인지 알 수 없습니다. 질문을 다시 적어 주세요.",
    ),
    "no_memory": ("I remember nothing about people here.", "여기서는 사람에 대해 아무것도 기억하지 않습니다."),
    "nothing_known": ("I know nothing about you yet.", "아직 기억하고 있는 것이 없습니다."),
    "forgotten": (
        "I have forgotten what I knew about you: what you told me, your preferences and your past questions.",
        "알려 주신 내용, 답변 방식, 지난 질문을 모두 잊었습니다.",
    ),
    "preference_kept": ("Noted, I will answer like that.", "네, 앞으로 그렇게 답변하겠습니다."),
    "ask_in_private": (
        "That is between you and me: please ask me in a direct message.",
        "개인에 관한 내용이니 다이렉트 메시지로 물어봐 주세요.",
    ),
    # --- answers from documents
    "no_answer": (
        "I found nothing in the documents that answers this.",
        "문서에서 이 질문에 답하는 내용을 찾지 못했습니다.",
    ),
    "nearest": ("The nearest documents are:", "가장 가까운 문서는 다음과 같습니다:"),
    "only_you": (
        "{count} more passages that only you may read match: ask me in a direct message.",
        "본인만 볼 수 있는 구절 {count}개가 더 있습니다. 다이렉트 메시지로 물어봐 주세요.",
    ),
    "own_title": ("your team's documents", "팀 문서"),
    "own_description": (
        "Ask in a full sentence; every statement of the answer shows where it stands.",
        "문장으로 물어보세요. 답변의 모든 내용에 출처를 밝힙니다.",
    ),
    "search_failed": (
        "I could not search the documents just now. Please ask again; the operator finds the cause in the log.",
        "지금 문서를 검색하지 못했습니다. 다시 질문해 주세요. 원인은 운영자가 로그에서 확인할 수 있습니다.",
    ),
    "step_failed": ("not possible just now", "지금은 할 수 없음"),
    "no_documents": (
        "I have no documents to answer from yet. Add some with `weft ingest FOLDER`.",
        "아직 답변에 쓸 문서가 없습니다. `weft ingest 폴더`로 문서를 추가해 주세요.",
    ),
    "unsupported_left_out": (
        "I left out what I could not verify in the documents.",
        "문서에서 확인하지 못한 내용은 답변에서 제외했습니다.",
    ),
    "filter_dropped": (
        "Nothing matched the search filter, so I searched without it.",
        "검색 조건에 맞는 내용이 없어 조건 없이 검색했습니다.",
    ),
    "filter_dropped_entity": (
        "Nothing matched all of the search filter, so I searched without the condition for what is named.",
        "모든 검색 조건에 맞는 내용이 없어 언급 대상 조건을 빼고 검색했습니다.",
    ),
    "filter_dropped_page_range": (
        "Nothing matched all of the search filter, so I searched without the condition for the pages.",
        "모든 검색 조건에 맞는 내용이 없어 쪽 조건을 빼고 검색했습니다.",
    ),
    "filter_dropped_date_range": (
        "Nothing matched all of the search filter, so I searched without the condition for the date.",
        "모든 검색 조건에 맞는 내용이 없어 날짜 조건을 빼고 검색했습니다.",
    ),
    "filter_dropped_categories": (
        "Nothing matched all of the search filter, so I searched without the condition for the kind of passage.",
        "모든 검색 조건에 맞는 내용이 없어 구절 종류 조건을 빼고 검색했습니다.",
    ),
    "filter_dropped_kinds": (
        "Nothing matched all of the search filter, so I searched without the condition for findings or chunks.",
        "모든 검색 조건에 맞는 내용이 없어 지적 사항 조건을 빼고 검색했습니다.",
    ),
    "filter_dropped_language": (
        "Nothing matched all of the search filter, so I searched without the condition for the language.",
        "모든 검색 조건에 맞는 내용이 없어 언어 조건을 빼고 검색했습니다.",
    ),
    "filter_dropped_sources": (
        "Nothing matched all of the search filter, so I searched without the condition for the source.",
        "모든 검색 조건에 맞는 내용이 없어 출처 조건을 빼고 검색했습니다.",
    ),
    "filter_dropped_documents": (
        "Nothing matched all of the search filter, so I searched without the condition for the documents.",
        "모든 검색 조건에 맞는 내용이 없어 문서 조건을 빼고 검색했습니다.",
    ),
    "strategy_kept": (
        "The answer may rest on {blocks} passages from {documents} documents.",
        "문서 {documents}개에서 단락 {blocks}개를 골랐습니다.",
    ),
    "strategy_left": (
        "{count} further passages were left out, {doubles} of them because they say the same.",
        "그 밖의 단락 {count}개는 제외했고, 그중 {doubles}개는 같은 내용입니다.",
    ),
    "strategy_words": (
        "Words that had to be there, and how often they stand there: {words}.",
        "필수 단어와 나온 횟수: {words}.",
    ),
    "strategy_given_up": (
        "No document holds these as well: {words}.",
        "다음 단어는 함께 나오는 문서가 없습니다: {words}.",
    ),
    "must_have_partly": (
        "No document holds all of the required words; I searched those that hold most of them.",
        "필수 단어가 모두 있는 문서가 없어 가장 많이 포함한 문서에서 검색했습니다.",
    ),
    "must_have_nowhere": (
        "No document holds the required words, so I searched without them.",
        "필수 단어가 있는 문서가 없어 해당 단어 없이 검색했습니다.",
    ),
    "must_have_unrelated": (
        "The documents with the required words hold nothing on this question, so I searched all documents.",
        "필수 단어가 있는 문서에는 이 질문과 관련된 내용이 없어 모든 문서에서 검색했습니다.",
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
    "llm_mode_failed": (
        "The model did not answer. Please try again in a moment.",
        "모델이 응답하지 않았습니다. 잠시 후 다시 시도해 주세요.",
    ),
    "empty_question": (
        "The question is empty. Write what you would like to know.",
        "질문이 비어 있습니다. 알고 싶은 내용을 적어 주세요.",
    ),
    "too_long": (
        "The question has {length} characters; at most {limit} are taken. Please shorten it.",
        "질문이 {length}자입니다. 최대 {limit}자까지 받을 수 있으니 줄여 주세요.",
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
    # --- Slack
    "elapsed": ("{seconds} s", "{seconds}초"),
    "asks": ("{who} asks:", "{who} 님의 질문:"),
    "command_hint": (
        "Write your question after the command, for example: `{command} How many days of leave do I have?`",
        "명령어 뒤에 질문을 적어 주세요. 예: `{command} 연차는 며칠인가요?`",
    ),
    "not_taken": (
        "I could not take your question just now. Please try again in a moment.",
        "지금은 질문을 받지 못했습니다. 잠시 후 다시 시도해 주세요.",
    ),
    "not_in_channel": (
        "I cannot write in this channel. Please invite me with `/invite`, or ask me in a direct message.",
        "이 채널에는 글을 쓸 수 없습니다. `/invite`로 저를 초대하거나 다이렉트 메시지로 물어봐 주세요.",
    ),
    # --- Discord
    "ask_command": ("Ask a question; the answer comes in a thread", "질문하기: 답변은 스레드에 달립니다"),
    "ask_option": ("What would you like to know?", "무엇을 알고 싶으신가요?"),
    "question": ("Question", "질문"),
    # --- the playground's page
    "web_new": ("New question", "새 질문"),
    "web_threads": ("Conversations", "대화 목록"),
    "web_today": ("Today", "오늘"),
    "web_yesterday": ("Yesterday", "어제"),
    "web_earlier": ("Earlier", "이전"),
    "web_no_threads": ("Your questions will appear here.", "질문하신 내용이 여기에 표시됩니다."),
    "web_untitled": ("Untitled", "제목 없음"),
    "web_ask": ("Ask a question…", "질문을 입력하세요…"),
    "web_ask_on": ("Ask a follow-up…", "이어서 질문하세요…"),
    "web_send": ("Send", "보내기"),
    "web_stop": ("Stop", "중지"),
    "web_stop_words": (
        "stop, /stop, stop it, stop please, please stop, cancel, please cancel",
        "중지, 중지해, 중지해줘, 멈춰, 멈춰줘, 그만, 그만해, 그만해줘, 취소, 취소해줘",
    ),
    "web_hint": ("Enter to send, Shift+Enter for a new line", "Enter로 보내기, Shift+Enter로 줄바꿈"),
    "web_reconnecting": ("Connection lost. Reconnecting…", "연결이 끊겼습니다. 다시 연결하는 중…"),
    "web_not_sent": ("Not sent.", "보내지 못했습니다."),
    "web_retry": ("Try again", "다시 시도"),
    "web_step": ("1 step", "1단계"),
    "web_steps": ("{count} steps", "{count}단계"),
    "web_seconds": ("{seconds} s", "{seconds}초"),
    "web_pending": ("waiting", "대기 중"),
    "web_in_progress": ("in progress", "진행 중"),
    "web_completed": ("done", "완료"),
    "web_failed": ("failed", "실패"),
    "web_skipped": ("skipped", "건너뜀"),
    "web_copy": ("Copy answer", "답변 복사"),
    "web_copied": ("Copied", "복사됨"),
    "web_edit": ("Edit question", "질문 수정"),
    "web_edited": ("edited", "수정됨"),
    "web_save": ("Save", "저장"),
    "web_cancel": ("Cancel", "취소"),
    "web_rename": ("Rename", "이름 바꾸기"),
    "web_delete": ("Delete", "삭제"),
    "web_delete_sure": (
        "Delete this conversation? Its questions and answers are removed for good.",
        "이 대화를 삭제할까요? 질문과 답변이 영구히 삭제됩니다.",
    ),
    "web_menu": ("Show conversations", "대화 목록 열기"),
    "web_close": ("Close", "닫기"),
    "web_source": ("Source {n}: {title}", "출처 {n}: {title}"),
    "web_more": ("{count} more", "{count}개 더 보기"),
    "web_show_all": ("Show all", "모두 보기"),
    "web_open_source": ("Open document", "문서 열기"),
    "web_before": ("Before this passage", "앞부분"),
    "web_after": ("After this passage", "뒷부분"),
    "web_previous": ("Previous source", "이전 출처"),
    "web_next": ("Next source", "다음 출처"),
    "web_passage_gone": (
        "This passage is no longer in the library. The answer quoted it so:",
        "이 구절은 더 이상 문서함에 없습니다. 답변에 인용된 내용:",
    ),
    "web_loading": ("Loading…", "불러오는 중…"),
    "web_language": ("Language", "언어"),
    "web_theme": ("Appearance", "화면 모드"),
    "web_theme_auto": ("As the system", "시스템 설정"),
    "web_theme_light": ("Light", "밝게"),
    "web_theme_dark": ("Dark", "어둡게"),
    "web_shortcuts": ("Keyboard shortcuts", "단축키"),
    "web_key_focus": ("Write a question", "질문 입력"),
    "web_key_new": ("New question", "새 질문"),
    "web_key_threads": ("Next or previous conversation", "다음 또는 이전 대화"),
    "web_key_close": ("Close what is open", "열린 창 닫기"),
    "web_key_help": ("These shortcuts", "단축키 보기"),
    "web_latest": ("Jump to the latest", "최신 내용으로"),
    "web_ready": ("The answer is ready.", "답변이 준비되었습니다."),
    "web_thread_gone": ("This conversation is no longer there.", "이 대화는 더 이상 없습니다."),
    "web_trouble": ("That did not work. Please try again.", "처리하지 못했습니다. 다시 시도해 주세요."),
    "web_too_large": ("That is too much text for one question.", "질문 하나로 보내기에는 내용이 너무 깁니다."),
    "web_token_title": ("This playground is protected", "보호된 플레이그라운드입니다"),
    "web_token": ("Access token", "액세스 토큰"),
    "web_token_wrong": ("This is not the right token.", "토큰이 올바르지 않습니다."),
    "web_enter": ("Open", "열기"),
    "web_you": ("You", "나"),
    "web_answer": ("Answer", "답변"),
    "web_download": ("Download {name}", "{name} 내려받기"),
}


def say(key: str, language: Language, **values: object) -> str:
    """Return the words for a key. Raises KeyError for a key or a value that is missing."""
    english, korean = _WORDS[key]
    text = english if language == "en" else korean
    return text.format(**values) if values else text


def keys() -> tuple[str, ...]:
    """Return every key of the catalogue."""
    return tuple(_WORDS)
