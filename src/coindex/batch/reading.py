"""The texts of a collection, one by one, whatever its files are.

A file is plain text, documents in a format of `coindex list formats`, rows (JSON lines, CSV, TSV,
Parquet), or an archive of such files; which of them, its first bytes and its name say. What cannot
be read becomes `Skipped` with the reason, and the rest is read, unless errors are to stop it.
"""

from __future__ import annotations

import logging
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain
from typing import IO, Any, cast

from coindex import formats, io
from coindex.batch.archives import DAMAGED, as_stream, member_names, members
from coindex.batch.encodings import AUTO, UTF8, marked_encoding, stream_encoding
from coindex.batch.file_kinds import HEAD, PARQUET, archive_kind, not_text
from coindex.batch.inputs import (
    STDIN,
    InputFile,
    Inputs,
    distinct_ids,
    relative_path,
    text_id,
)
from coindex.batch.items import InputText, Item, Skipped
from coindex.batch.parquet import read_parquet
from coindex.batch.rows import (
    RowFields,
    RowKind,
    may_be_rows,
    read_rows,
    row_document,
    row_kind,
)
from coindex.batch.tables import Row
from coindex.errors import CoindexError, FormatError, InputError, MissingExtra, UsageError
from coindex.formats.reading import find_format, first_lines, format_by_bytes
from coindex.types.document import Document
from coindex.types.source import Source
from coindex.types.text_values import shown_path

_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, OSError)
_log = logging.getLogger("coindex.batch")

NOT_UTF8 = "expected UTF-8 text"
ENCODING_HINT = " (see --encoding)"
TEXT_FORMAT = "text"
_LONG_HEAD = 1_000_000  # enough for the first line of JSON lines


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are read.

    format     of documents; recognised if None
    patterns   globs for the files in folders and archives
    fields     the names of the fields of rows
    encoding   the name of an encoding, or `auto`
    skip       whether what cannot be read is skipped, instead of an error
    """

    format: str | None = None
    patterns: tuple[str, ...] = ()
    fields: RowFields = field(default_factory=RowFields)
    encoding: str = UTF8
    skip: bool = True


def is_collection(inputs: Inputs, options: ReadOptions) -> bool:
    """Whether there are several texts: several files, an archive, or rows."""
    if inputs.several:
        return True
    file = inputs.files[0]
    if _is_pipe(file.path):
        return options.fields.text is not None
    if options.format is not None:
        return False
    try:
        with io.open_unpacked(file.path) as (stream, _):
            head = stream.read(_LONG_HEAD)
        if head.startswith(PARQUET) or archive_kind(head[:HEAD], file.path):
            return True
        return row_kind(head, file.path, options.fields) is not None
    except (CoindexError, *_DAMAGED):
        return False  # it is told when it is read


def check_files(inputs: Inputs, options: ReadOptions) -> None:
    """An error if a file does not exist, is not text or cannot be decoded, before any work.

    Pipes are not checked, since they can be read only once; nor are the files of archives.
    """
    for file in inputs.files:
        if _is_pipe(file.path) or (options.skip and os.path.exists(file.path)):
            continue
        with io.open_unpacked(file.path) as (stream, _):
            head = _head(stream, file.path)
        if archive_kind(head, file.path) or head.startswith(PARQUET):
            continue
        wide = marked_encoding(head)
        guessed = options.encoding in (UTF8, AUTO) and wide is None
        message = not_text(head) if guessed and not format_by_bytes(file.path) else None
        if message is not None:
            raise InputError(f"{file.path}: {message}")
        if options.encoding != AUTO:
            named = wide or (None if options.encoding == UTF8 else options.encoding)
            with io.open_lines(file.path, named) as lines:
                for _ in lines:
                    pass


def output_targets(inputs: Inputs, options: ReadOptions) -> Iterator[tuple[str, str]]:
    """The path in a tree of outputs of each file and of each file in an archive, with its source.

    What cannot be opened has no output; the reason is told when it is read.
    """
    for file in inputs.files:
        names: list[str] | None = None
        if options.format is None and not _is_pipe(file.path):
            with suppress(CoindexError, *_DAMAGED), io.open_unpacked(file.path) as (stream, _):
                if kind := archive_kind(_head(stream, file.path), file.path):
                    names = member_names(file.path, kind, stream, options.patterns)
        if names is None:
            yield file.target, file.path
            continue
        for name in map(relative_path, names):
            yield f"{file.target}/{name}", f"{file.path}/{name}"


def read_collection(
    inputs: Inputs, options: ReadOptions, sources: list[Source] | None = None
) -> Iterator[Item]:
    """All texts of a collection, in the order of its files.

    sources   gets the source of each file in a format, with what was repaired in it
    """
    before = 0
    for file in inputs.files:
        reader = _FileReader(
            file, options, before, [] if sources is None else sources, alone=len(inputs.files) == 1
        )
        yield from reader.items()
        before += file.size


@dataclass(slots=True)
class _FileReader:
    """Reads one file.

    before    how many bytes the files before it have
    alone     whether it is the only one
    archive   the archive that the file is in, or None
    """

    file: InputFile
    options: ReadOptions
    before: int
    sources: list[Source]
    alone: bool = False
    archive: InputFile | None = None
    tell: Callable[[], int] | None = None

    def items(self) -> Iterator[Item]:
        """The texts of the file; the reason, if it or the rest of it cannot be read."""
        try:
            with io.open_unpacked(self.file.path) as (stream, raw):
                self.tell = raw.tell if self.file.size else None
                yield from self._content(stream)
        except MissingExtra:
            raise
        except Exception as error:
            if not self.options.skip:
                raise
            yield self._skipped(self._name, error)

    @property
    def _name(self) -> str:
        """What the file is called in messages."""
        return "<stdin>" if self.file.path == STDIN else shown_path(self.file.path)

    @property
    def _once(self) -> bool:
        """Whether the bytes can be read only once: those of a pipe, or of an archive."""
        return self.archive is not None or _is_pipe(self.file.path)

    def _skipped(self, source: str, error: Exception) -> Skipped:
        return Skipped(source, reason_of(error, source), self._position())

    def _position(self) -> int:
        if self.tell is None:
            return self.before + self.file.size
        try:
            return self.before + self.tell()
        except ValueError:  # the file is closed
            return self.before + self.file.size

    def _content(self, stream: IO[bytes]) -> Iterator[Item]:
        head = _head(stream, self.file.path)
        name, options = self.file.path, self.options
        if options.format is None:
            if head.startswith(PARQUET):
                yield from self._rows(self._parquet(name))
                return
            if kind := archive_kind(head, name):
                yield from self._members(kind, stream)
                return
        wide = marked_encoding(head)
        if options.encoding in (UTF8, AUTO) and wide is None:
            self._check_text(head)
        encoding = wide or options.encoding
        rows = None if options.format else self._row_kind(head, wide)
        if rows is not None:
            yield from self._rows(
                read_rows(stream, rows, self._row_encoding(encoding), options.fields)
            )
        else:
            yield from self._documents(stream, encoding)

    def _check_text(self, head: bytes) -> None:
        message = not_text(head)
        if message is None:
            return
        if not self._once and format_by_bytes(self.file.path):
            return
        raise InputError(f"{self.file.path}: {message}")

    def _row_kind(self, head: bytes, wide: str | None) -> RowKind | None:
        """Whether the file has rows; the first line of a file may be longer than its head."""
        if not self._once and (wide is not None or may_be_rows(head, self.file.path)):
            with io.open_unpacked(self.file.path) as (stream, _):
                head = stream.read(_LONG_HEAD)
        if wide is not None:
            head = head[: len(head) // 4 * 4].decode(wide, errors="replace").encode()
        return row_kind(head, self.file.path, self.options.fields)

    def _row_encoding(self, encoding: str) -> str:
        """The encoding of all rows of a file; standard input is read once, and has none."""
        if encoding != AUTO or self._once:
            return encoding
        with io.open_unpacked(self.file.path) as (stream, _):
            return self._recognised(stream)

    def _recognised(self, stream: IO[bytes]) -> str:
        encoding = stream_encoding(stream) or UTF8
        if encoding != UTF8:
            _log.info("%s: read as %s", self.file.path, encoding)
        return encoding

    def _parquet(self, name: str) -> Iterator[tuple[int, Row | str]]:
        if self._once:
            raise InputError(f"{name}: Parquet is read from a file of its own")
        yield from read_parquet(name, self.options.fields.wanted)

    def _rows(self, rows: Iterable[tuple[int, Row | str]]) -> Iterator[Item]:
        name = self._name
        number = 0
        for number, row in rows:
            source = f"{name}:{number}"
            try:
                if isinstance(row, str):
                    raise InputError(f"{source}: {row}")
                document, speaker, others = row_document(
                    row, self.options.fields, f"{self.file.id}:{number}"
                )
            except CoindexError as error:
                if not self.options.skip:
                    raise InputError(f"{source}: {reason_of(error, source)}") from error
                yield self._skipped(source, error)
                continue
            fields = others or None
            target, position = self.file.target, self._position()
            yield InputText(document, source, target, position, speaker, fields)
        if not number:
            _log.info("%s: no rows, and no texts", name)

    def _members(self, kind: str, stream: IO[bytes]) -> Iterator[Item]:
        path = self.file.path
        if self.archive is not None:
            raise InputError(f"{path}: an archive within an archive: unpack it first")
        if self._once:
            raise InputError(f"{path}: an archive is read from a file, not from a pipe")
        with io.open_unpacked(path) as (other, _):
            ids = self._member_ids(member_names(path, kind, other, self.options.patterns))
        for name, content in members(path, kind, stream, self.options.patterns):
            inner = relative_path(name)
            file = InputFile(f"{path}/{inner}", f"{self.file.target}/{inner}", ids[inner])
            reader = _FileReader(
                file, self.options, self._position(), self.sources, archive=self.file
            )
            yield from reader.member_items(content)

    def _member_ids(self, names: Iterable[str]) -> dict[str, str]:
        """The ids of the files in an archive, by their paths in it."""
        paths = list(map(relative_path, names))
        full = [path if self.alone else f"{self.file.target}/{path}" for path in paths]
        ids = distinct_ids([(text_id(path), path) for path in full])
        return dict(zip(paths, ids, strict=True))

    def member_items(self, content: BufferedReader | str) -> Iterator[Item]:
        """The texts of a file in an archive, given its content."""
        try:
            yield from self._unpacked_items(content)
        except MissingExtra:
            raise
        except Exception as error:
            if not self.options.skip:
                raise
            yield self._skipped(self._name, error)

    def _unpacked_items(self, content: BufferedReader | str) -> Iterator[Item]:
        if isinstance(content, str):
            raise InputError(f"{self.file.path}: {content}")
        try:
            yield from self._content(io.unpacked(content, self.file.path))
        except (*DAMAGED, *_DAMAGED) as error:
            raise InputError(f"{self.file.path}: cannot be unpacked: {error}") from error

    def _documents(self, stream: IO[bytes], encoding: str) -> Iterator[Item]:
        """The texts and documents of a file that has no rows."""
        path = self.file.path
        if encoding == AUTO and self._once:
            data = stream.read()
            encoding = self._recognised(as_stream(data))
            stream = as_stream(data)
        elif encoding == AUTO:
            with io.open_unpacked(path) as (other, _):
                encoding = self._recognised(other)
        named = None if encoding == UTF8 else encoding
        if self._once:
            own = None if self.archive is not None else path
            yield from self._from_lines(io.Lines(self._name, stream, None, named), own)
        else:
            with io.open_lines(path, named) as lines:
                yield from self._from_lines(lines, path)

    def _from_lines(self, lines: io.Lines, path: str | None) -> Iterator[Item]:
        for document in self._read(lines, path):
            yield InputText(document, self._name, self.file.target, self._position())

    def _read(self, lines: io.Lines, path: str | None) -> Iterator[Document]:
        """The documents of a file; plain text has no tokens, since the resolver reads its markup."""
        stream, source = iter(lines), Source(lines.name)
        self.sources.append(source)
        format = self.options.format or format_by_bytes(path)
        head: list[str] = []
        if format is None or format == TEXT_FORMAT:
            head = first_lines(stream)
            while not "".join(head).strip() and (line := next(stream, "")):
                head.append(line)
            blank = not "".join(head).strip()
            format = TEXT_FORMAT if blank else format or find_format(head, path, source.name)
        if format == TEXT_FORMAT:
            source.format = format
            yield Document(self.file.id, "".join(chain(head, stream)))
            return
        for item in formats.read_lines(chain(head, stream), format, source, path):
            if not isinstance(item, Document):
                message = "expected texts or documents, found pronoun problems"
                raise UsageError(f"{path or lines.name}: {message}")
            yield item


def _is_pipe(path: str) -> bool:
    """Whether a path is standard input, or a named pipe as in `<(command)`."""
    return path == STDIN or (os.path.exists(path) and not os.path.isfile(path))


def _head(stream: IO[bytes], name: str) -> bytes:
    try:
        head: bytes = cast(Any, stream).peek(HEAD)[:HEAD]
    except _DAMAGED as error:
        raise InputError(f"{name}: cannot be unpacked: {error}") from error
    return head


def reason_of(error: BaseException, source: str = "") -> str:
    """An error as the reason why a text is skipped: on one line, without the place it names."""
    text = " ".join(shown_path(str(error)).split())
    if isinstance(error, _DAMAGED):
        return f"cannot be read or unpacked: {text}"
    if not isinstance(error, CoindexError):
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    if (
        isinstance(error, FormatError)
        and shown_path(error.source) == source
        and error.line is not None
    ):
        text = f"line {error.line}: {error.message}"
    if NOT_UTF8 in text:
        text += ENCODING_HINT
    return text.removeprefix(f"{source}: ")
