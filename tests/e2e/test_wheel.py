"""The built wheel holds all that Weft needs: it answers from the samples, outside of the checkout."""

import asyncio
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


async def run(*words: str, folder: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "SLACK_", "OPENAI_"))}
    process = await asyncio.create_subprocess_exec(
        *words, cwd=folder, env={**kept, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, told = await process.communicate()
    assert process.returncode == 0, told.decode()
    return out.decode()


async def test_the_wheel_answers_from_the_samples(tmp_path: Path):
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    name = (await run(sys.executable, "-c", build, str(tmp_path), folder=ROOT)).split()[-1]
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(tmp_path / name) as wheel:
        wheel.extractall(unpacked)
    entries = next(unpacked.glob("*.dist-info")) / "entry_points.txt"
    assert "weft = bot.cli:main" in entries.read_text()
    paths = {"PYTHONPATH": str(unpacked), "XDG_DATA_HOME": str(tmp_path / "share")}
    where = await run(sys.executable, "-P", "-c", "import agent; print(agent.__file__)", folder=tmp_path, **paths)
    assert where.startswith(str(unpacked))
    ask = ("-P", "-m", "bot.cli", "ask", "How do I set up the VPN on macOS?")
    answer = await run(sys.executable, *ask, folder=tmp_path, **paths)
    assert "WireGuard" in answer
    assert (tmp_path / "share" / "weft" / "weft.db").exists()
