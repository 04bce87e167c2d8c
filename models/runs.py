"""The runs behind docs/results.md: decisions on the benchmarks, kept in models/pronoun/runs.

runs.py make --system NAME --resolver NAME [--model FOLDER] [--seed N] --sets dev,test,... -o FILE
runs.py time FILE... [--model FOLDER]
runs.py sum FILE...
runs.py heads ENCODER=FOLDER... -o FILE

`make` runs a resolver here and times it with given candidates on two threads; `time` does the
latter alone, for runs that are kept, at a time when nothing else is running. Of several, one is
timed: weights make no difference, so seeds and recipes of one network that read problems the same
number of times share its time, and their folder may hold any weights. `sum` gives an ensemble the
times of its members, added up. `heads` collects the tables of all attention heads from folders of
`coindex train pronoun --recipe attention`.
Then `scripts/results` renews the page. Sets are dev, test, or names such as gap:test:found; test
is to be run once.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from coindex import io, resolvers
from coindex.bench.heads import Heads, heads_json
from coindex.bench.make import DEV, TEST, TIMED, make, milliseconds
from coindex.bench.runs import Facts, KeptRun, read_run, save_run, write_run
from coindex.bench.task import Corpora, task_of
from coindex.errors import CoindexError, InputError
from coindex.pronoun.heads import fitted
from coindex.pronoun.package import FACTS, facts_of
from coindex.resolvers import Settings

THREADS = 2
ITEMS = 208
SETS = {"dev": DEV, "test": TEST}


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("make", help="run a resolver and keep its decisions")
    for name in ("system", "resolver", "sets"):
        one.add_argument(f"--{name}", required=True)
    one.add_argument("--model")
    one.add_argument("--recipe", default="")
    one.add_argument("--seed", type=int, help="where chance has a part")
    one.add_argument("--parameters", type=int)
    one.add_argument("--untimed", action="store_true", help="where others share the machine")
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


def make_run(asked: argparse.Namespace) -> None:
    """Run, time, write."""
    corpora, seed = Corpora(), 1 if asked.seed is None else asked.seed
    settings = Settings(seed=seed, model=asked.model, threads=THREADS)
    tasks = [task for name in asked.sets.split(",") for task in SETS.get(name, (name,))]
    size = parameters(asked)
    made = make(asked.resolver, tasks, settings, corpora, lambda text: _say(asked.system, text))
    timed = None if asked.untimed else timed_with(asked.resolver, settings, corpora)
    facts = Facts(
        asked.system, asked.resolver, asked.seed, size, timed,
        asked.recipe, made.signature,
    )  # fmt: skip
    write_run(asked.out, facts, made.decisions, made.switched, corpora)
    _say(asked.system, f"{timed} ms an item, {Path(asked.out).stat().st_size:,} bytes")


def time_run(asked: argparse.Namespace) -> None:
    """Time the resolver of kept runs, and write the time into them."""
    runs = [read_run(file) for file in asked.out]
    if len({(run.facts.resolver, run.facts.parameters) for run in runs}) > 1:
        raise InputError("expected runs of one resolver and size, found several")
    facts = runs[0].facts
    seed = 1 if facts.seed is None else facts.seed
    settings = Settings(seed=seed, model=asked.model, threads=THREADS)
    _set(runs, timed_with(facts.resolver, settings, Corpora()))


def sum_run(asked: argparse.Namespace) -> None:
    """Add up what the members take, whose names are in an ensemble's signature."""
    for run in map(read_run, asked.out):
        names = run.facts.signature.split("+")
        members = [read_run(Path(run.source).parent / f"{name}.json.xz").facts for name in names]
        lacks = [each.system for each in members if each.ms_per_item is None]
        if lacks:
            raise InputError(f"{run.source}: expected members that are timed, found {lacks} not")
        _set([run], round(sum(each.ms_per_item or 0.0 for each in members), 3))


def _set(runs: list[KeptRun], timed: float) -> None:
    for run in runs:
        save_run(replace(run, facts=replace(run.facts, ms_per_item=timed)), run.source)
        _say(run.facts.system, f"{timed:.2f} ms an item")


def timed_with(name: str, settings: Settings, corpora: Corpora) -> float:
    """Milliseconds an item, parses not taken from the disk."""
    decider = resolvers.decider(name, replace(settings, cache=False))
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(THREADS)
    return round(milliseconds(decider, corpora.problems(task_of(TIMED))[:ITEMS]), 3)


def parameters(asked: argparse.Namespace) -> int | None:
    """As told, else what the model's folder says."""
    if asked.parameters is not None or asked.model is None:
        return asked.parameters if asked.parameters is None else int(asked.parameters)
    file = Path(asked.model) / FACTS
    found = json.loads(io.read_text(file)).get("parameters") if file.is_file() else None
    return None if found is None else int(found)


def collect_heads(asked: argparse.Namespace) -> None:
    """The fitted heads of each folder, without where its encoder lay."""
    found = []
    for each in asked.folder:
        encoder, _, name = each.partition("=")
        facts = facts_of(Path(name), "attention")
        files = ", ".join(file for stage in facts["recipe"]["stage"] for file in stage["files"])
        fits = {way: fitted(made, name) for way, made in facts["fits"].items()}
        found.append(Heads(encoder, files, fits))
    io.write_text(asked.out, [heads_json(found)])


def _say(system: str, text: str) -> None:
    sys.stderr.write(f"{system}: {text}\n")


if __name__ == "__main__":
    told = arguments()
    try:
        commands = {"make": make_run, "time": time_run, "sum": sum_run, "heads": collect_heads}
        commands[told.command](told)
    except CoindexError as error:
        sys.exit(f"runs: {error}")
