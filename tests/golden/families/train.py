"""`coindex train`: the Quiz Bowl system; under COINDEX_FULL the neural models too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from golden import inputs
from golden.case import Case, command, plain
from golden.make_v01 import COREF, RECIPES

NEEDS = ("spacy", "pycrfsuite", "sklearn")
SMALL = "--vectors none --set bits=14 --set rounds=2"
TORCH = ("torch", "transformers", "onnx")
SVG = ("*.svg", "*.pt")  # pictures have dates and ids in them, weights are compared by answers


def recipes(scratch: Path) -> None:
    """The recipes of the tiny models, and what they are trained on."""
    inputs.stories(scratch)
    inputs.artefacts("encoder")(scratch)
    for name, text in {"coref": COREF, **RECIPES}.items():
        inputs.written(scratch / f"{name}.toml", text)


def cases() -> Iterator[Case]:
    """All cases of `train`."""
    lines: tuple[str, ...] = (
        f"train quizbowl stories/train.conll -o my.model {SMALL}", "resolve stories/pool.conll --model my.model",
        "resolve stories/pool.conll --model my.model --singletons --json",
        f"train quizbowl stories/train.conll --folds 2 {SMALL}", f"train quizbowl stories/train.conll --folds 2 {SMALL} --json",
        f"train quizbowl stories/train.conll --dev stories/train.conll -o x.model {SMALL}",
        f"train quizbowl stories/train.conll --dev stories/pool.conll -o dev.model {SMALL} --json",
        "train quizbowl stories/train.conll", "train quizbowl nowhere -o x.model", "train quizbowl stories/train.conll --set x=1 -o x.model",
    )  # fmt: skip
    yield Case(
        "train/quizbowl/stories", tuple(map(command, lines)), inputs.stories, NEEDS, ours=True
    )
    lines = (
        "train quizbowl train.conll -o my.model --vectors none", "resolve test.conll --model my.model --to conll2012",
        "train quizbowl train.conll -o vectors.model --set bits=16", "resolve test.conll --model vectors.model --json",
    )  # fmt: skip
    prepare = inputs.all_of(
        inputs.litbank("train.conll", 3, 40), inputs.litbank("test.conll", 1, 50)
    )
    yield Case(
        "train/quizbowl/litbank", tuple(map(command, lines)), prepare, ("data", *NEEDS), full=True
    )
    yield from _neural()


def _neural() -> Iterator[Case]:
    needs, rules = (*TORCH, "spacy"), ("times", "seconds")
    lines: tuple[str, ...] = (
        "train coref --config coref.toml -o coref --device cpu --set epochs=3",
        "train coref --config coref.toml -o coref --device cpu --set epochs=3",
        "resolve stories/pool.conll --model coref --json", "train export coref -o out --tune --json",
        "resolve stories/pool.conll --model out --to conll2012", "train coref --config nowhere -o x",
        "train export nowhere -o x", "train coref --config coref.toml -o x --set nonsense=1",
    )  # fmt: skip
    yield Case("train/coref", tuple(map(plain, lines)), recipes, needs, True, True, SVG, rules)
    dev = "bench gap --resolver {} --candidates given --json --resamples 1000 --model"
    lines = (
        "train pronoun --recipe pronoun.toml -o pronoun --device cpu", "train export pronoun -o out --json",
        "train pronoun --recipe masked.toml -o masked --device cpu --json",
        "train pronoun --recipe ensemble.toml -o ensemble",
        "train pronoun --recipe attention --encoder encoder --set stage.1.files=stories/problems.jsonl -o heads",
        "train teach stories/items.jsonl stories/dev.jsonl --resolver substitution --model out --sure 0 -o taught.jsonl",
        "train pronoun --recipe nowhere -o x", "train pronoun --recipe pronoun.toml -o x --set nonsense=1",
        dev.format("substitution") + " out",
    )  # fmt: skip
    yield Case("train/pronoun", tuple(map(plain, lines)), recipes, needs, True, True, SVG, rules)
