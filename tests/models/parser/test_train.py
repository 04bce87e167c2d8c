"""Training of a parser on a few sentences, its checkpoint, and the same answers without torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coindex import formats
from coindex.assets import DEFAULT_MODEL
from coindex.errors import InputError, UnknownName
from coindex.models import PARSER, open_model
from coindex.models.parser.recipe import Recipe, load_recipe, parse_recipe
from coindex.models.parser.vocabulary import vocabulary
from coindex.types.document import Document

WHY = "needs torch: pip install 'coindex[train]'"
SENTENCES = [
    ("The dog slept .", "DT NN VBD .", "(TOP(S(NP* *) (VP*) *))"),
    ("She saw the cat .", "PRP VBD DT NN .", "(TOP(S(NP*) (VP* (NP* *)) *))"),
    ("The old cat saw her .", "DT JJ NN VBD PRP .", "(TOP(S(NP* * *) (VP* (NP*)) *))"),
    ("He slept .", "PRP VBD .", "(TOP(S(NP*) (VP*) *))"),
]


def document(copies: int) -> Document:
    rows = [row for row in SENTENCES for _ in range(copies)]
    return Document.of(
        "d", [words.split() for words, _, _ in rows],
        pos=tuple(tag for _, tags, _ in rows for tag in tags.split()),
        parse=tuple(part for _, _, tree in rows for part in tree.split()),
    )  # fmt: skip


def recipe(folder: Path, **changes: Any) -> Recipe:
    file = folder / "trees.conll"
    formats.write(str(file), [document(6)], "conll2012")
    values = {"train": [str(file)], "dev": [str(file)], "epochs": 6, "window": 24, "batch": 1,
              "hidden": 32, "product": 8, "average": 0.5, "shared": 5, "own": 1, "head_rate": 5e-3}  # fmt: skip
    return parse_recipe({**values, **changes}, "test")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, one_thread: None) -> tuple[Path, Recipe]:
    """A folder with a parser of four kinds of sentences."""
    for package in ("torch", "transformers", "onnx"):
        pytest.importorskip(package, reason=WHY)
    from coindex.models.parser.train.trainer import train

    home = tmp_path_factory.mktemp("parser")
    made = recipe(home)
    result = train(made, home / "trained")
    assert result.dev["f1"] > 95
    assert not result.finished_before
    return home / "trained", made


def test_own_layers_follow_the_shared_ones(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason=WHY)
    from coindex.models.parser.vocabulary import vocabulary
    from coindex.models.parser.weights import new_parser

    known = vocabulary([document(6)], 1)
    made = new_parser(recipe(tmp_path, shared=4, own=2), known)
    assert (len(made.shared.encoder.layer), len(made.network.layers.layer)) == (4, 2)
    rest = new_parser(recipe(tmp_path, shared=4, own=0), known).network.layers.layer
    assert len(rest) > 2
    pairs = zip(made.network.layers.layer.parameters(), rest[:2].parameters(), strict=True)
    assert all(bool((one == two).all()) for one, two in pairs)


def test_what_is_stored(trained: tuple[Path, Recipe]) -> None:
    folder, made = trained
    artifact = open_model(folder)
    assert (artifact.kinds, artifact.exported) == ((PARSER,), False)
    metadata = artifact.metadata
    assert metadata["labels"] == ["", "NP", "S", "VP"]
    assert metadata["recipe"]["epochs"] == made.epochs == len(metadata["log"])
    assert list(metadata["data"]) == ["trees.conll"]
    assert sorted(path.name for path in folder.iterdir()) == [
        "log.jsonl",
        "model.json",
        "weights.pt",
    ]


def test_a_finished_run_is_not_trained_again(trained: tuple[Path, Recipe]) -> None:
    from coindex.models.parser.train.trainer import train

    folder, made = trained
    assert train(made, folder).finished_before
    other = recipe(folder.parent, seed=2)
    with pytest.raises(InputError, match=r"of another recipe \(seed differ\)"):
        train(other, folder)


def test_the_exported_parser_answers_alike(trained: tuple[Path, Recipe], tmp_path: Path) -> None:
    from coindex.models.parser.export import export
    from coindex.models.parser.infer import ParserEngine

    folder, _ = trained
    out = export(folder, tmp_path / "out")
    own = sum((out / name).stat().st_size for name in ("parser.json", "parser.npz", "parser.onnx"))
    assert own < 2_500_000  # one layer; the other five and the embeddings are the encoder's
    assert open_model(out).kinds == (PARSER,)
    (parsed,) = ParserEngine(out).parse([Document.of("d", [s.split() for s, _, _ in SENTENCES])])
    gold = document(1)
    assert (parsed.pos, parsed.parse) == (gold.pos, gold.parse)


def test_a_parser_of_another_encoder_is_refused(
    trained: tuple[Path, Recipe], tmp_path: Path
) -> None:
    from coindex.models.parser.export import export
    from coindex.models.parser.infer import ParserEngine

    folder, _ = trained
    out = export(folder, tmp_path / "out")
    encoder = out / "encoder.onnx"
    encoder.write_bytes(encoder.read_bytes() + b" ")
    with pytest.raises(
        InputError, match=r"encoder.onnx: expected sha256 .* train the parser again"
    ):
        ParserEngine(out)
    metadata = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "model.json").write_text(json.dumps({**metadata, "encoder": "0" * 64}))
    with pytest.raises(InputError, match="expected the encoder that it was trained over"):
        export(other, tmp_path / "more")


def test_an_interrupted_run_goes_on(
    trained: tuple[Path, Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coindex.models.parser.train import trainer

    made = recipe(tmp_path, epochs=2)
    whole = trainer.train(made, tmp_path / "whole")
    (tmp_path / "parts").mkdir()
    run = trainer.ParserTrainer(made, tmp_path / "parts", "cpu")
    monkeypatch.setattr(run, "save_checkpoint", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        run.run()
    resumed = trainer.train(made, tmp_path / "parts")
    assert resumed.dev == whole.dev
    assert len((tmp_path / "parts" / "log.jsonl").read_text().splitlines()) == 2


def test_recipes(tmp_path: Path) -> None:
    shipped = load_recipe("shipped", ["epochs=3"], encoder="folder")
    assert (shipped.epochs, shipped.encoder, shipped.train) == (3, "folder", ("gum:train",))
    with pytest.raises(UnknownName, match="shipped"):
        load_recipe("nothing")
    with pytest.raises(InputError, match="expected corpora in train and dev"):
        parse_recipe({"train": ["a"]}, "r")
    with pytest.raises(InputError, match="hidden must be at least 1, found 0"):
        recipe(tmp_path, hidden=0)
    with pytest.raises(InputError, match="window must be at least 14, found 3"):
        recipe(tmp_path, window=3)


def test_corpora_without_trees_are_refused() -> None:
    with pytest.raises(InputError, match="d: expected a document with trees and tags"):
        vocabulary([Document.of("d", [["a"]])], 1)
    known = vocabulary([document(1)], 1)
    assert known.labels == ("", "NP", "S", "VP")
    assert "PRP" in known.tags


def test_shared_layers_are_some_of_the_encoders(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason=WHY)
    from coindex.models.parser.weights import encoder_folder, new_parser

    known = vocabulary([document(1)], 1)
    with pytest.raises(InputError, match="has 12 layers, of which some must be shared"):
        new_parser(recipe(tmp_path, shared=12), known)
    with pytest.raises(InputError, match=r"expected an exported model with encoder\.onnx"):
        encoder_folder(str(tmp_path))
    assert encoder_folder("default") == DEFAULT_MODEL
