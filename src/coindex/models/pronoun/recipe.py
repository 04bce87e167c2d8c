"""A recipe for a pronoun model: one TOML file, checked before anything is loaded.

kind = "masked-lm"                   # or substitution, attention, ensemble
encoder = "all-mpnet-base-v2"        # a folder or a hub name
seeds = [1, 2, 3]                    # one model each

[[stage]]                            # stages are trained one after the other
loss = "text"                        # the language model's head, from plain text
files = ["wikiextractor-2014-AA.txt.xz"]

[[stage]]
loss = "margin"
files = ["crem.train.jsonl"]         # a file, a corpus, or a benchmark with its split
switched = true                      # also with the two candidates exchanged

[[dev]]
files = ["gap:validation"]           # what decides which epoch is the best

Paths are relative to the working folder. `Stage`, `Dev`, `Member` and `Recipe` document every
setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from coindex.errors import InputError
from coindex.models.common import recipe as common
from coindex.models.common.artifact import PRONOUN_KINDS

SCORERS = ("candidate", "end")
LOSSES = {
    "attention": ("fit",), "ensemble": ("fit",), "masked-lm": ("text", "margin"),
    "substitution": ("choice", "distill"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of training.

    files     paths, corpora with a file (`gap:validation`), benchmarks with a split
              (`dpr:train-small`); plain text for the loss "text"
    loss      "text", "margin" (WikiCREM's formula), "choice" (KnowRef's), "fit"; "distill":
              cross-entropy against the softmax of a teacher's scores
    scores    files with a teacher's scores, for "distill" (`train.teacher_scores`); problems that
              have none there are used with their answers
    temperature   by which the teacher's scores are divided
    smoothing     how much of the probability of an answer goes to all candidates ("distill")
    switched  problems also with their two candidates exchanged, where that is safe
    most      the maximum number of items, sampled by the seed; 0 for all
    parts     into how many parts an epoch is split; each ends with a score on dev and a
              checkpoint, so that a long epoch can be interrupted
    rate      the peak learning rate: reached after the share `warmup` of the stage, then
              decaying to 0 linearly; head_rate: that of new layers and of adapters
    batch     items per update
    subwords  how many subwords, padding included, are computed at once; a larger batch is
              computed in parts, with the same gradient and less memory; 0 for no limit
    found     files whose problems are used a second time, with the names that are detected in
              the passage as candidates
    alpha, beta   weight and width of the margin
    pieces    subwords of a stretch of plain text; masked: the share of them that is masked
    held      the share of plain text that is held out to measure perplexity
    """

    files: tuple[str, ...]
    loss: str = ""
    name: str = ""
    scores: tuple[str, ...] = ()
    temperature: float = 1.0
    smoothing: float = 0.0
    switched: bool = False
    most: int = 0
    epochs: int = 1
    parts: int = 1
    rate: float = 1e-5
    head_rate: float = 1e-4
    batch: int = 64
    subwords: int = 0
    found: tuple[str, ...] = ()
    warmup: float = 0.1
    alpha: float = 10.0
    beta: float = 0.2
    pieces: int = 128
    masked: float = 0.15
    held: float = 0.005

    @property
    def units(self) -> int:
        """How often the stage is scored and stored: once for each part of each epoch."""
        return self.epochs * self.parts


@dataclass(frozen=True, slots=True)
class Dev:
    """Problems that decide which epoch is best.

    candidates  "given", or "found" to detect the names in the passage
    """

    files: tuple[str, ...]
    candidates: str = "given"


@dataclass(frozen=True, slots=True)
class Member:
    """A resolver of an ensemble, with its model's folder if it has one.

    veto   whether it has no weight, but excludes the candidates that it scores lower than others
    """

    resolver: str
    model: str = ""
    veto: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a pronoun model depends on, besides the data's content.

    encoder   a folder, or a name on the model hub; "default": that of the shipped resolver; for
              the scorer "end" also a causal language model, or a GGUF file
    start     the folder of a model of this kind to start from; then no encoder is named
    seeds     one model each; the folder then has a folder `seed-N` for each
    window    the maximum number of subwords that are read at once
    layers    only the first layers of the encoder; 0 for all
    scorer    of substitution: "candidate", a hidden layer over the first vector and the mean of
              the candidate's; "end", a linear layer over the last vector, of the end-of-text token
    rank      of adapters that are trained instead of the encoder (substitution only); 0 to
              train the encoder itself
    decay, clip   AdamW's weight decay of matrices; the maximum norm of the gradient
    neither   whether "none of them" is an answer, calibrated on dev
    both      whether scoring is symmetric: see `symmetric_scoring`
    names     whether switched copies, in training and in scoring, are made only of problems
              whose candidates are all names
    equal     whether the members of an ensemble have equal weights, instead of fitted ones
    keep      how many heads attention-multi uses
    test      whether items that are in a test set are removed (they should be)
    """

    kind: str
    stage: tuple[Stage, ...] = ()
    dev: tuple[Dev, ...] = ()
    member: tuple[Member, ...] = ()
    encoder: str = ""
    start: str = ""
    seeds: tuple[int, ...] = (1,)
    window: int = 256
    layers: int = 0
    rank: int = 0
    scorer: str = "candidate"
    decay: float = 0.01
    clip: float = 1.0
    neither: bool = False
    both: bool = False
    names: bool = False
    equal: bool = False
    keep: int = 3
    test: bool = True


SHIPPED = Path(__file__).parent / "recipes"
_TABLES: dict[str, type] = {"stage": Stage, "dev": Dev, "member": Member}


def load_recipe(
    name: str, changes: Iterable[str] = (), encoder: str | None = None, start: str | None = None
) -> Recipe:
    """A recipe by path or shipped name, with changes such as `seeds=[4]` or `stage.1.epochs=3`.

    encoder, start   replace those of the recipe
    """
    values, source = common.read_recipe(name, changes, SHIPPED, tuple(_TABLES))
    return parse_recipe({**values, **common.starting_point(encoder, start)}, source)


def parse_recipe(values: Mapping[str, Any], source: str = "recipe") -> Recipe:
    """A recipe from plain values, checked."""
    plain = dict(values)
    for name, kind in _TABLES.items():
        rows = common.tables(plain, name, source)
        plain[name] = tuple(_parse_row(kind, row, where) for where, row in rows)
    plain = common.typed(plain, Recipe, source)
    if plain.get("kind") not in PRONOUN_KINDS:
        raise InputError(
            f"{source}: expected kind {', '.join(PRONOUN_KINDS)}, found {plain.get('kind')!r}"
        )
    recipe = Recipe(**plain)
    _check(recipe, source)
    return recipe


def check_same_recipe(stored: Mapping[str, Any], current: Recipe, where: str) -> None:
    """Raise an `InputError` that names the settings in which two recipes differ.

    Seeds may differ: each has a model of its own.
    """
    before = replace(parse_recipe(stored, "its recipe"), seeds=current.seeds)
    common.check_same_recipe(before, current, where)


def _parse_row(kind: type, row: Mapping[str, Any], where: str) -> Any:
    needed = "resolver" if kind is Member else "files"
    if not row.get(needed):
        raise InputError(f"{where}: expected {needed}, found none")
    return kind(**common.typed(row, kind, where))


def _check(made: Recipe, source: str) -> None:
    """Raise an `InputError` that names the first setting that cannot be."""
    _parts(made, source)
    if not made.seeds or len(set(made.seeds)) < len(made.seeds) or min(made.seeds) < 0:
        raise InputError(f"{source}: seeds must be different numbers from 0, found {made.seeds}")
    if not 1 <= made.keep <= 12:
        raise InputError(f"{source}: keep must be from 1 to 12, found {made.keep}")
    if made.window < 16:
        raise InputError(f"{source}: window must be at least 16, found {made.window}")
    for number, dev in enumerate(made.dev, 1):
        if dev.candidates not in ("given", "found"):
            where = f"{source}: [[dev]] {number}"
            raise InputError(f"{where}: candidates given or found, found {dev.candidates!r}")
    for number, stage in enumerate(made.stage, 1):
        _stage(stage, made.kind, f"{source}: [[stage]] {number}")


def _parts(made: Recipe, source: str) -> None:
    """What each kind needs."""
    if made.kind == "ensemble":
        _members(made, source)
        return
    if made.equal:
        raise InputError(f"{source}: equal is for the members of an ensemble, found {made.kind}")
    if bool(made.encoder) == bool(made.start):
        raise InputError(f"{source}: expected an encoder, or a start to continue from")
    if made.start and made.kind == "attention":
        raise InputError(f"{source}: heads are of an encoder, found a start to go on from")
    if not made.stage:
        raise InputError(f"{source}: expected at least one [[stage]] table, found none")
    if made.neither and not made.dev:
        raise InputError(f"{source}: neither is calibrated on dev, found no [[dev]] table")
    _scorer(made, source)


def _scorer(made: Recipe, source: str) -> None:
    """What adapters and scorers need."""
    if made.rank and (made.kind != "substitution" or made.start):
        raise InputError(f"{source}: a rank is for substitution models over a new encoder")
    if not 0 <= made.rank <= 256:
        raise InputError(f"{source}: rank must be from 0 to 256, found {made.rank}")
    if made.scorer not in SCORERS:
        raise InputError(f"{source}: scorer {' or '.join(SCORERS)}, found {made.scorer!r}")
    if made.scorer != SCORERS[0] and (made.kind != "substitution" or made.rank):
        raise InputError(f"{source}: scorer {made.scorer!r} is for substitution without a rank")


def _members(made: Recipe, source: str) -> None:
    """What an ensemble needs."""
    if len(made.member) < 2 or not made.dev:
        raise InputError(f"{source}: an ensemble needs two [[member]] tables and a [[dev]]")
    if all(member.veto for member in made.member):
        raise InputError(f"{source}: an ensemble needs a [[member]] that is no veto")
    if made.equal and made.neither:
        raise InputError(f"{source}: members that count alike cannot weigh neither")


def _distillation(stage: Stage, where: str) -> None:
    """What distillation needs."""
    if stage.scores and stage.loss != "distill":
        raise InputError(f"{where}: scores of a teacher are for the loss distill")
    if stage.temperature <= 0 or not isfinite(stage.temperature):
        raise InputError(f"{where}: temperature must be above 0, found {stage.temperature}")


def _stage(stage: Stage, kind: str, where: str) -> None:
    _distillation(stage, where)
    if stage.loss and stage.loss not in LOSSES[kind]:
        known = ", ".join(LOSSES[kind])
        raise InputError(f"{where}: the loss of {kind} is {known}, found {stage.loss!r}")
    if stage.switched and stage.loss == "text":
        raise InputError(f"{where}: plain text cannot be switched")
    if stage.found and stage.loss not in LOSSES["substitution"]:
        raise InputError(
            f"{where}: found candidates are for {' and '.join(LOSSES['substitution'])}"
        )
    for name, least in (("epochs", 1), ("parts", 1), ("batch", 1), ("most", 0), ("subwords", 0),
                        ("pieces", 8)):  # fmt: skip
        if getattr(stage, name) < least:
            raise InputError(f"{where}: {name} must be at least {least}")
    for name in ("rate", "head_rate", "alpha", "beta"):
        value = getattr(stage, name)
        if not isfinite(value) or value < 0:
            raise InputError(f"{where}: {name} must be at least 0, found {value}")
    for name in ("warmup", "masked", "held", "smoothing"):
        if not 0 <= getattr(stage, name) < 1:
            raise InputError(f"{where}: {name} must be at least 0 and below 1")
