"""One step: losses of odd examples, chains of antecedents, gradients, accumulation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex.models.common.encoders import load_encoder  # noqa: E402
from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer  # noqa: E402
from coindex.models.coref.network import Model, Shape, lookup  # noqa: E402
from coindex.models.coref.recipe import parse_recipe  # noqa: E402
from coindex.models.coref.train import trainer as loop  # noqa: E402
from coindex.models.coref.train.clues import Clue, Clues  # noqa: E402
from coindex.models.coref.train.evaluate import (  # noqa: E402
    clusters_from_parents,
    gap_f1,
    predict_clusters,
    score_clusters,
)
from coindex.models.coref.train.examples import Example, ExampleBuilder  # noqa: E402
from coindex.models.coref.train.step import (  # noqa: E402
    ExampleScores,
    Losses,
    chain_probabilities,
    encode,
    losses,
    score_example,
)
from coindex.models.coref.train.teacher import distillation_losses, teacher_scores  # noqa: E402
from coindex.models.coref.train.trainer import CorefTrainer  # noqa: E402
from coindex.types.document import Document  # noqa: E402
from coindex.types.mention import Entity, Mention  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def maker(tiny: Path) -> ExampleBuilder:
    return ExampleBuilder(SubwordTokenizer(load_tokenizer(str(tiny))), size=64, overlap=16, width=5)


@pytest.fixture
def model(tiny: Path) -> Model:
    torch.manual_seed(3)
    encoder = load_encoder(str(tiny))
    encoder.pooler = None
    return Model(encoder, Shape(("s", "t"), hidden=16, span=16, width=5, fine=4)).eval()


def step(model: Model, example: Example) -> Losses:
    (vectors,) = encode(model, [example], CPU)
    return losses(model.head, example, vectors)


def odd_documents() -> dict[str, Document]:
    one = Entity((Mention.at(0, 1),))
    return {
        "one word": Document.of("d", [["Ann"]]),
        "one mention": Document.of("d", [["Ann"]], [one]),
        "no mentions": Document.of("d", [["the", "dog", "."], ["a", "cat"]]),
        "all too wide": Document.of("d", [["a"] * 9], [Entity((Mention.at(0, 9),))]),
        "a long sentence": Document.of("d", [["antidisestablishment"] * 90], [one]),
        "many sentences": Document.of("d", [["x"]] * 150, [one]),
    }


@pytest.mark.parametrize("name", odd_documents())
@pytest.mark.parametrize("shy", [False, True], ids=["fresh", "shy"])
def test_losses_of_odd_documents(name: str, shy: bool, model: Model, maker: ExampleBuilder) -> None:
    if shy:  # no span at all is likely, so only what is known is looked at
        torch.nn.init.constant_(model.head.end_score.bias, -50.0)
    example = maker.document(odd_documents()[name], 0)
    found = step(model, example)
    total = found.total(0.5)
    assert torch.isfinite(total)
    total.backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)
    assert predict_clusters(model, [example], CPU) is not None
    (mine,) = encode(model, [example], CPU)
    told = distillation_losses(model.head, example, mine, teacher_scores(model.head, example, mine))
    assert torch.isfinite(told.total(0.0))


def test_a_document_without_words_has_no_clusters(model: Model, maker: ExampleBuilder) -> None:
    empty, story = maker.document(Document.of("d", []), 0), maker.document(samples.story(1), 0)
    one, two = predict_clusters(model, [empty, story], CPU, mention_threshold=-9.0)
    assert (one, bool(two)) == ([], True)


def test_vectors_do_not_depend_on_the_rest_of_the_batch(
    model: Model, maker: ExampleBuilder
) -> None:
    examples = [maker.document(samples.story(n), 0) for n in range(4)]
    together = encode(model, examples, CPU)
    for example, vectors in zip(examples, together, strict=True):
        (alone,) = encode(model, [example], CPU)
        assert torch.allclose(alone, vectors, atol=1e-5)


def test_clues_with_names_on_both_sides_of_the_pronoun(model: Model, maker: ExampleBuilder) -> None:
    (example,) = maker.pack([samples.problem(n) for n in range(5)], 0)
    found = step(model, example)
    assert (found.clues, found.mentions, found.anaphors) == (5, 10, 0)
    assert found.clue.item() > 0
    found.total(1.0).backward()
    clues = (Clue((0, 1), ((4, 5),), ()), Clue((4, 5), (), ((0, 1),)))
    before = replace(example, clues=Clues.of(clues))
    assert torch.isfinite(step(model, before).clue)


def test_no_pair_crosses_from_one_passage_to_another(model: Model, maker: ExampleBuilder) -> None:
    (example,) = maker.pack([samples.problem(n) for n in range(3)], 0)
    seen = score_example(model.head, example, encode(model, [example], CPU)[0])
    check_antecedents(example, seen)
    whole = maker.document(samples.story(1), 0)
    check_antecedents(whole, score_example(model.head, whole, encode(model, [whole], CPU)[0]))


def check_antecedents(example: Example, seen: ExampleScores) -> None:
    """They are earlier spans of the same passage, as many of them as the model compares."""
    starts = seen.spans.tensors.starts
    parts = torch.from_numpy(example.parts)[starts]
    real = seen.pairs > float("-inf")
    rows = torch.arange(len(starts))[:, None].expand_as(real)[real]
    columns = seen.antecedents[real]
    assert (columns < rows).all()
    assert torch.equal(parts[rows], parts[columns])
    earlier = (parts[:, None] == parts).tril(-1).sum(-1)
    assert torch.equal(real.sum(-1), earlier.clamp(max=4))
    assert real.any()


def test_chains_are_followed() -> None:
    parents: list[dict[int, float]] = [{}, {0: 0.5}, {0: 0.25, 1: 0.5}]
    count = len(parents)
    scores = torch.full((count, count), float("-inf"))
    for row, each in enumerate(parents):
        none = 1 - sum(each.values())
        for column, chance in each.items():
            scores[row, column] = torch.log(torch.tensor(chance / none))
    found = chain_probabilities(scores, torch.arange(count).expand(count, count))
    expected = torch.tensor([[1, 0, 0], [0.5, 1, 0], [0.25 + 0.5 * 0.5, 0.5, 1]])
    assert torch.allclose(found, expected)
    two = torch.arange(count).expand(2, count, count)
    many = chain_probabilities(torch.stack([scores, scores.roll(0)]), two)
    assert torch.allclose(many, expected.expand(2, -1, -1))


@pytest.mark.parametrize("inner", [(), (4,)])
def test_lookup_has_the_plain_gradient(inner: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    index = torch.randint(0, 5, (6, 7))
    weight = torch.randn(6, 7, *inner)
    grads = []
    for take in (lookup, lambda table, index: table[index]):
        table = torch.randn(5, *inner, generator=torch.Generator().manual_seed(2))
        table.requires_grad_()
        (take(table, index) * weight).sum().backward()
        grads.append(table.grad)
    assert torch.allclose(*grads, atol=1e-6)


def test_a_copy_of_the_teacher_learns_nothing_from_it(model: Model, maker: ExampleBuilder) -> None:
    example = maker.document(samples.story(2), 0)
    (mine,) = encode(model, [example], CPU)
    distillation_losses(model.head, example, mine, teacher_scores(model.head, example, mine)).total(
        0.0
    ).backward()
    steepest = max(float(p.grad.abs().max()) for p in model.parameters() if p.grad is not None)
    assert steepest < 1e-4
    model.zero_grad()
    (mine,) = encode(model, [example], CPU)
    told = teacher_scores(model.head, replace(example, scheme=1), mine)
    distillation_losses(model.head, example, mine, told).total(0.0).backward()
    other = max(float(p.grad.abs().max()) for p in model.parameters() if p.grad is not None)
    assert other > 10 * steepest


def plain(trainer: CorefTrainer) -> CorefTrainer:
    """Without dropout, so that two passes are the same."""
    for module in trainer.model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return trainer


def test_an_update_is_the_mean_of_its_batches(
    tiny: Path, ten: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch counts the same; the rest of an epoch makes an update too, of less weight."""
    made = parse_recipe(samples.recipe(tiny, ten, accumulate=2))
    trainer = plain(CorefTrainer(made, Path("unused")))
    updates: list[list[Any]] = []

    def update(progress: float) -> None:
        updates.append([cast("Any", p.grad).clone() for p in trainer.model.parameters()])
        trainer.optimizer.zero_grad()

    examples = trainer.train[0].examples
    todo = [examples[:3], examples[3:5], examples[5:6]]
    monkeypatch.setattr(loop, "batches", lambda *given: todo)
    monkeypatch.setattr(trainer, "_update", update)
    trainer._epoch()
    for found, own in zip(updates, (todo[:2], todo[2:]), strict=True):
        trainer.optimizer.zero_grad()
        total: Any = sum(trainer._loss(trainer._prepare(batch))[0] for batch in own)
        (total / 2).backward()
        for grad, parameter in zip(found, trainer.model.parameters(), strict=True):
            assert torch.allclose(grad, parameter.grad, atol=1e-5)


def test_batches_of_equal_mentions_accumulate_to_one_big_batch(tiny: Path, ten: Path) -> None:
    """Losses are means over the mentions of a batch: with as many in each, nothing differs."""
    trainer = plain(CorefTrainer(parse_recipe(samples.recipe(tiny, ten)), Path("unused")))
    example = trainer.train[0].examples[0]

    def loss(batch: list[Example]) -> Any:
        return trainer._loss(trainer._prepare(batch))[0]

    small = (loss([example]) + loss([example])) / 2
    assert torch.allclose(small, loss([example, example]), atol=1e-6)


def test_chains_become_clusters() -> None:
    spans = [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert clusters_from_parents(spans, [-1, 0, -1, 1]) == [[(0, 1), (2, 3), (6, 7)], [(4, 5)]]


def test_scores_of_dev_documents_without_entities() -> None:
    story, plain = samples.story(1), Document.of("d", [["a", "b"]])
    assert score_clusters([plain], [[]], True)["conll"] >= 0
    gold = [[(m.start, m.end) for m in entity.mentions] for entity in story.entities]
    assert score_clusters([story], [gold], True)["conll"] == 100.0
    alone = score_clusters([story], [[*gold, [(0, 1)]]], True)["mentions"]
    assert score_clusters([story], [[]], False)["conll"] == 0 < alone


def test_counts_of_problems(maker: ExampleBuilder) -> None:
    (example,) = maker.pack([samples.problem(n) for n in range(3)], 0)
    first, second, third = example.clues
    found = [[first.pronoun, first.right[0]], [second.pronoun, second.wrong[0]], [third.pronoun]]
    # one right, one wrong, two missed
    assert gap_f1([(clue, found) for clue in example.clues]) == 40.0
