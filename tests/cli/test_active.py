"""`coindex active rank` and `coindex active simulate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import quizbowl_samples as samples
from coindex import formats
from coindex.active import simulation
from coindex.active.worker import Setup
from coindex.cli import cli
from coindex.errors import InputError
from coindex.models.mention_pair import word_vectors

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of stories, and a parser that needs no spaCy."""
    monkeypatch.setattr(Setup, "learner", lambda self: samples.learner())
    monkeypatch.setattr(simulation, "make_parser", lambda name, cache: samples.WordParser())
    (tmp_path / "stories").mkdir()
    for document in samples.stories(12):
        formats.write(tmp_path / "stories" / f"{document.id}.jsonl", [document], "document-jsonl")
    return tmp_path


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, ["active", *map(str, args)], catch_exceptions=True)


def rank(corpus: Path, *args: str | Path) -> Result:
    known = [f"--annotated={corpus}/stories/story-0{n}.jsonl" for n in range(4)]
    pool = [corpus / "stories" / f"story-{n:02}.jsonl" for n in range(6, 12)]
    return run("rank", *pool, *known, *args)


def test_rank_prints_the_pool_in_order(corpus: Path) -> None:
    found = rank(corpus, "--strategy", "longest")
    assert found.exit_code == 0, found.output
    rows = [line.split() for line in found.stdout.splitlines()]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert rows[0][2] == "24.0000"


def test_rank_as_json_and_as_a_log(corpus: Path) -> None:
    log = corpus / "picks.jsonl"
    found = json.loads(rank(corpus, "--json", "--log", log, "--members", "2").stdout)
    assert (found["strategy"], found["seed"], found["annotated"]) == ("voting", 1, 4)
    assert len(found["models"]) == 2
    assert len(found["picks"]) == 6
    assert found["aside"] == []
    rank(corpus, "--strategy", "random", "--log", log)
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [row["strategy"] for row in rows] == ["voting"] * 6 + ["random"] * 6
    assert rows[0]["document"] == found["picks"][0]["document"]


def test_a_share_is_kept_aside(corpus: Path) -> None:
    found = json.loads(rank(corpus, "--json", "--aside", "0.5", "--strategy", "random").stdout)
    assert len(found["picks"]) + len(found["aside"]) == 6
    assert found["aside"]
    said = rank(corpus, "--aside", "0.5", "--strategy", "random")
    assert f"kept aside for evaluation: {found['aside'][0]}" in said.stderr


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--strategy", "best"], 2, "unknown strategy 'best'"),
        (["--set", "rule=nearest"], 2, "unknown link rule"),
        (["--set", "rule"], 2, "KEY=VALUE"),
        (["--aside", "1"], 2, "--aside"),
    ],
)
def test_rank_with_wrong_options(corpus: Path, args: list[str], code: int, message: str) -> None:
    found = rank(corpus, *args)
    error = found.exception
    assert message in found.output + str(error)
    assert getattr(error, "exit_code", getattr(error, "code", 0)) == code


def test_rank_needs_something_annotated(corpus: Path) -> None:
    found = run("rank", corpus / "stories")
    assert "annotated documents, found none" in str(found.exception)


SMALL = ("--seeds", "2", "--rounds", "2", "--start", "3", "--pool", "5", "--members", "2")


def test_simulate_prints_tables_and_draws(corpus: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = corpus / "curves.svg"
    found = run("simulate", corpus / "stories", *SMALL, "--plot", plot)
    assert found.exit_code == 0, found.output
    for words in ("Scores by documents annotated", "Paired tests over seeds", "saved"):
        assert words in found.stdout
    assert plot.read_text(encoding="utf-8").startswith("<?xml")


def test_simulate_goes_on_from_its_folder(corpus: Path) -> None:
    out = corpus / "out"
    first = run("simulate", corpus / "stories", *SMALL, "-o", out, "--json")
    logged = (out / "seed-2.jsonl").read_bytes()
    again = run("simulate", corpus / "stories", *SMALL, "-o", out, "--json")
    assert again.stdout == first.stdout
    assert (out / "seed-2.jsonl").read_bytes() == logged
    rows = json.loads(first.stdout)["rows"]
    assert len(rows) == 2 * 2 * 3
    other = run("simulate", corpus / "stories", *SMALL, "-o", out, "--strategy", "random")
    assert "plan differ" in str(other.exception)
    assert run("simulate", corpus / "stories", *SMALL, "-o", out, "--strategy", "random",
               "--fresh").exit_code == 0  # fmt: skip


def test_all_strategies(corpus: Path) -> None:
    found = run("simulate", corpus / "stories", "--strategy", "all", "--seeds", "1", "--rounds",
                "1", "--start", "3", "--pool", "4", "--json")  # fmt: skip
    rows = json.loads(found.stdout)["rows"]
    assert len({row["strategy"] for row in rows}) == 6


def test_simulate_says_when_there_are_too_few_documents(corpus: Path) -> None:
    found = run("simulate", corpus / "stories")
    assert "expected at least 71 documents" in str(found.exception)


def test_what_needs_no_model_needs_no_parser(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Setup) -> None:
        raise AssertionError("not asked for")

    monkeypatch.setattr(Setup, "learner", fail)
    assert rank(corpus, "--strategy", "random").exit_code == 0
    assert rank(corpus, "--strategy", "longest").exit_code == 0


def test_checkpoints_of_a_network_vote(corpus: Path, exported: Path, small: Path) -> None:
    found = rank(corpus, "--checkpoint", exported, "--checkpoint", small, "--json")
    told = json.loads(found.stdout)
    assert len(set(told["models"])) == 2
    assert all("model:" in each for each in told["models"])
    assert all(0 <= pick["score"] <= 1 for pick in told["picks"])


def test_a_network_under_dropout_votes(corpus: Path, trained: Path) -> None:
    found = rank(corpus, "--dropout", trained, "--members", "2", "--json", "--seed", "4")
    told = json.loads(found.stdout)
    assert [each.rpartition("|")[2] for each in told["models"]] == ["dropout:4.1", "dropout:4.2"]
    assert found.stderr == "", "no model was trained here: nothing is said of word vectors"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--checkpoint", "a"), "two or more"),
        (("--checkpoint", "a", "--checkpoint", "b", "--dropout", "c"), "choose one"),
        (("--dropout", "c", "--members", "1"), "--members 2 or more"),
        (("--checkpoint", "a", "--checkpoint", "b"), "expected a model's folder"),
    ],
)
def test_networks_that_cannot_vote(corpus: Path, args: tuple[str, ...], message: str) -> None:
    assert message in str(rank(corpus, *args).exception)


def test_that_there_are_no_vectors_is_told(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_vectors, "SHIPPED", tmp_path)
    said = "no neural model is shipped with this version: no word vectors, no cosine feature"
    assert said in rank(corpus).stderr
    assert said in run("simulate", corpus / "stories", *SMALL).stderr
    assert rank(corpus, "--vectors", "none").stderr == ""
    assert rank(corpus, "--strategy", "longest").stderr == ""


def test_a_log_that_cannot_be_written_is_told_before_any_work(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Setup, "learner", lambda self: pytest.fail("work was done"))
    for place in (corpus, corpus / "nowhere" / "log.jsonl"):
        assert isinstance(rank(corpus, "--log", place).exception, InputError)


@pytest.mark.parametrize(
    ("plot", "message"),
    [("curves.txt", "expected a picture"), ("nowhere/curves.svg", "expected a folder")],
)
def test_a_bad_place_for_the_picture_is_told_before_any_work(
    plot: str, message: str, corpus: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    args = ["active", "simulate", str(corpus / "nothing"), "--plot", str(tmp_path / plot)]
    result = CliRunner().invoke(cli, args)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
