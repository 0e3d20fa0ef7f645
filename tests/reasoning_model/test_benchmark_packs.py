"""A pack's own questions with a capable model: what Weft sends it, and what becomes of its answers."""

from itertools import islice

import yaml

from agent.packs.load import builtin
from benchmarks.packs import BAR, COMPLETIONS, asked
from bot.operator.evaluation import Questions, load_questions


def questions_of(pack):
    return load_questions(builtin(pack) / "eval.yaml")


def completions_of(pack):
    return yaml.safe_load((COMPLETIONS / f"{pack}.yaml").read_text(encoding="utf-8"))


async def test_with_a_capable_model_the_handbook_reaches_its_bar(tmp_path):
    rows, sent = await asked("handbook", questions_of("handbook"), completions_of("handbook"), tmp_path)
    assert len(rows) == 30 and sum(row.good for row in rows) >= BAR
    assert sum(row.first for row in rows) >= 27 and not [row for row in rows if row.sure and row.mark == "wrong"]
    assert sum(row.good for row in rows if not row.answerable) >= 4  # without a word of what comes closest
    assert all(sent.values())


async def test_what_is_not_among_the_passages_is_not_answered(tmp_path):
    (first,) = islice(questions_of("handbook").questions, 1)
    wanted = Questions(questions=(first.model_copy(update={"facts": ("99 days",)}),))
    invented = [{"question": first.question, "answer": "It is 99 days. [[words of no passage]]"}]
    (row,), sent = await asked("handbook", wanted, invented, tmp_path)
    assert sent and row.mark == "wrong" and row.missing  # what the documents say is told in its place
