import pytest

from storage.ingest.entities import MOST, entities_of


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("Send form HR-07 to the People Team by 2025-03-31.", ("HR-07", "People Team", "2025-03-31")),
        ("The Bank of Korea answered on March 3, 2025.", ("Bank of Korea", "March 3, 2025")),
        (
            "근로기준법 제60조 제1항과 제7조의2에 따라 2025년 3월 1일부터",
            ("제60조 제1항", "제7조의2", "2025년 3월 1일"),
        ),
        ("The policy number is HW-TR-2025.", ("HW-TR-2025",)),
        ("When You Ask, IBM Cloud answers. IBM Cloud is fine.", ("IBM Cloud",)),
        ("WHO TO ASK. Nothing here. Monday", ()),
    ],
)
def test_entities_are_found_by_their_shape(text, entities):
    assert entities_of(text) == entities


def test_a_list_of_codes_is_bounded():
    assert len(entities_of(" ".join(f"AB-{number}" for number in range(100)))) == MOST
