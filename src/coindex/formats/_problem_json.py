"""The facts of a JSON object that a problem keeps as text, and JSON arrays by item.

A fact that is a string is kept as it is, any other as its JSON; a text that is
the JSON of something other than a string is written as that again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from coindex.core.mention import Pairs
from coindex.core.source import Source
from coindex.formats._json import lines_of_objects, shown

_SPACE = " \t\r\n"


def facts(found: dict[str, Any]) -> Pairs:
    """What is left of an object, as names with texts."""
    return tuple(
        (name, value if isinstance(value, str) else _dump(value)) for name, value in found.items()
    )


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def values(meta: Pairs) -> dict[str, Any]:
    """The facts of a problem as they were in their object."""
    return {name: _value(text) for name, text in meta}


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
        same = json.dumps(value, ensure_ascii=False, allow_nan=False) == text
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) or not same else value


def objects(lines: Iterable[str], source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON array or of JSON lines, with the line each begins on."""
    stream = iter(lines)
    head: list[str] = []
    for line in stream:
        head.append(line)
        if line.strip():
            break
    every = chain(head, stream)
    if head and head[-1].lstrip().startswith("["):
        return _items("".join(every), source)
    return lines_of_objects(every, source)


def _items(text: str, source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of an array, one by one."""
    decoder = json.JSONDecoder()
    at, line = _skip(text, 0, 1)
    at, line = _skip(text, at + 1, line)
    while not text.startswith("]", at):
        source.begin(line)
        try:
            found, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            message = f"expected a JSON object, found bad JSON: {error.msg}"
            raise source.error(error.lineno, message) from error
        except (ValueError, RecursionError) as error:
            raise source.error(line, f"expected a JSON object, found {error}") from error
        if not isinstance(found, dict):
            raise source.error(line, f"expected a JSON object, found {_short(found)}")
        yield line, found
        at, line = _skip(text, end, line + text.count("\n", at, end))
        at, line = _comma(text, at, line, source)
    at, line = _skip(text, at + 1, line)
    if at < len(text):
        raise source.error(line, f"expected nothing after ']', found {shown(text[at : at + 20])}")


def _comma(text: str, at: int, line: int, source: Source) -> tuple[int, int]:
    """The place after a comma; of the closing bracket if there is none."""
    if text.startswith("]", at):
        return at, line
    if not text.startswith(",", at):
        found = shown(text[at : at + 20]) if at < len(text) else "the end of the file"
        raise source.error(line, f"expected ',' or ']' after an object, found {found}")
    return _skip(text, at + 1, line)


def _skip(text: str, at: int, line: int) -> tuple[int, int]:
    """The next place that is not white space, and its line."""
    while at < len(text) and text[at] in _SPACE:
        line += text[at] == "\n"
        at += 1
    return at, line


def _short(value: Any) -> str:
    try:
        return shown(value)
    except RecursionError:
        return "values nested too deep"
