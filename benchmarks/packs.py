"""How a pack's own questions are answered with a capable model: `python -m benchmarks.packs PACK [--sent FILE]`.

The model is scripted: `completions/PACK.yaml` has for each question of the pack's `eval.yaml` which other words it
would search with, and what it answers, each sentence with words of the passage that it rests on. They were written from
what `--sent` wrote down: the passages that a model is sent. Where these do not come, it has no answer.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from agent.packs.load import builtin
from benchmarks.model_endpoint import MANNERS, endpoint
from bot.operator.evaluation import Marked, Questions, load_questions, run_questions, shortfalls, table
from bot.settings import Settings

COMPLETIONS = Path(__file__).with_name("completions")
KEY = "sk-packs-0123456789"
Run = tuple[list[Marked], dict[str, list[str]]]
BAR = 28
"""Questions of 30 that are told whole, with a word of doubt, or rightly left open."""


async def asked(pack: str, questions: Questions, completions: Sequence[dict[str, Any]], folder: Path) -> Run:
    """Return how the questions are answered with the model of these completions, and which passages it was sent."""
    async with endpoint() as remote:
        answers = {each["question"]: each.get("answer", "") for each in completions}
        searches = {each["question"]: each.get("search", "") for each in completions}
        await remote.behave(replace(MANNERS["good"], answers=answers, searches=searches))
        settings = Settings.load(
            data=folder / "data", pack=pack, openai_base_url=remote.url, openai_api_key=KEY, model="gpt-4o"
        )
        return await run_questions(settings, questions), await remote.sent()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack")
    parser.add_argument("--sent", type=Path, help="where to write the passages that the model was sent")
    given = parser.parse_args()
    questions = load_questions(builtin(given.pack) / "eval.yaml")
    completions = yaml.safe_load((COMPLETIONS / f"{given.pack}.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        rows, sent = asyncio.run(asked(given.pack, questions, completions, Path(folder)))
    if given.sent is not None:
        given.sent.write_text(json.dumps(sent, ensure_ascii=False, indent=1), encoding="utf-8")
    print("\n".join(table(rows, shortfalls(rows, questions.bar))))
    print(f"with a model: {sum(row.good for row in rows)} of {len(rows)}, wanted at least {BAR}")


if __name__ == "__main__":
    main()
