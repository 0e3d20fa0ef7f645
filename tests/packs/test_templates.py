"""Templates of documents: what a body may hold, what is refused and how it is said, how values are put in."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.errors import PackError
from agent.packs.body import Blank, Written, render
from agent.packs.escaping import clean, escaped
from agent.packs.load import load_pack, load_template
from agent.packs.template import Template

PACK = """\
name: mine
title: {en: Mine, ko: 내 팩}
description: {en: About us., ko: 우리에 관하여.}
"""
FRONT = """\
---
name: letter
title: {en: Letter, ko: 편지}
examples: [write a letter]
fields:
  - {name: recipient, title: {en: Recipient, ko: 받는 사람}, type: text}
  - {name: days, title: {en: Days, ko: 요일}, type: list, choices: [{value: Monday}, {value: Tuesday}]}
sections:
  - {name: answer, title: {en: Answer, ko: 답변}}
---
"""
BODY = "Hello {{ recipient }},\n{% for day in days %}\n- {{ day }}\n{% endfor %}\n\n{{ section.answer }}\n"
FIRST = FRONT.count("\n") + 1
"""The line of the file in which the body begins."""


def written(folder, text=FRONT + BODY, name="letter.md.j2"):
    (folder / "templates").mkdir(exist_ok=True)
    (folder / "pack.yaml").write_text(PACK, encoding="utf-8")
    file = folder / "templates" / name
    file.write_text(text, encoding="utf-8")
    return file


def problem(folder, text, name="letter.md.j2") -> str:
    """Return what `load_pack` says, without the file's name."""
    file = written(folder, text, name)
    with pytest.raises(PackError) as caught:
        load_pack(folder)
    said = str(caught.value)
    assert said.startswith(f"{file}:"), said
    return said.removeprefix(f"{file}:")


def template(body: str, **more) -> Template:
    front = {
        "name": "letter", "title": {"en": "Letter", "ko": "편지"}, "examples": ("write a letter",),
        "fields": ({"name": "recipient", "title": {"en": "Recipient", "ko": "받는 사람"}, "type": "text"},),
    }  # fmt: skip
    return Template.model_validate({**front, **more}).model_copy(update={"body": body})


def filled(body: str, value="Kim", **more) -> str:
    values = {"recipient": value, "today": "1 May 2027", "title": "T", "language": "en"}
    return render(template(body, **more), values, {"answer": Written("It is **20** days.")})


def test_a_pack_has_its_own_templates_and_those_that_every_pack_has(tmp_path):
    written(tmp_path)
    names = [each.name for each in load_pack(tmp_path).templates]
    assert names == ["letter", "reply", "report"]
    (tmp_path / "templates" / "letter.md.j2").unlink()
    assert [each.name for each in load_pack(tmp_path).templates] == ["reply", "report"]


def test_the_example_of_the_manual_is_a_template(tmp_path):
    manual = (Path(__file__).parents[2] / "docs" / "packs.md").read_text(encoding="utf-8")
    example = manual.split("```jinja\n")[1].split("```")[0]
    made = load_template(written(tmp_path, example, "leave_request.md.j2"))
    assert [field.name for field in made.fields] == ["employee", "start_date"] and len(made.checks) == 1


def test_a_template_of_ones_own_takes_the_place_of_one_that_every_pack_has(tmp_path):
    written(tmp_path, (FRONT + BODY).replace("name: letter", "name: reply"), "reply.md.j2")
    made = {each.name: each for each in load_pack(tmp_path).templates}
    assert made["reply"].title.en == "Letter" and len(made) == 2


def test_a_template_without_fields_and_sections_is_one(tmp_path):
    file = written(tmp_path, "---\nname: letter\ntitle: {en: L, ko: 편지}\nexamples: [a]\n---\nJust text.\n")
    made = load_template(file)
    assert (made.fields, made.sections, made.review_needed) == ((), (), True)
    assert render(made, {"title": "", "today": "", "language": "en"}, {}).strip() == "Just text."


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("examples: [write a letter]", "exmples: [a]", "2: examples: is missing"),
        ("type: text}", "type: txt}", "6: fields.0.type: 'txt' is not allowed"),
        ("name: answer,", "name: Answer,", "9: sections.0.name: 'Answer' is not allowed"),
        ("name: answer,", "name: if,", "'if' means something else"),
        ("name: recipient,", "name: today,", "'today' means something else"),
        ("name: days,", "name: recipient,", "7: fields.1.name: 'recipient' is the name of another one"),
        ("name: letter\n", "name: other\n", "name: 'other' is not the file's name"),
        ("---\nname", "name", "1: a template begins with its front matter"),
        (BODY, "  \n", "body: is empty"),
        ("title: {en: Letter, ko: 편지}", "title: [a", "not YAML"),
    ],
)
def test_a_mistake_in_the_front_matter_is_told_by_line_and_key(tmp_path, old, new, told):
    text = FRONT + BODY
    assert old in text
    assert told in problem(tmp_path, text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{{ recipient\n", "unexpected"),
        ("{% if recipient %}x", "Unexpected end"),
        ("{{ recipent }}", "'recipent' is not known; there are days, language, recipient, title, today"),
        ("{{ section.anser }}", "section.anser is not among the sections; there are answer"),
        ("{{ section }}", "section is not put in as a whole"),
        ("{{ ''.__class__ }}", ".__class__ is not allowed"),
        ("{{ recipient.__class__.__mro__ }}", "is not allowed"),
        ("{{ recipient.upper() }}", "Call is not allowed"),
        ("{{ recipient['__class__'] }}", "Getitem is not allowed"),
        ("{{ recipient|attr('__class__') }}", "No filter named 'attr'"),
        ("{{ recipient|format('x') }}", "No filter named 'format'"),
        ("{{ section.answer|upper }}", "without a filter"),
        ("{{ cycler }}", "'cycler' is not known"),
        ("{% include 'x' %}", "Include is not allowed"),
        ("{% import 'x' as y %}", "Import is not allowed"),
        ("{% from 'x' import y %}", "FromImport is not allowed"),
        ("{% extends 'x' %}", "Extends is not allowed"),
        ("{% set x = 1 %}", "Assign is not allowed"),
        ("{% macro m() %}{% endmacro %}", "Macro is not allowed"),
        ("{% for i in range(1000000000) %}x{% endfor %}", "a loop goes over a field of type list alone"),
        ("{% for c in recipient %}x{% endfor %}", "a loop goes over a field of type list alone; there are days"),
        ("{% for a in days %}{% for b in days %}x{% endfor %}{% endfor %}", "holds no other loop"),
        ("{% for a in days recursive %}{{ loop(days) }}{% endfor %}", "holds no other loop"),
        ("{% for recipient in days %}x{% endfor %}", "one name of its own"),
        ("{% for a in days %}{% endfor %}{{ a }}", "'a' is not known"),
        ("{{ 'x' * 1000000000 }}", "Mul is not allowed"),
        ("{{ 9 ** 9 ** 9 }}", "Pow is not allowed"),
        ("{{ recipient ~ recipient }}", "Concat is not allowed"),
        ("{{ recipient is defined }}", "Test is not allowed"),
        ("{{ " + "(" * 2000 + "recipient" + ")" * 2000 + " }}", ""),
        ("x" * 60_000, "at most 50000 characters"),
    ],
)
def test_what_a_body_may_not_hold_is_refused_on_load(tmp_path, body, told):
    said = problem(tmp_path, FRONT + "\n" + body + "\n")
    assert told in said and "body:" in said
    number = int(said.partition(":")[0])
    assert FIRST <= number <= FIRST + 2


def test_the_line_of_a_mistake_is_the_files(tmp_path):
    said = problem(tmp_path, FRONT + "one\ntwo\n{{ nobody }}\n")
    assert said.startswith(f"{FIRST + 2}: body:")


def test_what_is_asked_for_has_to_be_used(tmp_path):
    said = problem(tmp_path, FRONT + "{% if language == 'ko' %}{{ days }}{% endif %}")
    assert "recipient is never used" in said and "section.answer is never used" in said and "days" not in said


def test_every_wrong_template_of_a_pack_is_told(tmp_path):
    written(tmp_path, FRONT + "{{ nobody }}\n")
    written(tmp_path, "no front matter", "other.md.j2")
    written(tmp_path, "x", "third.j2")
    with pytest.raises(PackError) as caught:
        load_pack(tmp_path)
    said = str(caught.value)
    assert "letter.md.j2" in said and "other.md.j2:1:" in said and "third.j2: a template's file is called" in said


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ("{rule: {en: a, ko: 가}, must: '(a+)+'}", "repeats what is itself repeated"),
        ("{rule: {en: a, ko: 가}}", "one of them"),
        ("{rule: {en: a, ko: 가}, must: a, must_not: b}", "one of them"),
    ],
)
def test_a_check_has_one_pattern_that_cannot_take_for_ever(tmp_path, check, told):
    text = FRONT.replace("sections:", f"checks:\n  - {check}\nsections:") + BODY
    assert told in problem(tmp_path, text)


# --- filling in


def test_values_are_put_in_sections_are_put_in_as_they_are_and_loops_end():
    list_field = {"name": "days", "title": {"en": "Days", "ko": "요일"}, "type": "list", "choices": [{"value": "Mon"}]}
    made = template(
        "{% if recipient %}Hi {{ recipient|upper }}{% endif %}.\n{% for d in days %}\n- {{ d }}\n{% endfor %}\n"
        "{{ days }}\n{{ section.answer }}",
        fields=({"name": "recipient", "title": {"en": "R", "ko": "받"}, "type": "text"}, list_field),
        sections=({"name": "answer", "title": {"en": "A", "ko": "답"}},),
    )
    values = {"recipient": "Kim", "days": ("Mon", "Tue"), "title": "", "today": "", "language": "en"}
    text = render(made, values, {"answer": Written("**20** days")})
    assert text == "Hi KIM.\n- Mon\n- Tue\nMon, Tue\n**20** days"
    open_ = render(
        made, {**values, "days": Blank("[____ Days]"), "recipient": Blank("")}, {"answer": Blank("[____ A]")}
    )
    assert open_.splitlines() == [".", "- [____ Days]", "[____ Days]", "[____ A]"]


@pytest.mark.parametrize("body", ["{{ ''.__class__ }}", "{% for i in range(9) %}{{ i }}{% endfor %}", "{{ nobody }}"])
def test_a_body_that_was_never_loaded_is_checked_all_the_same(body):
    with pytest.raises(PackError, match="letter"):
        filled(body)


def test_a_text_that_grows_beyond_its_bound_is_refused():
    with pytest.raises(PackError, match="more than 200000 characters"):
        filled("{{ recipient }}" * 3000, "x" * 5_000)


@pytest.mark.parametrize(
    "value",
    [
        "{{ title }} {% raw %} {# x #}", "# Heading", "- item", "1. one", "2) two", "> quote", "---", "===", "+ plus",
        "**bold** _it_ `code` ~~s~~", "[link](https://example.org)", "![i](x)", "<script>alert(1)</script>", "<b>",
        "a | b | c", "&amp; &#35;", "line\n\n# Heading\n- item", "back\\slash\\", "tail #", "``` fence", ": def",
        "\u202egpj.exe\u200b \x00\x1b[31m", "snake_case and * star",
    ],
)  # fmt: skip
def test_a_value_stays_what_it_says(value):
    for body in ("{{ recipient }}", "Dear {{ recipient }},", "- {{ recipient }}", "# {{ recipient }}"):
        tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(filled(body, value))
        shape = [token.type for token in tokens]
        expected = [t.type for t in MarkdownIt("commonmark").parse(filled(body, "Kim"))]
        assert shape == expected
        inline = next(token for token in tokens if token.type == "inline")
        assert {child.type for child in inline.children} <= {"text", "text_special"}
        said = "".join(child.content for child in inline.children)
        assert clean(value) in said


@given(st.text(max_size=60))
def test_no_text_becomes_structure(value):
    for before, after in (("", ""), ("Dear ", ","), ("| a | ", " |")):
        text = f"{before}{escaped(value)}{after}"
        tokens = MarkdownIt("commonmark").enable(["strikethrough"]).parse(text)
        assert [token.type for token in tokens] in ([], ["paragraph_open", "inline", "paragraph_close"])
        said = "".join(child.content for token in tokens for child in token.children or ())
        assert said == f"{before}{clean(value)}{after}".strip()


@given(st.text(max_size=200))
def test_a_cleaned_text_is_one_line_and_clean(value):
    assert clean(clean(value)) == clean(value) and "\n" not in clean(value)
