"""The driver that trains adapters in a given time: packed rows, rounded weights, a whole run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers")
import numpy as np
import torch
from research.models.packed_rows import (
    PackedRows,
    Row,
    RowPacker,
    Vocabulary,
    load_arrays,
    save_arrays,
    shared_ends,
    token_batches,
)
from research.models.pronoun_distill import TimedRun, parse_settings
from research.models.pronoun_distill_data import (
    Reading,
    hard_target,
    pack,
    pack_query,
    text_rows,
    write_vocabularies,
)
from research.models.pronoun_distill_pool import Settings, group_share, load_pool, shape_targets
from research.models.rounded_weights import restore_encoder, round4, round8, round_encoder

import training_samples as samples
from coindex.models.common.quantization import QuantizedEmbedding
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun.candidate_rows import make_batch, problem_rows
from coindex.models.pronoun.query import own_candidates
from coindex.models.pronoun.substitution import new_substitution
from coindex.models.pronoun.weights import load_model

CPU = torch.device("cpu")


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return samples.encoder(tmp_path / "encoder")


def readings(count: int = 16) -> list[Reading]:
    queries = own_candidates(samples.problem(number) for number in range(count))
    return [Reading(at, 0, False, query, hard_target(query)) for at, query in enumerate(queries)]


def test_what_rows_share() -> None:
    assert shared_ends([(1, 2, 3, 9), (1, 5, 6, 3, 9)]) == (1, 2)
    assert shared_ends([(1, 1), (1, 1, 1)]) == (2, 0)
    assert shared_ends([(1,), (2,)]) == (0, 0)


def test_batches_are_those_of_the_package(encoder: Path, tmp_path: Path) -> None:
    tokenizer = TextTokenizer(str(encoder))
    every = readings()
    save_arrays(tmp_path / "x.npz.xz", pack(every, tokenizer))
    packed = PackedRows(load_arrays(tmp_path / "x.npz.xz"))
    write_vocabularies(tmp_path, str(encoder), str(encoder))
    own = load_arrays(tmp_path / "vocabularies.npz.xz")["mpnet"]
    vocabulary = Vocabulary.of_array(own)
    plain = [at for at in range(len(packed)) if not packed.switched[at]]
    expected = make_batch(
        [problem_rows(each.query, tokenizer, 192) for each in every], tokenizer.pad, CPU
    )
    for one in (packed, packed.part(np.arange(len(packed)))):
        batch = one.batch(plain, vocabulary, CPU)
        for name in ("subwords", "mask", "own", "owner", "right"):
            assert torch.equal(getattr(batch, name), getattr(expected, name)), name
    assert int(packed.switched.sum()) > 0
    assert packed.costs.sum() == (packed.lengths * 2).sum()


def test_rows_of_texts_that_are_cut(encoder: Path) -> None:
    from dataclasses import replace

    tokenizer = TextTokenizer(str(encoder))
    (query,) = own_candidates([samples.problem(3)])
    long = replace(query.problem, text=query.problem.text + " Ann slept." * 300)
    reading = Reading(0, 0, False, replace(query, problem=long), (1.0, 0.0))
    (rows,) = text_rows([reading], tokenizer)
    expected = problem_rows(reading.query, tokenizer, 192).rows
    assert [(row.subwords, row.start + 1, row.end + 1) for row in rows] == [
        (row.subwords[1:-1], row.start, row.end) for row in expected
    ]


def test_batches_of_subwords_cover_everything() -> None:
    rng = np.random.default_rng(1)
    lengths, counts = rng.integers(5, 60, 500), rng.integers(2, 5, 500)
    batches = token_batches(lengths, counts, 600, rng)
    assert sorted(at for batch in batches for at in batch) == list(range(500))
    assert all(lengths[b].max() * counts[b].sum() <= 600 for b in batches if len(b) > 1)


def test_targets_have_temperature_or_smoothing() -> None:
    packer = RowPacker()
    rows = [Row((1, 2), 0, 1), Row((3, 2), 0, 1)]
    packer.add(0, 0, False, rows, [0.8, 0.2])
    packer.add(1, 1, False, rows, [1.0, 0.0])
    packed = PackedRows(packer.arrays())
    shape_targets(packed, np.array([True, False]), Settings(1.0, temperature=0.5, smoothing=0.1))
    assert packed.target == pytest.approx([16 / 17, 1 / 17, 0.95, 0.05], abs=1e-3)
    shares = [group_share(each, Settings(1.0, hard=3.0)) for each in ("names", "dpr:train-small")]
    assert shares == [1.0, 6.0]


def test_rounded_weights_are_those_of_the_export() -> None:
    matrix = torch.randn(6, 384)
    table = QuantizedEmbedding(matrix)
    assert torch.allclose(round8(matrix), table(torch.arange(6)), atol=1e-6)
    four = round4(torch.randn(5, 40))
    assert torch.allclose(round4(four), four, atol=1e-6)
    for row in four[:, :32]:
        assert len(row.unique()) <= 16


def test_the_encoder_is_restored(encoder: Path) -> None:
    model = new_substitution(str(encoder), 0, 1, rank=4)
    before = {name: value.clone() for name, value in model.named_parameters()}
    for bits in ("", "8", "4", "mixed"):
        originals = round_encoder(model.encoder, bits, torch.bfloat16)
        layer = model.encoder.encoder.layer[0].output.dense
        assert layer.weight.dtype == torch.bfloat16
        restore_encoder(model.encoder, originals)
        assert all(torch.equal(value, before[name]) for name, value in model.named_parameters())


@pytest.fixture
def data(encoder: Path, tmp_path: Path) -> Path:
    """A folder as `pronoun_distill_data` writes it: labelled and unlabelled problems, and a dev
    set and a test set with their switched copies."""
    folder = tmp_path / "data"
    folder.mkdir()
    tokenizer = TextTokenizer(str(encoder))
    for name, group in (("labelled", "dpr:train-small"), ("names", "names")):
        packer = RowPacker()
        for reading, rows in zip(readings(), text_rows(readings(), tokenizer), strict=True):
            packer.add(reading.item, 0, False, rows, reading.target)
        save_arrays(folder / f"{name}.npz.xz", packer.arrays())
        row = {"groups": [group], "problems": {group: 16}}
        (folder / f"{name}.json").write_text(json.dumps(row))
    arrays, labels = {}, ("dpr:dev:given", "dpr:test:given")
    for label in labels:
        for each in (label, f"{label}:switched"):
            packer = RowPacker()
            for reading in readings(8):
                dev = "dev" in each
                pack_query(packer, reading.item, 0, reading.query, tokenizer, answers=dev)
            arrays.update({f"{each}|{key}": value for key, value in packer.arrays().items()})
    save_arrays(folder / "sets.npz.xz", arrays)
    (folder / "sets.json").write_text(json.dumps({"parts": {label: ["a"] for label in labels}}))
    write_vocabularies(folder, str(encoder), str(encoder))
    return folder


def test_the_pool_has_every_problem(data: Path) -> None:
    settings = Settings(1.0)
    pool = load_pool(data, settings)
    assert len(pool.first) == 32
    assert sorted(set(pool.repeats)) == [1.0, 4.0]
    batch = next(pool.batches(10_000, np.random.default_rng(1)))
    assert len(batch) == 16 + 4 * 16


def test_a_run(encoder: Path, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["train", "--encoder", str(encoder), "--data", str(data), "--out", str(out)]
    command += ["--seconds", "60", "--rank", "4", "--bits", "8", "--steps", "120"]
    command += ["--head-rate", "1e-2", "--rate", "2e-3", "--subwords", "300"]
    TimedRun(*parse_settings(command)).run()
    figures = json.loads((out / "dev.json").read_text())
    assert figures["mean"]["one"] > 80
    model = load_model(out, "substitution")
    assert next(model.parameters()).dtype == torch.float32
    scores = np.load(out / "scores.npz")
    assert scores["dpr:test:given|counts"].tolist() == [2] * 8
    assert (out / "weights.pt.00").read_bytes() == (out / "weights.pt").read_bytes()
    assert "dpr:train-small" not in (out / "README.md").read_text()


def test_a_run_ends_in_time(encoder: Path, data: Path, tmp_path: Path) -> None:
    import time

    began = time.monotonic()
    settings = Settings(14.0, rank=4, subwords=300)
    TimedRun(settings, encoder, data, tmp_path / "out").run()
    assert time.monotonic() - began < 30
