"""What a training step costs besides the encoder: `python -m research.models.step_speed [WORDS]`.

A model with an encoder of one tiny layer takes steps on real batches of LitBank, GUM, OntoGUM, Re-DocRED
and GAP (training and dev files alone), on one thread. Printed are the CPU seconds per 100,000 words of
preparing, of the head forwards, and of the gradient; then, for an encoder of twelve layers, how many operations
a step has, as a GPU would run it: on a GPU the time of a step is mostly that of starting them.
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer
from coindex.models.coref.network import Model, Shape
from coindex.models.coref.recipe import parse_recipe
from coindex.models.coref.train.batch import PreparedBatch, batches, prepare
from coindex.models.coref.train.corpora import build_corpus, read_corpus
from coindex.models.coref.train.examples import Example, ExampleBuilder
from coindex.models.coref.train.step import ROW, encode_windows, losses

SCHEMES = ("litbank", "ontogum", "gum")
CORPORA: tuple[dict[str, Any], ...] = (
    {"files": ["litbank:conll"], "scheme": "litbank", "every": 10, "only": [0, 1]},
    {"files": ["ontogum:dev"], "scheme": "ontogum", "singletons": False},
    {"files": ["gum:dev"], "scheme": "gum"},
    {"files": ["redocred:dev"], "scheme": "ontogum", "partial": True, "share": 0.2},
    {"files": ["gap:development"], "scheme": "ontogum", "partial": True, "share": 0.4},
)
CPU = torch.device("cpu")
STEPS = 12


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the operations of torch."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one operation."""
        self.count += 1
        return func(*args, **(kwargs or {}))


def model_of(layers: int) -> Model:
    """A tiny model; few spans are likely at first, as after some training."""
    from transformers import MPNetConfig, MPNetModel

    torch.manual_seed(5)
    make: Any = MPNetModel
    config = MPNetConfig(
        vocab_size=30_600, hidden_size=48, num_hidden_layers=layers, intermediate_size=48
    )
    model = Model(make(config, add_pooling_layer=False), Shape(SCHEMES, hidden=32, span=32))
    torch.nn.init.constant_(model.head.end_score.bias, -4.0)
    return model.train()


def examples() -> list[Example]:
    """The examples of all corpora, by their shares."""
    recipe = parse_recipe({"encoder": "default", "schemes": list(SCHEMES), "train": list(CORPORA)})
    builder = ExampleBuilder(SubwordTokenizer(load_tokenizer("default")), width=recipe.width)
    rng = random.Random(1)
    chosen: list[Example] = []
    for corpus in recipe.train:
        made = build_corpus(read_corpus(corpus), recipe, builder, split=True).examples
        chosen += rng.sample(made, round(corpus.share * len(made)))
    return chosen


def step(model: Model, batch: PreparedBatch, times: dict[str, float]) -> None:
    """One step without its update; adds the seconds of its parts."""
    vectors = encode_windows(model, batch.windows, CPU)
    start = time.process_time()
    assert batch.labelled is not None
    apart = vectors.detach().requires_grad_()
    loss = losses(model.head, batch.labelled, apart).total(0.5)
    middle = time.process_time()
    loss.backward()  # type: ignore[no-untyped-call]
    times["head"] += middle - start
    times["gradient"] += time.process_time() - middle
    vectors.backward(apart.grad)  # type: ignore[no-untyped-call]
    model.zero_grad()


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    most = int(sys.argv[1]) if sys.argv[1:] else 3200
    todo = batches(examples(), most, random.Random(1))[:STEPS]
    words = sum(len(example) for batch in todo for example in batch)
    times: dict[str, float] = defaultdict(float)
    small, large = model_of(1), model_of(12)
    step(small, prepare(todo[0]), defaultdict(float))
    for batch in todo:
        start = time.process_time()
        prepared = prepare(batch)
        times["preparing"] += time.process_time() - start
        step(small, prepared, times)
    print(f"{len(todo)} steps, {words:,} words")  # noqa: T201
    for name, seconds in times.items():
        print(f"{name}: {seconds / words * 1e5:.2f} s per 100,000 words")  # noqa: T201
    counter = Operations()  # type: ignore[no-untyped-call]
    with counter:
        for batch in todo[:4]:
            step(large, prepare(batch, ROW), defaultdict(float))
    print(f"{counter.count // 4:,} operations a step, with an encoder of 12 layers")  # noqa: T201


if __name__ == "__main__":
    main()
