"""Names of a question that a text does not have."""

import pytest

from agent.reasoning.rules.answering.other_names import unnamed_in

TEXT = (
    "Heron Not Ready (HNR-7) is raised at level 1 and level 2, from Heron 12 on. Levels 4 - 6 are none. Up to March 31."
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does HeronNotReady mean?", []),
        ("What does HeronNotReachable mean?", ["HeronNotReachable"]),
        ("HNR-7 and hnr7", []),
        ("HNR-8?", ["HNR-8"]),
        ("Is it raised at level 2?", []),
        ("Is it raised at level 3?", ["level 3"]),
        ("heron 13", ["heron 13"]),
        ("stork 13", []),
        ("Is it raised within 3 days, at most 3 of us, on March 5, for 5kg?", []),
    ],
)
def test_what_a_text_has_by_another_name_alone(question, missing):
    assert unnamed_in(TEXT, question) == missing
