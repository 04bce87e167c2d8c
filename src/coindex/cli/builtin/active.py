"""Active learning: rank a pool for annotation, or simulate strategies on gold documents."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import click

from coindex import active, io
from coindex.active import report
from coindex.cli import common
from coindex.cli.interruption import resume_hint
from coindex.cli.vector_warnings import warn_missing_vectors
from coindex.errors import UsageError
from coindex.models.mention_pair.recipe import config_from_overrides
from coindex.report.progress_bar import progress_bar

_resolver_options = common.all_of(
    click.option("--members", default=active.MEMBERS, show_default=True, metavar="N",
                 type=click.IntRange(1), help="How many models vote."),
    common.set_option("rule=transitive, rounds=5"),
    common.vectors_option,
    common.pipeline_option,
    common.from_option,
    common.json_option,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolverOptions:
    """The options of the resolver that is trained."""

    members: int
    overrides: tuple[str, ...]
    vectors: tuple[str, ...]
    pipeline: str | None
    from_format: str | None
    as_json: bool

    def setup(self) -> active.Setup:
        """How the resolver is made."""
        sources = self.vectors or ("encoder",)
        return active.Setup(config_from_overrides(self.overrides), self.pipeline, True, sources)


@click.group(name="active")
def command() -> None:
    """Choose what to annotate next; see `docs/how-to/active.md`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions(ResolverOptions):
    """The options of `coindex active rank`."""

    pool: tuple[str, ...]
    annotated: tuple[str, ...]
    strategy: str
    checkpoint: tuple[str, ...]
    dropout: str | None
    aside: float
    seed: int
    log: str | None

    def networks(self) -> active.NeuralCommittee:
        """The neural models that vote, if any."""
        if len(self.checkpoint) == 1:
            raise UsageError("--checkpoint: one model alone agrees with itself; name two or more")
        if self.checkpoint and self.dropout:
            raise UsageError("--checkpoint and --dropout are two kinds of committee: choose one")
        if self.dropout and self.members < 2:
            raise UsageError("--dropout: one vote alone agrees with itself; --members 2 or more")
        return active.NeuralCommittee(self.checkpoint, self.dropout)


@command.command("rank")
@click.argument("pool", nargs=-1, required=True, metavar="POOL...")
@click.option("--annotated", multiple=True, metavar="FILE",
              help="Documents with entities, in the order in which they were annotated.")  # fmt: skip
@click.option("--strategy", default="voting", show_default=True, metavar="NAME",
              help="The query strategy; see `coindex list strategies`.")  # fmt: skip
@click.option("--checkpoint", multiple=True, metavar="FOLDER",
              help="A neural model that votes in place of trained ones; two or more.")  # fmt: skip
@click.option("--dropout", metavar="FOLDER",
              help="A neural model as training saved it, that votes --members times with"
                   " Monte Carlo dropout.")  # fmt: skip
@click.option("--aside", default=0.0, show_default=True, metavar="SHARE",
              type=click.FloatRange(0, 1, max_open=True),
              help="The share of the pool to hold out for evaluation.")  # fmt: skip
@common.seed_option()
@click.option("--log", metavar="FILE", help="Append the picks to a file of JSON lines.")
@_resolver_options
@common.typed_options(RankOptions)
def rank(options: RankOptions) -> None:
    """Rank the documents of POOL in the order in which they should be annotated.

    The first is the one to annotate next; after it, rank again. Entities in POOL are
    ignored. The same files and seed give the same ranking.
    """
    active.load(options.strategy)
    networks = options.networks()
    if options.log:
        io.check_writable(options.log)
    setup = options.setup()
    documents = common.read_documents(options.pool, options.from_format)
    annotated = common.read_documents(options.annotated, options.from_format)
    pool, aside = active.split_held_out(documents, options.aside, options.seed)
    fixed = networks.members(options.members, options.seed) if pool else ()
    ranking = active.rank(
        pool, annotated, active.LazyLearner(setup), options.strategy, seed=options.seed,
        members=options.members, fixed=fixed,
    )  # fmt: skip
    if ranking.models and not fixed:
        warn_missing_vectors(setup.vectors)
    if options.log:
        _append(options.log, ranking)
    if options.as_json:
        common.print_json({**ranking.as_json(), "aside": [document.key for document in aside]})
        return
    width = max((len(pick.document) for pick in ranking.picks), default=0)
    for pick in ranking.picks:
        click.echo(f"{pick.rank:4}  {pick.document:{width}}  {pick.score:.4f}")
    for document in aside:
        click.echo(f"kept aside for evaluation: {document.key}", err=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulateOptions(ResolverOptions):
    """The options of `coindex active simulate`."""

    files: tuple[str, ...]
    strategy: str
    seeds: int
    rounds: int
    start: int
    pool: int
    aside: int | None
    target: float | None
    output: Path | None
    resume: bool
    workers: int
    plot: str | None

    def plan(self) -> active.Plan:
        """What is simulated."""
        every = self.strategy == "all"
        names = active.names() if every else tuple(map(str.strip, self.strategy.split(",")))
        return active.Plan(
            names, self.seeds, self.rounds, self.start, self.pool, self.aside, self.members
        )


@command.command("simulate")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--strategy", default="voting,random", show_default=True, metavar="A,B,...",
              help="Strategies by commas, or all.")  # fmt: skip
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(1), metavar="N",
              help="How many repetitions, each with another split of the documents.")  # fmt: skip
@click.option("--rounds", default=40, show_default=True, type=click.IntRange(0), metavar="N",
              help="Documents annotated after the start, one per round.")  # fmt: skip
@click.option("--start", default=10, show_default=True, type=click.IntRange(1), metavar="N",
              help="Documents annotated at the start.")  # fmt: skip
@click.option("--pool", default=60, show_default=True, type=click.IntRange(0), metavar="N",
              help="Documents to choose from.")  # fmt: skip
@click.option("--aside", type=click.IntRange(1), metavar="N",
              help="Documents held out for evaluation.  [default: all others]")  # fmt: skip
@click.option("--target", type=float, metavar="F1", help="The CoNLL F1 to reach.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Log each round there, so that the simulation can be resumed.")  # fmt: skip
@common.resume_option
@common.workers_option
@click.option("--plot", metavar="FILE", help="Plot the curves: .svg, .png or .pdf.")
@_resolver_options
@common.typed_options(SimulateOptions)
def simulate(options: SimulateOptions) -> None:
    """Simulate strategies on gold documents, as if somebody annotated what they pick."""
    plan = options.plan()
    if options.plot:
        report.check_plot(options.plot)
    setup = options.setup()
    warn_missing_vectors(setup.vectors)
    documents = common.read_documents(options.files, options.from_format)
    with resume_hint() if options.output else nullcontext(), progress_bar() as on_progress:
        rows = active.simulate(
            documents, plan, setup, folder=options.output, workers=options.workers,
            fresh=not options.resume, on_progress=on_progress,
        )  # fmt: skip
    if options.plot:
        report.draw_plot(rows, options.plot)
        click.echo(f"written to {options.plot}", err=True)
    if options.as_json:
        common.print_json(report.as_json(rows, options.target))
    else:
        click.echo(common.render_tables(report.tables(rows, target=options.target)))


def _append(path: str, ranking: active.Ranking) -> None:
    """Append a ranking to a log."""
    before = io.read_text(path) if Path(path).is_file() else ""
    rows = (json.dumps(row, ensure_ascii=False) + "\n" for row in ranking.lines())
    io.write_text(path, [before, *rows])
