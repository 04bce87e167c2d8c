"""Find who is who: the entities of texts, with the shipped model or your own."""

from __future__ import annotations

import click

from coindex.cli.common import (
    device_option,
    from_option,
    json_option,
    model_option,
    output_option,
    resume_option_for,
    threads_option,
    typed_options,
)
from coindex.cli.engine_options import engine_options
from coindex.cli.resolve_options import ResolveOptions, collection_options
from coindex.text.markup import MARKUPS
from coindex.transform.replace_pronouns import MIN_CONFIDENCE


@click.command(name="resolve")
@click.argument("files", nargs=-1, metavar="[FILE|FOLDER|-]...")
@click.option("--to", "to_format", default="table", show_default=True, metavar="FORM",
              help="table (of entities), jsonl, parquet, html, brackets, replaced (pronouns by"
                   " names), or a document format such as text, conll2012 or corefud.")  # fmt: skip
@output_option("OUT")
@click.option("--output-dir", metavar="DIR",
              help="Write a file for each input file below DIR, in the same tree.")  # fmt: skip
@click.option("--singletons", is_flag=True,
              help="Also entities that are mentioned once; takes twice the time. A scheme that is"
                   " named otherwise than general decides itself: gum has them.")  # fmt: skip
@model_option
@click.option("--scheme", metavar="NAME",
              help="Which of the model's annotation schemes it follows: what is a mention, and what"
                   " is one entity; an unknown NAME lists them.  [default: general, if it has that]")  # fmt: skip
@threads_option
@device_option
@click.option("--batch", type=click.IntRange(1), metavar="N",
              help="How many windows of text are encoded ahead: more take more memory, and do not"
                   " change a result.  [default: 2 per thread]")  # fmt: skip
@click.option("--speakers", default="auto", show_default=True, metavar="auto|none|FILE",
              help="Who speaks: recognised in the text, nobody, or a file of turns"
                   " (start, end, speaker, addressee).")  # fmt: skip
@click.option("--markup", type=click.Choice(MARKUPS), default="auto", show_default=True,
              help="How plain text is read: with the tags and marks of HTML or Markdown left out,"
                   " or as it is; auto recognises them by the name of the file or in the text.")  # fmt: skip
@click.option("--min-confidence", type=click.FloatRange(0, 1), metavar="X",
              help=f"With --to replaced, only pronouns and names of that confidence."
                   f"  [default: {MIN_CONFIDENCE}]")  # fmt: skip
@click.option("--rules", default="all", show_default=True, metavar="all|none|NAME,...",
              help="Which rules correct the model, such as gender and number: all, none, or these;"
                   " -NAME leaves one out. An unknown NAME lists them.")  # fmt: skip
@click.option("--events", is_flag=True, help="Verbs can be mentions too.")
@click.option("--explain", is_flag=True, help="Say why mentions were joined or kept apart.")
@from_option
@collection_options
@engine_options
@resume_option_for("an interrupted run over a collection with the same -o or --output-dir")
@json_option
@click.option("--indent", type=click.IntRange(0), metavar="N",
              help="By how many spaces --json is indented; 0 is one line.  [default: 2]")  # fmt: skip
@typed_options(ResolveOptions)
def command(options: ResolveOptions) -> None:
    """Find the entities of each FILE: plain text, or documents in any format.

    A FOLDER stands for all files below it; globs, archives (zip, tar), JSON lines, CSV, TSV and
    Parquet are collections too. Without a FILE, standard input is read. The result for a text
    does not depend on what else is in the files, nor on the number of threads or workers.
    Offsets are those of the text as it was given. A collection that is written to a file is
    resumed by the same command, even after `kill -9`.
    """
    from coindex.cli.resolve_run import resolve_inputs

    options.check()
    if options.to_format == "text":
        click.echo("coindex: --to text is the format text, as in convert; the table of entities"
                   " is --to table", err=True)  # fmt: skip
    resolve_inputs(options)
