"""The figures that a likelihood is read from: each says of a quote what its name says."""

from dataclasses import replace

import pytest

from agent.reasoning.rules.answering.latent_semantics import Space, cosine
from agent.reasoning.rules.answering.likelihood import fitted
from agent.reasoning.rules.answering.quote_features import features, has_cue, seen
from agent.reasoning.rules.answering.quotes import quotes_of
from agent.reasoning.rules.answering.ranked_quotes import find
from agent.reasoning.rules.answering.weighted_question import asked
from agent.text import tokens
from agent.types import WeightedTerm
from tests.contracts.reasoning import block


def figures(question, text, *others, n=0, language="en", title="", section="", rank=0):
    """Return the figures of a quote of a text that was found together with other texts."""
    page = block(1, text, title=title, section=section, language=language)
    pages = [page, *(block(i, other, title=f"Other {i}") for i, other in enumerate(others, start=2))]
    wanted = asked(question, language, pages)
    return features(wanted, quotes_of(wanted, page, rank)[n], seen(wanted, pages))


@pytest.mark.parametrize(
    ("name", "question", "yes", "no"),
    [
        (
            "steps",
            "How do I open the safe?",
            "1. Turn the dial.\n2. Pull the door.",
            "- Turn the dial\n- Pull the door",
        ),
        ("steps_list", "How do I open the safe?", "- Turn the dial\n- Pull the door", "Turn the dial of the safe."),
        ("steps_code", "How do I open the safe?", "```\nopen safe\n```", "Open the safe with a key."),
        ("number", "How many safes are there?", "There are 4 safes.", "There are a few safes."),
        ("no_number", "How many safes are there?", "There are a few safes.", "There are 4 safes."),
        ("number", "How many guests may I bring?", "You may bring thirteen.", "You may bring some; one way is to ask."),
        ("number", "손님은 몇 명 데려올 수 있나요?", "손님은 열세 명까지입니다.", "손님은 여러 명입니다."),
        ("numbers_held", "May I bring 13 guests?", "You may bring thirteen.", "You may bring twelve."),
        ("time", "When is the safe opened?", "It is opened on Monday.", "It is opened by the guard."),
        ("no_time", "When is the safe opened?", "It is opened by the guard.", "It is opened daily."),
        ("reason", "Why is the safe locked?", "It is locked because of thieves.", "It is locked with a key."),
        ("no_reason", "Why is the safe locked?", "It is locked with a key.", "It is locked due to thieves."),
        ("may", "Can I open the safe?", "Guests must not open it.", "The safe stands in the hall."),
        ("no_may", "Can I open the safe?", "The safe stands in the hall.", "Guests must not open it."),
        ("who", "Who opens the safe?", "Ada Brandt opens the safe.", "It is opened at noon."),
        ("where", "Where is the safe?", "The safe is in the hall.", "The safe weighs much."),
        ("list", "Which safes are there?", "- red\n- green", "Red and green."),
        ("row", "Which safes are there?", "| safe | size |\n|---|---|\n| red | 4 |", "Red and green."),
        ("code", "Which safes are there?", "```\nsafes\n```", "Red and green."),
        ("short", "Which safes are there?", "Red ones.", "There are red safes and green safes in it."),
        ("whole", "Which safes are there?", "Red ones.", " ".join(["There are red safes and green safes in it."] * 20)),
        ("denies", "Which safes are not locked?", "The red one is never locked.", "The red one is locked."),
        ("example", "Which safes are there?", "For example a red one.", "There is a red one."),
        ("history", "Which safes are there?", "## Release notes\n\nA red one.", "## Safes\n\nA red one."),
        ("points_on", "Which safes are there?", "See the list of safes.", "There is a red safe."),
        ("asks", "Which safes are there?", "- Which safes do you know?", "- There is a red safe."),
        ("rarest_inside", "Which safes are there?", "There are green safes.", "There are green doors."),
    ],
)
def test_a_figure_is_what_its_name_says(name, question, yes, no):
    assert (figures(question, yes)[name], figures(question, no)[name]) == (1.0, 0.0)


@pytest.mark.parametrize("name", ["steps", "number", "no_number", "time", "reason", "no_reason", "may", "who", "where"])
def test_what_the_question_does_not_want_is_not_looked_for(name):
    text = "1. Ada Brandt may open it in the hall on Monday because she has 2 keys."
    assert figures("Tell me about the safe", text)[name] == 0.0


def test_korean_is_read_as_well():
    told = figures("금고는 왜 잠그나요?", "도난을 막기 위해 잠급니다.", language="ko")
    assert told["reason"] == 1.0 and told["language"] == 1.0
    assert figures("금고는 몇 개인가요?", "금고는 4개입니다.", language="ko")["number"] == 1.0


def test_shares_of_the_question_are_of_where_its_words_stand():
    text = "The bank has a heron.\n\n## Mill\n\nThe heron stands there. The goose is gone."
    told = figures("Where is the heron of the mill?", text, n=1, title="Animals")
    assert 0 < told["inside"] < 1 and told["sentence"] == told["inside"]
    assert 0 < told["near"] < 1 and told["above"] == told["near"]
    assert told["together"] == told["around"] == told["sentence_headed"] == pytest.approx(1.0)
    assert told["nowhere"] == pytest.approx(0.0)
    none = figures("Where is the heron of the mill?", "Nothing is said of it.")
    assert none["inside"] == none["together"] == none["rare_inside"] == 0.0 and none["nowhere"] == pytest.approx(1.0)


def test_of_two_sentences_the_one_that_speaks_most_of_the_question_counts():
    told = figures("Where is the heron of the mill?", "The heron is grey. The mill is old.")
    assert told["inside"] == pytest.approx(1.0) and told["sentence"] < 1.0


def test_words_that_stand_side_by_side_count_as_pairs():
    assert figures("annual leave", "You get annual leave.")["pairs"] == 1.0
    assert figures("annual leave", "Leave is for annual things.")["pairs"] == 0.0


def test_numbers_of_the_question_are_held_or_missing():
    held = figures("What is due after 5 years?", "After 5 years a bonus is due.")
    missing = figures("What is due after 5 years?", "After 7 years a bonus is due.")
    assert (held["numbers_held"], held["numbers_missing"]) == (1.0, 0.0)
    assert (missing["numbers_held"], missing["numbers_missing"]) == (0.0, 1.0)
    assert figures("What is due?", "After 5 years a bonus is due.")["numbers_missing"] == 0.0


def test_where_a_passage_was_found_counts():
    first, later = (figures("heron", "The heron.", "The goose.", rank=rank) for rank in (0, 3))
    assert (first["first"], later["first"]) == (1.0, 0.0) and first["rank"] < later["rank"]
    assert figures("heron", "The heron.")["document"] == 1.0 > figures("heron", "The heron.", "A goose.")["document"]


@pytest.mark.parametrize(
    ("words", "behind"),
    [((1.0, 0.25), [0.0, 0.75]), ((1.0, 0.0), [0.0, 1.0]), ((0.0, 0.0), [1.0, 1.0]), ((-0.5, 0.0), [0.0, 1.0])],
)
def test_how_far_a_passage_is_behind_the_best_by_words_counts(words, behind):
    pages = [replace(block(n, "The heron stands by the mill."), words=each) for n, each in enumerate(words, start=1)]
    wanted = asked("Where is the heron?", "en", pages)
    shared = seen(wanted, pages)
    told = [features(wanted, quotes_of(wanted, page, rank)[0], shared) for rank, page in enumerate(pages)]
    assert [each["words_behind"] for each in told] == behind  # one that words did not find is the furthest


def test_in_how_many_passages_the_rarest_word_stands_counts():
    assert figures("Where is the heron?", "The heron.", "A heron.")["spread"] == 1.0
    assert figures("Where is the heron?", "The heron.", "A goose.")["spread"] == 0.5


def test_what_is_held_counts_otherwise_where_much_stands_nowhere():
    told = figures("Where is the heron of the mill?", "The heron is grey.")
    assert told["despite"] == pytest.approx(told["together"] * told["nowhere"]) and told["despite"] > 0
    assert figures("Where is the heron?", "The heron is grey.")["despite"] == 0.0


def test_steps_below_a_heading_that_says_what_is_asked_for_count_more():
    text = "1. Turn the dial.\n2. Pull the door."
    headed = figures("How do I open the safe?", text, title="Open the safe")["steps_headed"]
    assert (
        headed == pytest.approx(1.0) and figures("How do I open the safe?", text, title="Doors")["steps_headed"] < 0.5
    )
    assert figures("Where is the safe?", text, title="The safe")["steps_headed"] == 0.0


def test_passages_of_another_language_are_told_apart():
    page = block(1, "The heron stands by the mill.")
    wanted = asked("왜가리는 어디에 있나요?", "ko", [page])
    assert features(wanted, quotes_of(wanted, page, 0)[0], seen(wanted, [page]))["language"] == 0.0


def test_what_a_thread_hands_down_counts_less_than_what_is_asked():
    page = block(1, "The heron stands by the mill.")
    wanted = asked("Where is the heron?", "en", [page], inherited=[WeightedTerm(text="mill", weight=0.4)])
    assert 0 < wanted.weights["mill"] < wanted.weights["heron"]


def test_how_rare_a_term_is_among_all_documents_counts_where_it_is_known():
    page = block(1, "The heron stands by the mill.")
    wanted = asked("heron mill", "en", [page], rarity={"heron": 5.0})
    assert wanted.weights["heron"] > wanted.weights["mill"] > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Closed because of rain.", True),
        ("Shifts are planned so that all can rest.", True),
        ("안전을 위해 잠급니다.", True),
        ("Closed at nine.", False),
        ("아홉 시에 닫습니다.", False),
    ],
)
def test_words_of_cause(text, expected):
    assert has_cue("reasons", text) is expected


def test_how_far_the_best_is_ahead_by_words_is_told_of_every_place():
    pages = [replace(block(n, "The heron."), words=words) for n, words in enumerate((0.4, 1.0, 0.8), start=1)]
    wanted = asked("heron", "en", pages)
    told = features(wanted, quotes_of(wanted, pages[0], 0)[0], seen(wanted, pages))
    assert told["ahead_2"] == pytest.approx(0.2) and told["ahead_5"] == told["ahead_8"] == pytest.approx(0.6)
    assert figures("heron", "The heron.")["ahead_2"] == 0.0  # nothing was found by words


def test_a_text_is_near_a_question_by_the_company_that_its_words_keep():
    near = "A rota lists shifts. Shifts are swapped by the desk."
    far = "The boiler is drained in spring."
    others = ("Who is on duty stands in the rota. Duty shifts begin at six.", "A boiler has a valve. Valves leak.")
    assert figures("duty", near, *others)["latent"] > figures("duty", far, *others)["latent"]
    assert figures("duty", near, *others)["inside"] == 0.0  # it has no word of the question


@pytest.mark.parametrize("text", ["", "   ", "…", "x" * 10_000])
def test_a_text_without_words_of_the_passages_is_nowhere(text):
    space = Space([block(1, "The heron stands by the mill."), block(2, "The goose is gone.")])
    place = space.of(tokens(text))
    assert place is None and cosine(place, space.of(tokens("heron"))) == 0.0


def test_no_passages_span_no_space():
    assert Space([]).of(["heron"]) is None and Space([block(1, "")]).of(["heron"]) is None


def test_a_number_that_is_asked_for_is_a_word_of_asking():
    mine = asked("거위 몇마리까지 돼?", "ko", [])
    assert mine.weights["몇마"] < 0.5 * mine.weights["마리"] < mine.weights["거위"]


def matched(*pairs):
    """Return the figures of the first quotes of pages whose one piece each matches so well."""
    pages = [replace(block(n, f"Page {n} is red."), matched=(pair,)) for n, pair in enumerate(pairs, start=1)]
    wanted = asked("Which page is red?", "en", pages)
    shared = seen(wanted, pages)
    return [features(wanted, quotes_of(wanted, page, n)[0], shared) for n, page in enumerate(pages)]


def test_how_well_a_quote_matches_is_told_beside_the_others_by_itself_and_in_its_thread():
    best, worst, middle = matched((0.9, 0.4), (0.5, 0.8), (0.7, 0.6))
    names = ("match_behind", "match_place", "thread_behind", "thread_place")
    assert [round(best[name], 3) for name in names] == [0.0, 0.0, 1.0, 1.099]
    assert [round(worst[name], 3) for name in names] == [1.0, 1.099, 0.0, 0.0]
    assert middle["match_behind"] == pytest.approx(0.5) and middle["match"] == 0.7 and middle["match_top"] == 0.9


def test_what_is_not_matched_has_no_figures_of_it():
    assert {
        figures("Which safes are there?", "Red ones.")[name] for name in ("match", "match_top", "thread_behind")
    } == {0.0}


@pytest.mark.parametrize(
    ("fields", "evidence"),
    [({"matched": ((0.5, 0.5),), "near": 0.5}, "tokens"), ({"near": 0.5}, "meaning"), ({}, "words")],
)
def test_the_weights_are_those_of_how_it_was_found(fields, evidence):
    pages = [replace(block(1, "The red page is here."), **fields)]
    assert find(asked("Which page is red?", "en", pages), pages).model == fitted(evidence)
