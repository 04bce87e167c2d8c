"""Train a coreference model on a machine that is available for minutes: `coref_device`.

    NAME SECONDS      train the recipe NAME for SECONDS
    NAME read         read its corpora and store the examples, for all runs of it
    NAME 0 N          copy four slices of its weights, from number N on, to $OUT

The recipes are those of `document_recipes`: `full`, `range` and their students. Run it from the
project's folder:

    PYTHONPATH=src:$W/py python -m research.models.coref_device full 540

The learning rate follows the time, so that it reaches 0 before SECONDS are over, whatever else the
machine does (with 0 SECONDS the run has the epochs of its recipe); then the averaged weights are scored on dev and stored. SET (environment) is a JSON
object of changes to the recipe, ORDER the seed of the order of batches, where several runs are to
start from the same weights, RUN the name of the run's folder. NEXT_TEACHER is the folder of a run that
has not ended, or several by commas: as soon as they have, their models take the teacher's place, so that
student and teachers are trained at the same time. FREEZE_WORDS keeps the word embeddings as they are, so that another
model over the same encoder can share them; FREEZE_LAYERS is a number of layers that stay as well. An encoder of `language_encoder` (SET) needs nothing else; steps whose
gradient is not finite are skipped then.

$W has the encoders, data/ (corpora), gen/ (generated documents), problems/ (answered by the
pronoun teacher), raw/ (plain text), py/ (packages that are not installed).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import pickle
import random
import sys
import tarfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch

from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer
from coindex.models.coref.recipe import Corpus, Recipe, parse_recipe
from coindex.models.coref.train.corpora import (
    CorpusItems,
    TrainingCorpus,
    build_corpus,
    checksums,
    read_corpus,
)
from coindex.models.coref.train.examples import ExampleBuilder
from coindex.models.coref.train.licences import count_origins, licences
from coindex.models.coref.train.teacher import Teacher
from coindex.models.coref.train.trainer import CorefTrainer
from research.models.device_session import (
    elapsed,
    log,
    out_folder,
    trial_limit,
    use_one_thread,
    work_folder,
    write_slices,
)
from research.models.document_recipes import NAMES, document_recipe
from research.models.everyday_tuning import freeze_lower
from research.models.fused_attention import use_fused_attention
from research.models.language_encoder import is_language_encoder, use_language_encoders

ENDED = "ended"
"""A file in the folder of a run whose weights are complete."""
_MARGIN = 45
"""Seconds for the scores at the end."""


class OutOfTime(Exception):
    """The time for training is over."""


def run_recipe(name: str, work: Path) -> Recipe:
    """The recipe of a run, with the changes of the environment."""
    values = document_recipe(name, work)
    values |= json.loads(os.environ.get("SET", "{}"))
    return parse_recipe(values)


class ReadCorpus(NamedTuple):
    """A corpus that was read.

    examples   None if all of its items are left out
    items      with the checksums of the files, without documents and problems
    origins    how many items of which corpora are trained on, for their licences
    """

    examples: TrainingCorpus | None
    items: CorpusItems
    origins: Counter[tuple[str, bool]]


def tokenizer_folder(recipe: Recipe) -> str:
    """The folder of the tokenizer of a run that goes on: that of the encoder, which is here."""
    has = (Path(recipe.start) / "tokenizer.json").is_file()
    return recipe.start if has else str(work_folder() / "gte-small")


def read_examples(corpus: Corpus, recipe: Recipe, training: bool) -> ReadCorpus:
    """The examples of one corpus, and what is known of its items."""
    tokenizer = SubwordTokenizer(load_tokenizer(recipe.encoder or tokenizer_folder(recipe)))
    builder = ExampleBuilder(tokenizer, recipe.window, recipe.overlap, recipe.width)
    items = read_corpus(corpus, recipe.without if training else (), training=training)
    few = trial_limit()
    if few:
        items = replace(items, documents=items.documents[:few], problems=items.problems[:few])
    if not len(items):
        return ReadCorpus(None, items, Counter())
    examples = build_corpus(items, recipe, builder, split=training)
    origins = count_origins(items.origins) if training else Counter()
    return ReadCorpus(examples, replace(items, documents=(), problems=()), origins)


def read_all(recipe: Recipe) -> list[ReadCorpus]:
    """The examples of all corpora, those of training first, read in parallel."""
    todo = [(c, True) for c in recipe.train] + [(c, False) for c in recipe.dev]
    with ProcessPoolExecutor(int(os.environ.get("READERS", "8"))) as pool:
        jobs = [pool.submit(read_examples, c, recipe, training) for c, training in todo]
        return [job.result() for job in jobs]


def cache_file(recipe: Recipe) -> Path:
    """Where the examples of a recipe are stored; it depends on what they are made of."""
    tokenizer = load_tokenizer(recipe.encoder or tokenizer_folder(recipe))
    vocabulary = tokenizer.get_vocab_size(), tokenizer.token_to_id("the")
    what = (
        recipe.train, recipe.dev, recipe.without, vocabulary, recipe.longest, recipe.schemes,
        recipe.window, recipe.overlap,
    )  # fmt: skip
    name = hashlib.sha256(repr((what, trial_limit())).encode()).hexdigest()[:16]
    return work_folder() / "cache" / f"{name}.pickle"


def store_examples(name: str) -> None:
    """Read the corpora of a recipe and store the examples."""
    recipe = run_recipe(name, work_folder())
    file = cache_file(recipe)
    file.parent.mkdir(exist_ok=True)
    content = pickle.dumps(read_all(recipe))
    part = file.with_suffix(".part")
    part.write_bytes(content)
    part.rename(file)
    log(f"{name}: {len(content):,} bytes of examples")


class TimedTrainer(CorefTrainer):
    """A trainer that ends in time; it reads corpora in parallel and writes no checkpoints."""

    def __init__(self, recipe: Recipe, out: Path, device: str, *, seconds: float) -> None:
        """Read the corpora and load the encoder; `seconds` count from the start of the process."""
        self.seconds = seconds
        self.began = 0.0
        super().__init__(recipe, out, device)
        if "FREEZE_WORDS" in os.environ:
            self.model.encoder.embeddings.word_embeddings.requires_grad_(False)
        if "FREEZE_LAYERS" in os.environ:
            freeze_lower(self.model.encoder, int(os.environ["FREEZE_LAYERS"]))
        self.next_teacher = os.environ.get("NEXT_TEACHER", "")
        self.skipped = 0

    def _read(self) -> None:
        cache = cache_file(self.recipe)
        made = pickle.loads(cache.read_bytes()) if cache.is_file() else read_all(self.recipe)
        count = len(self.recipe.train)
        self.train = [each.examples for each in made[:count] if each.examples]
        self.dev = [each.examples for each in made[count:] if each.examples]
        self.data = checksums(each.items for each in made)
        self.licences = licences(sum((each.origins for each in made), Counter()))
        for each in (*self.train, *self.dev):
            log(f"{each.name} ({each.corpus.scheme}): {'; '.join(each.remarks)}")
        if "ORDER" in os.environ:
            self.rng = random.Random(int(os.environ["ORDER"]))

    def _epoch(self) -> dict[str, float]:
        following = [Path(name) for name in self.next_teacher.split(",") if name]
        if following and all((folder / ENDED).is_file() for folder in following):
            self.teacher = Teacher(replace(self.recipe, teacher=self.next_teacher), self.device)
            log(f"from epoch {self.epoch + 1} on taught by {self.next_teacher}")
            self.next_teacher = ""
        row = super()._epoch()
        log(f"epoch {self.epoch + 1}: {row}, skipped {self.skipped}")
        return row

    def _update(self, progress: float) -> None:
        """The learning rate follows the time, whatever else the machine does."""
        if not self.seconds:
            super()._update(progress)
            return
        now = elapsed()
        self.began = self.began or now
        progress = (now - self.began) / max(self.seconds - _MARGIN - self.began, 1.0)
        if progress >= 1:
            raise OutOfTime
        super()._update(progress)

    def update(
        self, progress: float, warmup: float, clip: float, *, skip_infinite: bool = False
    ) -> bool:
        """One step; a language model's is skipped if its gradient is not finite."""
        skip = skip_infinite or is_language_encoder(self.recipe.encoder)
        taken = super().update(progress, warmup, clip, skip_infinite=skip)
        self.skipped += not taken
        return taken

    def check_loss(self, loss: float, where: str, settings: str) -> None:
        """Say that a loss was not finite; a language model goes on, its step was skipped."""
        if not is_language_encoder(self.recipe.encoder):
            super().check_loss(loss, where, settings)

    def save_checkpoint(self) -> None:
        """Write nothing after an epoch: that takes time, and the machine is given back."""

    def score_now(self) -> dict[str, Any]:
        """Score the weights as they are, and store them if they are the best so far."""
        return self._evaluate()[0]


def deliver(folder: Path, name: str) -> None:
    """Copy metadata, log and plot of the best weights."""
    with tarfile.open(out_folder() / f"{name}.tar.gz", "w:gz") as packed:
        for path in sorted(folder.iterdir()):
            if path.suffix in (".json", ".jsonl", ".svg"):
                packed.add(path, path.name)


def fetch(folder: Path, name: str, first: int) -> None:
    """Copy slices of the weights, from number `first` on."""
    content = (folder / "weights.pt").read_bytes() if (folder / "weights.pt").is_file() else b""
    write_slices(content, f"{name}-weights", first)
    log(f"{name}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


def train(name: str, seconds: float) -> None:
    """Train one recipe until the time is over."""
    run = os.environ.get("RUN", name)
    out = work_folder() / f"out-{run}"
    recipe = run_recipe(name, work_folder())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    use_fused_attention(log)
    use_language_encoders(checkpoints="CHECKPOINTS" in os.environ)
    torch.backends.cuda.enable_cudnn_sdp(False)  # it compiles a kernel for every length
    trainer = TimedTrainer(recipe, out, device, seconds=seconds)
    log(f"start {run}")
    try:
        log(str(trainer.run()))
    except OutOfTime:
        log(f"time is over in epoch {trainer.epoch + 1}, after {trainer.step} steps")
        log(str(trainer.score_now()))
    (out / ENDED).touch()
    deliver(out, run)
    log("end")


def main() -> None:
    """Run the command that the arguments name."""
    os.environ.setdefault("COINDEX_DATA", str(work_folder() / "data"))
    use_one_thread()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    match sys.argv[1:]:
        case [name, "read"] if name in NAMES:
            store_examples(name)
        case [name, seconds] if name in NAMES:
            train(name, float(seconds))
        case [name, _, first]:
            fetch(work_folder() / f"out-{name}", name, int(first))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
