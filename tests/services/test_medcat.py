"""Names of a terminology, read by MedCAT itself from model packs that these tests make."""

import asyncio
import json
import logging
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from adapters.services.medcat import MedCat
from agent.errors import ConceptsError
from agent.language import say
from agent.types import Concept
from bot.cli import main
from tests.contracts.concepts import GOUT, METFORMIN, ConceptsContract
from tests.medcat_packs import saved


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a model pack, made once: MedCAT lists the whole environment in each."""
    return saved([METFORMIN, GOUT], tmp_path_factory.mktemp("models"))


@pytest.fixture
def model_pack(made, tmp_path):
    """A copy that a test may damage."""
    shutil.copy(made.with_suffix(".zip"), tmp_path)
    return Path(shutil.copytree(made, tmp_path / made.name))


class TestMedCat(ConceptsContract):
    @pytest.fixture
    def make(self, made):
        async def make():
            return await MedCat.open(made)

        return make


async def test_a_model_pack_may_be_a_zip(model_pack, tmp_path):
    moved = model_pack.with_suffix(".zip").rename(tmp_path / "model.zip")
    assert [each.id for each in await (await MedCat.open(moved)).find("gout")] == ["C0018099"]


async def test_a_wrong_path_is_named(tmp_path):
    with pytest.raises(ConceptsError, match="no-such-pack: there is no such model pack"):
        await MedCat.open(tmp_path / "no-such-pack")
    (tmp_path / "pack.txt").write_text("text")
    with pytest.raises(ConceptsError, match=r"pack.txt: a model pack is a folder or a \.zip"):
        await MedCat.open(tmp_path / "pack.txt")


async def test_a_broken_model_pack_is_told(model_pack, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.zip").write_bytes(b"no zip")
    for part in (model_pack / "cdb").rglob("*"):
        if part.is_file() and part.name != ".serialised_by":
            part.write_bytes(part.read_bytes()[:10])
    for broken in (tmp_path / "empty", tmp_path / "broken.zip", model_pack):
        with pytest.raises(ConceptsError, match=f"{broken.name}: is no model pack of MedCAT, or a damaged one"):
            await MedCat.open(broken)


async def test_what_is_missing_is_told_with_the_cure(made, monkeypatch):
    monkeypatch.setitem(sys.modules, "medcat.cat", None)
    with pytest.raises(ConceptsError, match=r"pip install 'weft\[medcat\]'"):
        await MedCat.open(made)


async def test_a_text_that_cannot_be_read_is_told_without_its_words(made, monkeypatch):
    reader = await MedCat.open(made)

    def broken(text):
        raise RuntimeError(f"cannot read {text}")

    monkeypatch.setattr(reader._model, "get_entities", broken)
    with pytest.raises(ConceptsError) as told:
        await reader.find("my secret gout")
    assert "RuntimeError" in str(told.value) and "secret" not in str(told.value)


async def test_an_assistant_with_it_knows_what_is_told_by_any_name(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_MEDCAT_MODEL", str(made))

    def ask(text):
        result = CliRunner().invoke(
            main, ["ask", text, "--pack", "medical", "--json", "--data", "data", "--thread", "one"]
        )
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    told = await asyncio.to_thread(ask, "저는 podagra가 있고 Glucophage를 먹어요")
    assert told["slots"] == {"conditions": ["gout"], "medications": ["metformin"]}
    known = await asyncio.to_thread(ask, "what do you know about me?")
    assert "gout" in known["answer"] and "metformin" in known["answer"]


async def test_a_text_that_it_cannot_read_is_answered_all_the_same_and_it_is_said(made, tmp_path, monkeypatch):
    async def broken(self, text):
        raise ConceptsError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_MEDCAT_MODEL", str(made))
    monkeypatch.setattr(MedCat, "find", broken)
    question = ["ask", "고혈압 환자의 목표 혈압은 얼마인가요?", "--pack", "medical", "--json", "--data", "data"]
    told = json.loads((await asyncio.to_thread(CliRunner().invoke, main, question)).stdout)
    assert "140/90" in told["answer"] and say("concepts_failed", "ko") in told["warnings"]


async def test_a_model_pack_that_is_wrong_is_told_at_the_start_and_by_the_doctor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_MEDCAT_MODEL", "nowhere")
    for command in (["ask", "hi", "--pack", "medical"], ["doctor"]):
        result = await asyncio.to_thread(CliRunner().invoke, main, [*command, "--data", "data"])
        assert result.exit_code != 0 and "nowhere: there is no such model pack" in result.output
        assert "WEFT_MEDCAT_MODEL" in result.output and "Traceback" not in result.output


async def test_what_people_write_does_not_reach_the_logs(made, caplog):
    reader = await MedCat.open(made)
    with caplog.at_level(logging.DEBUG):
        assert [type(each) for each in await reader.find("my secret gout")] == [Concept]
    assert "gout" not in caplog.text and "secret" not in caplog.text
