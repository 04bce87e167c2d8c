"""Distillation of a teacher's scores, adapters over the encoder of a coreference model."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
import torch

import training_samples as samples
from coindex.errors import InputError
from coindex.models.common.encoders import load_encoder
from coindex.models.pronoun import substitution, weights
from coindex.models.pronoun.lora import LoraLinear, add_adapters
from coindex.models.pronoun.query import own_candidates
from coindex.models.pronoun.recipe import Stage, parse_recipe
from coindex.models.pronoun.substitution import choice_loss, distillation_loss
from coindex.models.pronoun.symmetric_scoring import are_names, symmetric
from coindex.models.pronoun.train.problems import TrainingProblems, with_switched
from coindex.models.pronoun.train.teacher_scores import (
    TeacherScores,
    parse_score_line,
    read_teacher_scores,
    softmax,
    target_of,
)
from coindex.models.pronoun.train.trainer import train_seed
from coindex.transform.antecedent_switching import switch
from coindex.types.problem import Candidate, Problem

WAYS = {"given": own_candidates}
STAGE = Stage(("x",), "distill", smoothing=0.1, temperature=2.0)


def things(problem: Problem) -> Problem:
    """The same problem with candidates that are no names."""
    candidates = tuple(Candidate(c.text.lower(), c.chars) for c in problem.candidates)
    return replace(problem, candidates=candidates)


def test_lines_of_scores(tmp_path: Path) -> None:
    file = tmp_path / "scores.tsv.xz"
    with lzma.open(file, "wt") as out:
        out.write("a\t100 -50\t0 50\nb\t1 2 3\n")
    scores = read_teacher_scores([str(file)])
    assert scores == {"a": TeacherScores((100, -50), (0, 50)), "b": TeacherScores((1, 2, 3))}
    assert scores["a"].logits(names=True) == [0.5, 0.0]
    assert scores["a"].logits(names=False) == [1.0, -0.5]
    for wrong in ("a", "a\tx", "a\t1 2\t1"):
        with pytest.raises(ValueError, match=r"one score|invalid literal"):
            parse_score_line(wrong)
    (tmp_path / "wrong.tsv").write_text("a\t1 2\nb\n")
    with pytest.raises(InputError, match=r"wrong.tsv:2"):
        read_teacher_scores([str(tmp_path / "wrong.tsv")])


def test_targets() -> None:
    problem = samples.problem(1)
    scores = {problem.id: TeacherScores((200, 0), (0, 0))}
    assert target_of(problem, scores, STAGE) == softmax([1.0, 0.0], 2.0)
    assert target_of(things(problem), scores, STAGE) == softmax([2.0, 0.0], 2.0)
    copy = switch(problem)
    assert isinstance(copy, Problem)
    assert target_of(copy, scores, STAGE) == softmax([1.0, 0.0], 2.0)[::-1]
    assert target_of(problem, {}, STAGE) == pytest.approx((0.95, 0.05))
    with pytest.raises(InputError, match="expected 2 scores, found 3"):
        target_of(problem, {problem.id: TeacherScores((1, 2, 3))}, STAGE)


def test_the_loss_is_cross_entropy() -> None:
    scores, owner = torch.tensor([1.0, -1.0, 0.5, 2.0, 0.0]), torch.tensor([0, 0, 1, 1, 1])
    target = torch.tensor([0.7, 0.3, 0.2, 0.3, 0.5])
    one = torch.nn.functional.cross_entropy(scores[None, :2], target[None, :2])
    two = torch.nn.functional.cross_entropy(scores[None, 2:], target[None, 2:])
    assert torch.allclose(distillation_loss(scores, target, owner), (one + two) / 2)
    right = torch.tensor([True, False, False, True, False])
    expected = choice_loss(scores, right, owner)
    assert torch.allclose(distillation_loss(scores, right.float(), owner), expected)


def test_only_names_are_switched() -> None:
    problem = samples.problem(1)
    assert are_names(problem)
    assert not are_names(things(problem))
    every = TrainingProblems((problem, things(problem)))
    assert len(with_switched(every, names=True).problems) == 3
    seen: list[int] = []

    def score(queries: Any) -> Any:
        for query in queries:
            seen.append(1)
            yield [0.0] * len(query.phrases)

    queries = list(own_candidates(every.problems))
    list(symmetric(score, names=True)(queries))
    assert len(seen) == 3


def made(encoder: Path, problems: Path, scores: Path, **changes: Any) -> Any:
    stage = {"files": [str(problems)], "loss": "distill", "scores": [str(scores)], "batch": 8,
             "rate": 2e-3, "head_rate": 1e-2, "epochs": 8}  # fmt: skip
    values = {"kind": "substitution", "encoder": str(encoder), "rank": 4, "window": 64, "both": True,
              "names": True, "stage": [{**stage, **changes}], "test": False}  # fmt: skip
    return parse_recipe(values)


@pytest.fixture
def unlabelled(tmp_path: Path) -> tuple[Path, Path]:
    """Problems without answers, but two, and the scores of a teacher that knows them."""
    known = [samples.problem(number) for number in range(16)]
    file = samples.write(
        tmp_path / "problems.jsonl",
        [replace(each, answer=None) if at > 1 else each for at, each in enumerate(known)],
        "problem-jsonl",
    )
    lines = [f"{p.id}\t{'400 0' if p.answer == (0,) else '0 400'}\n" for p in known[2:]]
    (tmp_path / "scores.tsv").write_text("".join(lines))
    return file, tmp_path / "scores.tsv"


def coref_folder(encoder: Path, folder: Path) -> Path:
    """The files of a coreference model that hold its encoder."""
    folder.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_bytes((encoder / name).read_bytes())
    loaded = load_encoder(str(encoder))
    loaded.pooler = None
    own = {f"encoder.{name}": value.half() for name, value in loaded.state_dict().items()}
    torch.save({**own, "head.weight": torch.zeros(2)}, folder / "weights.pt")
    return folder


def test_training_over_the_encoder_of_a_coreference_model(
    tiny: Path, unlabelled: tuple[Path, Path], tmp_path: Path
) -> None:
    base = coref_folder(tiny, tmp_path / "base")
    out = tmp_path / "out"
    train_seed(made(base, *unlabelled), out, WAYS)
    facts = json.loads((out / "model.json").read_text())
    assert "14 with the scores of a teacher" in next(iter(facts["left out"].values()))
    assert facts["stages"][0]["loss"] < 0.6
    base.rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="expected the encoder"):
        weights.load_model(out, "substitution")
    (tmp_path / "home").mkdir()
    (tmp_path / "elsewhere").rename(tmp_path / "home" / "base")
    out.rename(tmp_path / "home" / "out")
    loaded = weights.load_model(tmp_path / "home" / "out", "substitution")
    assert isinstance(loaded, substitution.Substitution)


def test_weights_that_are_not_of_an_encoder(tiny: Path, tmp_path: Path) -> None:
    base = coref_folder(tiny, tmp_path / "base")
    torch.save({"encoder.x": torch.zeros(2)}, base / "weights.pt")
    with pytest.raises(InputError, match="expected the weights of a whole encoder"):
        load_encoder(str(base))
    coref = coref_folder(tiny, tmp_path / "other")
    assert load_encoder(str(coref), 1).config.num_hidden_layers == 1


def test_settings_of_distillation(tiny: Path, tmp_path: Path) -> None:
    for wrong in ({"loss": "choice"}, {"temperature": 0.0}, {"smoothing": 1.0}):
        with pytest.raises(InputError):
            made(tiny, tmp_path / "p", tmp_path / "s", **wrong)


def test_adapters_of_mpnet() -> None:
    from transformers import MPNetConfig, MPNetModel

    build: Any = MPNetModel
    config = MPNetConfig(
        vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64,
    )  # fmt: skip
    encoder = build(config)
    add_adapters(encoder, 4, "mpnet")
    adapted = [name for name, each in encoder.named_modules() if isinstance(each, LoraLinear)]
    assert len(adapted) == 12
    assert "encoder.layer.1.attention.attn.q" in adapted
    assert not encoder.encoder.relative_attention_bias.weight.requires_grad
    assert encoder.encoder.layer[0].attention.LayerNorm.weight.requires_grad
