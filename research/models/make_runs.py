"""The runs behind research/results.md: decisions on the benchmarks, in research/models/pronoun/runs.

    make --system NAME --resolver NAME [--model FOLDER] [--seed N] --sets dev,test,... -o FILE
    time FILE... [--model FOLDER]
    sum FILE...
    heads ENCODER=FOLDER... -o FILE

`make` runs a resolver and times it with given candidates on two threads. `time` only times the
resolver of stored runs; nothing else should run on the machine. Of several runs one is timed:
weights make no difference, so seeds and recipes of one network that read problems the same number
of times share its time, and their folder may have any weights. `sum` sets the time of an ensemble
to the sum of its members' times. `heads` collects the tables of all attention heads from folders
of `coindex train pronoun --recipe attention`.

Then `scripts/results` renews the page. Sets are dev, test, or names such as gap:test:found. Test
is run once. Call it as `python -m research.models.make_runs`.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from coindex import io, resolvers
from coindex.errors import CoindexError, InputError
from coindex.models.common.artifact import METADATA
from coindex.models.pronoun.artifact import read_metadata
from coindex.models.pronoun.attention import parse_fitted_heads
from coindex.resolvers import ResolverSettings
from research.results.attention_heads import HeadScores, heads_json
from research.results.make_run import DEV, TEST, TIMED, milliseconds
from research.results.make_run import make_run as make
from research.results.runs import RunMetadata, StoredRun, read_run, save_run, write_run
from research.results.task import Corpora, task_of

THREADS = 2
ITEMS = 208
SETS = {"dev": DEV, "test": TEST}


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("make", help="run a resolver and store its decisions")
    for name in ("system", "resolver", "sets"):
        one.add_argument(f"--{name}", required=True)
    one.add_argument("--model")
    one.add_argument("--recipe", default="")
    one.add_argument("--seed", type=int, help="for systems that depend on a random seed")
    one.add_argument("--parameters", type=int)
    one.add_argument("--untimed", action="store_true", help="if other work runs on the machine")
    one.add_argument("-o", dest="out", required=True)
    again = commands.add_parser("time", help="time the resolver of a run again")
    again.add_argument("out", nargs="+", metavar="FILE")
    again.add_argument("--model")
    sums = commands.add_parser("sum", help="add up the times of an ensemble's members")
    sums.add_argument("out", nargs="+", metavar="FILE")
    two = commands.add_parser("heads", help="collect the tables of attention heads")
    two.add_argument("folder", nargs="+", metavar="ENCODER=FOLDER")
    two.add_argument("-o", dest="out", required=True)
    return parser.parse_args()


def make_run(options: argparse.Namespace) -> None:
    """Run a resolver, time it, write the run."""
    corpora, seed = Corpora(), 1 if options.seed is None else options.seed
    settings = ResolverSettings(seed=seed, model=options.model, threads=THREADS)
    tasks = [task for name in options.sets.split(",") for task in SETS.get(name, (name,))]
    size = parameters(options)
    made = make(
        options.resolver, tasks, settings, corpora, lambda text: _print_status(options.system, text)
    )
    timed = None if options.untimed else timed_with(options.resolver, settings, corpora)
    metadata = RunMetadata(
        options.system, options.resolver, options.seed, size, timed,
        options.recipe, made.signature,
    )  # fmt: skip
    write_run(options.out, metadata, made.decisions, made.switched, corpora)
    _print_status(
        options.system, f"{timed} ms per item, {Path(options.out).stat().st_size:,} bytes"
    )


def time_run(options: argparse.Namespace) -> None:
    """Time the resolver of stored runs, and write the time into them."""
    runs = [read_run(file) for file in options.out]
    if len({(run.metadata.resolver, run.metadata.parameters) for run in runs}) > 1:
        raise InputError("expected runs of one resolver and size, found several")
    metadata = runs[0].metadata
    seed = 1 if metadata.seed is None else metadata.seed
    settings = ResolverSettings(seed=seed, model=options.model, threads=THREADS)
    _set(runs, timed_with(metadata.resolver, settings, Corpora()))


def sum_run(options: argparse.Namespace) -> None:
    """Add up the times of an ensemble's members, whose names are in its signature."""
    for run in map(read_run, options.out):
        names = run.metadata.signature.split("+")
        members = [read_run(Path(run.source).parent / f"{name}.json.xz").metadata for name in names]
        untimed = [each.system for each in members if each.ms_per_item is None]
        if untimed:
            raise InputError(f"{run.source}: expected members that are timed, found {untimed} not")
        _set([run], round(sum(each.ms_per_item or 0.0 for each in members), 3))


def _set(runs: list[StoredRun], timed: float) -> None:
    for run in runs:
        save_run(replace(run, metadata=replace(run.metadata, ms_per_item=timed)), run.source)
        _print_status(run.metadata.system, f"{timed:.2f} ms per item")


def timed_with(name: str, settings: ResolverSettings, corpora: Corpora) -> float:
    """Milliseconds per item, with parses computed and not read from the cache."""
    decider = resolvers.decider(name, replace(settings, cache=False))
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(THREADS)
    return round(milliseconds(decider, corpora.problems(task_of(TIMED))[:ITEMS]), 3)


def parameters(options: argparse.Namespace) -> int | None:
    """The number of parameters: from the arguments, or from the model's metadata."""
    if options.parameters is not None or options.model is None:
        return options.parameters if options.parameters is None else int(options.parameters)
    file = Path(options.model) / METADATA
    size = json.loads(io.read_text(file)).get("parameters") if file.is_file() else None
    return None if size is None else int(size)


def collect_heads(options: argparse.Namespace) -> None:
    """Collect the fitted heads of each folder, without the path of its encoder."""
    scores = []
    for each in options.folder:
        encoder, _, name = each.partition("=")
        metadata = read_metadata(Path(name), "attention")
        files = ", ".join(file for stage in metadata["recipe"]["stage"] for file in stage["files"])
        fits = {way: parse_fitted_heads(made, name) for way, made in metadata["fits"].items()}
        scores.append(HeadScores(encoder, files, fits))
    io.write_text(options.out, [heads_json(scores)])


def _print_status(system: str, text: str) -> None:
    sys.stderr.write(f"{system}: {text}\n")


if __name__ == "__main__":
    options = arguments()
    try:
        commands = {"make": make_run, "time": time_run, "sum": sum_run, "heads": collect_heads}
        commands[options.command](options)
    except CoindexError as error:
        sys.exit(f"make_runs: {error}")
