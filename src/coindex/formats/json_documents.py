"""Documents of tools that write JSON: one object per line, an array, or one object.

The objects of most tools have no id: such a document is named after its file, with its number
if there are several. Fields that a reader has no use for are stored unchanged, as JSON, in the
metadata `json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

from coindex import io
from coindex.formats.json_fields import Fields, read_objects, shown
from coindex.types.document import Document
from coindex.types.mention import Pairs
from coindex.types.source import Source

_SPACE = re.compile(r"[ \t\r\n]*")

Build = Callable[[Fields, str], Iterable[Document]]
"""Builds the documents of an object; the text is the name of one that has no id."""


def read_json_documents(
    lines: Iterable[str], source: Source, build: Build, *, ids: tuple[str, ...] = ("doc_key",)
) -> Iterator[Document]:
    """The documents of a file; `ids` are the fields that may hold the id of one.

    A format without such a field says itself whether a document has an id (`Source.unnamed`).
    """
    objects = any_objects(lines, source)
    number, now = 0, next(objects, None)
    while now is not None:
        number, following = number + 1, next(objects, None)
        line, value = now
        source.begin(line)
        fields = Fields(value, line, source)
        stem = io.stem(source.name)
        alone = number == 1 and following is None
        name = _id(fields, ids) or (stem if alone else f"{stem}-{number}")
        with source.errors_at(line):
            documents = list(build(fields, name))
        yield from documents
        now = following


def _id(fields: Fields, ids: tuple[str, ...]) -> str | None:
    for name in ids:
        value = fields.take(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return str(value)
        if value is not None:
            raise fields.wrong(name, "a name", value)
    fields.source.unnamed = fields.source.unnamed or bool(ids)
    return None


def any_objects(lines: Iterable[str], source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines, of an array, or over several lines, with the line of each."""
    stream = iter(lines)
    head: list[str] = []
    filled: list[str] = []
    while len(filled) < 2 and (line := next(stream, "")):
        head.append(line)
        filled += [line] if line.strip() else []
    every = chain(head, stream)
    if _over_several_lines(filled):
        return _concatenated("".join(every).rstrip(), source)
    return read_objects(every, source)


def _over_several_lines(filled: list[str]) -> bool:
    """Whether objects go over several lines, by the first two; else the first may be broken."""
    first, second = [line.lstrip() for line in (*filled, "", "")][:2]
    lines = _complete(first) or (second.startswith("{") and _complete(second))
    return not (first.startswith("[") or lines or not first)


def _complete(line: str) -> bool:
    """Whether a line is JSON by itself."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _concatenated(text: str, source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects over several lines, one after the other."""
    for line, value in concatenated_values(text, source):
        if not isinstance(value, dict):
            raise source.error(line, f"expected a JSON object, found {_short(value)}")
        yield line, value


def concatenated_values(text: str, source: Source) -> Iterator[tuple[int, Any]]:
    """The values of a text, one after the other, with the line that each begins on."""
    decoder = json.JSONDecoder()
    at, line = 0, 1
    while True:
        space = _SPACE.match(text, at)
        start = space.end() if space else at
        line += text.count("\n", at, start)
        at = start
        if at >= len(text):
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            message = f"found bad JSON: {error.msg} at column {error.colno}"
            raise source.error(error.lineno, f"expected a JSON object, {message}") from error
        except (ValueError, RecursionError) as error:
            raise source.error(line, f"expected a JSON object, found {error}") from error
        yield line, value
        line += text.count("\n", at, end)
        at = end


def _short(value: Any) -> str:
    try:
        return shown(value)
    except RecursionError:
        return "values nested too deep"


def unread_fields(fields: Fields, *ignored: str) -> Pairs:
    """The fields that were not read, as one entry of metadata; `ignored` are computed by the tool."""
    rest = {name: value for name, value in fields.rest().items() if name not in ignored}
    return (("json", json.dumps(rest, ensure_ascii=False)),) if rest else ()


def stored_fields(document: Document) -> dict[str, Any]:
    """The fields that were stored unchanged; metadata that is not an object stays a string."""
    text = dict(document.meta).get("json")
    if text is None:
        return {}
    try:
        rest = json.loads(text)
    except ValueError:
        rest = text
    return rest if isinstance(rest, dict) else {"json": rest}


def starts_field(fields: Fields, count: int) -> tuple[int, ...] | None:
    """The field `sentence_starts`, which coindex adds where a tool has no sentences."""
    firsts = fields.optional_ints("sentence_starts")
    if firsts is not None and (firsts[:1] != (0,) * bool(count)):
        raise fields.wrong("sentence_starts", "numbers of tokens from 0", list(firsts))
    return firsts


def flat_sentences(
    tokens: tuple[str, ...], firsts: tuple[int, ...] | None
) -> list[tuple[str, ...]]:
    """Tokens as sentences, or as one if it is not known where they begin."""
    borders = (*(firsts or ((0,) if tokens else ())), len(tokens))
    return [tokens[a:b] for a, b in pairwise(borders)]
