"""Words that Korean took over by their sound: which Latin words may be heard in them."""

import pytest

from agent.language.ko.letters import sounds
from agent.language.ko.loanwords import likely, sound_of, sounds_of, spelt


def test_a_syllable_is_taken_apart():
    assert [sounds(each) for each in "값도아"] == [("ㄱ", "ㅏ", "ㅄ"), ("ㄷ", "ㅗ", ""), ("ㅇ", "ㅏ", "")]


@pytest.mark.parametrize(
    ("korean", "latin"),
    [
        ("칠리", "chilli"),
        ("로터리", "rotary"),
        ("그릴", "grill"),
        ("텍스트", "text"),
        ("서클", "circle"),
        ("마라톤", "marathon"),
        ("심포니", "symphony"),
        ("파킹", "parking"),
        ("파킹", "park"),  # the stem that the index has
        ("펌웨어", "firmware"),
    ],
)
def test_a_word_shares_its_consonants_with_what_it_was_taken_from(korean, latin):
    assert sound_of(latin) in sounds_of(korean)


@pytest.mark.parametrize("word", ["", "가", "a", "Docker", "b2", "é", "그림 판", "가" * 40])
def test_what_is_no_word_of_either_letters_has_no_sound(word):
    assert sound_of(word) == "" and sounds_of(word) == frozenset()


@pytest.mark.parametrize(
    ("korean", "right", "wrong"),
    [("그라인더", "grinder", "corinth"), ("칵테일", "cocktail", "cattail"), ("스펀지", "spong", "spank")],
)
def test_what_sounds_like_it_is_likelier_than_what_shares_its_consonants(korean, right, wrong):
    assert likely(korean, right, 3) > 0.5 > likely(korean, wrong, 3)


@pytest.mark.parametrize(("korean", "latin"), [("먹으면", "mckinley"), ("어머니", "ammonia"), ("하루", "hello")])
def test_words_of_its_own_are_not_taken_for_latin_ones(korean, latin):
    assert likely(korean, latin, 1) < 0.5


@pytest.mark.parametrize(
    ("korean", "letters"),
    [("유에프오", {"ufo"}), ("디엔에이", {"dna"}), ("오이", set()), ("이유", set()), ("디엔에이는", set())],
)
def test_an_abbreviation_is_spelt_by_the_names_of_its_letters(korean, letters):
    assert set(spelt(korean)) == letters
