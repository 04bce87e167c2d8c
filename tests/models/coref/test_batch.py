"""Batches: rows that windows share, pairs within passages, and the losses by their definitions."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex.models.common.encoders import load_encoder  # noqa: E402
from coindex.models.common.prefetch import prefetch  # noqa: E402
from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer  # noqa: E402
from coindex.models.coref.network import Model, Shape  # noqa: E402
from coindex.models.coref.pair_blocks import pair_blocks  # noqa: E402
from coindex.models.coref.train import batch as batch_module  # noqa: E402
from coindex.models.coref.train.batch import pack_windows, pad_windows, prepare  # noqa: E402
from coindex.models.coref.train.examples import Example, ExampleBuilder  # noqa: E402
from coindex.models.coref.train.step import encode, encode_windows, losses  # noqa: E402
from coindex.types.document import Document  # noqa: E402
from coindex.types.mention import Entity, Mention  # noqa: E402
from plain_step import plain_losses  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def maker(tiny: Path) -> ExampleBuilder:
    return ExampleBuilder(SubwordTokenizer(load_tokenizer(str(tiny))), size=64, overlap=16, width=5)


def mpnet(vocabulary: int) -> Any:
    from transformers import MPNetConfig, MPNetModel

    config = MPNetConfig(
        vocab_size=vocabulary, hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
        intermediate_size=16, max_position_embeddings=130,
    )  # fmt: skip
    make: Any = MPNetModel
    return make(config, add_pooling_layer=False)


@pytest.fixture(params=["bert", "mpnet"])
def model(request: pytest.FixtureRequest, tiny: Path) -> Model:
    """A model of random weights that are large enough for every score to matter."""
    torch.manual_seed(3)
    encoder = load_encoder(str(tiny))
    encoder.pooler = None
    if request.param == "mpnet":
        encoder = mpnet(encoder.config.vocab_size)
    made = Model(encoder, Shape(("s", "t"), hidden=16, span=16, width=5, fine=4)).eval()
    with torch.no_grad():
        for parameter in made.head.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        made.head.end_score.bias.fill_(-1.0)
    return made


def long_document() -> Document:
    """Longer than a window, with more mentions than the fine scorer compares."""
    rng = random.Random(4)
    rows = [rng.choices(["Ann", "she", "Bob", "a", "dog", "he", "met"], k=7) for _ in range(30)]
    names: tuple[list[Mention], list[Mention]] = ([], [])
    for at, word in enumerate(word for row in rows for word in row):
        if word in ("Ann", "she", "Bob", "he"):
            names[word in ("Bob", "he")].append(Mention.at(at, at + 1))
    return Document.of("long", rows, [Entity(tuple(found)) for found in names])


def documents(maker: ExampleBuilder) -> list[Example]:
    every = [*(samples.story(n) for n in range(3)), long_document(), Document.of("x", [["Ann"]])]
    return [maker.document(document, n % 2) for n, document in enumerate(every)]


def partial(maker: ExampleBuilder) -> list[Example]:
    packed = maker.pack([samples.problem(n) for n in range(9)], 1, most=30)
    linked = [maker.links(document, 0) for document in (samples.story(5), long_document())]
    return [*packed, *(example for example in linked if example is not None)]


@pytest.mark.parametrize("row", [0, 120], ids=["padded", "shared"])
def test_the_losses_of_a_batch_are_those_of_its_examples_by_definition(
    row: int, model: Model, maker: ExampleBuilder
) -> None:
    """The choice of likely spans is a batch's, so none is likely here: see the next test."""
    torch.nn.init.constant_(model.head.end_score.bias, -50.0)
    batch = [e for pair in zip(documents(maker), partial(maker), strict=False) for e in pair]
    prepared = prepare(batch, row)
    assert prepared.labelled is not None
    if row:
        assert prepared.windows.groups[0].shared
    vectors = encode_windows(model, prepared.windows, CPU)
    found = losses(model.head, prepared.labelled, vectors)
    wanted = {"mention": 0.0, "antecedent": 0.0, "clue": 0.0}
    for example in batch:
        (own,) = encode(model, [example], CPU)
        for name, value in plain_losses(model.head, example, own).items():
            wanted[name] += value
    assert wanted["antecedent"] > 10
    assert wanted["clue"] > 10
    for name, value in wanted.items():
        assert getattr(found, name).item() == pytest.approx(value, rel=1e-4), name


@pytest.mark.parametrize("kind", ["documents", "partial"])
def test_the_losses_of_an_example_are_those_of_the_definition(
    kind: str, model: Model, maker: ExampleBuilder
) -> None:
    for example in documents(maker) if kind == "documents" else partial(maker):
        (vectors,) = encode(model, [example], CPU)
        found = losses(model.head, example, vectors)
        for name, value in plain_losses(model.head, example, vectors).items():
            assert getattr(found, name).item() == pytest.approx(value, rel=1e-4), example.id


def test_windows_that_share_a_row_are_read_as_alone(
    model: Model, maker: ExampleBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_module, "_LENGTHS", (16, 32))
    assert model.shares_rows
    examples = [*documents(maker), *partial(maker)]
    windows = [window for example in examples for window in example.windows]
    packed, padded = pack_windows(windows, 100), pad_windows(windows)
    rows = packed.groups[0]
    assert len(packed.groups) == 1
    assert rows.shared
    assert len(rows.subwords) < len(windows)
    assert rows.subwords.shape[1] <= 100
    assert len(padded.groups) > 1
    one, two = (encode_windows(model, each, CPU) for each in (packed, padded))
    assert torch.allclose(one, two, atol=1e-5)
    alone = [encode_windows(model, pad_windows([window]), CPU) for window in windows]
    assert torch.allclose(one, torch.cat(alone), atol=1e-5)


def test_the_order_of_a_batch_is_unlabelled_annotated_partial(maker: ExampleBuilder) -> None:
    plain = maker.document(samples.story(7), 0, labelled=False)
    batch = [*partial(maker), plain, *documents(maker)]
    prepared = prepare(batch)
    assert prepared.documents == (plain, *documents_of(batch))
    assert prepared.unlabelled == len(plain)
    assert prepared.annotated == sum(map(len, documents_of(batch)))
    assert prepared.labelled is not None
    assert prepared.labelled.annotated == prepared.annotated
    assert prepare([plain]).labelled is None


def documents_of(batch: list[Example]) -> list[Example]:
    return [example for example in batch if example.labelled and not example.clues]


@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 64))
def test_blocks_hold_every_span_once_with_its_passage(counts: list[int], smallest: int) -> None:
    parts = np.repeat(np.arange(len(counts)) * 3, counts)
    blocks = pair_blocks(parts, smallest)
    count, size = blocks.spans.shape
    assert len(set(blocks.places.tolist())) == len(parts)
    assert (blocks.spans.reshape(-1)[blocks.places] == np.arange(len(parts))).all()
    assert (blocks.parts.reshape(-1)[blocks.places] == parts).all()
    assert (blocks.parts >= 0).sum() == len(parts)
    assert size <= max([smallest, *counts])
    for part in set(parts.tolist()):  # in one block, in the order of the text
        own = blocks.places[parts == part]
        assert len(set((own // size).tolist())) == 1
        assert (np.diff(own) == 1).all()
    assert count <= max(1, -(-2 * len(parts) // size))


def test_prefetch_keeps_the_order_and_raises_where_an_item_fails() -> None:
    assert list(prefetch(lambda n: n * n, range(7))) == [n * n for n in range(7)]
    assert list(prefetch(str, [])) == []
    items = prefetch(lambda n: 1 / n, [1, 2, 0, 4])
    assert [next(items), next(items)] == [1.0, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(items)


def test_prefetch_is_only_a_few_items_ahead_and_ends_its_thread() -> None:
    made: list[int] = []
    items = prefetch(lambda n: made.append(n), range(100), ahead=2)
    next(items)
    items.close()
    assert len(made) <= 4
    assert not [t for t in threading.enumerate() if t.name.startswith("prefetch")]
