"""Generate training documents from annotated ones: speakers, names, pronouns, roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from coindex import datasets, formats, generators
from coindex.cli.common import (
    check_json_output,
    json_option,
    output_option,
    print_json,
    read_documents,
    render_tables,
    seed_option,
    set_option,
    typed_options,
)
from coindex.errors import UsageError
from coindex.generators.run import Account, RunOptions, SourceCorpus, generate, new_account
from coindex.report.table import pluralize

FORMAT = "document-jsonl"


def generator_options() -> Iterator[str]:
    """The options that generators have, with their values."""
    for name in generators.names():
        options = generators.load(name).OPTIONS.items()
        yield from (f"{key}={'|'.join(values)} of {name}" for key, values in options)


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """The options of `coindex generate`."""

    name: str
    corpora: tuple[str, ...]
    output: str
    copies: int
    scheme: str
    overrides: tuple[str, ...]
    every: int
    left_out: tuple[int, ...]
    seed: int
    as_json: bool

    def settings(self) -> dict[str, str]:
        """The generator's own options."""
        pairs = [each.partition("=") for each in self.overrides]
        for name, equals, _ in pairs:
            if not name or not equals:
                raise UsageError(f"expected --set KEY=VALUE, found {name!r}")
        return {name: value for name, _, value in pairs}


@click.command(name="generate")
@click.argument("name")
@click.argument("corpora", nargs=-1, required=True, metavar="CORPUS...")
@output_option()
@click.option("--copies", default=1, show_default=True, type=click.IntRange(1), metavar="N",
              help="How often each document is changed, each time with other draws.")  # fmt: skip
@click.option("--scheme", default="", metavar="NAME",
              help="The annotation scheme that the documents state; the corpus by default.")  # fmt: skip
@set_option(", ".join(generator_options()))
@click.option("--every", default=1, show_default=True, type=click.IntRange(1), metavar="N",
              help="Count the documents of each CORPUS by N, as recipes do.")  # fmt: skip
@click.option("--except", "left_out", multiple=True, type=click.IntRange(0), metavar="K",
              help="Of every N documents leave out that of index K; may be repeated.")  # fmt: skip
@seed_option()
@json_option
@typed_options(GenerateOptions)
def command(options: GenerateOptions) -> None:
    """Change the documents of each CORPUS by the generator NAME, for training.

    A CORPUS is a name of `coindex data`, such as gum:train, or a file or folder of documents.
    `coindex list generators` shows what there is. New documents are written as JSON lines; their
    metadata name the corpus and document they were made of. What could not be changed is
    counted by reason. Use no documents that a model is scored on.
    """
    check_json_output(options.as_json, options.output)
    bad = [index for index in options.left_out if index >= options.every]
    if bad:
        raise UsageError(f"--except: expected less than --every {options.every}, found {bad[0]}")
    if len(set(options.left_out)) == options.every:
        raise UsageError(
            f"--except leaves out all {options.every} of --every {options.every}: nothing to read"
        )
    run = RunOptions(options.name, options.seed, options.copies, options.scheme, options.settings())
    account = new_account(run)
    corpora = [_corpus(name, options) for name in options.corpora]
    documents = generate(corpora, run, account)
    if options.output == "-":
        for line in formats.write_lines(documents, FORMAT):
            click.echo(line, nl=False)
    else:
        formats.write(options.output, documents, FORMAT)
    _report(account, options)
    if not account.written:
        raise click.exceptions.Exit(1)


def _corpus(name: str, options: GenerateOptions) -> SourceCorpus:
    corpus, paths = datasets.training_files(name)
    documents = read_documents(map(str, paths), None)
    chosen = [d for at, d in enumerate(documents) if at % options.every not in options.left_out]
    return SourceCorpus(corpus, chosen)


def _report(account: Account, options: GenerateOptions) -> None:
    if options.as_json:
        print_json({**account.as_json(), "output": options.output})
        return
    click.echo(render_tables([account.table()], color=False), err=True)
    if options.output != "-":
        count = pluralize(account.written, "document")
        click.echo(f"{count} written to {options.output}", err=True)
