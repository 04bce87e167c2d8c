"""Train on a machine that is lent for a few minutes at a time: `device.py STAGE SECONDS`.

    base    the base model on labelled corpora
    again   the base model once more, taught by itself on unlabelled text too
    small   the small model, taught by base

Run it in the FOREGROUND of one call, from the project's folder, and let the call end with
it: a machine that waits for its next call is taken back, and what was on it is lost. It
stops by itself before SECONDS are over, leaves a checkpoint, and copies the best weights so
far in slices to $OUT (those of base and again: `device.py STAGE 0 N`, four slices from number
N on); the next call with the same words goes on. The number of epochs is
chosen from the speed of the first ones, so that the learning rate reaches 0 within
TOTAL seconds (environment; all calls of a stage together).

HOME/w holds what was sent: mpnet/ and minilm/ (encoders), base/ (the teacher), data/
(corpora), raw/wiki and raw/fiction (plain text), py/ (packages that are not there).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tarfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

BEGAN = time.monotonic()
os.environ.setdefault("OMP_NUM_THREADS", "1")  # sixteen threads waiting for each other cost half
HOME = Path(os.environ.get("W", str(Path.home() / "w")))
OUT = Path(os.environ.get("OUT", str(HOME / "returned")))
os.environ.setdefault("COINDEX_DATA", str(HOME / "data"))
sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "src"), str(HOME / "py")]

from coindex.training import config, loop, save  # noqa: E402
from coindex.training.corpora import side  # noqa: E402
from coindex.training.examples import Maker  # noqa: E402
from coindex.training.read import checksums, read  # noqa: E402

RECIPES = Path(loop.__file__).parent / "recipes"
RAW = (("wiki", "ontogum", 0.10), ("wiki", "gum", 0.06), ("fiction", "litbank", 0.25),
       ("fiction", "ontogum", 0.05))  # fmt: skip
SLICE = 15_900_000


class Enough(Exception):
    """The time is over."""


def say(text: str) -> None:
    """A line with the seconds since the start."""
    print(f"{time.monotonic() - BEGAN:6.1f} {text}", flush=True)  # noqa: T201


def recipe_of(stage: str) -> config.Recipe:
    """The recipe of a stage, with the folders of this machine."""
    name = "small" if stage == "small" else "base"
    values = config.parse((RECIPES / f"{name}.toml").read_text(encoding="utf-8"), name)
    values["encoder"] = str(HOME / ("minilm" if stage == "small" else "mpnet"))
    values["check"] = 4
    if stage != "base":
        labelled = [row for row in values["train"] if not row.get("unlabelled")]
        values["train"] = labelled + [
            {"files": [str(HOME / "raw" / folder)], "scheme": scheme, "unlabelled": True,
             "share": share}
            for folder, scheme, share in RAW
        ]  # fmt: skip
        values |= {"teacher": str(HOME / "base"), "teacher_weight": 0.5}
    values |= json.loads(os.environ.get("SET", "{}"))
    return config.recipe(values)


def one(corpus: config.Corpus, made: config.Recipe, training: bool):  # type: ignore[no-untyped-def]
    """The examples of one corpus, in a process of its own."""
    pieces = save.tokenizer_of(made.encoder)
    maker = Maker(pieces, made.window, made.overlap, made.width)
    found = read(corpus)
    few = int(os.environ.get("FEW", "0"))
    if few:
        found = replace(found, documents=found.documents[:few], problems=found.problems[:few])
    return side(found, made, maker, cut=training), found.checksums


@dataclass(frozen=True)
class Sums:
    """What `checksums` looks at, without the texts."""

    checksums: tuple[tuple[Path, str], ...]


class Timed(loop.Trainer):
    """A run that knows when to stop."""

    def _read(self) -> None:
        todo = [(c, True) for c in self.recipe.train] + [(c, False) for c in self.recipe.dev]
        with ProcessPoolExecutor(8) as pool:
            jobs = [pool.submit(one, c, self.recipe, training) for c, training in todo]
            made = [job.result() for job in jobs]
        sides = [found for found, _ in made]
        self.train, self.dev = sides[: len(self.recipe.train)], sides[len(self.recipe.train) :]
        self.data = checksums([Sums(total) for _, total in made])  # type: ignore[misc]
        say(f"read {sum(len(s.examples) for s in sides):,} examples")

    def _epoch(self) -> dict[str, float]:
        now = time.monotonic()
        spent = [b - a for a, b in zip(self.marks, [*self.marks[1:], now], strict=False)]
        self.marks.append(now)
        longest = max(spent[-3:], default=0.0)
        if now - BEGAN + 1.25 * longest + 20 > self.seconds:
            raise Enough
        if len(spent) == 3 and self.epoch == 3:
            each = sum(spent[1:]) / 2
            epochs = max(6, int((self.total - (now - BEGAN)) / (each + 1.5)) + 2)
            self.recipe = replace(self.recipe, epochs=min(epochs, 60))
            say(f"{each:.1f} s an epoch: {self.recipe.epochs} epochs")
        return super()._epoch()


def deliver(folder: Path, stage: str) -> None:
    """What belongs to the best weights, in one file, and of small weights themselves, in slices."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tarfile.open(OUT / f"{stage}.tar.gz", "w:gz") as packed:
        for path in sorted(folder.iterdir()):
            if path.suffix in (".json", ".jsonl", ".svg"):
                packed.add(path, path.name)
    if stage == "small":
        fetch(folder, stage, 0)


def fetch(folder: Path, stage: str, first: int) -> None:
    """Four slices of the weights, from number `first` on: more a call does not bring back."""
    OUT.mkdir(parents=True, exist_ok=True)
    content = (folder / "weights.pt").read_bytes() if (folder / "weights.pt").is_file() else b""
    for number in range(first, min(first + 4, -(-len(content) // SLICE))):
        part = content[number * SLICE : (number + 1) * SLICE]
        (OUT / f"{stage}-weights.{number:02d}").write_bytes(part)
    say(f"{stage}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


def main() -> None:
    """Train one stage for a while."""
    stage, seconds = sys.argv[1], float(sys.argv[2])
    out = HOME / f"out-{stage}"
    if len(sys.argv) > 3:
        fetch(out, stage, int(sys.argv[3]))
        return
    made = recipe_of(stage)
    before = save.progress_of(out)
    if before is not None:
        made = replace(made, epochs=before["recipe"]["epochs"])
    keep, loop.save_state = loop.save_state, lambda *given: None
    trainer = Timed(made, out, "cuda" if loop.torch.cuda.is_available() else "cpu", say)
    trainer.marks, trainer.seconds = [], seconds
    trainer.total = float(os.environ.get("TOTAL", sys.argv[2]))
    say(f"begin {stage}")
    try:
        say(str(trainer.run()))
    except Enough:
        keep(out, trainer.model, trainer.optimizer, trainer.average, trainer._progress())
        say(f"stopped after epoch {trainer.epoch} of {trainer.recipe.epochs}; run again to go on")
    deliver(out, stage)
    say("end")


if __name__ == "__main__":
    main()
