"""A batch joined into one example gives the losses and gradients of its examples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex.training.encoders import load_model, tokenizer_of  # noqa: E402
from coindex.training.examples import Example, Maker  # noqa: E402
from coindex.training.merge import merged  # noqa: E402
from coindex.training.model import Model, Shape  # noqa: E402
from coindex.training.step import Losses, Told, distilled, encode, losses, opinion  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def maker(tiny: Path) -> Maker:
    return Maker(tokenizer_of(str(tiny)), size=64, overlap=16, width=5)


@pytest.fixture
def model(tiny: Path) -> Model:
    """A model that looks at no unlikely span, since which ones is a batch's choice."""
    torch.manual_seed(3)
    made = load_model(str(tiny), Shape(("s", "t"), hidden=16, span=16, width=5, fine=4)).eval()
    torch.nn.init.constant_(made.head.end_score.bias, -50.0)
    return made


def stories(maker: Maker) -> list[Example]:
    """Documents under both schemes, the second of them without any entity."""
    made = [maker.document(samples.story(n), n % 2) for n in range(4)]
    return [made[0], replace(made[1], spans=made[1].spans[:0], entities=made[1].entities[:0]),
            *made[2:]]  # fmt: skip


def gradients(model: Model) -> dict[str, torch.Tensor]:
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
def test_losses_are_those_of_the_examples(kind: str, model: Model, maker: Maker) -> None:
    problems = [samples.problem(n) for n in range(7)]
    examples = stories(maker) if kind == "documents" else list(maker.pack(problems, 1, most=20))
    assert len(examples) > 2
    mine = encode(model, examples, CPU)
    one = losses(model.head, merged(examples), torch.cat(mine))
    many = Losses.none(CPU)
    for example, vectors in zip(examples, encode(model, examples, CPU), strict=True):
        many.add(losses(model.head, example, vectors))
    check_same(model, one, many)


def test_opinions_are_those_about_the_examples(model: Model, maker: Maker, tiny: Path) -> None:
    torch.manual_seed(4)
    teacher = load_model(str(tiny), model.head.shape).eval()
    examples = stories(maker)
    theirs = encode(teacher, examples, CPU)
    told = [opinion(teacher.head, e, v) for e, v in zip(examples, theirs, strict=True)]
    mine = encode(model, examples, CPU)
    one = distilled(model.head, merged(examples), torch.cat(mine), Told.of(told))
    many = Losses.none(CPU)
    for example, vectors, each in zip(examples, encode(model, examples, CPU), told, strict=True):
        many.add(distilled(model.head, example, vectors, each))
    many.mentions = one.mentions  # rounded once, not for each example
    check_same(model, one, many)


def test_an_opinion_about_all_comes_apart(model: Model, maker: Maker, tiny: Path) -> None:
    torch.manual_seed(4)
    teacher = load_model(str(tiny), model.head.shape).eval()
    examples = stories(maker)
    theirs = encode(teacher, examples, CPU)
    whole = opinion(teacher.head, merged(examples), torch.cat(theirs))
    parts = whole.apart([len(example) for example in examples])
    assert sum(len(part.spans) for part in parts) == len(whole.spans)
    assert sum(part.mentions for part in parts) == pytest.approx(whole.mentions)
    back = Told.of(parts)
    assert torch.equal(back.chances, whole.chances)
    assert torch.equal(back.scores, whole.scores)
    assert torch.equal(back.spans.starts, whole.spans.starts)
    real = whole.scores > float("-inf")
    assert torch.equal(back.which[real], whole.which[real])
    assert real.any()


def test_one_example_is_left_as_it_is(maker: Maker) -> None:
    (example,) = stories(maker)[:1]
    assert merged([example]) is example


def test_joined_words_keep_their_sentences_and_parts(maker: Maker) -> None:
    examples = stories(maker)
    one = merged(examples)
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
