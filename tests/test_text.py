from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.language.lexicon import groups
from agent.text import (
    indexed_words,
    language_of,
    normalise,
    sentences,
    stems_of,
    strip_particle,
    terms_of,
    tokens,
    words,
)


def cut(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.5 euros, e.g. in Bonn. Pay.", ["It costs 3.5 euros, e.g. in Bonn.", "Pay."]),
        ("Call the desk (ext. 300). Wait.", ["Call the desk (ext. 300).", "Wait."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("휴가는 15일이다. 늘어난다.", ["휴가는 15일이다.", "늘어난다."]),
        ("휴가는 15일이다.그리고 늘어난다.", ["휴가는 15일이다.", "그리고 늘어난다."]),
        ("시행 2026. 1. 5. 소관 재무팀.", ["시행 2026. 1. 5. 소관 재무팀."]),
        ("공사는 9. 26.까지 한다. 끝.", ["공사는 9. 26.까지 한다.", "끝."]),
        ("기간: 6. 1. ~ 6. 30. 본관", ["기간: 6. 1. ~ 6. 30. 본관"]),
        ("2024. 3. 1.부터 한다. 끝.", ["2024. 3. 1.부터 한다.", "끝."]),
        ("It was made in 2019. 30 people came.", ["It was made in 2019.", "30 people came."]),
        ("13.2. Two oars. They float.", ["13.2. Two oars.", "They float."]),
        ("표 3.17. 노의 길이. Table 4. Oars", ["표 3.17. 노의 길이.", "Table 4. Oars"]),
        ("(7장. 노 젓기 참고.) 5.1.5절. 돛을 단다. 끝.", ["(7장. 노 젓기 참고.)", "5.1.5절. 돛을 단다.", "끝."]),
        ("It takes 3. Then row.", ["It takes 3.", "Then row."]),
        ("First line\n\nSecond line", ["First line", "Second line"]),
        ("Steps:\n- one\n- two", ["Steps:", "- one", "- two"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences(text, parts):
    assert cut(text) == parts


@given(st.text(max_size=200))
def test_sentences_never_overlap_and_carry_no_space_around_them(text):
    spans = list(sentences(text))
    assert all(a < b for a, b in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(part == part.strip() for part in cut(text))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How many days?", "en"),
        ("휴가는 며칠?", "ko"),
        ("VPN 설정 방법", "ko"),
        ("VPN (가상 사설망) for remote employees", "en"),
    ],
)
def test_language(text, language):
    assert language_of(text) == language
    assert language_of("123 !?", "ko") == "ko"


def test_irregular_forms_meet_in_the_first_of_them():
    assert tokens("Children paid what was taken; CHOSEN") == tokens("child pay take choose")
    assert stems_of("well-written") == stems_of("well-writing")
    assert tokens("left saw won") == ["left", "saw", "won"]  # as often something else
    listed = [form for group in groups("text.irregular_forms", "en") for form in group]
    assert len(listed) == len(set(listed)) > 250


@pytest.mark.parametrize(("clipped", "whole"), [("max", "maximum"), ("labs", "laboratory"), ("Dept", "departments")])
def test_clipped_words_meet_the_whole_ones(clipped, whole):
    assert tokens(clipped) == tokens(whole)


def test_english_words_meet_in_their_stem():
    assert tokens("Reimbursing the employees' Expenses") == tokens("reimbursed employee expense")
    assert terms_of("the") == () and tokens("don't") == []


def test_a_name_in_capitals_is_no_stop_word():
    assert tokens("Ask IT's desk: it is theirs") == ["ask", "it", "desk"]
    assert tokens("tell us of the US office") == ["tell", "us", "offic"]
    assert list(words("it or IT"))[::2] == [("it", 0, 2), ("IT", 6, 8)]


def test_korean_words_meet_without_their_particles():
    shared = set(tokens("휴가를")) & set(tokens("휴가는")) & set(tokens("휴가에서도"))
    assert "휴가" in shared
    assert tokens("육아휴직은") == tokens("육아휴직으로") and "휴직" in tokens("육아휴직은")
    assert {"육아", "휴직"} <= set(tokens("육아 휴직")) & set(tokens("육아휴직"))


def test_what_a_korean_word_begins_with_counts_twice():
    assert tokens("육아휴직") == ["육아", "육아", "아휴", "휴직"]


@pytest.mark.parametrize(
    "written",
    [
        "9/9",
        "09/09",
        "09-09",
        "2026-09-09",
        "2026. 9. 9.",
        "9월 9일에는",
        "9월9일회의",
        "9/9주간회의",
        "Sept 9",
        "9 Sep",
        "9/9/2026",
    ],
)
def test_a_day_is_one_term_however_it_is_written(written):
    assert "09/09" in tokens(f"the review {written}") and tokens(written).count("09/09") == 1


def test_what_is_no_day_is_no_term_of_one():
    assert not [term for term in tokens("120/80, 3/40, 2/30, 3-5 days, v1/2, 10-12명, 02-345-678, 9월") if "/" in term]


@pytest.mark.parametrize(
    ("word", "noun"),
    [("주간회의", "회의"), ("대출한도는", "한도"), ("연차휴가를", "휴가"), ("평가결과", "결과"), ("회의", "회의")],
)
def test_a_noun_that_ends_like_a_particle_is_found_behind_another(word, noun):
    assert noun in tokens(word)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("20일까지", "20일", "20일"),
        ("20일", "20 days", "20"),
        ("1,000원", "1000원", "1000원"),
        ("version 3.5", "v 3.5.", "3.5"),
        ("API를", "the API", "api"),
        ("A4용지", "용지", "용지"),
        ("５％", "5%", "5"),
        ("ＶＰＮ", "VPN", "vpn"),
        ("e-mail", "email", "email"),
        ("e-mail", "mail", "mail"),
        ("check-in", "checkin", "checkin"),
        ("co‐worker", "coworkers", "cowork"),
        ("café", "Cafe", "cafe"),
        ("GetVersionEx", "get the version", "version"),
        ("GetVersionEx", "getversionex", "getversionex"),
        ("kube_config", "kube config", "configur"),
        ("東京都", "東京", "東京"),
    ],
)
def test_ways_to_write_the_same_meet(one, other, shared):
    assert shared in set(tokens(one)) & set(tokens(other))


def test_a_name_of_two_humps_is_one_word():
    assert tokens("YouTube") == ["youtub"] and tokens("NASA") == ["nasa"]


@given(st.text(max_size=60))
def test_terms_are_never_empty(text):
    assert all(tokens(text)) and all(all(stems_of(word)) for word in indexed_words(text))


def test_whole_words_are_compared_by_their_stems():
    text = "The e-mail's 20일까지 육아휴직은 3.5 APIs"
    assert [stem for word in indexed_words(text) for stem in stems_of(word)] == [
        "e", "mail", "20", "육아휴직", "3.5", "api",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("휴가는", "휴가"),
        ("팀장에게", "팀장"),
        ("국가", "국가"),
        ("중요국가", "중요국가"),
        ("근무나이", "근무나이"),
        ("집은", "집은"),
    ],
)
def test_a_particle_comes_off_only_where_it_can_stand(word, stem):
    assert strip_particle(word) == stem


def test_words_have_their_places():
    text = "Don’t panic, 휴가는 OK"
    assert [text[start:end] for _, start, end in words(text)] == ["Don’t", "panic", "휴가는", "OK"]
    assert [word for word, _, _ in words(text)] == ["don't", "panic", "휴가는", "ok"]


def test_normalise_folds_space_and_composes_hangul():
    assert normalise("  a\n\t b ") == "a b"
    assert normalise("\u1112\u1172\u1100\u1161") == "휴가"


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_a_text_of_ascii_alone_has_the_same_words(text):
    assert indexed_words(text) == indexed_words(f"{text} é")[:-1]


@pytest.mark.parametrize(
    ("told", "inside"),
    [
        ("closed from 24 to 26 December", ["12/25"]),
        ("12월 24일부터 26일까지 휴관", ["12/25"]),
        ("2025-12-30 to 2026-01-02", ["12/31", "01/01"]),
        ("3–7 March", ["03/04", "03/05", "03/06"]),
        ("3 March and 7 March", []),
        ("1 March to 30 September", []),  # too long for each of its days to be what it is about
    ],
)
def test_a_range_is_found_by_the_days_inside_it(told, inside):
    days = [term for term in tokens(told) if "/" in term]
    assert days[2:] == inside and len(days[:2]) == 2
