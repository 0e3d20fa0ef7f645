"""The sets of real documents in another format: `python -m benchmarks.other_formats DATA FOLDER html|docx|pdf`.

Teams keep what these sets hold as Markdown as web pages, Word documents and PDF files. What is written to FOLDER is
laid out as DATA is, so that `python -m benchmarks.realdocs FOLDER` tells what reading the other format costs. What no
converter knows (front matter, templates, MDX, boxes) is put plainly before. Needs `pip install pypandoc_binary`; a PDF
is printed by Chromium, and with Hangul only where a font for it is installed (`apt-get install fonts-nanum`).
"""

import argparse
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.answer_sets import REALDOCS

_FRONT_MATTER = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_TITLE = re.compile(r"^title:\s*(.+)$", re.MULTILINE)
_NO_TEXT = re.compile(r"\{/\*.*?\*/\}|<!--.*?-->|\{%.*?%\}|\{\{%.*?%\}\}", re.DOTALL)
_TARGET = re.compile(r"\{\s*#[\w-]+\s*\}\s*$|^</?[A-Z]\w*[^>\n]*>\s*$", re.MULTILINE)
_BOX = re.compile(r"^[!?]{3}\+? (\w+)(?: \"(.*)\")?\s*$", re.MULTILINE)
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("format", choices=["html", "docx", "pdf"])
    given = parser.parse_args()
    from_folder, to_folder = given.data / "realdocs", given.folder / "realdocs"
    for script in from_folder.glob("*.py"):
        to_folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(script, to_folder / script.name)
    jobs: list[tuple[Path, Path]] = []
    for name, language in REALDOCS.items():
        documents = from_folder / language / name / "docs"
        for path in sorted(documents.rglob("*.md")):
            place = to_folder / language / name / "docs" / path.relative_to(documents)
            place.parent.mkdir(parents=True, exist_ok=True)
            jobs.append((path, place.with_suffix(f".{given.format}")))
        shutil.copy(documents.parent / "questions.jsonl", to_folder / language / name / "questions.jsonl")
    if given.format == "pdf":
        _print(jobs)
    else:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda job: _convert(*job), jobs))
    print(f"{len(jobs)} documents")


def plain(text: str) -> str:
    """Return Markdown that a converter reads: the title of the front matter as a heading, boxes by their titles."""
    title = ""
    if match := _FRONT_MATTER.match(text):
        text = text[match.end() :]
        title = told[1].strip().strip("\"'") if (told := _TITLE.search(match[1])) else ""
    text = _TARGET.sub("", _NO_TEXT.sub("", text))
    text = _BOX.sub(lambda box: f"**{box[2] or box[1].capitalize()}**", text)
    return f"# {title}\n\n{text}" if title and not text.lstrip().startswith("# ") else text


def _convert(path: Path, place: Path) -> None:
    from pypandoc import convert_text

    text = plain(path.read_text(encoding="utf-8"))
    title = head[1] if (head := _HEADING.search(text)) else path.stem
    options = ["-s", "--metadata", f"pagetitle={title}"] if place.suffix == ".html" else []
    convert_text(text, place.suffix[1:], format="gfm", outputfile=str(place), extra_args=options)


def _print(jobs: list[tuple[Path, Path]]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play, tempfile.TemporaryDirectory() as work:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        # Printed pages are to be alike everywhere: nothing is fetched.
        page.route("**/*", lambda route: route.continue_() if route.request.url[:5] == "file:" else route.abort())
        for path, place in jobs:
            html = Path(work) / "page.html"
            _convert(path, html)
            page.goto(html.as_uri(), wait_until="domcontentloaded")
            page.pdf(path=str(place), format="A4")


if __name__ == "__main__":
    main()
