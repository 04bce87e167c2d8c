"""The options of `coindex resolve`, and which of them go together."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import click

from coindex import formats
from coindex.batch.encodings import UTF8, check_encoding
from coindex.batch.forms import FORMS
from coindex.batch.parquet import check_parquet
from coindex.batch.reading import ReadOptions
from coindex.batch.resolving import ResolverChoice
from coindex.batch.rows import RowFields
from coindex.cli.common import all_of
from coindex.cli.engine_options import check_address
from coindex.errors import UnknownName, UsageError

_EXPLAINED = ("table", "jsonl", "parquet", "document-jsonl")
SKIP, STOP = "skip", "stop"


@dataclass(frozen=True, slots=True)
class ResolveOptions:
    """The options of `coindex resolve`."""

    files: tuple[str, ...]
    to_format: str
    output: str
    output_dir: str | None
    singletons: bool
    model: str | None
    scheme: str | None
    threads: int | None
    device: str
    batch: int | None
    speakers: str
    markup: str
    rules: str
    events: bool
    explain: bool
    min_confidence: float | None
    from_format: str | None
    patterns: tuple[str, ...]
    text_field: str | None
    id_field: str | None
    speaker_field: str | None
    encoding: str
    on_error: str | None
    workers: int
    engine: str
    address: str | None
    resume: bool
    as_json: bool
    indent: int | None

    def resolver(self, threads: int | None) -> ResolverChoice:
        """The resolver, with a number of threads."""
        names = [each.name for each in fields(ResolverChoice) if each.name != "threads"]
        return ResolverChoice(threads=threads, **{name: getattr(self, name) for name in names})

    def reading(self, skip: bool) -> ReadOptions:
        """How files are read."""
        row_fields = RowFields(self.text_field, self.id_field, self.speaker_field)
        encoding = check_encoding(self.encoding)
        return ReadOptions(self.from_format, self.patterns, row_fields, encoding, skip)

    def check(self) -> None:
        """An error if options do not go together."""
        to = self.to_format
        known = (*FORMS, *(name for name in formats.names("document") if name not in FORMS))
        if to not in known:
            raise UnknownName("form", to, known)
        if self.as_json and to not in ("table", "jsonl"):
            raise UsageError(f"--json and --to {to} are two kinds of output: choose one")
        if self.min_confidence is not None and to != "replaced":
            raise UsageError(f"--min-confidence is an option of --to replaced, found --to {to}")
        if self.explain and to not in _EXPLAINED:
            raise UsageError(f"--explain is shown by --to {', '.join(_EXPLAINED)}, found --to {to}")
        if self.indent is not None and not self.as_json:
            raise UsageError("--indent is an option of --json")
        check_address(self.engine, self.address)
        self._check_output()

    def _check_output(self) -> None:
        to, output = self.to_format, self.output
        if self.output_dir is not None:
            if output != "-" or self.as_json:
                other = "--json" if self.as_json else "-o"
                raise UsageError(f"{other} writes one file, --output-dir one for each: choose one")
            if Path(self.output_dir).is_file():
                raise UsageError(f"{self.output_dir}: expected a folder to write in, found a file")
        elif to == "parquet" and output == "-":
            raise UsageError("parquet is not text: name a file with -o")
        elif self.explain and to == "table" and not self.as_json and output != "-":
            raise UsageError(
                "--explain with a table needs standard output: choose --to jsonl for -o"
            )
        if to == "parquet":
            check_parquet()


collection_options = all_of(
    click.option("--pattern", "patterns", multiple=True, metavar="GLOB",
                 help="Of folders, globs and archives, only files that match, such as '*.txt'; may"
                      " be repeated."),
    click.option("--text-field", metavar="NAME",
                 help="The field with the text in JSON lines, CSV, TSV and Parquet.  [default: text]"),
    click.option("--id-field", metavar="NAME",
                 help="The field with the id of the text.  [default: id, or FILE:LINE]"),
    click.option("--speaker-field", metavar="NAME", help="The field that says who speaks."),
    click.option("--encoding", default=UTF8, show_default=True, metavar="auto|NAME",
                 help="The encoding of texts; auto recognises it."),
    click.option("--on-error", type=click.Choice((SKIP, STOP)),
                 help="What cannot be read or resolved is skipped, with its reason in a report, or"
                      " ends the run.  [default: skip for collections, stop for a single text]"),
)  # fmt: skip
