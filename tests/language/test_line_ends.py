"""Where a line of Korean ends inside a word."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from agent.language.ko.letters import is_hangul
from agent.language.ko.line_ends import LineEnds, is_open

DOCUMENTS = Path("agent/packs")
WIDTH = 30


def documents() -> Iterator[list[str]]:
    """Yield the Korean paragraphs of each document of the packs."""
    for file in sorted(DOCUMENTS.rglob("documents/**/*.md")):
        lines = file.read_text(encoding="utf-8").splitlines()
        if sum(map(is_hangul, "".join(lines))) > 10 * WIDTH:
            yield [line for line in lines if sum(map(is_hangul, line)) > WIDTH]


def anywhere(text: str) -> list[tuple[str, str, bool]]:
    """Return the lines of a text, each with the next, and whether a word stands across its end."""
    cut = [text[at : at + WIDTH] for at in range(0, len(text), WIDTH)]
    return [
        (line.rstrip(), after.lstrip(), not line.endswith(" ") and not after.startswith(" "))
        for line, after in pairwise(cut)
    ]


def between_words(text: str) -> list[tuple[str, str]]:
    lines = [""]
    for word in text.split():
        lines[-1:] = [f"{lines[-1]} {word}".strip()] if len(lines[-1]) + len(word) < WIDTH else [lines[-1], word]
    return list(pairwise(lines))


def test_most_words_that_lines_part_are_known_and_most_that_they_do_not_part_too():
    inside, between = [], []
    for document in documents():
        ends = [each for text in document for each in anywhere(text) if is_open(*each[:2])]
        found = LineEnds([(line, after) for line, after, _ in ends])
        inside += [found.is_inside(line, after) for line, after, parted in ends if parted]
        between += [not found.is_inside(line, after) for line, after, parted in ends if not parted]
    assert len(inside) > 200 and len(between) > 100
    assert sum(inside) >= 0.93 * len(inside)
    assert sum(between) >= 0.88 * len(between)


def test_lines_that_end_between_words_part_none():
    for document in documents():
        ends = [pair for text in document for pair in between_words(text)]
        found = LineEnds(ends)
        assert not any(found.is_inside(*pair) for pair in ends)


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("", ""),
        ("", "휴가"),
        ("휴가", ""),
        ("끝났습니다.", "다음 날"),
        ("휴가", "annual"),
        ("휴가 ", "규정"),
        ("?", "가"),
    ],
)
def test_where_no_word_can_go_on_none_is_parted(line, after):
    assert not LineEnds([(line, after)] * 3).is_inside(line, after)


def test_latin_words_and_numbers_keep_the_particle_that_the_next_line_begins_with():
    pairs = [("담당자는 매달 첫째 주에 GitHub", "에서 저장소를 확인합니다."), ("이 규정은 2026", "년부터 시행합니다.")]
    found = LineEnds(
        [*pairs, *[(line, after) for document in documents() for text in document for line, after, _ in anywhere(text)]]
    )
    assert [found.is_inside(*pair) for pair in pairs] == [True, True]


def test_a_word_of_a_hundred_thousand_syllables_costs_no_more_than_its_length():
    line = "가" * 100_000
    assert not LineEnds([(f"{line} {line} {line}", line)] * 5).is_inside(f"{line} 규정", "annual")
