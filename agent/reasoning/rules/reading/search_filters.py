"""What a question's own words limit its search to: pages, tables, a file, documents of a language or a year.

Only what is plainly said of where to look: "in the table", never "as a table"; "on page 3", never "3 pages".
"""

import re

from agent.types import Category, Language, SearchFilter

READ = 500
"""Characters of a question that are read; a longer one is a paste."""
_FILE = re.compile(
    r"(?<![\w.()-])(?P<name>[\w()-]{1,80}(?:[.][\w()-]{1,40}){0,4}[.](?:md|markdown|pdf|docx?|xlsx?|pptx?|html?|txt"
    r"|csv|tsv|jsonl?|hwpx?|rtf|epub))"
    r"(?![A-Za-z0-9_.])",
    re.IGNORECASE,
)
_NAMED_AS_PLACE = re.compile(
    r"(?:\b(?:in|from|of|within|per|see|search|according to|under)\s+(?:the\s+)?(?:file\s+|document\s+)?[\"'“‘`(]*$)",
    re.I,
)
_KOREAN_PLACE = re.compile(r"^[\"'”’`)]*+\s*+(?:(?:파일|문서)\s*+)?(?:에서|에는|에|의|안에|기준|에 따르면|을 보면|만)")
# A page of something that is filled in is not a page of the documents.
_FILLED_IN = r"(?:form|application|questionnaire|certificate|contract|statement|invoice|receipt|passport|report card)"
_PAGES = re.compile(
    r"\b(?:on|in|from|at|see|within)\s+(?:the\s+)?(?:pages?|pp?\.)\s*(?P<first>\d{1,4})(?:\s*(?:-|–|to|and"
    r"|through)\s*(?P<last>\d{1,4}))?"
    rf"\b(?!\s+of\s+(?:\w+\s+){{0,3}}?{_FILLED_IN}\b)(?!\s*(?:-|–)?\s*(?:limit|long|each|or (?:less|more|fewer)))",
    re.IGNORECASE,
)
_KOREAN_PAGES = re.compile(
    r"(?<![\d.,])(?P<first>\d{1,4})\s?(?:(?:쪽|페이지)?\s?(?:~|-|–|∼|에서|부터)\s?(?P<last>\d{1,4})\s?)?(?:쪽|페이지)"
    r"(?:에서|에는|에|의|까지(?:에서|에)?)(?=\s)"
)
_KOREAN_FORM = re.compile(r"(?:양식|신청서|서식|계약서|설문지|영수증|여권|최대|총|약)(?:의|은|는|을|를)?\s*$")
_CATEGORIES: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (
        Category.TABLE,
        re.compile(
            r"\b(?:which|what)\s+tables?\s+(?:has|have|shows?|lists?|gives?|says?|contains?|is|are|tells?)\b"
            r"|\b(?:in|from|see|per|according to)\s+(?:the|a|any|which|that|this)\s+(?:\w+\s+)?tables?\b(?!\s+(?:form"
            r"|format|of contents|"
            r"tennis|manners))"
            r"|\b(?:find|search|look in)\s+(?:me\s+)?(?:the|a|any)?\s*tables?\s+(?:about|on|of|with|for|that)\b"
            r"|(?:^|\s)(?:어느|어떤|무슨)\s?표(?=에|가|를|\s)|(?:^|\s)표(?:에서|에 (?:있|나오|나와|적|의하)|에는"
            r"|에 따르면)",
            re.IGNORECASE,
        ),
    ),
    (
        Category.CODE,
        re.compile(
            r"\b(?:code (?:snippets?|examples?|blocks?|samples?|listings?)|(?:in|from) the (?:code|script))\b"
            r"|코드 ?(?:예제|예시|블록|조각|샘플)|예제 ?코드",
            re.IGNORECASE,
        ),
    ),
    (
        Category.FIGURE,
        re.compile(
            r"\b(?:which|in the|see the|from the)\s+(?:figures?|diagrams?|illustrations?)\b(?!\s+(?:of|for|are"
            r"|from the|in the)\b)"
            r"|(?:^|\s)그림(?:에서|에는|에 (?:있|나오|나와))",
            re.IGNORECASE,
        ),
    ),
)
_AS_TABLE = re.compile(
    r"\b(?:as|into|make|draw|create)\s+(?:an?\s+)?(?:\w+\s+)?tables?\b|\bin (?:a )?table(?: form|$)|표로", re.IGNORECASE
)
_PAPERS = r"(?:documents?|docs|files?|pages|guides?|manuals?|sources|papers|materials|handbook)"
_LANGUAGES: tuple[tuple[Language, re.Pattern[str]], ...] = (
    (
        "ko",
        re.compile(
            rf"\b(?:in|from|among|search|only|of)\s+(?:only\s+)?(?:the\s+|our\s+)?(?:korean"
            rf"|korean[- ]language)\s+(?:{_PAPERS}|version)\b"
            r"|(?:한국어|한글|국문)(?:로 된|로 쓰인)?\s?(?:문서|자료|파일|규정|매뉴얼|안내서|버전|판)(?:에서|에는|에"
            r"|중|만|의|를)",
            re.IGNORECASE,
        ),
    ),
    (
        "en",
        re.compile(
            rf"\b(?:in|from|among|search|only|of)\s+(?:only\s+)?(?:the\s+|our\s+)?(?:english"
            rf"|english[- ]language)\s+(?:{_PAPERS}|version)\b"
            r"|(?:영어|영문)(?:로 된|로 쓰인)?\s?(?:문서|자료|파일|규정|매뉴얼|안내서|버전|판)(?:에서|에는|에|중|만"
            r"|의|를)",
            re.IGNORECASE,
        ),
    ),
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATED = re.compile(
    rf"\b{_PAPERS}\s+(?:of|from|dated|written in|published in|updated in|last changed in)\s+(?:the year\s+)?{_YEAR}\b"
    rf"|\b(?:in|from|of|among|search)\s+(?:the\s+|our\s+)?(?P<before>(?:19|20)\d\d)\s+(?:documents?|docs|files?)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(rf"\b{_PAPERS}\s+(?P<side>since|after|newer than|before|older than)\s+{_YEAR}\b", re.IGNORECASE)
_KOREAN_DATED = re.compile(
    r"(?P<year>(?:19|20)\d\d)\s?년(?:도)?(?:에)?\s?(?P<side>이후|이전|부터)?(?:의|에)?\s?(?:나온|작성된|작성한|개정된"
    r"|쓰인)?\s?"
    r"(?:문서|자료|파일)(?:에서|에는|에|중|만|의|를|들)"
)


def filter_of(text: str) -> SearchFilter:
    """Return what a question limits its search to; an empty filter mostly."""
    text = text[:READ]
    return SearchFilter(
        sources=files_in(text),
        categories=_categories(text),
        page_range=_pages(text),
        language=next((language for language, pattern in _LANGUAGES if pattern.search(text)), None),
        date_range=_dates(text),
    )


def files_in(text: str) -> tuple[str, ...]:
    """Return the names of files that a question says to look in."""
    text = text[:READ]
    return tuple(dict.fromkeys(match["name"] for match in _FILE.finditer(text) if _is_place(text, match)))


def _is_place(text: str, match: re.Match[str]) -> bool:
    return bool(_NAMED_AS_PLACE.search(text[: match.start()]) or _KOREAN_PLACE.match(text[match.end() :]))


def _pages(text: str) -> tuple[int, int] | None:
    match = _PAGES.search(text)
    if match is None:
        match = _KOREAN_PAGES.search(text)
        if match is None or _KOREAN_FORM.search(text[: match.start()]):
            return None
    first = int(match["first"])
    last = int(match["last"]) if match["last"] else first
    return (first, last) if 0 < first <= last else None


def _categories(text: str) -> tuple[Category, ...]:
    if _AS_TABLE.search(text):
        return ()
    return tuple(category for category, pattern in _CATEGORIES if pattern.search(text))


def _dates(text: str) -> tuple[str, str] | None:
    match = _DATED.search(text)
    if match:
        year = match["year"] or match["before"]
        return f"{year}-01-01", f"{year}-12-31"
    match = _SINCE.search(text) or _KOREAN_DATED.search(text)
    if match is None:
        return None
    side, year = (match["side"] or "").lower(), match["year"]
    if side in ("before", "older than", "이전"):
        return "", f"{int(year) - (side != '이전')}-12-31"
    if side in ("after", "newer than"):
        return f"{int(year) + 1}-01-01", ""
    return (f"{year}-01-01", "") if side else (f"{year}-01-01", f"{year}-12-31")
