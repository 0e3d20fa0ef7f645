"""English texts say one thing and several things as people do."""

import pytest

from agent.language import keys, say
from agent.language.registry import read


@pytest.mark.parametrize(
    ("key", "values", "told"),
    [
        ("step_result", {"passages": 1, "documents": 1}, "1 passage from 1 document"),
        ("step_result", {"passages": 14, "documents": 7}, "14 passages from 7 documents"),
        ("thread_size", {"messages": "1,200", "people": "1"}, "1,200 messages from 1 person"),
        ("waits_behind", {"count": 1}, "1 question is ahead of yours."),
        ("waits_behind", {"count": 3}, "3 questions are ahead of yours."),
        ("more_alone", {"count": 1}, "1 more source only you can see"),
    ],
)
def test_a_number_has_the_noun_that_fits(key, values, told):
    assert say(key, "en", **values) == told


def test_other_languages_say_it_without_such_nouns():
    assert all("|" not in read("ko", "messages").get(key, "") for key in keys())
    assert say("step_result", "ko", passages=1, documents=1) == "문서 1개에서 구절 1개"
