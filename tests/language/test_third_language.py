"""A language is a folder: a small third one, made here, is read, found, quoted and answered in."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = {
    "language.yaml": "{name: German, endonym: Deutsch, script: latin}",
    "messages.yaml": "{closest: 'Das kommt dem am nächsten:', sources: Quellen}",
    "text.yaml": """
stop_words:
  about: The most frequent words.
  words: der die das den dem des ein eine und ist sind wie viele wo wer wird im in zu für mit nicht auf
abbreviations:
  about: What ends no sentence.
  words: z.b
""",
    "conduct.yaml": """
stop:
  about: What ends what runs.
  phrases: [anhalten, bitte anhalten]
mode_order:
  about: The mode of a channel.
  patterns: ['modus(?: (?P<mode>\\w+))?']
mode_names:
  about: What the modes are called.
  map: {aus: 'off'}
""",
}
DOCUMENTS = {
    "urlaub.md": """# Urlaub

## Anspruch

Jeder Mitarbeiter hat Anspruch auf 28 Tage Urlaub im Jahr. Bei Teilzeit sind es z.B. Vierzehn im Jahr.

## Antrag

Der Antrag wird im Portal gestellt und von der Leitung genehmigt.
""",
    "reise.md": "# Dienstreisen\n\nEs gilt eine Grenze von 120 Euro je Nacht für Hotels.\n",
    "vpn.md": "# VPN\n\nThe VPN is set up with WireGuard in the company portal.\n",
}
ASKED = {
    "days": "Wie viele Tage Urlaub hat ein Mitarbeiter?",
    "portal": "Wo wird der Antrag gestellt?",
    "near": "Wie wird das Wetter in Hotels?",
    "english": "How is the VPN set up?",
}
SCRIPT = """
import json, sys
from pathlib import Path
from agent.language import registry
root, asked = Path(sys.argv[1]), json.loads(sys.argv[2])
registry.ROOTS.append(root / "languages")

from click.testing import CliRunner
from agent.language.catalogue import keys, say
from agent.text import language_of, language_of_locale, sentences
from bot.cli import main
from bot.turns.conversation import STOP_WORDS
from bot.turns.hearing import order_in
from tests.fakes import incoming

def weft(*arguments):
    result = CliRunner().invoke(main, [*arguments, "--data", str(root / "data")])
    return {"exit": result.exit_code, "out": result.stdout, "err": result.stderr}

json.dump({
    "languages": registry.languages(),
    "said": {key: say(key, "de") for key in keys()},
    "told": {text: language_of(text) for text in asked.values()},
    "locale": language_of_locale("de-AT"),
    "sentences": len(list(sentences("Bei Teilzeit sind es z.B. Vierzehn. Das ist alles."))),
    "stops": sorted(STOP_WORDS),
    "mode": order_in(incoming(text="Modus aus")).mode,
    "ingest": weft("ingest", str(root / "documents")),
    "asked": {name: weft("ask", question, "--json") for name, question in asked.items()},
    "shown": weft("ask", asked["days"]),
    "only": weft("search", "Urlaub VPN", "--language", "de"),
    "unknown": weft("search", "Urlaub", "--language", "fr"),
}, sys.stdout)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return what a process of its own gives, in which all is imported with the third language in its place."""
    root = tmp_path_factory.mktemp("third")
    for folder, files in (("languages/de", FILES), ("documents", DOCUMENTS)):
        (root / folder).mkdir(parents=True)
        for name, text in files.items():
            (root / folder / name).write_text(text, "utf-8")
    command = [sys.executable, "-c", SCRIPT, str(root), json.dumps(ASKED)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def answers(told):
    assert all(each["exit"] == 0 and not each["err"] for each in told["asked"].values())
    return {name: json.loads(each["out"]) for name, each in told["asked"].items()}


def test_a_folder_is_a_language(told):
    assert told["languages"] == ["en", "de", "ko"]
    assert told["told"] == {text: "en" if name == "english" else "de" for name, text in ASKED.items()}
    assert told["locale"] == "de"


def test_what_it_lacks_is_said_in_english(told):
    assert told["said"]["sources"] == "Quellen"
    assert told["said"]["greeting"].startswith("Hello!")


def test_its_cues_are_heard(told):
    assert {"anhalten", "stop", "중지"} <= set(told["stops"])
    assert told["mode"] == "off"
    assert told["sentences"] == 2


@pytest.mark.parametrize(
    ("name", "quoted", "document"),
    [
        ("days", "28 Tage Urlaub", "documents/urlaub.md"),
        ("portal", "Der Antrag wird im Portal gestellt", "documents/urlaub.md"),
    ],
)
def test_its_documents_answer_its_questions(answers, name, quoted, document):
    answer = answers[name]
    assert (answer["language"], answer["response_type"], answer["errors"]) == ("de", "answer", [])
    assert quoted in answer["answer"] and answer["citations"][0]["document_id"] == document


def test_an_answer_in_doubt_is_framed_in_its_words(answers):
    assert answers["near"]["response_type"] == "passages"
    assert answers["near"]["answer"].startswith("Das kommt dem am nächsten:")


def test_english_beside_it_stays_english(answers):
    assert (answers["english"]["language"], answers["english"]["response_type"]) == ("en", "answer")


def test_what_is_shown_has_its_words_and_the_english_ones_it_lacks(told):
    shown = told["shown"]["out"]
    assert "28 Tage Urlaub" in shown and "Quellen" in shown and "Search the documents" in shown


def test_a_search_is_held_to_it(told):
    assert "Urlaub" in told["only"]["out"] and "WireGuard" not in told["only"]["out"] and not told["only"]["err"]
    assert told["unknown"]["exit"] == 2
    assert "'fr' is none of en, de, ko" in told["unknown"]["err"]
