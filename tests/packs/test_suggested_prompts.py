"""What the packs offer people to ask is answered, in each of their languages."""

import json

import pytest
from click.testing import CliRunner

from agent.packs.load import builtin, load_pack
from bot.cli import main


@pytest.mark.parametrize("name", ["handbook", "medical", "real_estate", "tax_audit"])
def test_what_a_pack_suggests_to_ask_is_answered_in_every_language(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    prompts = [words.of(language) for words in load_pack(builtin(name)).suggested_prompts for language in ("en", "ko")]
    lines = [json.dumps({"id": str(n), "thread": f"t{n}", "text": text}) for n, text in enumerate(prompts)]
    command = ["ask", "--batch", "-", "--json", "--pack", name, "--data", str(tmp_path / "data")]
    told = CliRunner().invoke(main, command, input="\n".join(lines)).stdout.splitlines()
    untold = [
        text
        for text, each in zip(prompts, map(json.loads, told), strict=True)
        if not each["citations"] and each["response_type"] != "clarification"  # a document asks for its details
    ]
    assert untold == []
