"""Parquet through pyarrow: rows to read, and resolved documents to write.

Columns of a written file, those of the JSON output (see `docs/how-to/collections.md`):

    id, text   string
    part       int64
    turns      list of {start, end: int64; kind, speaker, addressee: string}
    entities   list of {number: int64; name: string; confidence: double; mentions: list of
               {text: string; start, end, token_start, token_end: int64; kind: string;
               parts, token_parts: list of list of int64; confidence, link: double; why: string}}
    fields     string: the other fields of the input row, as a JSON object

Values that are not known are null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from coindex import io
from coindex.batch.tables import Row, missing_field
from coindex.errors import InputError, import_extra

BATCH = 256
"""How many rows are read or written together."""


def read_parquet(path: str, wanted: Sequence[str] = ()) -> Iterator[tuple[int, Row | str]]:
    """The rows of a file, numbered from 1.

    wanted   columns that it must have; if it does not, there is one reason for all rows
    """
    pyarrow, parquet = (
        import_extra("pyarrow", "parquet"),
        import_extra("pyarrow.parquet", "parquet"),
    )
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if missing := [name for name in wanted if name not in names]:
                yield 1, missing_field(missing[0], names, file.metadata.num_rows)
                return
            for batch in file.iter_batches(batch_size=BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pyarrow.ArrowException, OSError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{path}: expected a Parquet file: {first}") from error


def check_parquet() -> None:
    """An error with the line that installs pyarrow, if it is missing."""
    import_extra("pyarrow.parquet", "parquet")


def write_parquet(path: str | Path, lines: Iterable[str]) -> None:
    """Write resolved documents, given as lines of JSON, in one atomic step."""
    pyarrow, parquet = (
        import_extra("pyarrow", "parquet"),
        import_extra("pyarrow.parquet", "parquet"),
    )
    schema = _schema(pyarrow)
    with (
        io.replace_file(path) as temporary,
        parquet.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        rows: list[dict[str, Any]] = []
        for line in lines:
            row = json.loads(line)
            if "fields" in row:
                row["fields"] = json.dumps(row["fields"], ensure_ascii=False)
            rows.append(row)
            if len(rows) == BATCH:
                writer.write_table(pyarrow.Table.from_pylist(rows, schema), BATCH)
                rows = []
        if rows:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema), BATCH)


def _schema(pyarrow: Any) -> Any:
    text, whole, real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    ranges = pyarrow.list_(pyarrow.list_(whole))
    numbers = [(name, whole) for name in ("start", "end", "token_start", "token_end")]
    mention = pyarrow.struct([
        ("text", text), *numbers, ("kind", text), ("parts", ranges), ("token_parts", ranges),
        ("confidence", real), ("link", real), ("why", text),
    ])  # fmt: skip
    entity = pyarrow.struct([
        ("number", whole), ("name", text), ("confidence", real),
        ("mentions", pyarrow.list_(mention)),
    ])  # fmt: skip
    turn = pyarrow.struct([
        ("start", whole), ("end", whole), ("kind", text), ("speaker", text), ("addressee", text),
    ])  # fmt: skip
    return pyarrow.schema([
        ("id", text), ("part", whole), ("text", text), ("turns", pyarrow.list_(turn)),
        ("entities", pyarrow.list_(entity)), ("fields", text),
    ])  # fmt: skip
