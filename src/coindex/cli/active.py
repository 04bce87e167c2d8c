"""Active learning: rank a pool for annotation, or simulate strategies on gold documents."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from coindex import active, io
from coindex.cli._common import from_option, json_option, print_json
from coindex.cli._quizbowl import bar, documents_of, tell_vectors, writable
from coindex.errors import UsageError

_shared = (
    click.option("--members", default=active.MEMBERS, show_default=True, metavar="N",
                 type=click.IntRange(1), help="How many models vote."),
    click.option("--set", "changes", multiple=True, metavar="KEY=VALUE",
                 help="Change a setting of the resolver: rule=transitive, rounds=5."),
    click.option("--vectors", multiple=True, metavar="SOURCE",
                 help="Word vectors: a file, the folder of a model, encoder or none."
                      "  [default: encoder]"),
    click.option("--pipeline", metavar="NAME", help="The spaCy pipeline to parse with."),
    from_option,
    json_option,
)  # fmt: skip


def _with_shared(function: Any) -> Any:
    for option in reversed(_shared):
        function = option(function)
    return function


@click.group(name="active")
def command() -> None:
    """Choose what to annotate next; `docs/active.md` goes through it."""


@command.command("rank")
@click.argument("pool", nargs=-1, required=True, metavar="POOL...")
@click.option("--annotated", multiple=True, metavar="FILE",
              help="Documents with entities, in the order in which they were annotated.")  # fmt: skip
@click.option("--strategy", default="voting", show_default=True, help="How to choose.")
@click.option("--checkpoint", multiple=True, metavar="FOLDER",
              help="A neural model that votes instead of trained ones; two or more.")  # fmt: skip
@click.option("--dropout", metavar="FOLDER",
              help="A neural model as training left it, that votes --members times, each time"
                   " with another part of it left out.")  # fmt: skip
@click.option("--aside", default=0.0, show_default=True, metavar="SHARE",
              type=click.FloatRange(0, 1, max_open=True),
              help="The share of the pool kept out of the ranking, to evaluate on.")  # fmt: skip
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
@click.option("--log", metavar="FILE", help="Add the picks to a file of JSON lines.")
@_with_shared
def rank(pool: tuple[str, ...], **options: Any) -> None:
    """Put the documents of POOL in the order in which they should be annotated.

    The first is the one to annotate next; after it, rank again. Entities in POOL are
    not looked at. The same files and seed give the same ranking.
    """
    active.load(options["strategy"])
    networks = _networks(options)
    if options["log"]:
        writable(options["log"])
    setup = _setup(options)
    documents = documents_of(pool, options["from_format"])
    known = documents_of(options["annotated"], options["from_format"])
    rest, aside = active.divided(documents, options["aside"], options["seed"])
    fixed = networks.members(options["members"], options["seed"]) if rest else ()
    found = active.rank(
        rest, known, active.Lazy(setup), options["strategy"], seed=options["seed"],
        members=options["members"], fixed=fixed,
    )  # fmt: skip
    if found.models and not fixed:
        tell_vectors(setup.vectors)
    if options["log"]:
        _append(options["log"], found)
    if options["as_json"]:
        print_json({**found.as_json(), "aside": [document.key for document in aside]})
        return
    width = max((len(pick.document) for pick in found.picks), default=0)
    for pick in found.picks:
        click.echo(f"{pick.rank:4}  {pick.document:{width}}  {pick.score:.4f}")
    for document in aside:
        click.echo(f"kept aside for evaluation: {document.key}", err=True)


@command.command("simulate")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--strategy", "strategies", default="voting,random", show_default=True,
              metavar="A,B,...", help="Strategies by commas, or all.")  # fmt: skip
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(1), metavar="N")
@click.option("--rounds", default=40, show_default=True, type=click.IntRange(0), metavar="M")
@click.option("--start", default=10, show_default=True, type=click.IntRange(1),
              help="Documents annotated at the start.")  # fmt: skip
@click.option("--pool", default=60, show_default=True, type=click.IntRange(0),
              help="Documents to choose from.")  # fmt: skip
@click.option("--aside", type=click.IntRange(1),
              help="Documents kept aside for evaluation.  [default: all others]")  # fmt: skip
@click.option("--target", type=float, metavar="F1", help="The CoNLL F1 to reach.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Log each round there; the same command goes on from it.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Throw the simulation in FOLDER away.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1),
              help="Seeds run at once, in processes of their own.")  # fmt: skip
@click.option("--plot", metavar="FILE", help="Draw the curves: .svg, .png, .pdf.")
@_with_shared
def simulate(files: tuple[str, ...], **options: Any) -> None:
    """Play gold documents through strategies, as if somebody annotated what they pick."""
    names = options["strategies"]
    chosen = active.names() if names == "all" else tuple(each.strip() for each in names.split(","))
    plan = active.Plan(
        chosen, options["seeds"], options["rounds"], options["start"], options["pool"],
        options["aside"], options["members"],
    )  # fmt: skip
    if options["plot"]:
        from coindex.active._plot import check

        check(options["plot"])
    setup = _setup(options)
    tell_vectors(setup.vectors)
    documents = documents_of(files, options["from_format"])
    try:
        with bar() as watch:
            rows = active.simulate(
                documents, plan, setup, folder=options["output"],
                workers=options["workers"], fresh=options["fresh"], watch=watch,
            )  # fmt: skip
    except KeyboardInterrupt:
        if options["output"]:
            click.echo("coindex: run the same command again to go on from here", err=True)
        raise
    _show(rows, options)


def _show(rows: list[Any], options: dict[str, Any]) -> None:
    from coindex.active import _plot, _report
    from coindex.scoring.render import render

    if options["plot"]:
        _plot.draw(rows, options["plot"])
        click.echo(f"written to {options['plot']}", err=True)
    if options["as_json"]:
        print_json(_report.as_json(rows, options["target"]))
        return
    wide = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if wide else None
    color = wide and "NO_COLOR" not in os.environ
    tables = _report.grids(rows, target=options["target"])
    click.echo(render(tables, "text", width=width, color=color))


def _setup(options: dict[str, Any]) -> Any:
    from coindex.quizbowl.options import changed

    sources = tuple(options["vectors"]) or ("encoder",)
    return active.Setup(changed(options["changes"]), options["pipeline"], True, sources)


def _networks(options: dict[str, Any]) -> active.Networks:
    if len(options["checkpoint"]) == 1:
        raise UsageError("--checkpoint: one model alone agrees with itself; name two or more")
    if options["checkpoint"] and options["dropout"]:
        raise UsageError("--checkpoint and --dropout are two kinds of committee: choose one")
    if options["dropout"] and options["members"] < 2:
        raise UsageError("--dropout: one vote alone agrees with itself; --members 2 or more")
    return active.Networks(options["checkpoint"], options["dropout"])


def _append(path: str, found: active.Ranking) -> None:
    """Add a ranking to a log."""
    before = io.read_text(path) if Path(path).is_file() else ""
    rows = (json.dumps(row, ensure_ascii=False) + "\n" for row in found.lines())
    io.write_text(path, [before, *rows])
