"""`benchmarks.index` measures the real thing: exact scores, every figure that has a target."""

import json
import random
import subprocess
import sys
from pathlib import Path

from benchmarks.index import TARGETS


def test_it_compares_weft_with_rank_bm25(tmp_path: Path):
    chance = random.Random(5)
    words = [f"word{n}" for n in range(80)] + ["휴가는", "육아휴직", "parental", "leave"]
    lines = [{"title": "guide", "text": " ".join(chance.choices(words, k=20))} for _ in range(250)]
    corpus, figures = tmp_path / "passages.jsonl", tmp_path / "figures.json"
    corpus.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.index", str(corpus), "--passages", "200", "--queries", "15"]
    command += ["--only", "Weft", "--only", "rank-bm25", "--json", str(figures)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    measured = json.loads(figures.read_text())["figures"]
    assert all(measured[name]["Weft"] > 0 for name in TARGETS if "difference" not in name)
    assert measured["largest difference to rank-bm25's scores"]["Weft"] <= 1e-6
    assert measured["query p50, ms"]["rank-bm25"] > 0
    assert "200 passages" in done.stdout
