"""`coindex train teach`: a resolver's answers to problems that nobody annotated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from coindex import formats
from coindex.cli._common import (
    from_option,
    json_option,
    print_json,
    progress_of_items,
    read_all,
)
from coindex.core.problem import Problem
from coindex.errors import InputError, UsageError


@click.command("teach")
@click.argument("files", nargs=-1, required=True, metavar="IN...")
@click.option("-o", "--output", required=True, metavar="OUT", type=click.Path(path_type=Path),
              help="The file to write.")  # fmt: skip
@click.option("--resolver", required=True, metavar="NAME",
              help="Who answers; one that tells how sure it is.")  # fmt: skip
@click.option("--model", metavar="FOLDER", help="Its model, if it has one.")
@click.option("--sure", type=float, required=True, metavar="N",
              help="How far the best candidate's score must be before the second's.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), metavar="N",
              help="Threads of a model that needs no torch.")  # fmt: skip
@from_option
@json_option
def teach(files: tuple[str, ...], output: Path, **options: Any) -> None:
    """Answer problems that nobody annotated, to learn from: a large model teaches a small one.

    OUT gets the problems of IN without an answer, with that of the resolver, where it is
    sure enough. Problems that have an answer are not written: they tell how often the
    resolver is right when it is so sure. Decisions are kept for a month: after an
    interruption run the same command again, and try another --sure at no cost. The exit
    status is 1 if nothing is answered.
    """
    from coindex.bench.teach import teach as answered
    from coindex.resolvers import Settings

    if not output.absolute().parent.is_dir():
        raise InputError(f"{output}: no such folder to write in")
    settings = Settings(model=options["model"], threads=options["threads"])
    try:
        with progress_of_items() as watch:
            found = answered(
                _problems(files, options["from_format"]), options["resolver"], settings,
                sure=options["sure"], watch=watch,
            )  # fmt: skip
    except KeyboardInterrupt:
        click.echo("coindex: run the same command again to go on from here", err=True)
        raise
    if found.problems:
        formats.write(str(output), found.problems, "problem-jsonl")
    told, right = found.right(options["sure"])
    if options["as_json"]:
        print_json({
            "read": found.read, "answered": len(found.problems), "not-sure": found.unsure,
            "silent": found.silent, "sure": options["sure"],
            "checked": {"problems": len(found.checked), "sure": told, "right": right},
            "written": str(output) if found.problems else None,
        })  # fmt: skip
    else:
        _report(found, told, right, output)
    if not found.problems:
        raise click.exceptions.Exit(1)


def _problems(files: tuple[str, ...], from_format: str | None) -> list[Problem]:
    """The problems of all files."""
    found = []
    for item in read_all(files, from_format):
        if not isinstance(item, Problem):
            raise UsageError(f"only problems have an answer, this is a document: {item.id}")
        found.append(item)
    return found


def _report(found: Any, told: int, right: int, output: Path) -> None:
    """What was answered, and what is known of the answers."""
    click.echo(
        f"{len(found.problems):,} of {found.read - len(found.checked):,} problem(s) answered,"
        f" {found.unsure:,} not sure enough, {found.silent:,} without a choice", err=True,
    )  # fmt: skip
    if found.checked:
        share = f" ({100 * right / told:.1f} %)" if told else ""
        click.echo(
            f"of {len(found.checked):,} that have an answer it is so sure of {told:,},"
            f" and right in {right:,}{share}", err=True,
        )  # fmt: skip
    click.echo(f"written to {output}" if found.problems else "nothing is written", err=True)
