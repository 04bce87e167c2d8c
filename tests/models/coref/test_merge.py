"""A batch joined into one example gives the losses and gradients of its examples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex.models.common.encoders import load_encoder  # noqa: E402
from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer  # noqa: E402
from coindex.models.coref.network import Model, Shape  # noqa: E402
from coindex.models.coref.train.batch import merge_examples  # noqa: E402
from coindex.models.coref.train.examples import Example, ExampleBuilder  # noqa: E402
from coindex.models.coref.train.step import Losses, encode, losses  # noqa: E402
from coindex.models.coref.train.teacher import TeacherScores, distillation_losses, teacher_scores  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def maker(tiny: Path) -> ExampleBuilder:
    return ExampleBuilder(SubwordTokenizer(load_tokenizer(str(tiny))), size=64, overlap=16, width=5)


def new_model(tiny: Path, shape: Shape) -> Model:
    encoder = load_encoder(str(tiny))
    encoder.pooler = None
    return Model(encoder, shape).eval()


@pytest.fixture
def model(tiny: Path) -> Model:
    """A model that looks at no unlikely span, since which ones is a batch's choice."""
    torch.manual_seed(3)
    shape = Shape(("s", "t"), hidden=16, span=16, width=5, fine=4)
    made = new_model(tiny, shape)
    torch.nn.init.constant_(made.head.end_score.bias, -50.0)
    return made


def stories(maker: ExampleBuilder) -> list[Example]:
    """Documents under both schemes, the second of them without any entity."""
    made = [maker.document(samples.story(n), n % 2) for n in range(4)]
    return [made[0], replace(made[1], spans=made[1].spans[:0], entities=made[1].entities[:0]),
            *made[2:]]  # fmt: skip


def gradients(model: Model) -> dict[str, Any]:
    found = {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
    model.zero_grad()
    return found


def check_same(model: Model, one: Losses, many: Losses) -> None:
    assert (one.mentions, one.anaphors, one.clues) == (many.mentions, many.anaphors, many.clues)
    assert one.total(0.5).item() == pytest.approx(many.total(0.5).item(), rel=1e-5)
    one.total(0.5).backward()
    left = gradients(model)
    many.total(0.5).backward()
    right = gradients(model)
    assert left.keys() == right.keys()
    for name, grad in left.items():
        assert torch.allclose(grad, right[name], atol=1e-5), name


@pytest.mark.parametrize("kind", ["documents", "problems"])
def test_losses_are_those_of_the_examples(kind: str, model: Model, maker: ExampleBuilder) -> None:
    problems = [samples.problem(n) for n in range(7)]
    examples = stories(maker) if kind == "documents" else list(maker.pack(problems, 1, most=20))
    assert len(examples) > 2
    mine = encode(model, examples, CPU)
    one = losses(model.head, merge_examples(examples), torch.cat(mine))
    many = Losses.none(CPU)
    for example, vectors in zip(examples, encode(model, examples, CPU), strict=True):
        many.add(losses(model.head, example, vectors))
    check_same(model, one, many)


def test_opinions_are_those_about_the_examples(
    model: Model, maker: ExampleBuilder, tiny: Path
) -> None:
    torch.manual_seed(4)
    teacher = new_model(tiny, model.head.shape)
    examples = stories(maker)
    theirs = encode(teacher, examples, CPU)
    told = [teacher_scores(teacher.head, e, v) for e, v in zip(examples, theirs, strict=True)]
    mine = encode(model, examples, CPU)
    one = distillation_losses(
        model.head, merge_examples(examples), torch.cat(mine), TeacherScores.merged(told)
    )
    many = Losses.none(CPU)
    for example, vectors, each in zip(examples, encode(model, examples, CPU), told, strict=True):
        many.add(distillation_losses(model.head, example, vectors, each))
    many.mentions = one.mentions  # rounded once, not for each example
    check_same(model, one, many)


def test_an_opinion_about_all_comes_apart(model: Model, maker: ExampleBuilder, tiny: Path) -> None:
    torch.manual_seed(4)
    teacher = new_model(tiny, model.head.shape)
    examples = stories(maker)
    theirs = encode(teacher, examples, CPU)
    whole = teacher_scores(teacher.head, merge_examples(examples), torch.cat(theirs))
    parts = whole.split([len(example) for example in examples])
    assert sum(len(part.spans) for part in parts) == len(whole.spans)
    assert sum(part.mentions for part in parts) == pytest.approx(whole.mentions)
    back = TeacherScores.merged(parts)
    assert torch.equal(back.probabilities, whole.probabilities)
    assert torch.equal(back.pairs, whole.pairs)
    assert torch.equal(back.spans.starts, whole.spans.starts)
    real = whole.pairs > float("-inf")
    assert torch.equal(back.antecedents[real], whole.antecedents[real])
    assert real.any()


def test_one_example_is_left_as_it_is(maker: ExampleBuilder) -> None:
    (example,) = stories(maker)[:1]
    assert merge_examples([example]) is example


def test_joined_words_keep_their_sentences_and_parts(maker: ExampleBuilder) -> None:
    examples = stories(maker)
    one = merge_examples(examples)
    assert len(one) == sum(map(len, examples))
    assert sorted(set(one.parts.tolist())) == [0, 1, 2, 3]
    at = 0
    for number, example in enumerate(examples):
        here = slice(at, at + len(example))
        assert (one.last[here] == example.last + at).all()
        assert (one.parts[here] == number).all()
        assert one.schemes is not None
        assert (one.schemes[here] == example.scheme).all()
        at += len(example)
    assert len(set(one.words.sentences.tolist())) == sum(
        len(set(example.words.sentences.tolist())) for example in examples
    )
