"""Slots in `pack.yaml`: mistakes are told by file, line, key and what is allowed, and no pattern can take for ever."""

import pytest

from agent.errors import PackError
from agent.packs.load import load_pack
from agent.packs.patterns import LONGEST, PatternError, compiled

GOOD = """\
name: clinic
title: {en: Clinic, ko: 병원}
description: {en: About us., ko: 우리에 관하여.}
intents:
  - {name: advice, examples: [what may I eat, may I run, 뭘 먹어도 되나요]}
slots:
  - name: conditions
    title: {en: Conditions, ko: 질환}
    type: list
    choices:
      - {value: diabetes, names: [당뇨병, 당뇨]}
      - {value: asthma, names: [천식]}
    required_for: [advice]
    ask:
      en: What do you suffer from?
      ko: 어떤 질환이 있나요?
  - name: weight
    title: {en: Weight, ko: 체중}
    type: number
    units: {kg: 1, lb: 0.4536}
  - name: since
    title: {en: Since, ko: 시작일}
    type: date
"""


def problems(folder, text):
    (folder / "pack.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(PackError) as caught:
        load_pack(folder)
    start = f"{folder / 'pack.yaml'}:"
    return [line.removeprefix(start).strip() for line in str(caught.value).splitlines()]


def test_slots_are_read(tmp_path):
    (tmp_path / "pack.yaml").write_text(GOOD, encoding="utf-8")
    conditions, weight, since = load_pack(tmp_path).slots
    assert (conditions.type, conditions.choices[0].names, conditions.required_for) == (
        "list",
        ("당뇨병", "당뇨"),
        ("advice",),
    )
    assert conditions.ask is not None and conditions.ask.of("ko") == "어떤 질환이 있나요?"
    assert weight.units == {"kg": 1, "lb": 0.4536} and since.patterns == ()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "type: date",
            "type: day",
            "23: slots.2.type: 'day' is not allowed; use 'text', 'number', 'date', 'choice' or",
        ),
        (
            "required_for: [advice]",
            "needed_for: [advice]",
            "13: slots.0.needed_for: unknown key (did you mean required_for?); allowed are name, title, type, choices, "
            "patterns, units, concept_types, people, required_",
        ),
        ("value: diabetes", "valu: diabetes", "11: slots.0.choices.0.value: is missing"),
        (
            "    units: {kg: 1, lb: 0.4536}\n",
            "",
            "17: slots.1: a slot of type number is found by its units or patterns; give one",
        ),
        (
            "type: date",
            "type: date\n    units: {day: 1}",
            "21: slots.2: a slot of type date has no units; allowed are patterns",
        ),
        ("lb: 0.4536", "lb: 0", "20: slots.1.units.lb: should be greater than 0"),
        (
            "names: [천식]",
            "names: [천식, 당 뇨]",
            "7: slots.0: the name '당뇨' stands for both 'diabetes' and 'asthma'",
        ),
        ("type: date", "type: date\n    patterns: ['(']", "24: slots.2.patterns.0: '(' is no regular expression"),
        (
            "type: date",
            "type: date\n    patterns: ['(\\d+)+x']",
            "24: slots.2.patterns.0: '(\\\\d+)+x' repeats what is itself",
        ),
        ("name: since", "name: weight", "21: slots.2.name: 'weight' is the name of another one"),
        ("[advice]", "[advise]", "13: slots.0.required_for: 'advise' is no intent; there are advice"),
    ],
)
def test_one_mistake(tmp_path, old, new, problem):
    assert problems(tmp_path, GOOD.replace(old, new))[0].startswith(problem)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:혈압|BP)\s*(?:은|는|이)?\s?(\d{2,3}\s?/\s?\d{2,3})",
        r"HbA1c\s*:?\s?(\d{1,2}(?:\.\d+)?)\s?%",
        r"\d+(?:,\d{3})*(?:\.\d+)?\s?(?:만\s?)?원",
        r"(?<!\d)(\d{6})(?!\d)",
        r"\b[A-Z]{2,5}-\d+\b",
        r'"([^"]+)"',
        r"[가-힣]{2,12}업",
    ],
)
def test_useful_patterns_are_taken_and_quick_on_any_text(pattern):
    found = compiled(pattern)
    for text in ("1" * LONGEST, "혈압 " * 500, "1,111" * 300, '"' * LONGEST, "가" * LONGEST, "A-" * 700):
        found.search(text)  # one that can take for ever would not come back


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"(a+)+$", "repeats what is itself repeated"),
        (r"(?:a|ab)*c", "repeats what is itself repeated, optional or a choice"),
        (r"(?:x?){30}b", "repeats what is itself repeated, optional"),
        (r"(?:a{1,50}){1,50}b", "repeats what is itself repeated"),
        (r".*.*=x", "could take for ever"),
        (r"\w+\d+\w+x", "could take for ever"),
        (r"[가-나]+[나-다]+x", "could take for ever"),
        (r"\s*(?:은)?\s*x", "could take for ever"),
        (r"(?=.*.*=x)b", "could take for ever"),
        ("a?" * 30 + "a" * 30, "could take for ever"),
        (r"(\w)\1", "refers back"),
        (r"\d*", "matches nothing at all"),
        (r"(a)(b)", "has 2 groups"),
        ("a" * 400, "at most 300 characters"),
        (r"[", "is no regular expression"),
    ],
)
def test_patterns_that_a_message_could_keep_busy_are_refused(pattern, problem):
    with pytest.raises(PatternError, match=problem):
        compiled(pattern)
