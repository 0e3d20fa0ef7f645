"""An old rule is not told without the newer one, which stands first; both with their dates."""

import pytest

from agent.reasoning.rules.answering import composition, versions
from tests.contracts.reasoning import block, brief
from tests.likelihoods import by_rank


def page(n, text, *, title="Kiln rules", section="", date="", document="", position=1):
    made = block(n, text, title=title, section=section, date=date, position=position)
    return made if not document else type(made)(
        n=n, passage=type(made.passage)(**{**_fields(made.passage), "document_id": document}), score=made.score
    )  # fmt: skip


def _fields(passage):
    return {name: getattr(passage, name) for name in passage.__dataclass_fields__}


OLD = page(1, "The deposit for the kiln is 30 euros.", section="3. Deposit", date="2023-04-01")
NEW = page(2, "Who books the kiln pays 50 euros as a deposit.", section="3 Deposit and bill", date="2025-02-01")


def told(question, *blocks):
    return "".join(f"{each.lead}{each.text}" for each in composition.compose(brief(question, *blocks)))


def test_the_newer_version_of_a_document_stands_first_with_its_date():
    answer = told("How much is the deposit for the kiln?", OLD, NEW)
    assert answer.index("50 euros") < answer.index("30 euros")
    assert "Deposit and bill** (2025-02-01)" in answer and "3. Deposit** (2023-04-01)" in answer


@pytest.mark.parametrize(
    "question",
    [
        "How much was the deposit for the kiln under the old rules?",
        "What did the deposit for the kiln used to be?",
        "How much was the deposit for the kiln in the past?",
    ],
)
def test_who_asks_how_it_was_is_told_the_old_version_first(question, weighed):
    weighed(by_rank(-0.1))
    answer = told(question, NEW, OLD)
    assert answer.index("30 euros") < answer.index("50 euros")


@pytest.mark.parametrize("when", ["in 2025", "under the 2025 rules", "of 2025"])
def test_who_asks_for_the_newest_year_is_told_the_newest_version_first(when, weighed):
    weighed(by_rank(-0.1))
    answer = told(f"How much is the deposit for the kiln {when}?", OLD, NEW)
    assert answer.index("50 euros") < answer.index("30 euros")


def test_an_old_document_of_another_name_stands_first_for_who_asks_for_it(weighed):
    weighed(by_rank(-0.1))
    new = page(1, "가마 보증금은 5만 원입니다.", title="가마 이용 안내", date="2025-02-01")
    old = page(2, "가마 보증금은 3만 원입니다.", title="도예실 규칙 2019 (폐지)")
    assert not versions.is_newer(new.passage, old.passage)
    answer = told("예전에는 가마 보증금이 얼마였어?", new, old)
    assert answer.index("3만") < answer.index("5만")


def test_what_replaces_a_rule_is_told_although_it_is_in_other_words():
    other = page(2, "Who fires pots leaves fifty with the office.", section="3 Deposit", date="2025-02-01")
    answer = told("How much is the deposit for the kiln?", OLD, other)
    assert answer.index("fifty") < answer.index("30 euros")


def test_the_later_of_two_notices_on_a_matter_stands_first():
    one, two = (
        page(n, text, title="Notices", section=f"Notices > {section}", document="notices", position=n)
        for n, (section, text) in enumerate(
            [
                ("12 Feb 2024 - Staff pots", "Everybody may take two pots home."),
                ("9 Jan 2025 - Staff pots, again", "From now on one pot may be taken home."),
            ],
            start=1,
        )
    )
    answer = told("How many pots may staff take home?", one, two)
    assert answer.index("one pot") < answer.index("two pots")
    assert "(2025" not in answer  # it stands in the heading


@pytest.mark.parametrize(
    ("mine", "its"),
    [
        ({"title": "Kiln rules", "date": ""}, {"title": "Kiln rules", "date": "2023-04-01"}),
        ({"title": "Kiln rules", "date": "2025-01-01"}, {"title": "Pottery courses", "date": "2023-04-01"}),
        ({"title": "Minutes, 2 May 2025"}, {"title": "Minutes, 3 April 2025"}),
        ({"section": "2 May 2025 - Car park"}, {"section": "3 April 2025 - Glazes"}),
    ],
)
def test_other_matters_and_what_has_no_date_are_no_versions(mine, its):
    same = {"document": "notices"} if "section" in mine else {}
    one, other = page(1, "x", **mine, **same).passage, page(2, "y", **its, **same).passage
    assert not versions.is_newer(one, other) and not versions.is_newer(other, one)


def test_a_year_in_a_name_is_a_date():
    one, other = (page(n, "x", title="kiln-rules", document=f"kiln-rules-{2021 + n}.md").passage for n in (1, 2))
    assert versions.is_newer(other, one) and not versions.is_newer(one, other)


def test_a_yes_is_not_proved_by_a_rule_that_is_replaced():
    old = page(1, "A member may carry over up to 9 days of kiln time.", section="Pots", date="2020-01-01")
    new = page(2, "A member may carry over up to 4 days of kiln time.", section="Pots", date="2024-01-01")
    answer = told("May a member carry over 6 days of kiln time?", old, new)
    assert answer.startswith("No.") and answer.index("4 days") < answer.index("9 days")


@pytest.mark.parametrize("gone", ["Kiln rules (superseded)", "Kiln rules [withdrawn]", "Kiln rules (폐지)"])
def test_what_says_that_it_was_replaced_is_told_to_who_asks_how_it_was_alone(gone, weighed):
    weighed(by_rank(-0.1))
    old = page(1, "The deposit for the kiln is 30 euros.", title=gone, date="2025-02-01", document="old")
    new = page(2, "The deposit for the kiln is 50 euros.", date="2025-02-01", document="new")
    assert versions.is_newer(new.passage, old.passage) and not versions.is_newer(old.passage, new.passage)
    answer = told("How much is the deposit for the kiln?", old, new)
    assert "50 euros" in answer and "30 euros" not in answer
    assert "30 euros" in told("How much was the deposit for the kiln under the old rules?", old, new)
    assert "30 euros" in told("How much is the deposit for the kiln?", old)


@pytest.mark.parametrize(("its", "first"), [("2023-04-01", "50 euros"), ("", "50 euros"), ("2026-01-01", "30 euros")])
def test_a_notice_that_changes_a_document_stands_before_it_unless_that_is_newer(its, first):
    rules = page(1, "The deposit for the kiln is 30 euros.", section="Deposit", date=its, document="rules")
    text = "This takes the place of the sums in the kiln rules. Who books it leaves 50 euros as a deposit."
    notice = page(2, text, title="Notice 4", date="2025-02-01", document="notice")
    answer = told("How much is the deposit for the kiln?", rules, notice)
    assert answer.index(first) == min(answer.index(sum) for sum in ("50 euros", "30 euros") if sum in answer)
    assert ("50 euros" in answer) or its > "2025"
