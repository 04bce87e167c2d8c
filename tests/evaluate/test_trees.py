"""Trees that are attached before scoring: from a file, or predicted where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from coindex import datasets, formats
from coindex.cli import cli
from coindex.evaluate.trees import add_predicted_trees, add_trees
from coindex.scoring.alignment import align
from coindex.scoring.scorer import ScoringOptions, score_pairs
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

STORY = [["The", "house", "on", "the", "hill", "burned", "."], ["It", "was", "old", "."]]


def story(end: int = 5) -> Document:
    house = Entity((Mention((Span(0, end),)), Mention((Span(7, 8),))), "house")
    return Document.of("d", STORY, [house])


def test_documents_without_trees_are_parsed() -> None:
    given = Document.of("given", [["Ann"]], parse=("(TOP(NP*))",), pos=("NNP",))
    added = add_trees([given, story()], "auto")
    assert added.parsed == 1
    assert added.signature.startswith("parser-")
    assert added.documents[0] is given
    parsed = added.documents[1]
    assert parsed.parse is not None
    assert parsed.parse[0].startswith("(TOP(S(NP(NP*")
    assert parsed.entities == story().entities
    assert add_trees([given], "auto").signature == ""
    assert add_predicted_trees([given], again=True).parsed == 1


def test_trees_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "trees.txt"
    file.write_text("(TOP (NP (NN a)))\n", encoding="utf-8")
    added = add_trees([Document.of("d", [["a"]])], str(file))
    assert (added.documents[0].parse, added.signature) == (("(TOP(NP*))",), "")


def score(folder: Path, *more: str) -> dict[str, object]:
    for name, end in (("key", 5), ("response", 2)):
        formats.write(str(folder / f"{name}.jsonl"), [story(end)], "document-jsonl")
    files = [str(folder / f"{name}.jsonl") for name in ("key", "response")]
    result = CliRunner().invoke(cli, ["score", *files, "--match", "mina", "--json", *more])
    assert result.exit_code == 0, result.output
    found: dict[str, object] = json.loads(result.stdout)
    assert "trees of 1 of 1 document(s) are predicted: parser-" in result.stderr
    return found


def test_minimum_spans_of_a_plain_file(tmp_path: Path) -> None:
    """`The house on the hill` and `The house` have one minimum span."""
    found = score(tmp_path, "--trees", "auto")
    assert "|trees:parser-" in str(found["signature"])
    systems = found["systems"]
    assert isinstance(systems, list)
    assert systems[0]["scores"]["conll"]["f1"] == 100
    plain = CliRunner().invoke(
        cli, ["score", str(tmp_path / "key.jsonl"), str(tmp_path / "response.jsonl"), "--json"]
    )
    assert json.loads(plain.stdout)["systems"][0]["scores"]["conll"]["f1"] < 100


def test_spans_are_measured(tmp_path: Path) -> None:
    file = tmp_path / "key.jsonl"
    formats.write(str(file), [story()], "document-jsonl")
    result = CliRunner().invoke(cli, ["spans", str(file), "--trees", "auto", "--json"])
    assert result.exit_code == 0, result.output
    (values,) = json.loads(result.stdout)["files"].values()
    assert values["mean length"]["mina"] < values["mean length"]["maximum"]


def noisy(document: Document) -> Document:
    """Every second mention with a word less, or more, at its end."""
    entities = []
    for number, entity in enumerate(document.entities):
        moved = {}
        for place, mention in enumerate(entity.mentions):
            start, end = mention.start, mention.end
            if (number + place) % 2 and len(mention.spans) == 1:
                end = end - 1 if end - start > 1 else min(end + 1, len(document))
            moved[start, end] = Mention((Span(start, end),))
        entities.append(Entity(tuple(moved.values())))
    return Document.of("d", [document.tokens[s.start : s.end] for s in document.sentence_spans()],
                       entities)  # fmt: skip


@pytest.mark.data
def test_predicted_trees_cost_little(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MINA's CoNLL F1 with noisy boundaries, on some of OntoGUM's dev documents."""
    monkeypatch.setenv("COINDEX_DATA", str(data))
    paths = datasets.paths("ontogum", "dev")
    gold = [d for d in formats.read(paths[0]) if isinstance(d, Document)][::5]
    responses = [
        Document(d.id, d.text, d.tokens, d.starts, d.ends, d.sentences, noisy(d).entities, d.part)
        for d in gold
    ]
    options = ScoringOptions(match="mina")
    scores = []
    for keys in (gold, add_predicted_trees(gold, again=True).documents):
        pairs = align(keys, responses, missing="error", name="noisy")
        scores.append(score_pairs(pairs, options, "noisy").scores["conll"].f1)
    assert abs(scores[0] - scores[1]) < 0.8  # of six documents; 0.5 is for all
