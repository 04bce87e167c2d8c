"""Files that hold predictions beside gold clusters, and files in subwords."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from coindex import Document, FormatError, formats
from coindex.cli import cli
from coindex.types.source import Source

GOLD, PREDICTED = [[[0, 1], [3, 3]]], [[[0, 1], [5, 5]]]
BOTH = {
    "doc_key": "a",
    "sentences": [["Ann", "Lee", "said", "she", "fed", "it"]],
    "clusters": GOLD,
    "predicted_clusters": PREDICTED,
}


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


def write(path: Path, *values: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def read(path: Path, **options: Any) -> list[Document]:
    items = formats.read(path, None, Source(str(path), **options))
    return [item for item in items if isinstance(item, Document)]


def spans(document: Document) -> list[list[tuple[int, int]]]:
    return [[(m.start, m.end) for m in entity.mentions] for entity in document.entities]


def f1(*args: object) -> tuple[float, Result]:
    result = run("score", *args, "--json")
    assert result.exit_code == 0, result.output
    (system,) = json.loads(result.stdout)["systems"]
    rows = json.dumps(system)
    return float(rows.split('"conll"')[1].split('"f1": ')[1].split("}")[0].split(",")[0]), result


def test_predictions_count_in_a_response_and_gold_clusters_in_a_key(tmp_path: Path) -> None:
    path = write(tmp_path / "both.jsonl", BOTH)
    (gold,), (predicted,) = read(path), read(path, response=True)
    assert spans(gold) == [[(0, 2), (3, 4)]]
    assert spans(predicted) == [[(0, 2), (5, 6)]]
    value, result = f1(path, path)
    assert value < 60, "version 0.1 gave 100: it compared the gold clusters with themselves"
    assert "holds gold clusters and predictions: the predictions are scored" in result.stderr


def test_the_field_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "both.jsonl", {**BOTH, "rival": GOLD})
    for field, perfect in (("clusters", True), ("rival", True), ("predicted_clusters", False)):
        value, result = f1(path, path, "--clusters", field)
        assert (value == 100) is perfect
        assert result.stderr == ""
    result = run("score", path, path, "--clusters", "other")
    assert result.exit_code != 0
    assert "expected the field 'other', found clusters in: clusters, predicted" in str(
        result.exception
    )


def test_a_format_without_fields_refuses_the_choice(tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    formats.write(path, read(write(tmp_path / "both.jsonl", BOTH)), "conll2012")
    result = run("score", path, path, "--clusters", "clusters")
    assert "--clusters is for JSON with several fields" in str(result.exception)


def test_files_with_predictions_alone_are_read(tmp_path: Path) -> None:
    alone = {name: value for name, value in BOTH.items() if name != "clusters"}
    (document,) = read(write(tmp_path / "alone.jsonl", alone))
    assert spans(document) == [[(0, 2), (5, 6)]]


def test_a_response_with_predictions_in_some_documents_is_refused(tmp_path: Path) -> None:
    bare = {name: value for name, value in BOTH.items() if name != "predicted_clusters"}
    path = write(tmp_path / "some.jsonl", BOTH, {**bare, "doc_key": "b"})
    with pytest.raises(FormatError, match=r"2: expected clusters in 'predicted_clusters', as"):
        read(path, response=True)
    assert len(read(path)) == 2


def test_check_warns_once(tmp_path: Path) -> None:
    path = write(tmp_path / "both.jsonl", BOTH, {**BOTH, "doc_key": "b"})
    result = run("check", path)
    assert result.exit_code == 1
    assert result.stdout.count("predicted_clusters beside clusters") == 1
    assert run("check", path, "--ignore", "predictions").exit_code == 0


SUBWORDS: dict[str, Any] = {
    "doc_key": "s",
    "sentences": [["[CLS]", "An", "##n", "slept", "[SEP]"], ["[CLS]", "she", "snor", "##ed", "[SEP]"]],
    "speakers": [["[SPL]", "A", "A", "A", "[SPL]"], ["[SPL]", "B", "B", "B", "[SPL]"]],
    "sentence_map": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
    "subtoken_map": [0, 0, 0, 1, 1, 2, 2, 3, 3, 3],
    "clusters": [[[1, 2], [6, 6]]],
}  # fmt: skip


def test_subwords_become_words(tmp_path: Path) -> None:
    (document,) = read(write(tmp_path / "s.jsonl", SUBWORDS))
    assert document.tokens == ("Ann", "slept", "she", "snored")
    assert document.sentences == (0, 2)
    assert document.speakers == ("A", "A", "B", "B")
    assert spans(document) == [[(0, 1), (2, 3)]]
    assert document.meta == ()


def test_the_words_of_the_file_are_used_where_it_has_them(tmp_path: Path) -> None:
    words = ["ANN", "slept", "She", "snored"]
    (document,) = read(write(tmp_path / "s.jsonl", {**SUBWORDS, "tokens": words}))
    assert list(document.tokens) == words


def test_subwords_without_a_sentence_map_and_with_null(tmp_path: Path) -> None:
    segments = [["<s>", "▁An", "n", "▁slept", "."], ["<s>", "▁She", "▁sn", "ored", "</s>"]]
    value = {**SUBWORDS, "sentences": segments}
    value["subtoken_map"] = [None, 0, 0, 1, 1, None, 2, 3, 3, None]
    del value["sentence_map"]
    (document,) = read(write(tmp_path / "s.jsonl", value))
    assert document.tokens == ("Ann", "slept.", "She", "snored")
    assert document.sentences == (0,), "without a map, sentences are found by rule"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subtoken_map": [0, 1]}, "a number for each of the 10 tokens in 'sentences'"),
        ({"subtoken_map": [0, 0, 0, 1, 0, 2, 2, 3, 3, 3]}, "numbers that rise from 0"),
        ({"subtoken_map": [0, 0, 0, 1, 1, 10**9, 2, 3, 3, 3]}, "numbers that rise from 0"),
        ({"subtoken_map": [None] * 10}, "among the words"),
        ({"sentence_map": [0]}, "a number for each of 10 subwords"),
        ({"clusters": [[[1, 10]]]}, "within 10 subwords"),
    ],
)
def test_broken_maps_are_explained(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(write(tmp_path / "s.jsonl", {**SUBWORDS, **change}))


def test_a_word_without_subwords_keeps_its_place(tmp_path: Path) -> None:
    source = Source("s")
    value = {**SUBWORDS, "subtoken_map": [0, 0, 0, 1, 1, 3, 3, 4, 4, 4]}
    lines = [json.dumps(value)]
    (document,) = formats.read_lines(lines, "jsonlines", source)
    assert isinstance(document, Document)
    assert document.tokens == ("Ann", "slept", "_", "she", "snored")
    assert [finding.rule for finding in source.findings] == ["subwords"]
