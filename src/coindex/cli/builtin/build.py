"""Build a corpus of pronoun problems from raw text, with every dropped sentence counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from coindex import builders, formats, io
from coindex.builders import sources
from coindex.builders.pipeline import report, run
from coindex.builders.pipeline.label_check import CONFIDENCE, LabelCheck, check_items
from coindex.builders.pipeline.shard_output import FORMAT
from coindex.builders.pipeline.worker import BuildJob
from coindex.cli import common
from coindex.cli.engine_options import check_address, engine_options
from coindex.cli.interruption import resume_hint
from coindex.errors import UsageError
from coindex.formats import ConversionLosses
from coindex.jobs.parts import remove_parts
from coindex.models import COREF, PRONOUN_KINDS, open_model
from coindex.models.common.installed_models import find_model
from coindex.report.progress_bar import progress_bar
from coindex.resolvers import ResolverSettings, decider
from coindex.types.problem import Problem


def builder_options() -> Iterator[str]:
    """The options that builders have, with their values."""
    for name in builders.names():
        options = builders.load(name).OPTIONS.items()
        yield from (f"{key}={values} of {name}" for key, values in options)


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of `coindex build`."""

    name: str
    files: tuple[str, ...]
    output: str
    source: str | None
    to_format: str
    overrides: tuple[str, ...]
    split: bool
    apart: tuple[str, ...]
    finish: str | None
    check_labels: str | None
    confidence: float
    workers: int
    engine: str
    address: str | None
    pipeline: str | None
    seed: int
    limit: int | None
    shard: int
    resume: bool
    strict: bool
    html: str | None
    as_json: bool

    def settings(self) -> dict[str, str]:
        """The builder's own options."""
        pairs = [each.partition("=") for each in self.overrides]
        for name, equals, _ in pairs:
            if not name or not equals:
                raise UsageError(f"expected --set KEY=VALUE, found {name!r}")
        return {name: value for name, _, value in pairs}


@click.command(name="build", cls=common.with_old_options({"--report": "--html"}))
@click.argument("name")
@click.argument("files", nargs=-1, metavar="SOURCE...")
@click.option("-o", "--output", required=True, metavar="FILE",
              help="Write to FILE; the parts of a run are in FILE.parts until it is done.")  # fmt: skip
@click.option("--source", metavar="NAME",
              help="What SOURCE is: a name of `coindex list sources`; recognised by default.")  # fmt: skip
@click.option("--to", "to_format", default=FORMAT, show_default=True, metavar="FORMAT",
              help="The format to write; only the default stores everything.")  # fmt: skip
@common.set_option(", ".join(builder_options()))
@click.option("--split", is_flag=True,
              help="Write training and held-out items to two files, if the builder splits them:"
                   " crem.train.jsonl and crem.held-out.jsonl where FILE is crem.jsonl.")  # fmt: skip
@click.option("--apart", multiple=True, metavar="CORPUS",
              help="Refuse a SOURCE that this corpus was built from; may be repeated.")  # fmt: skip
@click.option("--finish", metavar="ANNOTATED",
              help="Make the corpus of items that annotators have judged, without a SOURCE.")  # fmt: skip
@click.option("--check-labels", metavar="MODEL",
              help="Drop and count items whose label this model is confident is wrong: default,"
                   " or the folder of a pronoun or coreference model.")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 1), default=CONFIDENCE, show_default=True,
              help="The probability of another answer from which on --check-labels drops an"
                   " item.")  # fmt: skip
@engine_options
@common.pipeline_option
@common.seed_option()
@click.option("--limit", type=click.IntRange(1), metavar="N",
              help="Only the first N shards of all input.")  # fmt: skip
@click.option("--shard", default=run.SIZE, show_default=True, type=click.IntRange(1),
              metavar="BYTES",
              help="The approximate size of a shard: what a worker processes at a time, and"
                   " loses when it is killed.")  # fmt: skip
@common.resume_option
@click.option("--strict", is_flag=True, help="Stop at broken input instead of counting it.")
@common.html_option
@common.json_option
@common.typed_options(BuildOptions)
def command(options: BuildOptions) -> None:
    """Build the corpus NAME from SOURCEs: dumps, folders of text, comments, subtitles.

    `coindex list builders` and `coindex list sources` show what there is. --html writes a
    report: what went in, what came out, what was dropped and why. The result is the same
    for any number of workers and either engine. An interrupted run, even one ended by
    `kill -9`, is resumed by the same command.
    """
    formats.load(options.to_format)
    common.check_page_output(options.html, options.as_json, None)
    if options.output == "-":
        raise UsageError("a corpus and its parts need a place on disk: name a file with -o")
    if Path(options.output).is_dir():
        raise UsageError(f"{options.output}: expected a file to write, found a folder")
    check_address(options.engine, options.address)
    if bool(options.files) == bool(options.finish):
        raise UsageError("expected either SOURCEs to build from or --finish ANNOTATED")
    rules = run.make_rules(options.name, options.seed, options.settings())
    check = _label_check(options)
    plan = None
    if options.finish:
        built = run.finish_items(list(_items(options.finish)), options.name, rules)
    else:
        plan = _plan(options)
        built, folder = _run(plan, options), Path(plan.job.folder)
        if check is not None:
            built = check_items(built, check, folder)
        built = run.collect_items(built, options.name, rules, folder)
    losses = ConversionLosses(options.to_format)
    _report(built, _write(built, options, losses), options, losses)
    if losses.refused and not losses.written:  # the parts are not removed: try another format
        raise click.exceptions.Exit(1)
    if plan:
        remove_parts(Path(plan.job.folder))


def _label_check(options: BuildOptions) -> LabelCheck | None:
    """What labels are checked with; None if they are not."""
    if options.check_labels is None:
        return None
    if options.finish:
        raise UsageError("--check-labels is for labels of the builder, not for those of annotators")
    folder = find_model(options.check_labels)
    kinds = open_model(folder).kinds
    pronoun = next((kind for kind in PRONOUN_KINDS if kind in kinds), None)
    name = {None: "neural", "attention": "attention-multi"}.get(pronoun, pronoun or "")
    if pronoun is None:
        open_model(folder).expect(COREF, *PRONOUN_KINDS)
    resolver = decider(name, ResolverSettings(model=str(folder)))
    return LabelCheck(resolver.decide, resolver.signature, options.confidence)


def _items(path: str) -> Iterator[Problem]:
    return (item for item in formats.read(path) if isinstance(item, Problem))


def _plan(options: BuildOptions) -> run.BuildPlan:
    job = BuildJob(
        options.name, options.source or _guess(options.files), f"{options.output}.parts",
        options.seed, options.pipeline, options.strict, tuple(sorted(options.settings().items())),
    )  # fmt: skip
    plan = run.plan_build(job, options.files, size=options.shard, limit=options.limit)
    for corpus in options.apart:
        run.check_disjoint_sources(plan, _items(corpus), corpus)
    return plan


def _run(plan: run.BuildPlan, options: BuildOptions) -> run.BuildResult:
    with resume_hint(), progress_bar() as on_progress:
        return run.run_build(
            plan, engine=options.engine, workers=options.workers, address=options.address,
            resume=options.resume, on_progress=on_progress,
        )  # fmt: skip


def _write(built: run.BuildResult, options: BuildOptions, losses: ConversionLosses) -> list[str]:
    """Write one file, or one for each split; returns their names."""
    if not options.split or not built.problems:
        formats.write(options.output, built.problems, losses.format, losses)
        return [options.output]
    path, names = Path(options.output), []
    splits = list(dict.fromkeys(map(run.split_name, built.problems)))
    if "" in splits:
        raise UsageError(
            "--split: expected the metadata 'split' in every item, found items without;"
            " give the same command without --split to have them in one file"
        )
    for split in splits:
        names.append(str(path.with_name(f"{path.stem}.{split}{path.suffix}")))
        items = (problem for problem in built.problems if run.split_name(problem) == split)
        formats.write(names[-1], items, losses.format, losses)
    return names


def _guess(files: tuple[str, ...]) -> str:
    guessed = {sources.guess(file) for file in files}
    if len(guessed) > 1:
        raise UsageError(f"expected SOURCEs of one kind, found {', '.join(sorted(guessed))}")
    return guessed.pop()


def _report(
    built: run.BuildResult, files: list[str], options: BuildOptions, losses: ConversionLosses
) -> None:
    published = builders.load(options.name).PUBLISHED
    tables = report.report_tables(built, published) if options.html or not options.as_json else []
    if options.html:
        io.write_text(options.html, [common.render_tables(tables, "html")])
        if options.html != "-":
            click.echo(f"written to {options.html}", err=True)
    for line in losses.lines():
        click.echo(line, err=True)
    if options.as_json:
        written = {"output": files, "written": losses.written}
        common.print_json({**report.report_as_json(built, published), **written})
        return
    if options.html != "-":
        click.echo(common.render_tables(tables, color=False))
    click.echo(f"{losses.written} items written to {', '.join(files)}", err=True)
