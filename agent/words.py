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
    # --- what is answered in a channel
    "mode_is": ("The mode of this channel is “{mode}”: {meaning}", "이 채널의 모드는 “{mode}”입니다. {meaning}"),
    "mode_set": (
        "The mode of this channel is “{mode}” now: {meaning}",
        "이 채널의 모드를 “{mode}”(으)로 바꿨습니다. {meaning}",
    ),
    "mode_mentions": (
        "I answer who mentions me, and nobody else.",
        "저를 멘션한 메시지에만 답합니다.",
    ),
    "mode_thread": (
        "I answer who mentions me, and in my threads what I am asked.",
        "저를 멘션한 메시지와, 제가 참여한 스레드에서 저에게 묻는 질문에 답합니다.",
    ),
    "mode_all": (
        "I answer every question here that the documents answer.",
        "문서에서 답을 찾을 수 있는 이 채널의 모든 질문에 답합니다.",
    ),
    "mode_off": (
        "I answer nothing here, until somebody who manages the channel mentions me with “mode thread”.",
        "채널 관리자가 저를 멘션하고 “모드 스레드”라고 쓸 때까지 여기서는 아무것에도 답하지 않습니다.",
    ),
    "mode_refused": (
        "Only somebody who manages this channel can change that. Nothing was changed.",
        "이 채널을 관리하는 사람만 바꿀 수 있습니다. 아무것도 바꾸지 않았습니다.",
    ),
    "off_here": (
        "I am switched off in this channel. Ask me in another one, or in a direct message.",
        "이 채널에서는 꺼져 있습니다. 다른 채널이나 다이렉트 메시지로 물어봐 주세요.",
    ),
    # --- asking back, memory
    "assumption": (
        "Say “just answer” and I assume: {choice}",
        "“그냥 답해줘”라고 하시면 다음으로 보고 답합니다: {choice}",
    ),
    "which_one": (
        "The documents answer this differently for several things. Which one do you mean?",
        "문서에는 대상에 따라 답이 다릅니다. 어느 것을 말씀하시나요?",
    ),
    "also_meant": (
        "I took this to be about {choice}. If you mean something else:",
        "{choice}에 대한 질문으로 보고 답했습니다. 다른 것을 말씀하신 것이라면:",
    ),
    "which_slot": ("I need one more detail: {slot}?", "한 가지 더 알려 주세요: {slot}"),
    "known_about_you": ("This is what I remember about you:", "제가 기억하고 있는 내용입니다:"),
    "latest_questions": ("Your latest questions:", "최근 질문:"),
    "how_to_forget": ("Say “forget me” and I delete all of it.", "“나에 대해 잊어줘”라고 하시면 모두 지웁니다."),
    "asked_before": ("You asked this before:", "전에 이렇게 물어보셨습니다:"),
    "asked_before_changed": (
        "You asked this on {day} too. What answered it then gives other figures now.",
        "{day}에도 물어보신 내용입니다. 그때 답의 근거가 된 문서의 숫자가 그 뒤 바뀌었습니다.",
    ),
    "memory_rebuilt": (
        "The memory of this conversation was damaged. I go on from the answers that are stored.",
        "이 대화의 기억이 손상되어, 저장된 답변을 바탕으로 이어갑니다.",
    ),
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
    "question_over": (
        "This question is over. Please ask it again.",
        "이 질문은 이미 끝났습니다. 다시 물어봐 주세요.",
    ),
    "no_memory": ("I remember nothing about people here.", "여기서는 사람에 대해 아무것도 기억하지 않습니다."),
    "nothing_known": ("I know nothing about you yet.", "아직 기억하고 있는 것이 없습니다."),
    "forgotten": (
        "I have forgotten what I knew about you: what you told me, your preferences and your past questions.",
        "알려 주신 내용, 답변 방식, 지난 질문을 모두 잊었습니다.",
    ),
    "preference_kept": ("Noted, I will answer like that.", "네, 앞으로 그렇게 답변하겠습니다."),
    "told_kept": (
        "Noted, I will answer you with this in mind:",
        "네, 앞으로 다음 내용을 고려해 답변하겠습니다:",
    ),
    "ask_in_private": (
        "That is between you and me: please ask me in a direct message.",
        "개인에 관한 내용이니 다이렉트 메시지로 물어봐 주세요.",
    ),
    # --- answers from documents
    "no_answer": (
        "I found nothing in the documents that answers this.",
        "문서에서 이 질문에 답하는 내용을 찾지 못했습니다.",
    ),
    "closest": (
        "Nothing found for sure. This may not be it; the closest I found:",
        "확실한 답은 찾지 못했습니다. 아닐 수도 있지만 가장 가까운 내용입니다:",
    ),
    "documents_say": ("The documents say:", "문서에는 이렇게 나와 있습니다:"),
    "nearest": ("The nearest documents are:", "가장 가까운 문서는 다음과 같습니다:"),
    "part_without_answer": (
        "The documents do not answer this part: {part}",
        "문서에서 답을 찾지 못한 부분: {part}",
    ),
    "part_not_done": ("Not done: {part} ({why})", "하지 못한 부분: {part} ({why})"),
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
    "work_failed": (
        "This could not be done just now: {steps}. Please ask again; the operator finds the cause in the log.",
        "지금은 할 수 없었습니다: {steps}. 다시 요청해 주세요. 원인은 운영자가 로그에서 확인할 수 있습니다.",
    ),
    "step_timeout": ("took too long", "시간이 너무 오래 걸림"),
    "step_waited": ("waited for: {step}", "먼저 필요한 단계가 끝나지 않음: {step}"),
    "step_left_out": ("more than one message may ask", "한 번에 물어볼 수 있는 것보다 많음"),
    "step_refused": ("outside what I can help with", "도울 수 있는 범위를 벗어남"),
    "step_waits_for_details": ("waits for your details", "추가 정보를 기다리는 중"),
    "step_reading": ("Read the question", "질문 읽기"),
    "step_refine": ("Search again in other words", "다른 표현으로 다시 검색"),
    "step_refined": ("{passages} new passages", "새로 찾은 구절 {passages}개"),
    "phase_searching": ("searching in {count} ways", "{count}가지 방법으로 검색 중"),
    "phase_found": ("reading {passages} passages", "구절 {passages}개를 읽는 중"),
    "phase_web": ("searching the web", "웹 검색 중"),
    "web_search_failed": (
        "The web could not be searched; the answer rests on the documents alone.",
        "웹 검색을 하지 못해 문서만을 근거로 답했습니다.",
    ),
    "documents_unreachable": (
        "The documents could not be searched just now; this rests on the web alone.",
        "지금 문서를 검색하지 못해 웹만을 근거로 답했습니다.",
    ),
    "answer_cut_short": (
        "The time was over before the answer was complete.",
        "시간이 다 되어 답변이 완성되지 않았습니다.",
    ),
    "review_blank": ("{field} is still open", "{field} 항목이 비어 있습니다"),
    "review_unsupported": (
        "No document supports this: {sentence}",
        "문서에서 근거를 찾지 못한 문장입니다: {sentence}",
    ),
    "review_figure": (
        "The figures {figures} are not in the source of this: {sentence}",
        "출처에 없는 숫자({figures})가 있는 문장입니다: {sentence}",
    ),
    "review_section": (
        "The documents hold nothing for the part “{section}”",
        "‘{section}’ 부분에 쓸 내용을 문서에서 찾지 못했습니다",
    ),
    "review_past": ("{field} lies in the past", "{field} 날짜가 이미 지났습니다"),
    "review_reversed": ("{last} lies before {first}", "{last}이(가) {first}보다 빠릅니다"),
    "review_no_date": ("There is no such date: {date}", "달력에 없는 날짜입니다: {date}"),
    "review_promise": ("This promises more than the documents do: “{words}”", "문서보다 더 약속하는 표현: ‘{words}’"),
    "review_absolute": ("This allows for no exception: “{words}”", "예외를 두지 않는 표현: ‘{words}’"),
    "review_tone": ("This may offend: “{words}”", "불쾌감을 줄 수 있는 표현: ‘{words}’"),
    "review_resident_number": ("It holds a resident registration number", "주민등록번호가 들어 있습니다"),
    "review_card_number": ("It holds a card number", "카드 번호가 들어 있습니다"),
    "review_contact": (
        "{field} holds a phone number or an e-mail address",
        "{field} 항목에 전화번호나 이메일 주소가 있습니다",
    ),
    "review_long": (
        "It has {length} characters; up to {most} are read well",
        "{length}자로, 읽기 좋은 길이({most}자)를 넘습니다",
    ),
    "review_own_rule": ("It breaks a rule of its template: {rule}", "템플릿의 규칙에 맞지 않습니다: {rule}"),
    "review_more": ("{count} more", "그 밖에 {count}건"),
    "review_low": ("Review: low risk.", "검토 결과: 위험 낮음."),
    "review_medium": (
        "Review: **medium risk.** Please look at this before you send it:",
        "검토 결과: **위험 보통.** 보내기 전에 확인해 주세요:",
    ),
    "review_high": (
        "Review: **high risk.** Do not send it before you have settled this:",
        "검토 결과: **위험 높음.** 다음을 해결하기 전에는 보내지 마세요:",
    ),
    "review_advice": ("What to do:", "조치할 내용:"),
    "advice_unsupported": (
        "Take the sentence out, or add a document that says so.",
        "문장을 빼거나 근거가 되는 문서를 추가하세요.",
    ),
    "advice_blank": ("Fill in what is marked with [____ …].", "[____ …]로 표시된 부분을 채우세요."),
    "advice_section": (
        "Write this part yourself, or add a document about it.",
        "이 부분을 직접 쓰거나 관련 문서를 추가하세요.",
    ),
    "advice_dates": ("Check the dates with the person they are about.", "당사자에게 날짜를 확인하세요."),
    "advice_promise": ("Say what the documents say, no more.", "문서에 있는 만큼만 쓰세요."),
    "advice_absolute": ("Name the exceptions, or use a weaker word.", "예외를 밝히거나 표현을 완화하세요."),
    "advice_tone": ("Say the same in neutral words.", "같은 내용을 중립적인 말로 쓰세요."),
    "advice_personal": (
        "Take personal data out that the reader does not need.",
        "받는 사람에게 필요 없는 개인정보는 빼세요.",
    ),
    "advice_long": ("Shorten it, or divide it into two documents.", "내용을 줄이거나 두 문서로 나누세요."),
    "rule_support": ("Every statement stands in its source", "모든 문장에 근거가 있음"),
    "rule_complete": ("Nothing is left open", "빈 항목이 없음"),
    "rule_dates": ("The dates are possible", "날짜가 올바름"),
    "rule_personal": ("It holds no personal data that is not needed", "불필요한 개인정보가 없음"),
    "rule_promises": ("It promises no more than the documents", "문서에 없는 약속이 없음"),
    "rule_absolute": ("It does without absolute words", "단정적인 표현이 없음"),
    "rule_tone": ("Its tone is polite", "어조가 정중함"),
    "rule_length": ("It is of a readable length", "길이가 적당함"),
    # --- documents that are written
    "document_wants": ("To write this ({title}) I need:", "{title} 작성에 다음 내용이 필요합니다:"),
    "document_wants_one": (
        "To write this ({title}) I need one more detail: {field}",
        "{title} 작성에 한 가지가 더 필요합니다: {field}",
    ),
    "document_known": ("I have: {fields}", "확인된 내용: {fields}"),
    "document_how": (
        "Answer here, in this order or as “title: value”. Say “just write it” and I leave the rest blank.",
        "이 순서대로 또는 ‘항목: 내용’ 형식으로 답해 주세요. “그냥 써줘”라고 하시면 나머지는 빈칸으로 둡니다.",
    ),
    "document_how_one": (
        "Answer here, or say “just write it” and I leave it blank.",
        "여기에 답해 주세요. “그냥 써줘”라고 하시면 빈칸으로 둡니다.",
    ),
    "document_files": ("The document is ready: {files}", "문서를 작성했습니다: {files}"),
    "document_left_open": ("Left open, marked with [____ …]: {fields}", "빈칸([____ …])으로 남긴 항목: {fields}"),
    "document_preview": ("_How it begins:_", "_미리보기:_"),
    "document_text": ("_The text:_", "_본문:_"),
    "document_goes_on": ("_… the rest is in the files._", "_… 나머지는 파일에 있습니다._"),
    "document_not_kept": (
        "The files could not be written; the document stands in this message alone.",
        "파일을 저장하지 못해 문서를 이 메시지에만 적었습니다.",
    ),
    "document_left_out": (
        "Statements that the documents do not support were left out of the document.",
        "문서에서 확인하지 못한 내용은 작성한 문서에서 제외했습니다.",
    ),
    "phase_drafting": ("drafting", "초안 작성 중"),
    "phase_reviewing": ("reviewing the draft", "초안 검토 중"),
    "phase_writing_files": ("writing the files", "파일 작성 중"),
    "step_result_document": ("{title}, risk: {risk}", "{title}, 위험: {risk}"),
    "risk_low": ("low", "낮음"),
    "risk_medium": ("medium", "보통"),
    "risk_high": ("high", "높음"),
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
    "read_as": (
        'I read "{asked}" as "{meant}".',
        '"{asked}"은(는) "{meant}"(으)로 읽었습니다.',
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
    "draft_withdrawn": ("_Writing the answer once more_", "_답변을 다시 작성하고 있습니다_"),
    # --- the TODO list
    "working": ("Working on it", "답변을 준비하고 있습니다"),
    "done": ("Done", "완료"),
    "stopped": ("Stopped", "중지됨"),
    "failed": ("Not finished", "완료하지 못함"),
    "at_reading": ("reading the question", "질문 읽는 중"),
    "at_planning": ("planning", "계획 세우는 중"),
    "at_searching": ("searching", "자료 찾는 중"),
    "at_writing": ("writing the answer", "답변 작성 중"),
    "at_checking": ("checking the answer", "답변 확인 중"),
    "status": ("is {at} …", "답변 준비 중: {at} …"),
    "step_search": ("Search the documents", "문서 검색"),
    "step_document": ("Write the document: {title}", "문서 작성: {title}"),
    "step_analysis": ("Analyse the figures", "수치 분석"),
    "step_result": ("{passages} passages from {documents} documents", "문서 {documents}개에서 구절 {passages}개"),
    "step_result_none": ("nothing found", "찾은 내용 없음"),
    # --- the analysis of figures
    "analysis_finding": ("looking for the table", "표를 찾는 중"),
    "analysis_computing": ("computing", "계산 중"),
    "analysis_drawing": ("drawing the chart", "그래프를 그리는 중"),
    "analysis_no_table": (
        "I found no table with figures about this in the documents.",
        "문서에서 이에 관한 수치가 있는 표를 찾지 못했습니다.",
    ),
    "analysis_no_figures": (
        "The table “{name}” holds no figures that could be computed with.",
        "“{name}” 표에는 계산할 수 있는 수치가 없습니다.",
    ),
    "analysis_result": ("{figures} figures from {rows} rows", "행 {rows}개에서 수치 {figures}개"),
    "analysis_result_none": ("no figures found", "수치를 찾지 못함"),
    "analysis_title_trend": ("{of} over time", "{of} 추이"),
    "analysis_title_by": ("{of} by {by}", "{by}별 {of}"),
    "analysis_title_distribution": ("Distribution of {of}", "{of} 분포"),
    "analysis_title_summary": ("{of}: what stands out", "{of}: 눈에 띄는 점"),
    "analysis_figure": ("Figure", "지표"),
    "analysis_value": ("Value", "값"),
    "analysis_cells_of": ("Cells", "셀"),
    "analysis_recommended": ("Worth a look:", "확인해 볼 점:"),
    "analysis_about": ("About the data:", "데이터에 대하여:"),
    "analysis_confidence": ("Confidence {value} of 1", "신뢰도 {value}(최대 1)"),
    "analysis_source": ("Source: {name}", "출처: {name}"),
    "analysis_other": ("other ({count})", "기타 ({count}개)"),
    "analysis_rows": ("Rows", "행 수"),
    "analysis_periods": ("Periods", "기간 수"),
    "analysis_times": ("{value} times", "{value}배"),
    "analysis_day": ("day", "일"),
    "analysis_week": ("week", "주"),
    "analysis_month": ("month", "월"),
    "analysis_quarter": ("quarter", "분기"),
    "analysis_half": ("half year", "반기"),
    "analysis_year": ("year", "연"),
    "analysis_cells": ("{where} ({count} cells)", "{where}(셀 {count}개)"),
    "analysis_pairs": ("{where} ({count} rows)", "{where}(행 {count}개)"),
    "analysis_rests_sum": ("sums of {cells}", "{cells}의 합"),
    "analysis_rests_mean": ("means of {cells}", "{cells}의 평균"),
    "analysis_rests_median": ("medians of {cells}", "{cells}의 중앙값"),
    "analysis_rests_count": ("rows counted in {cells}", "{cells}의 행 수"),
    "analysis_m_sum": ("{of}, total", "{of} 합계"),
    "analysis_m_mean": ("{of}, mean", "{of} 평균"),
    "analysis_m_median": ("{of}, median", "{of} 중앙값"),
    "analysis_m_low_quarter": ("{of}, lower quartile", "{of} 하위 사분위수"),
    "analysis_m_high_quarter": ("{of}, upper quartile", "{of} 상위 사분위수"),
    "analysis_m_highest": ("{of}, highest ({at})", "{of} 최댓값 ({at})"),
    "analysis_m_lowest": ("{of}, lowest ({at})", "{of} 최솟값 ({at})"),
    "analysis_m_change": ("{of}, change from {since} to {at}", "{of} 증감 ({since} → {at})"),
    "analysis_m_change_share": ("{of}, change from {since} to {at} in percent", "{of} 증감률 ({since} → {at})"),
    "analysis_m_growth": ("{of}, mean growth per {grain}", "{of} {grain}평균 증가율"),
    "analysis_m_slope": ("{of}, slope per {grain}", "{of} {grain}당 기울기"),
    "analysis_m_rise": ("{of}, largest rise ({since} to {at})", "{of} 최대 증가 ({since} → {at})"),
    "analysis_m_fall": ("{of}, largest fall ({since} to {at})", "{of} 최대 감소 ({since} → {at})"),
    "analysis_m_share": ("{of}, share of {at}", "{of} 중 {at} 비중"),
    "analysis_m_top_share": ("{of}, share of the first {count} of {all}", "{of} {all}개 중 상위 {count}개 비중"),
    "analysis_m_ratio": ("{of}, {at} to {since}", "{of} {since} 대비 {at}"),
    "analysis_m_outlier": ("{of}, outlier ({at})", "{of} 이상값 ({at})"),
    "analysis_m_correlation": (
        "{of} and {at}, correlation over {count} rows",
        "{of:과와} {at}의 상관계수 (행 {count}개)",
    ),
    "analysis_m_missing": ("{of}, missing cells", "{of} 빈 셀"),
    "analysis_m_unread": ("{of}, cells that are no figures", "{of} 수치가 아닌 셀"),
    "analysis_m_total_told": ("{of}, total written in the table", "{of} 표에 적힌 합계"),
    "analysis_rose": (
        "{of} rose from {first} ({since}) to {last} ({at}): {detail}.",
        "{of:은는} {since} {first}에서 {at} {last:으로로} 늘었습니다({detail}).",
    ),
    "analysis_fell": (
        "{of} fell from {first} ({since}) to {last} ({at}): {detail}.",
        "{of:은는} {since} {first}에서 {at} {last:으로로} 줄었습니다({detail}).",
    ),
    "analysis_flat": (
        "{of}: {value} at the end ({at}) as at the beginning ({since}).",
        "{of:은는} 처음({since})과 끝({at})이 {value:으로로} 같습니다.",
    ),
    "analysis_ends": (
        "{of}: highest in {at} ({highest}), lowest in {since} ({lowest}).",
        "{of:은는} {at}에 {highest:으로로} 가장 높고 {since}에 {lowest:으로로} 가장 낮습니다.",
    ),
    "analysis_largest_rise": (
        "The largest rise is from {since} to {at}: {value}.",
        "가장 크게 늘어난 때는 {since} → {at}입니다({value}).",
    ),
    "analysis_largest_fall": (
        "The largest fall is from {since} to {at}: {value}.",
        "가장 크게 줄어든 때는 {since} → {at}입니다({value}).",
    ),
    "analysis_growth": (
        "On average {of} changed by {value} per {grain}.",
        "{of:은는} {grain}평균 {value}씩 변했습니다.",
    ),
    "analysis_off_course": (
        "{of}: {value} in {at} is off the course of the others.",
        "{at}의 {of:은는} {value:으로로} 다른 시기의 흐름에서 벗어납니다.",
    ),
    "analysis_far": (
        "{of}: {value} ({at}) is far from the others, whose median is {median}.",
        "{at}의 {of:은는} {value:으로로} 다른 값과 크게 다릅니다(중앙값 {median}).",
    ),
    "analysis_first": ("Highest {of}: {at}, {value}.", "{of:이가} 가장 높은 것은 {at:으로로}, {value}입니다."),
    "analysis_first_share": (
        "Highest {of}: {at}, {value}, which is {share} of the total.",
        "{of:이가} 가장 높은 것은 {at:으로로}, {value}이며 전체의 {share}입니다.",
    ),
    "analysis_last": ("Lowest: {at}, {value}.", "가장 낮은 것은 {at:으로로}, {value}입니다."),
    "analysis_last_ratio": (
        "Lowest: {at}, {value}; the highest has {ratio} as much.",
        "가장 낮은 것은 {at:으로로}, {value}입니다. 가장 높은 값이 그 {ratio}입니다.",
    ),
    "analysis_ranking": ("{of}, highest first: {names}.", "{of} 높은 순: {names}."),
    "analysis_ranking_up": ("{of}, lowest first: {names}.", "{of} 낮은 순: {names}."),
    "analysis_concentration": ("{name}: {share}.", "{name:은는} {share}입니다."),
    "analysis_whole": (
        "{of}: {total} in all, {mean} on average.",
        "{of:은는} 모두 {total}이고 평균은 {mean}입니다.",
    ),
    "analysis_middle": (
        "The quartiles of {of} are {low} and {high}; the median is {median}, the mean {mean}.",
        "{of}의 사분위수는 {low}, {high}이고 중앙값은 {median}, 평균은 {mean}입니다.",
    ),
    "analysis_together": (
        "{of} and {at} rise together (correlation {value}). That says nothing about a cause.",
        "{of:과와} {at:은는} 함께 커집니다(상관계수 {value}). 원인을 뜻하지는 않습니다.",
    ),
    "analysis_against": (
        "{of} and {at} move against each other (correlation {value}). That says nothing about a cause.",
        "{of:이가} 커지면 {at:은는} 작아집니다(상관계수 {value}). 원인을 뜻하지는 않습니다.",
    ),
    "analysis_total_differs": (
        "The total of {of} in the table is {told}, but its rows add up to {total}.",
        "표에 적힌 {of} 합계는 {told}이지만 각 행을 더하면 {total}입니다.",
    ),
    "analysis_check_total": (
        "Compare the total of {of} in the table with its rows.",
        "표에 적힌 {of} 합계와 각 행을 비교해 보세요.",
    ),
    "analysis_one_unit": (
        "Bring {of} to one unit: the cells in {units} are not in these figures.",
        "{of}의 단위를 통일해 보세요. {units} 단위의 셀은 위 수치에서 제외했습니다.",
    ),
    "analysis_check_outlier": (
        "Check {of} of {at} ({value}): it may be a mistake or a special case.",
        "{at}의 {of}({value}) 값을 확인해 보세요. 오류이거나 특별한 경우일 수 있습니다.",
    ),
    "analysis_fill": (
        "Fill in the missing cells of {of} ({count}): they may change the picture.",
        "{of}의 빈 셀({count}개)을 채워 보세요. 결과가 달라질 수 있습니다.",
    ),
    "analysis_correct": (
        "Correct the cells of {of} that are no figures ({count}).",
        "{of}에서 수치가 아닌 셀({count}개)을 바로잡아 보세요.",
    ),
    "analysis_look_first": (
        "Look at {at} first: it alone makes up {share} of {of}.",
        "{at}부터 살펴보세요. 혼자서 {of}의 {share}를 차지합니다.",
    ),
    "analysis_wait": (
        "Wait for more periods before you read a trend into so few.",
        "기간이 적으니 추세로 보기 전에 더 많은 기간의 값을 확인해 보세요.",
    ),
    "analysis_n_table": ("Computed from “{name}”.", "“{name}” 표에서 계산했습니다."),
    "analysis_n_others": ("Other tables that match: {names}.", "그 밖에 맞는 표: {names}."),
    "analysis_n_cut": (
        "The table is longer than I can read: the figures are of its first {rows} rows.",
        "표가 너무 길어 처음 {rows}개 행만 계산했습니다.",
    ),
    "analysis_n_totals": ("Rows that are totals were left out: {names}.", "합계 행은 제외했습니다: {names}."),
    "analysis_n_missing": (
        "Empty cells of {of} that were left out: {count}.",
        "{of}의 빈 셀 {count}개는 제외했습니다.",
    ),
    "analysis_n_unread": (
        "Cells of {of} that are no figures and were left out: {count}.",
        "{of}의 셀 {count}개는 수치가 아니어서 제외했습니다.",
    ),
    "analysis_n_undated": (
        "Cells of {of} that are no periods like the others and were left out: {count}.",
        "{of}의 셀 {count}개는 다른 셀과 같은 기간이 아니어서 제외했습니다.",
    ),
    "analysis_n_converted": ("Converted to {unit}: {of}.", "{of:은는} {unit:으로로} 환산했습니다."),
    "analysis_n_parted": (
        "There are several units in {of}, which cannot be added up; the cells in {units} were left out.",
        "{of}에는 합할 수 없는 여러 단위가 섞여 있어 {units} 단위의 셀은 제외했습니다.",
    ),
    "analysis_n_only": ("Only rows with: {names}.", "다음 행만 계산했습니다: {names}."),
    "analysis_n_no_span": (
        "The table holds nothing of the time that you ask about; the figures are of all of it.",
        "물어보신 기간의 값이 표에 없어 전체 기간으로 계산했습니다.",
    ),
    "analysis_n_no_periods": (
        "The table has fewer than two periods to compare, so no trend can be told.",
        "비교할 기간이 둘이 되지 않아 추이를 알 수 없습니다.",
    ),
    "analysis_n_sum": ("Several rows of one {axis} were added up.", "{axis:이가} 같은 행은 합했습니다."),
    "analysis_n_mean": ("Of several rows of one {axis} the mean was taken.", "{axis:이가} 같은 행은 평균을 냈습니다."),
    "analysis_n_median": (
        "Of several rows of one {axis} the median was taken.",
        "{axis:이가} 같은 행은 중앙값을 구했습니다.",
    ),
    "analysis_n_lines": ("Names without a line of their own: {count}.", "선으로 나타내지 않은 항목: {count}개."),
    "analysis_n_legend": ("Numbers in the chart stand for: {names}.", "그래프의 번호: {names}."),
    "analysis_n_chart": ("The chart could not be kept.", "그래프를 저장하지 못했습니다."),
    "analysis_period": ("period", "기간"),
    "analysis_name": ("name", "항목"),
    "analysis_alt_line": (
        "Line chart “{title}”, {count} periods from {since} to {at}.",
        "“{title}” 선그래프, {since}부터 {at}까지 {count}개 기간.",
    ),
    "analysis_alt_bar": ("Bar chart “{title}”, {count} bars.", "“{title}” 막대그래프, 막대 {count}개."),
    "analysis_alt_pie": ("Pie chart “{title}”, {count} parts.", "“{title}” 원그래프, {count}개 부분."),
    "analysis_alt_ends": (
        "{of}: highest {highest} ({at}), lowest {lowest} ({since}).",
        "{of}: 최고 {highest}({at}), 최저 {lowest}({since}).",
    ),
    "analysis_alt_up": ("It rises from {first} to {last}.", "{first}에서 {last:으로로} 늘어납니다."),
    "analysis_alt_down": ("It falls from {first} to {last}.", "{first}에서 {last:으로로} 줄어듭니다."),
    "analysis_alt_level": ("It ends where it begins, at {last}.", "처음과 끝이 {last:으로로} 같습니다."),
    # --- notices and failures
    "model_fallback": (
        "The model did not answer all that it was asked; what it left open was done without it.",
        "모델이 일부 응답하지 않아 그 부분은 모델 없이 처리했습니다.",
    ),
    "budget_turn": (
        "This question has used up what one question may use of the model; the rest was done without it. "
        "The next question begins anew.",
        "질문 하나에 쓸 수 있는 모델 사용량을 모두 써서 나머지는 모델 없이 처리했습니다. "
        "다음 질문부터 다시 모델을 사용합니다.",
    ),
    "budget_user": (
        "You have used up your share of the model for today: until {until} I answer without it.",
        "오늘 사용할 수 있는 모델 사용량을 모두 쓰셨습니다. {until}까지는 모델 없이 답변합니다.",
    ),
    "budget_channel": (
        "This channel has used up its share of the model for today: until {until} I answer without it.",
        "이 채널에서 오늘 사용할 수 있는 모델 사용량을 모두 썼습니다. {until}까지는 모델 없이 답변합니다.",
    ),
    "budget_day": (
        "Today's budget for the model is used up: until {until} I answer without it.",
        "오늘 모델에 쓸 수 있는 예산을 모두 썼습니다. {until}까지는 모델 없이 답변합니다.",
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
    "somebody": ("somebody", "누군가"),
    "said_by_app": ("{name} (app)", "{name}(앱)"),
    "thread_summary": ("What was said", "오간 이야기"),
    "thread_decided": ("What was decided", "결정된 내용"),
    "thread_undecided": (
        "No message says that something was decided. The last of them:",
        "무엇을 결정했다는 메시지는 없습니다. 마지막 메시지들입니다.",
    ),
    "thread_size": ("messages: {messages}, people: {people}", "메시지 {messages}개, {people}명"),
    "told_here": (
        "The documents do not say it for sure. In this thread it was said:",
        "문서에서는 확실한 답을 찾지 못했습니다. 이 스레드에서 나온 이야기입니다.",
    ),
    "thread_cut": (
        "There are more messages than I read: I saw the first one and the latest, {messages} in all.",
        "메시지가 더 많습니다. 처음과 최근 메시지 {messages}개만 읽었습니다.",
    ),
    "check_agrees": ("The documents say the same:", "문서의 내용과 같습니다."),
    "check_differs": ("The documents say it differently:", "문서의 내용과 다릅니다."),
    "check_says": ("This is what the documents say about it:", "문서에는 이렇게 나와 있습니다."),
    "nothing_pointed_at": (
        "I see no message that this is about. Reply to the message that you mean, link to it, or ask in full words.",
        "어느 메시지에 대한 질문인지 알 수 없습니다. 해당 메시지에 답장하거나 링크를 붙이거나, 문장으로 물어봐 주세요.",
    ),
    "pointed_gone": (
        "The message that this points at is not there any more.",
        "가리키신 메시지가 더 이상 없습니다.",
    ),
    "pointed_closed": (
        "I am not allowed to read these messages: I have to be in that channel, with the right to read its history.",
        "이 메시지들을 읽을 권한이 없습니다. 제가 그 채널에 있고 채널 기록을 읽을 수 있어야 합니다.",
    ),
    "pointed_elsewhere": (
        "I did not read the linked message: you, or others who read along here, may not be able to see it. If you can, "
        "ask me in a direct message.",
        "링크된 메시지는 읽지 않았습니다. 질문하신 분이나 여기서 함께 보는 분들이 볼 수 없는 메시지일 수 있습니다. "
        "볼 수 있는 메시지라면 저에게 다이렉트 메시지로 물어봐 주세요.",
    ),
    "pointed_away": (
        "The messages could not be read just now. Please ask again in a few minutes.",
        "지금은 메시지를 읽지 못했습니다. 몇 분 뒤에 다시 물어봐 주세요.",
    ),
    "attached_only": ("What does the attached file say?", "첨부한 파일은 어떤 내용인가요?"),
    "attached_too_large": (
        "“{name}” was not read: it is larger than {limit} MB, the limit.",
        "“{name}” 파일을 읽지 못했습니다. 크기가 제한({limit}MB)을 넘습니다.",
    ),
    "attached_too_many": (
        "Only the first {count} files of a message are read; not read: {names}",
        "메시지 하나에서 파일 {count}개까지만 읽습니다. 읽지 않은 파일: {names}",
    ),
    "attached_gone": (
        "“{name}” was not read: it is not there any more. Please attach it again.",
        "“{name}” 파일을 읽지 못했습니다. 파일이 더 이상 없으니 다시 첨부해 주세요.",
    ),
    "attached_closed": (
        "“{name}” was not read: I am not allowed to open it. Whoever runs me can allow it "
        "(in Slack, the app needs the scope files:read).",
        "“{name}” 파일을 읽지 못했습니다. 파일을 열 권한이 없습니다. "
        "운영자가 권한을 줄 수 있습니다(Slack에서는 앱에 files:read 권한이 필요합니다).",
    ),
    "attached_elsewhere": (
        "“{name}” was not read: another service keeps it. Please attach the file itself.",
        "“{name}” 파일을 읽지 못했습니다. 다른 서비스에 있는 파일이니 파일 자체를 첨부해 주세요.",
    ),
    "attached_away": (
        "“{name}” was not read: it could not be downloaded just now. Please attach it again in a moment.",
        "“{name}” 파일을 읽지 못했습니다. 지금 내려받을 수 없으니 잠시 후 다시 첨부해 주세요.",
    ),
    "attached_type": (
        "“{name}” was not read: I do not know this type of file. I read {known}.",
        "“{name}” 파일을 읽지 못했습니다. 알 수 없는 형식입니다. 읽을 수 있는 형식: {known}",
    ),
    "attached_picture": (
        "“{name}” was not read: it is a picture, and I read text only.",
        "“{name}” 파일을 읽지 못했습니다. 그림 파일이며, 저는 글만 읽을 수 있습니다.",
    ),
    "attached_old": (
        "“{name}” was not read: it is of an old program. Please save it as .docx, .xlsx, .pptx or PDF.",
        "“{name}” 파일을 읽지 못했습니다. 옛 형식이니 .docx, .xlsx, .pptx 또는 PDF로 저장해 주세요.",
    ),
    "attached_locked": (
        "“{name}” was not read: it is encrypted. Please save it without a password.",
        "“{name}” 파일을 읽지 못했습니다. 암호가 걸려 있으니 암호 없이 저장해 주세요.",
    ),
    "attached_empty": (
        "“{name}” was not read: there is no text in it. Scanned pages need a text recognition first.",
        "“{name}” 파일을 읽지 못했습니다. 글이 없습니다. 스캔한 문서는 먼저 문자 인식이 필요합니다.",
    ),
    "attached_too_much": (
        "“{name}” was not read: reading all that is in it takes too long, or too much memory.",
        "“{name}” 파일을 읽지 못했습니다. 내용이 너무 많아 시간이나 메모리가 부족합니다.",
    ),
    "attached_broken": (
        "“{name}” was not read: it is broken, or not the type of file that its name says.",
        "“{name}” 파일을 읽지 못했습니다. 손상되었거나 이름과 다른 형식의 파일입니다.",
    ),
    "attached_cut": (
        "Of “{name}” only the beginning was read: it is very long.",
        "“{name}” 파일이 매우 길어 앞부분만 읽었습니다.",
    ),
    "attached_cut_rows": (
        "Of “{name}” only the first {rows} rows were read.",
        "“{name}” 파일은 앞의 {rows}행만 읽었습니다.",
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
    "llm_budget_turn": (
        "This question has used up what one question may use of the model. The next question begins anew.",
        "질문 하나에 쓸 수 있는 모델 사용량을 모두 썼습니다. 다음 질문부터 다시 모델을 사용합니다.",
    ),
    "llm_budget_user": (
        "You have used up your share of the model for today: mode `llm` rests until {until}.",
        "오늘 사용할 수 있는 모델 사용량을 모두 쓰셨습니다. {until}까지는 `llm` 모드로 답변할 수 없습니다.",
    ),
    "llm_budget_channel": (
        "This channel has used up its share of the model for today: mode `llm` rests until {until}.",
        "이 채널에서 오늘 사용할 수 있는 모델 사용량을 모두 썼습니다. {until}까지는 `llm` 모드로 답변할 수 없습니다.",
    ),
    "llm_budget_day": (
        "Today's budget for the model is used up: mode `llm` rests until {until}.",
        "오늘 모델에 쓸 수 있는 예산을 모두 썼습니다. {until}까지는 `llm` 모드로 답변할 수 없습니다.",
    ),
    # --- Slack
    "elapsed": ("{seconds} s", "{seconds}초"),
    "asks": ("{who} asks:", "{who} 님의 질문:"),
    "command_hint": (
        "Write your question after the command, for example: `{command} How many days of leave do I have?`",
        "명령어 뒤에 질문을 적어 주세요. 예: `{command} 연차는 며칠인가요?`",
    ),
    "more_alone": (
        "{count} more sources only you can see",
        "본인만 볼 수 있는 출처가 {count}개 더 있습니다",
    ),
    "one_more_alone": (
        "1 more source only you can see",
        "본인만 볼 수 있는 출처가 1개 더 있습니다",
    ),
    "about_your_question": ("About your question: {link}", "질문: {link}"),
    "share_here": ("Share here", "여기에 공유"),
    "shared_by": (
        "Shared by {name}, from sources that not everybody here can open.",
        "{name} 님이 공유했습니다. 모두가 열어 볼 수는 없는 출처에 근거합니다.",
    ),
    "share_done": (
        "Shared: everybody in the thread sees this now.",
        "공유했습니다. 이제 스레드의 모두가 볼 수 있습니다.",
    ),
    "share_again": ("You have shared this already.", "이미 공유했습니다."),
    "share_over": (
        "This question is over, so there is nothing left to share. Ask it again.",
        "이 질문은 이미 끝나서 공유할 것이 없습니다. 다시 물어봐 주세요.",
    ),
    "share_not_yours": (
        "Only the person who asked can share this.",
        "질문한 사람만 공유할 수 있습니다.",
    ),
    "share_closed": (
        "I did not share it: you may no longer read all of its sources, or they have changed. Ask again.",
        "공유하지 않았습니다. 출처 가운데 더 이상 볼 수 없거나 바뀐 것이 있습니다. 다시 물어봐 주세요.",
    ),
    "answered_alone": (
        "I have answered this privately, to the person who asked.",
        "이 질문에는 질문하신 분께만 따로 답했습니다.",
    ),
    "ask_again_alone": (
        "Nobody else sees this. Ask again with `/ask private` and say which one you mean.",
        "이 답변은 본인에게만 보입니다. 어느 것인지 밝혀 `/ask private`로 다시 물어봐 주세요.",
    ),
    "choice_settled": (
        "This question has its answer already. What else would you like to know?",
        "이 질문에는 이미 답이 정해졌습니다. 더 궁금한 점이 있으면 새로 물어봐 주세요.",
    ),
    "not_taken": (
        "I could not take your question just now. Please try again in a moment.",
        "지금은 질문을 받지 못했습니다. 잠시 후 다시 시도해 주세요.",
    ),
    "not_in_channel": (
        "I cannot write in this channel. Please invite me with `/invite`, or ask me in a direct message.",
        "이 채널에는 글을 쓸 수 없습니다. `/invite`로 저를 초대하거나 다이렉트 메시지로 물어봐 주세요.",
    ),
    "closed_rights": (
        "I may not write where you asked. Whoever manages that channel can give me the right to.",
        "질문하신 곳에 글을 쓸 권한이 없습니다. 채널 관리자가 권한을 줄 수 있습니다.",
    ),
    "closed_locked": (
        "The thread that you asked in is locked, so I cannot answer there.",
        "질문하신 스레드가 잠겨 있어 거기에 답할 수 없습니다.",
    ),
    "closed_archived": (
        "The place that you asked in is archived, so I cannot answer there.",
        "질문하신 곳이 보관되어 거기에 답할 수 없습니다.",
    ),
    "closed_filtered": (
        "A filter of this server does not let my answer through, so it is only here.",
        "이 서버의 필터가 제 답변을 막아 여기에만 답합니다.",
    ),
    "file_refused": (
        "I could not post these files here, too large or not allowed: {names}",
        "너무 크거나 허용되지 않아 여기에 올리지 못한 파일: {names}",
    ),
    # --- Discord
    "ask_command": ("Ask a question; the answer comes in a thread", "질문하기: 답변은 스레드에 달립니다"),
    "ask_option": ("What would you like to know?", "무엇을 알고 싶으신가요?"),
    "ask_alone_option": ("Show the answer to me alone", "답변을 나에게만 보이기"),
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
    "web_attach": ("Attach files", "파일 첨부"),
    "web_detach": ("Remove {name}", "{name} 빼기"),
    "web_attached": ("{name} is attached.", "{name} 파일을 첨부했습니다."),
    "web_drop": ("Drop files to attach them", "파일을 놓으면 첨부됩니다"),
    "web_too_many_files": (
        "At most {count} files go with one question.",
        "질문 하나에 파일을 {count}개까지 첨부할 수 있습니다.",
    ),
    "web_file_too_large": (
        "{name} is too large: at most {limit} MB.",
        "{name} 파일이 너무 큽니다. 최대 {limit}MB까지 가능합니다.",
    ),
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
