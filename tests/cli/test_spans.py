"""`coindex spans` as people run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CONLL = """#begin document (d); part 000
d 0 0 the DT (S(NP(NP* - - - - * (1|(2
d 0 1 man NN *) - - - - * 2)
d 0 2 and CC * - - - - * -
d 0 3 the DT (NP* - - - - * (3
d 0 4 dog NN *)) - - - - * 1)|3)
d 0 5 slept VBD (VP*)) - - - - * -

#end document
"""
PENN = "(S (NP (NP (DT the) (NN man)) (CC and) (NP (DT the) (NN dog))) (VP (VBD slept)))\n"


@pytest.fixture
def conll(tmp_path: Path) -> Path:
    path = tmp_path / "d.conll"
    path.write_text(CONLL)
    return path


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The same document without trees."""
    path = tmp_path / "bare.jsonl"
    words = ["the", "man", "and", "the", "dog", "slept"]
    clusters = [[[0, 4]], [[0, 1]], [[3, 4]]]
    path.write_text(json.dumps({"doc_key": "d", "sentences": [words], "clusters": clusters}) + "\n")
    return path


def spans(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coindex", "spans", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
    )


def test_json(conll: Path) -> None:
    done = spans(conll, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    (values,) = report["files"].values()
    assert values["mean length"] == {"maximum": 3.0, "mina": 8 / 3, "head": 1.0}
    assert values["lengths"]["maximum"] == {"1": 0, "2": 2, "3": 0, ">=4": 1}
    assert values["pairs sharing a minimum"] == {"mina": 0, "head": 1}
    (example,) = report["examples"]
    assert example["words"] == ["the man", "the man and the dog", "man"]
    assert example["rule"] == "head"


def test_tables_and_examples(conll: Path) -> None:
    done = spans(conll)
    assert done.returncode == 0, done.stderr
    assert "mean length" in done.stdout
    assert "2.67" in done.stdout
    assert "[the man] and [the man and the dog]: [man]" in done.stdout
    done = spans(conll, "--examples", "0")
    assert "the same" not in done.stdout


def test_several_files_are_summed(conll: Path, tmp_path: Path) -> None:
    other = tmp_path / "e.conll"
    other.write_text(CONLL.replace("(d)", "(e)"))
    report = json.loads(spans(conll, other, "--json").stdout)
    assert report["files"]["all"]["mentions"] == 6
    assert len(report["examples"]) == 2


def test_trees_from_another_file(conll: Path, bare: Path, tmp_path: Path) -> None:
    done = spans(bare)
    assert done.returncode == 2
    assert "minimum spans need parse trees" in done.stderr
    penn = tmp_path / "d.penn"
    penn.write_text(PENN)
    expected = json.loads(spans(conll, "--json").stdout)["files"][str(conll)]
    for trees in (conll, penn):
        done = spans(bare, "--trees", trees, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["files"][str(bare)] == expected
    done = spans(bare, bare, "--trees", penn)
    assert done.returncode == 2
    assert "single file" in done.stderr
    done = spans(bare, "--trees", bare)
    assert done.returncode == 1
    assert "expected Penn brackets or documents with a parse column" in done.stderr


def test_problems_have_no_spans(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    sentence = "Ann thanked Beth because _ had helped ."
    facts = {"qID": "q", "sentence": sentence, "option1": "Ann", "option2": "Beth", "answer": "2"}
    path.write_text(json.dumps(facts) + "\n")
    done = spans(path)
    assert done.returncode == 2
    assert "spans are measured in documents" in done.stderr


def test_plot(conll: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "lengths.png"
    done = spans(conll, "--plot", picture, "--json")
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert json.loads(done.stdout)["files"]
    done = spans(conll, "--plot", tmp_path / "nowhere" / "a.png")
    assert done.returncode == 1
    assert "cannot write the picture" in done.stderr


def test_plot_without_matplotlib_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from coindex.errors import MissingExtra
    from coindex.report.plots import plot_span_lengths

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"\[plot\]"):
        plot_span_lengths({"maximum": {}, "mina": {}}, str(tmp_path / "a.png"))


@pytest.mark.data
def test_real_minimums(data: Path) -> None:
    done = spans(
        data / "corefud" / "en_gum-ud-dev.conllu",
        "--trees",
        data / "gum" / "gum.dev.gold_conll.xz",
    )
    assert done.returncode == 0, done.stderr
    assert "minimum contained, %" in done.stdout
