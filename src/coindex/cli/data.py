"""Corpora: what there is, where it is, its licence and citation; download or add one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from coindex.cli._common import json_option, print_json, progress
from coindex.data import fetch, register, report, verify, where
from coindex.data.fetch import Step
from coindex.errors import InputError, UsageError


@click.group(name="data")
def command() -> None:
    """Corpora: what there is, where it is, its licence and citation.

    Looks in $COINDEX_DATA, then in coindex's own folder ($COINDEX_HOME, or
    where the system keeps a user's data). Only `get` uses the network.
    """


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the corpora, with licence, citation and where they were found."""
    rows = [report.row(register.load(name)) for name in register.all_names()]
    for name in register.hidden():
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
    places = list(where.found(register.load(name)))
    here = [(file, place) for file, place in places if place is not None]
    faults = []
    if check:
        with progress(name, sum(file.bytes for file, _ in here)) as watch:
            faults = verify.faults(here, watch)
    if as_json:
        wrong = {fault.path: fault.what for fault in faults}
        print_json([report.place(file, place, check, wrong) for file, place in places])
    else:
        click.echo("".join(f"{place}\n" for _, place in here), nl=False)
    for fault in faults:
        click.echo(f"coindex: {fault}", err=True)
    missing = [file for file, place in places if place is None]
    if missing:
        raise where.not_here(name, missing)
    if faults:
        raise InputError(f"{name}: {len(faults)} of {len(here)} files are not as they should be")


@command.command("show")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print all that is known of the corpus NAME: licence, citation, files."""
    corpus = register.load(name)
    if as_json:
        print_json(register.plain(corpus))
    else:
        click.echo("\n".join(report.describe(corpus)))


@command.command("add")
@click.argument("name")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--licence", metavar="TEXT", help="Its licence, by SPDX id if it has one.")
@click.option("--citation", metavar="TEXT", help="The paper to cite.")
@click.option("--format", "format_", metavar="FORMAT", help="Its format; recognised by default.")
@click.option("--force", is_flag=True, help="Replace a corpus of yours of that name.")
@json_option
def add(
    name: str,
    paths: tuple[str, ...],
    licence: str | None,
    citation: str | None,
    format_: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Register files of your own, or all in a folder, as the corpus NAME.

    They stay where they are; their checksums are kept, so that
    `coindex data where NAME --verify` notices a change.
    """
    corpus = register.add(
        name, paths, licence=licence, citation=citation, format=format_, force=force
    )
    if as_json:
        print_json(register.plain(corpus))
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
    plans = {name: fetch.plan(register.load(name), to) for name in dict.fromkeys(names)}
    _agree([name for name, steps in plans.items() if fetch.size(steps)], yes)
    for name, steps in plans.items():
        with progress(name, fetch.size(steps)) as watch:
            for step in fetch.get(steps, watch):
                if step.state != Step.NO_ADDRESS and not as_json:
                    click.echo(step.target)
    if as_json:
        print_json({name: [report.step(step) for step in plans[name]] for name in plans})
    steps = [step for each in plans.values() for step in each]
    for line in fetch.remarks(steps, to):
        click.echo(f"coindex: {line}", err=True)
    lacking = sum(step.state == Step.NO_ADDRESS for step in steps)
    if lacking:
        raise fetch.DownloadError(f"{lacking} of {len(steps)} files cannot be downloaded")


def _agree(names: list[str], yes: bool) -> None:
    """Show the licences of what is about to be downloaded, and ask."""
    for name in names:
        for line in [name, *report.terms(register.load(name))]:
            click.echo(line, err=True)
    if not names or yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("accept the licences above with --yes")
    click.confirm("Download under these terms?", abort=True, err=True)
