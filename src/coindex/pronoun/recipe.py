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

Paths are as on the command line, from the folder one works in. What every setting
means stands at `Stage`, `Dev` and `Recipe`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

from coindex.errors import InputError
from coindex.training.config import alike, tables, typed

KINDS = ("attention", "ensemble", "masked-lm", "substitution")
LOSSES = {
    "attention": ("fit",), "ensemble": ("fit",), "masked-lm": ("text", "margin"),
    "substitution": ("choice",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """One stretch of training.

    files     paths, corpora with a file (`gap:validation`), benchmarks with a split
              (`dpr:train-small`); plain text for the loss "text"
    loss      "text", "margin" (WikiCREM's formula), "choice" (KnowRef's), "fit"
    switched  problems also with their two candidates exchanged, where that is safe
    most      at most so many items, drawn by the seed; 0 for all
    parts     a pass through the data is cut into so many; each ends as an epoch does, with
              a score on dev and a checkpoint, so that a long pass can be interrupted
    rate      the highest learning rate: reached after the share `warmup` of the stage,
              then falling to 0 in a straight line; head_rate: of what is new on top of
              the encoder or, as adapters, in it
    batch     items to an update
    alpha, beta   weight and width of the margin
    pieces    of a stretch of plain text; masked: the share of them that is masked
    held      the share of plain text that is kept to measure perplexity
    """

    files: tuple[str, ...]
    loss: str = ""
    name: str = ""
    switched: bool = False
    most: int = 0
    epochs: int = 1
    parts: int = 1
    rate: float = 1e-5
    head_rate: float = 1e-4
    batch: int = 64
    warmup: float = 0.1
    alpha: float = 10.0
    beta: float = 0.2
    pieces: int = 128
    masked: float = 0.15
    held: float = 0.005

    @property
    def units(self) -> int:
        """How often the stage is scored and kept: once for each part of each epoch."""
        return self.epochs * self.parts


@dataclass(frozen=True, slots=True)
class Dev:
    """Problems that decide which epoch is best.

    candidates  "given", or "found" where the names are looked for in the passage
    """

    files: tuple[str, ...]
    candidates: str = "given"


@dataclass(frozen=True, slots=True)
class Member:
    """A resolver of an ensemble, with its model's folder if it has one.

    veto   whether it is not weighed, but bars the candidates that it scores lower than others
    """

    resolver: str
    model: str = ""
    veto: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a pronoun model depends on, besides the data's content.

    encoder   a folder, or a name on the model hub; "default": that of the shipped resolver
    start     the folder of a model of this kind to go on from; then no encoder is named
    seeds     one model each; the folder then has a folder `seed-N` for each
    window    the most pieces that are read at once
    layers    only the first layers of the encoder; 0 for all
    rank      of adapters that are trained in the encoder's stead (substitution only); 0 where
              the encoder itself is
    decay, clip   AdamW's decay of matrices; the longest gradient
    neither   whether "none of them" is an answer, calibrated on dev
    both      whether a problem is decided by its switched copy too: see `both.py`
    equal     whether the members of an ensemble count alike, instead of being weighed on dev
    keep      how many heads attention-multi looks at
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
    decay: float = 0.01
    clip: float = 1.0
    neither: bool = False
    both: bool = False
    equal: bool = False
    keep: int = 3
    test: bool = True

    def json(self) -> dict[str, Any]:
        """The recipe as plain values."""
        return asdict(self)


_TABLES: dict[str, type] = {"stage": Stage, "dev": Dev, "member": Member}


def recipe(found: Mapping[str, Any], source: str = "recipe") -> Recipe:
    """A recipe from plain values; unknown names are answered with the nearest known one."""
    values = dict(found)
    for name, kind in _TABLES.items():
        values[name] = tuple(_row(kind, row, where) for where, row in tables(values, name, source))
    values = typed(values, Recipe, source)
    if values.get("kind") not in KINDS:
        raise InputError(
            f"{source}: expected kind {', '.join(KINDS)}, found {values.get('kind')!r}"
        )
    made = Recipe(**values)
    _check(made, source)
    return made


def difference(found: Mapping[str, Any], wanted: Recipe, where: str) -> None:
    """Raise an error that names the settings in which two recipes differ.

    Other seeds are no other recipe: each has a model of its own.
    """
    alike(replace(recipe(found, "its recipe"), seeds=wanted.seeds), wanted, where)


def _row(kind: type, row: Mapping[str, Any], where: str) -> Any:
    values = dict(row)
    if isinstance(values.get("files"), str):
        values["files"] = [values["files"]]
    needed = "resolver" if kind is Member else "files"
    if not values.get(needed):
        raise InputError(f"{where}: expected {needed}, found none")
    return kind(**typed(values, kind, where))


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
        raise InputError(f"{source}: expected an encoder, or a start to go on from")
    if made.start and made.kind == "attention":
        raise InputError(f"{source}: heads are of an encoder, found a start to go on from")
    if not made.stage:
        raise InputError(f"{source}: expected at least one [[stage]] table, found none")
    if made.rank and (made.kind != "substitution" or made.start):
        raise InputError(f"{source}: a rank is for substitution models over a new encoder")
    if not 0 <= made.rank <= 256:
        raise InputError(f"{source}: rank must be from 0 to 256, found {made.rank}")
    if made.neither and not made.dev:
        raise InputError(f"{source}: neither is calibrated on dev, found no [[dev]] table")


def _members(made: Recipe, source: str) -> None:
    """What an ensemble needs."""
    if len(made.member) < 2 or not made.dev:
        raise InputError(f"{source}: an ensemble needs two [[member]] tables and a [[dev]]")
    if all(member.veto for member in made.member):
        raise InputError(f"{source}: an ensemble needs a [[member]] that is no veto")
    if made.equal and made.neither:
        raise InputError(f"{source}: members that count alike cannot weigh neither")


def _stage(stage: Stage, kind: str, where: str) -> None:
    if stage.loss and stage.loss not in LOSSES[kind]:
        known = ", ".join(LOSSES[kind])
        raise InputError(f"{where}: the loss of {kind} is {known}, found {stage.loss!r}")
    if stage.switched and stage.loss == "text":
        raise InputError(f"{where}: plain text cannot be switched")
    for name, least in (("epochs", 1), ("parts", 1), ("batch", 1), ("most", 0), ("pieces", 8)):
        if getattr(stage, name) < least:
            raise InputError(f"{where}: {name} must be at least {least}")
    for name in ("rate", "head_rate", "alpha", "beta"):
        value = getattr(stage, name)
        if not isfinite(value) or value < 0:
            raise InputError(f"{where}: {name} must be at least 0, found {value}")
    for name in ("warmup", "masked", "held"):
        if not 0 <= getattr(stage, name) < 1:
            raise InputError(f"{where}: {name} must be at least 0 and below 1")
