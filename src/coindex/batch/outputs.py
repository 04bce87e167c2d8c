"""The outcomes of a run as one file, or as a tree of files like that of the input."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import IO

from coindex import formats, io
from coindex.batch.forms import FORMS, page, stored_document
from coindex.batch.items import Outcome, Record, Skipped
from coindex.batch.parquet import write_parquet
from coindex.errors import InputError
from coindex.formats import ConversionLosses
from coindex.types.document import Document

_SUFFIXES = {"table": ".txt", "brackets": ".txt", "replaced": ".txt", "parquet": ".parquet"}
JSON = "json"
"""The form of one JSON array of all documents."""


class SkippedReport:
    """What was skipped and why, in a file beside the output; no file if nothing was.

    path   of the file; None to have the reasons passed on to `lines` alone
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.count = 0
        self._stack = ExitStack()
        self._stream: IO[str] | None = None

    def __enter__(self) -> SkippedReport:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        if self.path is not None and not self.count:
            self.path.unlink(missing_ok=True)  # of an earlier run

    def add(self, skipped: Skipped) -> None:
        """Add a line."""
        self.count += 1
        if self.path is None:
            return
        if self._stream is None:
            self._stream = self._stack.enter_context(io.open_output(self.path))
        values = {"source": skipped.source, "reason": skipped.reason}
        self._stream.write(json.dumps(values, ensure_ascii=False) + "\n")


def documents_of(records: Iterable[Record]) -> Iterator[Document]:
    """The documents of records, at hand or stored."""
    for record in records:
        document = record.document  # an empty one is false
        yield stored_document(record.content) if document is None else document


def output_lines(records: Iterable[Record], form: str, indent: int = 2) -> Iterator[str]:
    """All records as the text of one file, in one of coindex's own forms."""
    if form == JSON:
        yield from _json_array((record.content for record in records), indent)
    elif form == "html":
        yield from page(documents_of(records))
    else:
        for number, record in enumerate(records):
            if number and form != "jsonl":
                yield "\n"
            yield record.content


def _json_array(lines: Iterable[str], indent: int) -> Iterator[str]:
    """Lines of JSON as one array, one value at a time, as `json.dumps` writes a list."""
    empty = True
    for line in lines:
        if indent:
            body = json.dumps([json.loads(line)], ensure_ascii=False, indent=indent)[2:-2]
            yield ("[\n" if empty else ",\n") + body
        else:
            body = json.dumps(json.loads(line), ensure_ascii=False)
            yield ("[" if empty else ", ") + body
        empty = False
    yield "[]\n" if empty else "\n]\n" if indent else "]\n"


def write_file(
    records: Iterable[Record], form: str, path: Path, losses: ConversionLosses, indent: int = 2
) -> None:
    """Write one file in one step."""
    if form == "parquet":
        write_parquet(path, (record.content for record in records))
    elif form in FORMS or form == JSON:
        io.write_text(path, output_lines(records, form, indent))
    else:
        formats.write(path, documents_of(records), form, losses)


def check_tree(targets: Iterable[tuple[str, str]], form: str, folder: Path) -> None:
    """An error if two inputs have the same output, or one a file where another has a folder.

    targets   the path of each input in the tree, with the input's name
    """
    sources: dict[Path, str] = {}
    for target, source in targets:
        path = _tree_path(folder, target, form)
        if path in sources:
            names = f"{sources[path]} and {source}"
            raise InputError(f"{path}: two inputs have this output: {names}: write them apart")
        sources[path] = source
    for path, source in sources.items():
        for parent in path.parents:
            if parent in sources:
                raise InputError(
                    f"{path}: the output of {source} needs a folder where that of"
                    f" {sources[parent]} is a file: write them apart"
                )


def _tree_path(folder: Path, target: str, form: str) -> Path:
    return folder / f"{target}{_SUFFIXES.get(form, f'.{form}')}"


def write_tree(
    records: Iterable[Record], form: str, folder: Path, losses: ConversionLosses, scratch: Path
) -> int:
    """Write a file for each input file, with the same path and a suffix; returns their number.

    scratch   a folder for files that are not complete
    """
    count = 0
    seen: set[str] = set()
    for target, group in groupby(records, key=lambda record: record.target):
        path = _tree_path(folder, target, form)
        if target in seen:
            raise InputError(f"{path}: two inputs have this output: write them apart")
        seen.add(target)
        io.make_folder(path.parent)
        write_via(group, form, path, losses, scratch)
        count += 1
    return count


def write_via(
    records: Iterable[Record],
    form: str,
    path: Path,
    losses: ConversionLosses,
    scratch: Path,
    indent: int = 2,
) -> None:
    """Write a file in the folder `scratch`, then move it: a run that is killed leaves nothing."""
    if form not in (*FORMS, JSON) and formats.is_two_file(form):
        write_file(records, form, path, losses)
        return
    unfinished = scratch / path.name
    write_file(records, form, unfinished, losses, indent)
    if path.is_file():
        unfinished.chmod(path.stat().st_mode)
    try:
        os.replace(unfinished, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error


def records_of(outcomes: Iterable[Outcome], report: SkippedReport) -> Iterator[Record]:
    """The answers among the outcomes; what was skipped goes to the report."""
    for outcome in outcomes:
        if isinstance(outcome, Skipped):
            report.add(outcome)
        else:
            yield outcome
