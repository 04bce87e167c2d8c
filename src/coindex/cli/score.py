"""Score responses against a key: every metric, minimum spans, intervals, significance."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

import click

from coindex import formats, io
from coindex.cli._common import from_option, json_option, json_text, read_all, short_names
from coindex.core.document import Document
from coindex.core.source import Source
from coindex.errors import UsageError
from coindex.scoring.api import metric_names
from coindex.scoring.report import Report, Settings
from coindex.scoring.significance import RESAMPLES, SEED
from coindex.scoring.trees import layer

KEEP = click.Choice(["keep", "drop"])


@click.command(name="score")
@click.argument("key")
@click.argument("responses", nargs=-1, required=True, metavar="RESPONSE...")
@click.option(
    "--metrics",
    default="conll",
    show_default=True,
    help="conll, all, or names by commas: mentions,muc,b3,ceafm,ceafe,blanc,lea.",
)
@click.option(
    "--match",
    metavar="RULE,...",
    help="exact, mina, head, partial; several by commas.  [default: exact; for several"
    " responses to a key with trees: exact,mina,head]",
)
@click.option("--singletons", type=KEEP, default="keep", show_default=True)
@click.option("--zeros", type=KEEP, default="keep", show_default=True)
@click.option(
    "--missing",
    type=click.Choice(["error", "empty"]),
    default="error",
    show_default=True,
    help="What a document that one side lacks is.",
)
@click.option(
    "--trees",
    metavar="FILE",
    help="Trees for the key: Penn brackets, one a sentence, or documents with a parse.",
)
@click.option("--per-document", is_flag=True, help="A row for each document.")
@click.option("--by", type=click.Choice(["type"]), help="Scores for each type of mention.")
@click.option("--errors", is_flag=True, help="What went wrong, with examples.")
@click.option(
    "--examples",
    default=5,
    show_default=True,
    type=click.IntRange(0),
    help="How many examples of each error.",
)
@click.option(
    "--resamples",
    default=RESAMPLES,
    show_default=True,
    type=click.IntRange(100),
    help="How often documents are resampled for intervals and tests.",
)
@click.option("--seed", default=SEED, show_default=True, type=click.IntRange(0))
@click.option("--markdown", "style", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "style", flag_value="latex", help="Print LaTeX tables.")
@click.option("--html", "style", flag_value="html", help="Print a page with pictures.")
@click.option("-o", "--output", default="-", metavar="OUT", help="Write there instead.")
@from_option
@json_option
def command(key: str, responses: tuple[str, ...], **options: Any) -> None:
    """Score one or more RESPONSEs against a KEY, in any document format.

    Recall, precision and F1 in percent, with 95 % bootstrap intervals over
    documents. Several responses are ranked under maximum, MINA and head spans
    side by side, and compared by two paired tests. Every number has its signature.
    """
    if options["as_json"] and options["style"]:
        raise UsageError(f"--json and --{options['style']} are two styles: choose one")
    report = run(key, responses, options)
    text = (
        json_text(_with_files(report.json(), responses))
        if options["as_json"]
        else _shown(report, options)
    )
    if options["output"] == "-":
        click.echo(text)
    else:
        io.write_text(options["output"], [text, "" if text.endswith("\n") else "\n"])
        click.echo(f"written to {options['output']}", err=True)


def run(key: str, responses: tuple[str, ...], options: dict[str, Any]) -> Report:
    """Read everything and score it."""
    if len(set(responses)) < len(responses):
        raise UsageError("expected each response once, found one of them again")
    keys, key_repeats = _documents(key, options["from_format"])
    if options["trees"]:
        keys = list(layer(options["trees"])(keys))
    read = {
        name: _documents(path, options["from_format"])
        for name, path in zip(short_names(list(responses)), responses, strict=True)
    }
    rules = options["match"] and tuple(
        dict.fromkeys(r.strip() for r in options["match"].split(","))
    )
    settings = Settings(
        metric_names(options["metrics"]),
        rules or None,
        by_type=options["by"] == "type",
        **{
            name: options[name]
            for name in ("singletons", "zeros", "missing", "resamples", "seed", "per_document",
                         "errors", "examples")
        },
    )  # fmt: skip
    repeated = {name: (key_repeats, count) for name, (_, count) in read.items()}
    report = Report(keys, {name: found for name, (found, _) in read.items()}, settings, repeated)
    for name, side in report.sides.items():
        for note in side.notes[:5]:
            click.echo(note, err=True)
        if len(side.notes) > 5:
            click.echo(f"{name}: words differ in {len(side.notes) - 5} more documents", err=True)
    return report


def _documents(path: str, from_format: str | None) -> tuple[list[Document], int]:
    """The documents of a file, and how many mentions stood in one entity twice."""
    sources: list[Source] = []
    items = read_all([path], from_format, sources)
    documents = [item for item in items if isinstance(item, Document)]
    if not documents:
        raise UsageError(f"{path}: scoring needs documents: {', '.join(formats.names('document'))}")
    return documents, sum(f.rule == "repeated" for source in sources for f in source.findings)


def _shown(report: Report, options: dict[str, Any]) -> str:
    from coindex.scoring.render import render

    style = options["style"] or "text"
    wide = style == "text" and options["output"] == "-" and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if wide else None
    return render(report.grids(), style, width=width, color=wide and "NO_COLOR" not in os.environ)


def _with_files(found: dict[str, Any], responses: tuple[str, ...]) -> dict[str, Any]:
    for system, path in zip(found["systems"], responses, strict=True):
        system["file"] = path
    return found
