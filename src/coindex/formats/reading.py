"""Recognising a file's format, and reading its items."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from coindex import io
from coindex.errors import CoindexError, FormatError, InvalidValue, UsageError
from coindex.formats.json_probe import is_cut_off
from coindex.formats.protocol import BinaryFormat, Item, TwoFileFormat, load, names
from coindex.text.markup import detect_markup
from coindex.types.source import Source

HEAD = 60
"""The number of lines from which a format is recognised, but for JSON over many lines."""

BYTES = 200
"""The number of bytes from which a binary format is recognised."""

ZIP = b"PK\x03\x04"
"""What a zip archive begins with."""

AnyPath = str | os.PathLike[str]


def sniff(head: list[str], source: str = "<input>") -> str:
    """The name of the format of a file's first lines."""
    if not any(line.strip() for line in head):
        raise FormatError(source, None, "expected a corpus, found an empty file")
    matching = matching_formats(head)
    if len(matching) > 1:
        raise FormatError(source, 1, f"could be {' or '.join(matching)}: say which with --from")
    if not matching and (structure := _structure(head)):
        message = f"expected a format coindex knows, found {structure} of another kind"
        raise FormatError(source, 1, f"{message}: name it with --from (text reads it as it stands)")
    return matching[0] if matching else "text"


def matching_formats(head: list[str]) -> list[str]:
    """The names of all formats that a file's first lines may be in, but for plain text."""
    return [name for name in names() if load(name).sniff(head)]


def _structure(head: list[str]) -> str | None:
    """What kind of structured data the lines look like; None for plain text."""
    lines = [line.strip() for line in head if line.strip()]
    start = "".join(lines[:2])[:200].replace(" ", "")
    if re.match(r"\{|\[\{|\[\[+-?\d", start):
        return "JSON"
    if re.match(r"<[?!A-Za-z]", start) and _is_xml("".join(head)):
        return "XML"
    if re.match(r"#(begin|newdoc|global\.|sent_id)", start, re.IGNORECASE):
        return "a CoNLL header"
    tabbed = sum("\t" in line for line in lines)
    return "a table by tabs" if tabbed > 1 and tabbed > len(lines) / 2 else None


def _is_xml(head: str) -> bool:
    """Whether lines that begin with `<` are neither a page nor a chat (`<ann> hi`)."""
    tags = re.search(r"^\s*<[?!]|</[A-Za-z]|/>|<[A-Za-z][^<>]*=", head) is not None
    return tags and detect_markup(head) != "html"


def read(path: AnyPath, format: str | None = None, source: Source | None = None) -> Iterator[Item]:
    """The items of a file, one by one; the file stays open until the last one."""
    with io.open_lines(path) as lines:
        yield from read_lines(lines, format, source or Source(lines.name), path)


def read_lines(
    lines: Iterable[str], format: str | None, source: Source, path: AnyPath | None = None
) -> Iterator[Item]:
    """The items of an open file; `path` locates the other file of a two-file format."""
    stream = iter(lines)
    format = format or format_by_bytes(path)
    binary = format is not None and isinstance(load(format), BinaryFormat)
    head = [] if binary else _head(stream, source)
    if format is None and any("\0" in line for line in head):
        message = "expected a corpus, found binary data: unpack it if it is an archive"
        raise source.error(None, message)
    format = format or find_format(head, path, source.name)
    module = load(format)
    source.format = format
    items: Iterator[Item]
    if isinstance(module, BinaryFormat):
        items = module.read_binary(_bytes_of(path, format, source), source)
    elif isinstance(module, TwoFileFormat):
        items = _read_parts(module, path, source)
    elif any(line.strip() for line in head):
        items = module.read(chain(head, stream), source)
    else:
        raise source.error(None, f"expected {format}, found an empty file")
    try:
        yield from items
    except InvalidValue as error:
        raise source.error(source.line_of(None), str(error)) from error


def _head(stream: Iterator[str], source: Source) -> list[str]:
    """The first lines of a file, with an error that names zip archives."""
    try:
        return first_lines(stream)
    except FormatError as error:
        cause = error.__cause__
        if isinstance(cause, UnicodeDecodeError) and cause.object.startswith(ZIP):
            message = "expected a corpus, found a zip archive: unpack it first"
            raise source.error(None, message) from error
        raise


def first_lines(stream: Iterator[str]) -> list[str]:
    """The lines from which a format is recognised.

    Indented JSON may list a thousand words, one on a line, before the field that tells its format.
    """
    head = list(islice(stream, HEAD))
    while is_cut_off(head) and not matching_formats(head):
        more = list(islice(stream, 9 * len(head)))
        if not more:
            break
        head += more
    return head


def find_format(head: list[str], path: AnyPath | None, name: str = "<input>") -> str:
    """The format of a file of text, by its first lines and its suffix."""
    return _format_by_suffix(path, head) or sniff(head, name)


def _read_parts(module: TwoFileFormat, path: AnyPath | None, source: Source) -> Iterator[Item]:
    if path is None or os.fspath(path) == "-":
        suffixes = " and ".join(module.PARTS)
        raise UsageError(f"this format is read from two files ({suffixes}), not -")
    first, second = _part_paths(Path(path), module)
    source.name = str(first)
    with io.open_lines(first) as lines:
        yield from module.read_parts(lines, io.read_text(second), source)


def _part_paths(path: Path, module: TwoFileFormat) -> tuple[Path, Path]:
    """The two files of a document, given one of them, their common stem, or a file beside them."""
    ending = next((part for part in module.PARTS if path.name.endswith(part)), "")
    stems = [path.name.removesuffix(ending), path.name if ending else path.stem]
    stem = next(
        (s for s in stems if _part_path(path, s, module.PARTS[0], module).exists()), stems[0]
    )
    first, second = (_part_path(path, stem, part, module) for part in module.PARTS)
    return first, second


def _part_path(path: Path, stem: str, ending: str, module: TwoFileFormat) -> Path:
    """One of the two files, beside `path` or in one of the format's folders."""
    beside = path.with_name(stem + ending)
    others = (path.parent / folder / beside.name for folder in module.FOLDERS)
    return next((each for each in (beside, *others) if each.exists()), beside)


def _two_file_formats() -> Iterator[TwoFileFormat]:
    return (module for name in names() if isinstance(module := load(name), TwoFileFormat))


def _named_by_suffix() -> Iterator[tuple[str, TwoFileFormat]]:
    """The two-file formats that are recognised by the names of their files."""
    for name in names():
        module = load(name)
        if isinstance(module, TwoFileFormat) and not module.BY_CONTENT:
            yield name, module


def _format_by_suffix(path: AnyPath | None, head: list[str]) -> str | None:
    """The two-file format of a path, by its suffix; by its content where formats share one."""
    if path is None or os.fspath(path) == "-":
        return None
    file = Path(path)
    matching = [(name, first) for name, module in _named_by_suffix()
                if (first := _annotation_file(file, module)) is not None]  # fmt: skip
    if len(matching) > 1:
        head = _first_lines(matching[0][1], head)
        return next((name for name, _ in matching if load(name).sniff(head)), matching[0][0])
    return matching[0][0] if matching else None


def _annotation_file(file: Path, module: TwoFileFormat) -> Path | None:
    """The first of a format's two files, if a file is one of them by its name."""
    first, second = module.PARTS
    if file.name.endswith(first):
        return file
    other = file.with_name(file.name.removesuffix(second) + first)
    return other if file.name.endswith(second) and other.exists() else None


def _first_lines(path: Path, head: list[str]) -> list[str]:
    """The first lines of an annotation file; those of the file at hand if it does not exist."""
    if not path.exists():
        return head
    with io.open_lines(path) as lines:
        return list(islice(lines, HEAD))


def format_by_bytes(path: AnyPath | None) -> str | None:
    """The binary format of a file, by its first bytes."""
    if path is None or not Path(path).is_file():
        return None
    with io.open_binary(path) as raw:
        head = raw.read(BYTES)
    if head.isascii() and b"\0" not in head:
        return None
    binary = ((name, module) for name in names() if isinstance(module := load(name), BinaryFormat))
    return next((name for name, module in binary if module.recognise(head)), None)


def _bytes_of(path: AnyPath | None, format: str, source: Source) -> bytes:
    if path is None or os.fspath(path) == "-":
        raise UsageError(f"{format} is read from a file, not -")
    with io.open_binary(path) as raw:
        data = raw.read()
    if not data.strip():
        raise source.error(None, f"expected {format}, found an empty file")
    return data


def expand_paths(paths: Iterable[AnyPath]) -> list[str]:
    """Paths to read one by one: a folder of two-file documents becomes its documents."""
    formats = list(_two_file_formats())
    expanded: list[str] = []
    others: set[str] = set()
    for path in map(Path, paths):
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        parts = {each: endings for each in inside if (endings := _endings(each, formats))}
        expanded += map(str, parts if path.is_dir() and parts else [path])
        others.update(str(each).removesuffix(one) + two for each, (one, two) in parts.items())
    return [path for path in expanded if path not in others]


def _endings(path: Path, formats: Iterable[TwoFileFormat]) -> tuple[str, str] | None:
    """The endings of a document's two files, if this is the first of them."""
    for module in formats:
        first, second = module.PARTS
        if path.name.endswith(first) and (not module.BY_CONTENT or _is_in(module, path)):
            return first, second
    return None


def _is_in(module: TwoFileFormat, path: Path) -> bool:
    """Whether a file is in a format by its content; if it cannot be read, its reader says so."""
    try:
        return module.sniff(_first_lines(path, []))
    except CoindexError:
        return False
