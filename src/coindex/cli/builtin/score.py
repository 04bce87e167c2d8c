"""Score responses against a key: every metric, minimum spans, intervals, significance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from coindex import formats, io
from coindex.cli import common
from coindex.errors import FormatError, UsageError
from coindex.report.quick_scoring import CONLL, score_files
from coindex.report.score_report import ScoreReport, ScoreReportOptions
from coindex.scoring import matching, metrics
from coindex.scoring.contingency import REPEATS
from coindex.scoring.scorer import CHOICES
from coindex.scoring.significance import RESAMPLES, SEED

if TYPE_CHECKING:
    from coindex.types.document import Document
    from coindex.types.source import Source

KEEP = click.Choice(["keep", "drop"])


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """The options of `coindex score`."""

    key: str
    responses: tuple[str, ...]
    metrics: str
    match: str | None
    singletons: str
    zeros: str
    zero_match: str
    repeats: str
    relation: str
    split_antecedents: str
    missing: str
    extra_documents: str
    trees: str | None
    clusters: str | None
    per_document: bool
    by: str | None
    errors: bool
    explain: str | None
    examples: int
    resamples: int
    seed: int
    style: str | None
    html: str | None
    html_flag: bool
    output: str
    from_format: str | None
    lenient: bool
    as_json: bool

    def report_options(self) -> ScoreReportOptions:
        """What is scored and shown."""
        rules = self.match and tuple(dict.fromkeys(r.strip() for r in self.match.split(",")))
        return ScoreReportOptions(
            metrics.expand(self.metrics), rules or None, self.singletons, self.zeros, self.missing,
            self.resamples, self.seed, self.per_document, self.by == "type", self.errors,
            self.examples, self.zero_match, self.repeats, self.relation,
            self.split_antecedents, self.extra_documents, explain=self.explain,
        )  # fmt: skip


class ScoreCommand(click.Command):
    """Takes `--html` without a FILE too, as version 0.1 did."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; a FILE after `--html` is `-` or ends in .html or .htm."""
        given = []
        for each, after in zip(args, [*args[1:], ""], strict=False):
            is_page = after == "-" or after.lower().endswith((".html", ".htm"))
            given.append("--html-flag" if each == "--html" and not is_page else each)
        return super().parse_args(ctx, given)


@click.command(name="score", cls=ScoreCommand)
@click.argument("key")
@click.argument("responses", nargs=-1, required=True, metavar="RESPONSE...")
@click.option("--metrics", default="conll", show_default=True,
              cls=common.late_help(lambda: _metrics_help()))  # fmt: skip
@click.option("--match", metavar="RULE,...", cls=common.late_help(lambda: _match_help()))
@click.option("--singletons", type=KEEP, default="keep", show_default=True,
              help="Whether entities of one mention count.")  # fmt: skip
@click.option("--zeros", type=KEEP, default="keep", show_default=True,
              help="Whether mentions headed by a zero count.")  # fmt: skip
@click.option("--zero-match", type=click.Choice(CHOICES["zero_match"]), default="linear",
              show_default=True,
              help="Match zeros by position, or by their dependencies first.")  # fmt: skip
@click.option("--repeats", type=click.Choice(REPEATS), default=REPEATS[0], show_default=True,
              help="Which entities a mention of several counts in.")  # fmt: skip
@click.option("--relation", type=click.Choice(CHOICES["relation"]), default="identity",
              show_default=True, help="The relation whose entities are scored.")  # fmt: skip
@click.option("--split-antecedents", type=click.Choice(CHOICES["split_antecedents"]),
              default="drop", show_default=True,
              help="Whether split antecedents of plural entities count.")  # fmt: skip
@click.option("--missing", type=click.Choice(["error", "empty"]), default="error",
              show_default=True, help="How to treat a document that only one side has.")  # fmt: skip
@click.option("--extra-documents", type=click.Choice(["error", "ignore"]), default="error",
              show_default=True, help="How to treat documents of a response that the key does not"
              " have; --missing decides about those that are not ignored.")  # fmt: skip
@common.trees_option
@click.option("--clusters", metavar="FIELD",
              help="The JSON field of the responses to score, such as predicted_clusters.")  # fmt: skip
@click.option("--per-document", is_flag=True, help="One row for each document.")
@click.option("--by", type=click.Choice(["type"]), help="Scores for each type of mention.")
@click.option("--errors", is_flag=True, help="What went wrong, with examples.")
@click.option("--explain", metavar="DOC",
              help="What each metric counted in one document, with its text and its errors.")  # fmt: skip
@click.option("--examples", default=5, show_default=True, type=click.IntRange(0), metavar="N",
              help="How many examples of each error.")  # fmt: skip
@common.resamples_option(RESAMPLES)
@common.seed_option(SEED)
@common.style_options
@common.html_option
@click.option("--html-flag", is_flag=True, hidden=True)
@common.output_option()
@common.from_option
@common.lenient_option
@common.json_option
@common.typed_options(ScoreOptions)
def command(options: ScoreOptions) -> None:
    """Score one or more RESPONSEs against a KEY, in any document format.

    Each is a file or a folder of files, whose documents are paired by their ids.

    Recall, precision and F1 in percent, with 95 % bootstrap intervals over
    documents. Several responses are ranked under maximum, MINA and head spans
    side by side, and compared by two paired tests. Every number has its signature.
    """
    style = "html" if options.html_flag else options.style
    common.check_one_style(options.as_json, style)
    if options.output == "-":
        common.check_page_output(options.html, options.as_json, style)
    if options.html_flag:
        common.warn_deprecated("--html without a file", "--html FILE")
    report = run(options)
    if options.as_json:
        text = common.json_text(_with_files(report.json(), options.responses))
    else:
        text = common.render_tables(report.tables(), style, output=options.output)
    if options.html:
        io.write_text(options.html, [common.render_tables(report.tables(), "html"), "\n"])
        if options.html != "-":
            click.echo(f"written to {options.html}", err=True)
    if options.output == "-" and options.html != "-":
        click.echo(text)
    elif options.output != "-":
        io.write_text(options.output, [text, "" if text.endswith("\n") else "\n"])
        click.echo(f"written to {options.output}", err=True)


def _metrics_help() -> str:
    names = ",".join(name for name in metrics.in_order() if name != metrics.DEFAULT)
    return f"conll, all, or names by commas: {names}."


def _match_help() -> str:
    names = matching.in_order()
    ranked = ",".join(rule for rule in names if matching.load(rule).IN_RANKINGS)
    default = f"[default: exact; for several responses to a key with trees: {ranked}]"
    return f"{', '.join(names)}; several by commas.  {default}"


def run(options: ScoreOptions) -> ScoreReport:
    """Read everything and score it."""
    responses = options.responses
    if len(set(responses)) < len(responses):
        raise UsageError("expected each response once, found one of them again")
    report_options = options.report_options()
    if report := _quick_report(options, report_options):
        return report
    keys, key_repeats = _documents(options.key, options)
    if options.trees:
        keys, parser = common.with_trees(keys, options.trees)
        report_options = replace(report_options, trees=parser)
    read = {
        name: _response(path, options, keys)
        for name, path in zip(common.short_names(list(responses)), responses, strict=True)
    }
    repeated = {name: (key_repeats, count) for name, (_, count) in read.items()}
    documents = {name: each for name, (each, _) in read.items()}
    report = ScoreReport.of_documents(keys, documents, report_options, repeated)
    for name, side in report.alignments.items():
        for note in side.notes[:5]:
            click.echo(note, err=True)
        if side.ignored:
            click.echo(f"{name}: {side.ignored} document(s) that the key lacks, ignored", err=True)
        if len(side.notes) > 5:
            click.echo(f"{name}: words differ in {len(side.notes) - 5} more documents", err=True)
    return report


def _quick_report(options: ScoreOptions, chosen: ScoreReportOptions) -> ScoreReport | None:
    """The report on two plain CoNLL-2012 files, if they can be scored without documents."""
    plain = not (options.trees or options.clusters or options.lenient)
    if len(options.responses) > 1 or not plain or options.from_format not in (None, CONLL):
        return None
    name = common.short_names(list(options.responses))[0]
    return score_files(
        options.key, options.responses[0], chosen, name, sure=options.from_format is not None
    )


def _documents(path: str, options: ScoreOptions) -> tuple[list[Document], int]:
    """The documents of a file, and how many mentions were repeated in an entity."""
    sources: list[Source] = []
    files = common.files_of([path])
    items = common.read_all(files, options.from_format, sources, lenient=options.lenient)
    return _only_documents(items, path, sources, options), _repeated(sources)


def _response(path: str, options: ScoreOptions, keys: list[Document]) -> tuple[list[Document], int]:
    """As `_documents`, with the clusters that a system predicted; notes go to standard error."""
    from coindex.scoring.alignment import named_as_in

    sources: list[Source] = []
    items = common.read_all(
        common.files_of([path]), options.from_format, sources,
        response=True, clusters=options.clusters, lenient=options.lenient,
    )  # fmt: skip
    documents = _only_documents(items, path, sources, options)
    if options.clusters and not all(source.chosen for source in sources):
        raise UsageError(f"{path}: --clusters is for JSON with several fields of clusters")
    if any(finding.rule == "predictions" for source in sources for finding in source.findings):
        note = "holds gold clusters and predictions: the predictions are scored"
        click.echo(f"{path}: {note} (--clusters FIELD scores others)", err=True)
    if any(source.unnamed for source in sources) and len(documents) == len(keys) > 1:
        click.echo(f"{path}: documents without ids, taken in the order of the key", err=True)
        pairs = zip(documents, keys, strict=True)
        documents = [replace(one, id=key.id, part=key.part) for one, key in pairs]
    return _on_key_tokens(named_as_in(keys, documents), keys, path), _repeated(sources)


def _on_key_tokens(documents: list[Document], keys: list[Document], path: str) -> list[Document]:
    """The documents over the tokens of the key where both split the same characters otherwise."""
    from coindex.transform.projection import project

    by_key = {key.key: key for key in keys}
    if len(documents) == len(keys) == 1:
        by_key[documents[0].key] = keys[0]
    moved = [project(one, by_key[one.key]) if one.key in by_key else None for one in documents]
    count = sum(each is not None for each in moved)
    if count:
        widened = sum(each.widened for each in moved if each)
        note = f"{count} document(s) with other tokens than the key: mentions placed by characters"
        click.echo(f"{path}: {note}, {widened} of them widened to whole tokens", err=True)
    return [
        one if each is None else each.document for one, each in zip(documents, moved, strict=True)
    ]


def _only_documents(
    items: Iterable[formats.Item], path: str, sources: list[Source], options: ScoreOptions
) -> list[Document]:
    from coindex.types.document import Document

    documents = [item for item in items if isinstance(item, Document)]
    for note in common.reading_notes(sources):
        click.echo(note, err=True)
    for source in sources:
        if source.format == "text" and options.from_format is None:
            message = (
                "expected annotated documents, found plain text: name another format with --from"
            )
            raise FormatError(source.name, None, message)
    if not documents:
        raise UsageError(f"{path}: scoring needs documents: {', '.join(formats.names('document'))}")
    return documents


def _repeated(sources: list[Source]) -> int:
    return sum(f.rule == "repeated" for source in sources for f in source.findings)


def _with_files(found: dict[str, Any], responses: tuple[str, ...]) -> dict[str, Any]:
    for system, path in zip(found["systems"], responses, strict=True):
        system["file"] = path
    return found
