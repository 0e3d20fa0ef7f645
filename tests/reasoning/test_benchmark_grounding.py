"""The benchmark of grounding, on a few texts of our own in the form of the public sets."""

import json
import sys

import pytest

from benchmarks import grounding, model_judge
from benchmarks.grounding_planted import KINDS, Statement, loosened, planted

TOWER = (
    "The old tower was built in 1890 by Ada Brandt. It has at least 40 steps and may be climbed before noon on Sunday. "
    "The northern door is not open in winter. All visitors of the tower pay 5 euros to Ben Olsen on 3 March."
)
HARBOUR = "The harbour of Lund lies east of the town. Carla Reyes runs a small shop there with 12 boats for hire."
TURM = (
    "오래된 탑은 1890년에 지어졌으며, 계단은 모두 40개 이상이라고 알려져 있다. "
    "모든 방문객은 입장료를 내야 한다고 안내문에 적혀 있으며 겨울에는 북쪽 문을 이용할 수 있다."
)


@pytest.fixture
def data(tmp_path):
    for folder in ("begin", "q2", "clapnq", "korquad"):
        (tmp_path / folder).mkdir()
    rows = [
        ("The tower was built in 1890 by Ada Brandt.", TOWER, "Fully attributable"),
        ("The tower was built in 1750 by a king.", TOWER, "Not fully attributable"),
        ("I like towers a lot, do you?", TOWER, "Generic"),
        ("Carla Reyes has 12 boats for hire.", HARBOUR, "Fully attributable"),
    ]
    head = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
    table = head + "".join(f"m\td\t{source}\thello\t{text}\t{label}\n" for text, source, label in rows)
    for name in ("wow_begin_dev_wow", "topicalchat_begin_dev_tc"):
        (tmp_path / "begin" / f"{name}.tsv").write_text(table, encoding="utf-8")
    (tmp_path / "q2" / "cross_annotation.csv").write_text(
        "topic,message,dodeca_response,memnet_response,knowledge,dodeca_label,memnet_label\n"
        f'Towers,hi,"the tower has 40 steps","the tower has 90 steps","{TOWER}",0,1\n',
        encoding="utf-8",
    )
    for name, question in (("answerable", "who built the old tower"), ("unanswerable", "price of figs in Peru")):
        entry = {
            "id": name,
            "input": question,
            "passages": [{"title": "Tower", "text": TOWER}],
            "output": [{"answer": "The old tower was built in 1890 by Ada Brandt. All visitors pay 5 euros."}],
        }
        lines = "".join(json.dumps(entry) + "\n" for _ in range(17))
        (tmp_path / "clapnq" / f"clapnq_dev_{name}_first150.jsonl").write_text(lines, encoding="utf-8")
    articles = {"data": [{"title": "t", "paragraphs": [{"context": TURM, "qas": []}]}]}
    (tmp_path / "korquad" / "KorQuAD_v1.0_dev.json").write_text(json.dumps(articles), encoding="utf-8")
    return tmp_path


def test_it_measures_all_sets(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["grounding", str(data), "--json", str(tmp_path / "figures.json")])
    grounding.main()
    shown = capsys.readouterr().out
    assert "Supported or not, AUC" in shown and "Speed" in shown
    told, found, fast = json.loads((tmp_path / "figures.json").read_text()).values()
    assert told["BEGIN WoW dev"]["Weft"] == told["BEGIN TopicalChat dev"]["Weft"] == 1.0
    assert told["Q2"]["Weft"] == told["ClapNQ answerability"]["Weft"] == 1.0
    assert found["en, ClapNQ answers: true sentences blamed"]["all"] == 0.0
    assert found["en, BEGIN: number"]["all"] == 1.0
    assert found["ko, KorQuAD: true sentences blamed"]["sentences"] == 2
    assert fast and all(times["p95 ms"] >= times["p50 ms"] >= 0 for times in fast.values())  # its clock may tick slower


def test_a_judge_decides_what_the_rules_do_not_prove(data, tmp_path, monkeypatch, capsys):
    file = tmp_path / "judged.json"
    monkeypatch.setattr(sys, "argv", ["model_judge", str(data), "--most", "20", "--json", str(file)])
    model_judge.main()
    figures = json.loads(file.read_text())["figures"]
    twins = {name: shares for name, shares in figures.items() if name.endswith("twins caught")}
    assert len(twins) == 3 and all(shares["sentences"] > 0 for shares in twins.values())
    assert all(shares["truthful"] == shares["no to all"] == 1.0 for shares in twins.values())
    assert any(shares["rules alone"] < 1.0 for shares in twins.values())
    assert all(figures[f"{name.removesuffix('twins caught')}true sentences deleted"]["truthful"] == 0 for name in twins)
    assert all(shares["truthful"] > 0 for name, shares in figures.items() if name.endswith("calls of the judge"))


def test_each_kind_of_error_is_planted_and_found():
    kinds = {}
    for false in planted([Statement(text=sentence, source=TOWER) for sentence in TOWER.split(". ")]):
        assert false.text not in TOWER
        kinds.setdefault(false.kind, []).append(grounding.is_blamed(false.text, TOWER))
    assert set(kinds) >= {"number", "date", "negation", "comparative", "antonym", "modality", "name of the source"}
    assert set(kinds) <= set(KINDS)
    assert all(all(found) for kind, found in kinds.items() if kind != "name of the source")


def test_korean_errors_are_planted_and_found():
    statements = [Statement(text=text, source=TURM) for text in loosened(TURM)]
    assert not any(grounding.is_blamed(each.text, each.source) for each in statements)
    found = {false.kind: grounding.is_blamed(false.text, false.source) for false in planted(statements)}
    assert {"number", "comparative", "antonym"} <= set(found)
    assert all(found.values())


@pytest.mark.parametrize(
    ("scores", "positive", "area"),
    [
        ([0.9, 0.8, 0.1], [True, True, False], 1.0),
        ([0.1, 0.9], [True, False], 0.0),
        ([0.5, 0.5, 0.5, 0.5], [True, False, True, False], 0.5),
        ([0.3, 0.3, 0.2], [True, False, False], 0.75),
        ([0.3], [True], 0.5),
    ],
)
def test_area_under_the_curve(scores, positive, area):
    assert grounding.auc(scores, positive) == area
