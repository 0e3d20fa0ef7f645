from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.text import language_of, normalise, sentences, strip_particle, terms_of, tokens, words


def cut(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.5 euros, e.g. in Bonn. Pay.", ["It costs 3.5 euros, e.g. in Bonn.", "Pay."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("휴가는 15일이다. 늘어난다.", ["휴가는 15일이다.", "늘어난다."]),
        ("휴가는 15일이다.그리고 늘어난다.", ["휴가는 15일이다.", "그리고 늘어난다."]),
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


def test_english_words_meet_in_their_stem():
    assert tokens("Reimbursing the employees' Expenses") == tokens("reimbursed employee expense")
    assert terms_of("the") == () and tokens("don't") == []


def test_korean_words_meet_without_their_particles():
    shared = set(tokens("휴가를")) & set(tokens("휴가는")) & set(tokens("휴가에서도"))
    assert "휴가" in shared
    assert {"육아휴직"} <= set(tokens("육아휴직은")) & set(tokens("육아휴직으로"))


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
