"""What no pack may be, told by file and line with what helps; and what `weft packs` tells of one."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from agent.errors import PackError
from agent.packs.load import builtin, load_pack, load_packs
from agent.packs.yaml_reading import LARGEST
from agent.reasoning.rules.answering.weighted_question import asked
from agent.reasoning.rules.reading.trade_synonyms import all_named, named_in, others
from bot.cli import main

GOOD = """\
name: mine
title: {en: Mine, ko: 내 팩}
description: {en: About us., ko: 우리에 관하여.}
"""
TEMPLATE = """\
---
name: note
title: {en: Note, ko: 메모}
examples: [write a note, 메모 써줘]
fields:
  - {name: who, title: {en: Who, ko: 누구}, type: text}
---
# {{ title }} {{ who }}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pack.yaml").write_text(GOOD, encoding="utf-8")
    return tmp_path / "mine"


def refused(folder, text=None):
    if text is not None:
        (folder / "pack.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(PackError) as caught:
        load_pack(folder)
    return str(caught.value).replace(str(folder), "")


def test_a_file_of_ten_megabytes_is_not_read(folder):
    told = refused(folder, GOOD + "# " + "x" * 10_000_000)
    assert "10.0 MB" in told and f"at most {LARGEST / 1e6:.0f} MB" in told and "documents/" in told


def test_an_alias_is_refused_before_it_multiplies_or_leads_back_to_itself(folder):
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    told = "an alias (*) is not read; write it out"
    assert refused(folder, GOOD + bomb).startswith(f"/pack.yaml:5: not YAML: {told}")
    assert refused(folder, GOOD + "scopes: &all\n  - *all\n").startswith(f"/pack.yaml:5: not YAML: {told}")


def test_what_is_nested_too_deep_is_refused(folder):
    assert "nested too deeply" in refused(folder, GOOD + "teams: " + "[" * 5_000 + "]" * 5_000)
    assert "teams.0: " in refused(folder, GOOD + "teams: " + "[" * 45 + "]" * 45)


@pytest.mark.parametrize(
    ("text", "line", "cure"),
    [
        ("limits:\n\tpassages: 5\n", 5, "Indent by spaces, not by tabs"),
        ("disclaimer: {en: a [b, ko: c}\n", 4, "Put a text with comma, colon or bracket into quotes"),
        ("disclaimer: {[en]: a}\n", 4, "a key is one word"),
        ("collections: [a, b\nlimits: {}\n", 5, "close every { and ["),
        ("disclaimer: note: call us\n", 4, "Put a text that has a colon into quotes"),
        ("collections: *all\n", 4, "Put a text that begins with * or & into quotes"),
        ("collections: !!python/name:os.system x\n", 4, "Take the tag (!) away"),
        ("limits:\n  passages: 5\n max_steps: 3\n", 6, "Keys of one level begin in the same column"),
        ("limits:\n  passages: 5\n    max_steps: 3\n", 6, "Begin this line in the column of the key above it"),
        ("name: other\n", 4, "name: stands twice; keep one of them"),
    ],
)
def test_what_is_no_yaml_is_told_with_what_helps(folder, text, line, cure):
    told = refused(folder, GOOD + text)
    assert told.startswith(f"/pack.yaml:{line}: ") and cure in told and "\n" not in told


def test_a_question_in_braces_and_a_tab_in_a_text_are_read(folder):
    (folder / "pack.yaml").write_text(GOOD + "disclaimer: {en: Is it?, ko: a\tb}\t\n", encoding="utf-8")
    assert load_pack(folder).disclaimer.texts == {"en": "Is it?", "ko": "a\tb"}


def test_nothing_is_read_that_lies_outside_the_pack(folder, tmp_path):
    (tmp_path / "note.md.j2").write_text(TEMPLATE, "utf-8")
    (folder / "templates").mkdir()
    os.symlink(tmp_path / "note.md.j2", folder / "templates" / "note.md.j2")
    assert refused(folder).startswith("/templates/note.md.j2: leads out of the pack")
    shutil.rmtree(folder / "templates")
    os.symlink(tmp_path, folder / "documents")
    assert refused(folder).startswith("/documents: leads out of the pack")
    (folder / "documents").unlink()
    (folder / "documents").mkdir()
    os.symlink(tmp_path, folder / "documents" / "more")
    assert refused(folder).startswith("/documents/more: leads out of the pack")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("limits: {passages: many}", "limits.passages: must be a whole number, not 'many'"),
        ("limits: {passages: 2.5}", "limits.passages: must be a whole number, not 2.5"),
        ("quality: {length: much}", "quality.length: must be a number, not 'much'"),
        ("flags: {web_search_enabled: maybe}", "flags.web_search_enabled: must be true or false, not 'maybe'"),
        ("synonyms: one", "synonyms: must be a list; write [one]"),
        ("translations: [one]", "translations: must be a mapping, `key: value`"),
    ],
)
def test_a_value_of_another_kind_is_told_in_plain_words(folder, line, told):
    assert told in refused(folder, f"{GOOD}{line}\n")


def test_a_template_that_uses_a_field_it_does_not_have_is_refused(folder):
    (folder / "templates").mkdir()
    (folder / "templates" / "note.md.j2").write_text(TEMPLATE.replace("{{ who }}", "{{ who }} {{ when }}"), "utf-8")
    told = refused(folder)
    assert told.startswith("/templates/note.md.j2:8: body: ") and "when" in told and "who" in told


def test_two_packs_of_one_name_are_refused_together(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "again")
    with pytest.raises(PackError, match="two packs are called 'mine'"):
        load_packs([folder, tmp_path / "again"])
    assert [pack.name for pack in load_packs([folder, builtin("handbook"), folder])] == ["mine", "handbook"]


# --- synonyms


def test_synonyms_of_a_team_are_searched_and_answered_with():
    groups = (("전세금", "임대차보증금"), ("PTO", "annual leave"))
    assert others("전세금을 올려도 되나요?", groups) == ("임대차보증금",)
    assert others("How much PTO do I get?", groups) == ("annual leave",)
    assert others("ptomaine", groups) == () and others("새전세금", groups) == ()


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("reset", "resetting my key"),
        ("on call", "who is on-call?"),
        ("육아휴직", "육아 휴직은 며칠?"),
        ("안 쓴", "안쓴 연차"),
        ("security key", "my security keys"),
    ],
)
def test_a_synonym_stands_for_its_other_forms_and_for_what_is_written_apart(listed, said):
    assert others(said, ((listed, "zorb"),)) == ("zorb",)


def test_two_short_words_are_not_one_and_a_shorter_phrase_within_a_longer_one_is_not_meant():
    assert others("이 사람은 누구예요?", (("이사", "zorb"),)) == ()
    groups = (("보증보험", "반환보증"), ("보증보험료", "보증료"))
    assert list(named_in("보증보험료는 누가 내나요?", groups)) == [(["보증보험료"], ["보증료"])]
    assert others("보증보험이나 보증보험료", groups) == ("반환보증", "보증료")


def test_each_thing_that_a_question_names_is_searched_by_its_other_names_in_turn():
    groups = (("one", "zorb", "zorbs", "yurt", "xyst", "waka", "vlei", "ulva"), ("two", "quip"))
    assert others("one and two", groups) == ("zorb", "quip", "yurt", "xyst", "waka", "vlei")


def test_what_a_question_names_besides_its_synonyms_is_left_whole():
    groups = (("annual leave", "PTO"), ("인상", "올려"))
    assert all_named("May PTO wait?", "Annual leave may wait.", groups) == "May     wait?"
    assert all_named("전세금을 올려도 되나요?", "증액은 5%까지", groups) is None


def test_a_thing_weighs_no_more_because_its_other_name_has_more_words():
    plain = asked("what is the wifi password?", "en", [])
    said = asked("what is the wifi password?", "en", [], synonyms=(("Wi-Fi", "wifi"),))
    assert said.weights == plain.weights and said.share(said.meant("the Wi-Fi code")) > 0


def test_any_of_the_names_by_which_a_question_calls_one_thing_says_it():
    said = asked("경비 정산, 곧 환급은 언제?", "ko", [], synonyms=(("정산", "환급"),))
    assert said.share(said.meant("환급")) == said.share(said.meant("정산")) == said.share(said.meant("정산 환급"))


def test_a_passage_holds_what_it_calls_otherwise_also_where_another_one_calls_it_as_asked():
    said = asked("월세를 올려도 되나요?", "ko", [], synonyms=(("인상", "올려"), ("월세", "월 차임")))
    assert said.share(said.meant("월 차임의 인상은 5%까지")) == said.share(said.meant("월세를 올려"))
    assert said.share(said.meant("보증금의 증액")) == 0


def test_a_synonym_stands_in_one_group(folder):
    told = refused(folder, GOOD + "synonyms:\n  - [PTO, leave]\n  - [pto, holiday]\n")
    assert "'pto' stands in several groups" in told
    assert "at least 2 items" in refused(folder, GOOD + "synonyms:\n  - [PTO]\n")


def test_a_synonym_finds_what_only_its_team_calls_so(folder, tmp_path, monkeypatch):
    (folder / "documents").mkdir()
    (folder / "documents" / "a.md").write_text("# Zorbs\n\nA zorb is handed out by the caretaker on Mondays.\n")
    (folder / "documents" / "b.md").write_text("# Canteen\n\nThe canteen opens at noon and closes at two.\n")
    monkeypatch.chdir(tmp_path)
    told = []
    for number, more in enumerate(("", "synonyms:\n  - [key card, zorb]\n")):
        (folder / "pack.yaml").write_text(GOOD + more, "utf-8")
        command = ["ask", "When is a key card handed out?", "--pack", str(folder), "--json", "--data", f"data{number}"]
        told.append(json.loads(CliRunner().invoke(main, command).stdout))
    assert "Mondays" in told[1]["answer"] and "zorb" in told[1]["expansion"][0]["related_terms"]
    assert told[1]["confidence"] > told[0]["confidence"]


# --- `weft packs`


def run(*args):
    return CliRunner().invoke(main, ["packs", *args])


def test_the_packs_that_come_with_weft_are_listed_with_their_titles():
    assert "handbook\tTeam handbook" in run("list").stdout
    names = {each["name"] for each in json.loads(run("list", "--json").stdout)}
    assert names >= {"handbook", "medical", "real_estate", "tax_audit"}


def test_a_pack_is_shown_with_what_it_brings():
    told = json.loads(run("show", "real_estate", "--json").stdout)
    assert {each["name"] for each in told["scopes"]} >= {"legal", "loan", "property"}
    assert {each["name"]: each["type"] for each in told["slots"]}["deposit"] == "number"
    assert told["documents"]["legal"]["files"] >= 5 and told["questions"] == 30
    assert {(each["name"], each["own"]) for each in told["templates"]} >= {("lease_contract", True), ("reply", False)}
    assert {each["route"] for each in told["intents"]} >= {"direct", "decline", "research"}
    plain = run("show", "real_estate").stdout
    assert "legal (Search the law): legal" in plain and "lease_contract (Lease contract (draft))" in plain
    assert run("show", "nope").exit_code == 2


def test_a_check_tells_what_is_allowed_and_mostly_a_mistake(folder):
    assert run("check", str(folder)).stdout == "mine: Mine / 내 팩, 0 intents, 2 templates: fine\n"
    (folder / "pack.yaml").write_text(
        GOOD + "collections: [law]\nscopes:\n  - {name: law, title: {en: L, ko: 법}, collections: [law, tax]}\n",
        "utf-8",
    )
    for name in ("law/a.md", "b.md"):
        (folder / "documents" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "documents" / name).write_text("# A\n\nText.\n")
    told = json.loads(run("check", str(folder), "--json").stdout)["remarks"]
    assert "collection tax is not among `collections`: nothing of it is ever found" in told
    assert "documents/b.md: is never found, as mine is not among `collections`; move it into documents/law/" in told
    assert "collection tax of a scope is empty until documents are ingested into it" in told
    assert any(line.startswith("no scope has mine") for line in told)
    wrong = GOOD + "collections: [law]\nscopes:\n  - {name: law, title: {en: L, ko: 법}, collections: [laws]}\n"
    (folder / "pack.yaml").write_text(wrong, "utf-8")
    (folder / "documents" / "law" / "scan.png").write_bytes(b"x")
    (folder / "templates").mkdir(exist_ok=True)
    (folder / "templates" / "letter.md").write_text("---\n")
    told = "\n".join(json.loads(run("check", str(folder), "--json").stdout)["remarks"])
    assert "nothing of it is ever found (pack.yaml: did you mean law?)" in told
    assert "law/scan.png: is of no type that is read" in told
    assert "templates/letter.md: is not read; a template's file is called NAME.md.j2" in told
    (folder / "eval.yaml").write_text("questions: [{question: a, fact: [b]}]\n")
    output = run("check", str(folder)).output
    assert "questions.0.fact: unknown key (did you mean facts?)" in output and "list should have" not in output
    (folder / "eval.yaml").write_text("questions: [{question: a}]\n")
    assert "give facts or a file" in run("check", str(folder)).output


# --- the manual


def test_the_examples_of_the_manual_make_a_pack(folder):
    manual = (Path(__file__).parents[2] / "docs" / "packs.md").read_text("utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", manual, re.DOTALL)
    whole, people, broken, cases, slots = blocks[:5]
    whole = whole.replace("suggested_prompts:", f"{broken}{cases}suggested_prompts:")
    intents = "  - {name: diet_advice, examples: [what may I eat, a diet for me, 뭘 먹어야 해요]}\n"
    (folder / "pack.yaml").write_text(
        whole.replace("suggested_prompts:", f"{intents}suggested_prompts:") + people + slots, "utf-8"
    )
    pack = load_pack(folder)
    assert {intent.route for intent in pack.intents} >= {"direct", "research", "clarify"} and len(pack.slots) == 3
    assert pack.people is not None
