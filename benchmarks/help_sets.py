"""Documents of free software as sets of questions: `python -m benchmarks.help_sets FOLDER` (Debian, with pip).

Every set of `benchmarks/questions/` is about the documentation of a package that anybody can get: a desktop's and an
office's help in Korean, an installer's guide, a bookkeeping guide, the rules and the documentation of six projects.
It is fetched by `apt-get download` and `pip download`, put into Markdown, and written to FOLDER/NAME/docs beside its
questions, laid out as the sets of real documents are. Only the questions, which are our own, are in this repository.
Needs `pip install beautifulsoup4 lxml markdownify pypandoc_binary`, and for the backup program's sources what they are
built with: `apt-get install pkg-config liblz4-dev libacl1-dev libssl-dev libzstd-dev libxxhash-dev`.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).with_name("questions")
SHORTEST = 250
"""Characters of a document that is kept."""
Documents = Iterator[tuple[str, str]]
"""The place of each below `docs/`, and its text."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as work:
        for name, made in _MADE.items():
            documents = dict(made(Path(work)))
            for place, text in documents.items():
                path = folder / name / "docs" / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            shutil.copyfile(QUESTIONS / f"{name}.jsonl", folder / name / "questions.jsonl")
            print(f"{name}: {len(documents)} documents")


def package(work: Path, name: str) -> Path:
    """Return what a Debian package unpacks to."""
    out = work / name
    if not out.exists():
        subprocess.run(["apt-get", "download", name], cwd=work, check=True, capture_output=True)
        subprocess.run(["dpkg", "-x", next(work.glob(f"{name}_*.deb")), out], check=True)
    return out / "usr" / "share"


def source(work: Path, requirement: str) -> Iterator[tuple[str, str]]:
    """Yield the texts below `docs/` of a source distribution with their places."""
    package, _, _ = requirement.partition("==")
    options = ["--no-deps", "--no-binary", package, "--ignore-requires-python"]
    command = [sys.executable, "-m", "pip", "download", *options, requirement, "-d", str(work)]
    subprocess.run(command, check=True, capture_output=True)
    name = package.replace("-", "_")
    with tarfile.open(next(work.glob(f"{name}-*.tar.gz"))) as archive:
        for member in archive.getmembers():
            _, _, place = member.name.partition("/docs/")
            if place.endswith((".md", ".txt", ".rst", ".inc")) and (file := archive.extractfile(member)) is not None:
                yield place, file.read().decode("utf-8")


def kept(text: str) -> str:
    """Return the text with single blank lines; nothing where it is too short to be a document."""
    text = re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
    return text if len(text) > SHORTEST else ""


def is_korean(text: str, share: float) -> bool:
    """Tell whether a page was translated: it has that share of Hangul to Latin letters at least."""
    return len(re.findall("[가-힣]", text)) > share * len(re.findall("[A-Za-z]", text))


def from_html(path: Path, part: str, without: Sequence[str]) -> str:
    """Return a part of a page as Markdown, without its links and these elements."""
    from bs4 import BeautifulSoup
    from markdownify import markdownify

    soup: Any = BeautifulSoup(path.read_text(encoding="utf-8", errors="ignore"), "lxml")
    body = soup.select_one(part) or soup.body
    for each in [found for rule in (*without, "img") for found in body.select(rule)]:
        each.decompose()
    for link in body.select("a"):
        link.unwrap()
    return str(markdownify(str(body), heading_style="ATX"))


def gnome(work: Path) -> Documents:
    """Yield the Korean pages of the desktop's help, which are Mallard."""
    for path in sorted((package(work, "gnome-user-docs") / "help" / "ko" / "gnome-help").glob("*.page")):
        if text := kept(_from_mallard(path)):
            yield f"{path.stem}.md", text


_PLAIN = {
    "app": "strong", "gui": "strong", "cmd": "code", "input": "code", "file": "code", "sys": "code",
    "steps": "ol", "list": "ul", "terms": "ul", "tree": "ul", "item": "li", "note": "blockquote",
}  # fmt: skip
"""Elements of Mallard and what they are in HTML."""


def _from_mallard(path: Path) -> str:
    from bs4 import BeautifulSoup
    from markdownify import markdownify

    soup: Any = BeautifulSoup(path.read_text(encoding="utf-8"), "xml")
    for each in soup.find_all(["info", "media"]):
        each.decompose()
    for name, between in (("keyseq", "+"), ("guiseq", " ▸ ")):
        for each in soup.find_all(name):
            each.string = between.join(key.get_text() for key in each.find_all(recursive=False)) or each.get_text()
    for name, plain in _PLAIN.items():
        for each in soup.find_all(name):
            each.name, each.attrs = plain, {}
    _headed(soup.find("page"), 1)
    for each in soup.find_all("section"):
        each.name = "div"
    return str(markdownify(str(soup.find("page")), heading_style="ATX"))


def _headed(section: Any, level: int) -> None:
    for child in section.find_all(recursive=False):
        if child.name == "title":
            child.name = f"h{level}"
        elif child.name == "section":
            _headed(child, level + 1)
        else:
            for title in child.find_all("title"):
                title.name = "strong"


def libreoffice(*parts: str) -> Callable[[Path], Documents]:
    """Return what yields the Korean guides of these parts of the office."""

    def documents(work: Path) -> Documents:
        texts = package(work, "libreoffice-help-ko") / "libreoffice" / "help" / "ko" / "text"
        for part in parts:
            for path in sorted((texts / part / "guide").glob("*.html")):
                text = kept(from_html(path, "#DisplayArea", (".noscript", ".tag-line")))
                if text and is_korean(text, 1.0):
                    yield f"{part}/{path.stem}.md", text

    return documents


def installer(work: Path) -> Documents:
    """Yield the Korean pages of the installer's guide."""
    pages = package(work, "installation-guide-amd64") / "doc" / "installation-guide-amd64" / "ko"
    for path in sorted(pages.glob("*.html")):
        text = kept(from_html(path, "body", (".navheader", ".navfooter", ".toc")))
        if text and is_korean(text, 0.6):
            yield f"{path.stem}.md", text


def debian(work: Path) -> Documents:
    """Yield the duties of the project's members, a section each, and the chapters of its FAQ."""
    from bs4 import BeautifulSoup
    from markdownify import markdownify

    for path in sorted((package(work, "developers-reference") / "developers-reference").glob("*.html")):
        soup: Any = BeautifulSoup(path.read_text(encoding="utf-8"), "lxml")
        for each in soup.select("a.headerlink"):
            each.decompose()
        for section in soup.select("[role=main] > section > section, div.body > section > section"):
            for link in section.select("a"):
                link.unwrap()
            title = re.sub(r"^[\d.]+ ?", "", section.find(["h2", "h1"]).get_text()).strip().lower()
            if text := kept(str(markdownify(str(section), heading_style="ATX"))):
                yield f"{path.stem}/{re.sub('[^a-z0-9]+', '-', title).strip('-')}.md", text
    for path in sorted((package(work, "debian-faq") / "doc" / "debian" / "FAQ").rglob("*.en.html")):
        if text := kept(from_html(path, ".chapter", (".navheader", ".navfooter", ".toc"))):
            yield f"faq/{path.name.removesuffix('.en.html')}.md", text


def gnucash(work: Path) -> Documents:
    """Yield the pages of the guide and of the manual."""
    for part in ("guide", "help"):
        pages = package(work, "gnucash-docs") / "doc" / "gnucash-docs" / f"gnucash-{part}-en"
        for path in sorted(pages.glob("*.html")):
            text = kept(from_html(path, "body", (".navheader", ".navfooter", ".toc")))
            if text and not path.name.startswith(("fdl", "index")):
                yield f"{path.stem}.md", text


def hub(work: Path) -> Documents:
    """Yield the documentation of JupyterHub, as it is."""
    for place, text in source(work, "jupyterhub==6.1.1"):
        if place.startswith("source/") and place.endswith(".md"):
            yield place.removeprefix("source/"), text


def synapse(work: Path) -> Documents:
    """Yield the documentation of Synapse for its administrators, as it is."""
    for place, text in source(work, "matrix-synapse==1.99.0rc1"):
        if place.endswith(".md") and not place.startswith(("changelogs", "development")) and kept(text):
            yield place, kept(text)


def django(work: Path) -> Documents:
    """Yield how the project works, its FAQ and its how-tos, which are reStructuredText."""
    from pypandoc import convert_text

    for place, text in source(work, "django==6.1.3"):
        if not re.match(r"(?:internals|faq|misc|howto)/.*\.txt$", place):
            continue
        text = re.sub(r":[\w:+-]+:`([^`<]+?)\s*<[^>`]+>`", r"\1", text)
        text = re.sub(r":[\w:+-]+:`~?([^`]+)`", r"``\1``", text)
        text = re.sub(r"^\.\. (console|snippet|versionadded|versionchanged).*$", "", text, flags=re.M)
        text = convert_text(text, "gfm", format="rst", extra_args=["--wrap=none"])
        if text := kept(re.sub(r"<[^>\n]+>", "", text)):
            yield f"{place.removesuffix('.txt')}.md", text


def sphinx(requirement: str) -> Callable[[Path], Documents]:
    """Return what yields reStructuredText as it is, what pages include as pages of their own."""

    def documents(work: Path) -> Documents:
        for place, text in source(work, requirement):
            if place.endswith((".rst", ".rst.inc")):
                yield place.replace(".rst.inc", ".inc.rst"), text

    return documents


_MADE: dict[str, Callable[[Path], Documents]] = {
    "gnome-ko": gnome,
    "office-ko": libreoffice("swriter", "shared"),
    "calc-ko": libreoffice("scalc", "simpress", "sdraw"),
    "installer-ko": installer,
    "debian-en": debian,
    "gnucash-en": gnucash,
    "hub-en": hub,
    "synapse-en": synapse,
    "django-en": django,
    "celery-en": sphinx("celery==5.7.0"),
    "borg-en": sphinx("borgbackup==1.4.5"),
}


if __name__ == "__main__":
    main()
