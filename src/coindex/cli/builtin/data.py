"""Corpora: what there is, where it is, its licence and citation; download or add one."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import click

from coindex.cli.common import from_option, json_option, print_json, typed_options, with_old_options
from coindex.datasets import checksums, download, locate, registry
from coindex.datasets.download import DownloadStep
from coindex.errors import InputError, UsageError
from coindex.report.progress_bar import progress_bar


@click.group(name="data")
def command() -> None:
    """Corpora: what there is, where it is, its licence and citation.

    Looks in $COINDEX_DATA, then in coindex's own folder ($COINDEX_HOME, or
    the system's folder of user data). Only `get` uses the network.
    """


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the corpora, with licence, citation and where they were found."""
    rows = [locate.corpus_row(registry.load(name)) for name in registry.all_names()]
    for name in registry.shadowed_names():
        click.echo(f"coindex: your own {name!r} is hidden by the catalogue's: rename it", err=True)
    if as_json:
        print_json(rows)
        return
    columns = ("name", "licence", "citation", "what")
    widths = {column: max(len(row[column]) for row in rows) for column in columns}
    for row in rows:
        part = "" if row["found"] in (0, row["files"]) else f" ({row['found']} of {row['files']})"
        cells = [f"{row[column]:{width}}" for column, width in widths.items()]
        click.echo("  ".join([*cells, (row["where"] or "not here") + part]))


@command.command("where")
@click.argument("name")
@click.option("--verify", "check", is_flag=True, help="Compare sizes and checksums too.")
@json_option
def where_(name: str, check: bool, as_json: bool) -> None:
    """Print where the files of the corpus NAME are.

    Exit 1 if one is missing or, with --verify, is not the one that is meant.
    """
    places = list(locate.locate_files(registry.load(name)))
    here = [(file, place) for file, place in places if place is not None]
    faults = []
    if check:
        with progress_bar() as on_progress:
            faults = checksums.find_mismatches(here, on_progress, name)
    if as_json:
        wrong = {fault.path: fault.what for fault in faults}
        print_json([locate.file_row(file, place, check, wrong) for file, place in places])
    else:
        click.echo("".join(f"{place}\n" for _, place in here), nl=False)
    for fault in faults:
        click.echo(f"coindex: {fault}", err=True)
    missing = [file for file, place in places if place is None]
    if missing:
        raise locate.not_found_error(name, missing)
    if faults:
        raise InputError(f"{name}: {len(faults)} of {len(here)} files are not as they should be")


@command.command("show")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print all that is known of the corpus NAME: licence, citation, files."""
    corpus = registry.load(name)
    if as_json:
        print_json(registry.corpus_as_json(corpus))
    else:
        click.echo("\n".join(corpus.describe()))


@dataclass(frozen=True, slots=True)
class AddOptions:
    """The options of `coindex data add`."""

    name: str
    paths: tuple[str, ...]
    licence: str | None
    citation: str | None
    from_format: str | None
    force: bool
    as_json: bool


@command.command("add", cls=with_old_options({"--format": "--from"}))
@click.argument("name")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--licence", metavar="TEXT", help="Its licence, by SPDX id if it has one.")
@click.option("--citation", metavar="TEXT", help="The paper to cite.")
@from_option
@click.option("--force", is_flag=True, help="Replace a corpus of yours of that name.")
@json_option
@typed_options(AddOptions)
def add(options: AddOptions) -> None:
    """Register files of your own, or all in a folder, as the corpus NAME.

    They stay where they are; their checksums are stored, so that
    `coindex data where NAME --verify` notices a change.
    """
    corpus = registry.add(
        options.name, options.paths, licence=options.licence, citation=options.citation,
        format=options.from_format, force=options.force,
    )  # fmt: skip
    if options.as_json:
        print_json(registry.corpus_as_json(corpus))
    else:
        click.echo("\n".join(file.path for file in corpus.files))


@command.command("get")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--to", type=click.Path(path_type=Path), help="Put it in this data folder.")
@click.option("--yes", is_flag=True, help="Accept the licences without being asked.")
@json_option
def get(names: tuple[str, ...], to: Path | None, yes: bool, as_json: bool) -> None:
    """Download the corpora NAME..., verified; what is there and right is skipped."""
    to = to.expanduser().absolute() if to is not None else None
    plans = {name: download.plan_download(registry.load(name), to) for name in dict.fromkeys(names)}
    _agree([name for name, steps in plans.items() if download.download_size(steps)], yes)
    for name, steps in plans.items():
        with progress_bar() as on_progress:
            for step in download.run_download(steps, on_progress, name):
                if step.state != DownloadStep.NO_ADDRESS and not as_json:
                    click.echo(step.target)
    if as_json:
        print_json({name: [step.as_json() for step in plans[name]] for name in plans})
    steps = [step for each in plans.values() for step in each]
    for line in download.remarks(steps, to):
        click.echo(f"coindex: {line}", err=True)
    lacking = sum(step.state == DownloadStep.NO_ADDRESS for step in steps)
    if lacking:
        raise download.DownloadError(f"{lacking} of {len(steps)} files cannot be downloaded")


def _agree(names: list[str], yes: bool) -> None:
    """Show the licences of what is about to be downloaded, and ask."""
    for name in names:
        for line in [name, *registry.load(name).terms()]:
            click.echo(line, err=True)
    if not names or yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("accept the licences above with --yes")
    click.confirm("Download under these terms?", abort=True, err=True)
