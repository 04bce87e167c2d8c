"""Strict reading of JSON lines: a wrong type is an error that names line and field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from coindex.errors import FormatError, InvalidValue
from coindex.formats.json_probe import first_line
from coindex.types.mention import Pairs
from coindex.types.source import Source

Built = TypeVar("Built")


def to_line(value: Any) -> str:
    """One line of JSON; characters that UTF-8 cannot encode are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = json.dumps(value, separators=(",", ":"))
    return text + "\n"


def looks_like(head: Sequence[str], test: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether the first line that is not blank is an object that passes a test."""
    value = first_line(head)
    return isinstance(value, dict) and test(value)


def read_object_lines(lines: Iterable[str], source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers; blank lines are skipped."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            source.begin(number)
            yield number, parse_object(line, number, source)


def parse_object(line: str, number: int, source: Source) -> dict[str, Any]:
    """One JSON object, or an error that names what was found instead."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        message = f"expected a JSON object, found bad JSON: {error.msg} at column {error.colno}"
        raise source.error(number, message) from error
    except (ValueError, RecursionError) as error:
        raise source.error(number, f"expected a JSON object, found {error}") from error
    if not isinstance(value, dict):
        raise source.error(number, f"expected a JSON object, found {shown(value)}")
    return value


def shown(value: Any) -> str:
    """A value for an error message: short, on one line."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 40 else f"{text[:37]}..."


class Fields:
    """The fields of an object, each read once; fields that were not read are an error."""

    def __init__(self, value: dict[str, Any], line: int, source: Source) -> None:
        self._values = dict(value)
        self.line = line
        self.source = source

    @classmethod
    def build(
        cls, value: dict[str, Any], make: Callable[[Fields], Built], line: int, source: Source
    ) -> Iterator[Built]:
        """Build a value from an object; contradictory values are an error at its line."""
        try:
            yield make(cls(value, line, source))
        except InvalidValue as error:
            raise source.error(line, str(error)) from error

    def wrong(self, name: str, expected: str, value: Any) -> FormatError:
        """The error for a field of the wrong type."""
        return self.source.error(self.line, f"{name!r}: expected {expected}, found {shown(value)}")

    def done(self) -> None:
        """Raise an error if a field was not read."""
        if self._values:
            name = next(iter(self._values))
            raise self.source.error(self.line, f"unknown field {name!r}")

    def has(self, name: str) -> bool:
        """Whether there is a field with this name that is not null."""
        return self._values.get(name) is not None

    def names(self) -> tuple[str, ...]:
        """The names of the fields that have not been read yet."""
        return tuple(self._values)

    def peek(self, name: str) -> Any:
        """A field of any type, which does not count as read."""
        return self._values.get(name)

    def rest(self) -> dict[str, Any]:
        """The fields that have not been read yet; they count as read."""
        rest, self._values = self._values, {}
        return rest

    def expect(self, name: str, value: Any) -> None:
        """Raise an error unless a field has this value."""
        actual = self._values.pop(name, None)
        if actual != value or isinstance(actual, bool):
            raise self.wrong(name, shown(value), actual)

    def take(self, name: str, default: Any = None) -> Any:
        """A field of any type."""
        return self._values.pop(name, default)

    def text(self, name: str) -> str:
        """A required string."""
        return self.as_text(name, self._values.pop(name, None))

    def optional_text(self, name: str) -> str | None:
        """A string, or None."""
        return self.text(name) if self._values.get(name) is not None else self.take(name)

    def optional_int(self, name: str) -> int | None:
        """A whole number, or None."""
        value = self._values.pop(name, None)
        return None if value is None else self.as_ints(name, [value])[0]

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty if it is missing."""
        return self.as_texts(name, self._values.pop(name, []))

    def optional_texts(self, name: str) -> tuple[str, ...] | None:
        """A list of strings, or None."""
        return self.texts(name) if self._values.get(name) is not None else self.take(name)

    def ints(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers; empty if it is missing."""
        return self.as_ints(name, self._values.pop(name, []))

    def optional_ints(self, name: str) -> tuple[int, ...] | None:
        """A list of whole numbers, or None."""
        return self.ints(name) if self._values.get(name) is not None else self.take(name)

    def objects(self, name: str) -> Iterator[Fields]:
        """A list of objects; empty if it is missing."""
        for value in self.as_list(name, self._values.pop(name, [])):
            if not isinstance(value, dict):
                raise self.wrong(name, "a list of objects", value)
            yield Fields(value, self.line, self.source)

    def pairs(self, name: str) -> Iterator[tuple[str, Any]]:
        """A list of [name, value]; empty if it is missing."""
        for value in self.as_list(name, self._values.pop(name, [])):
            if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
                raise self.wrong(name, "[name, value]", value)
            yield value[0], value[1]

    def int_pairs(self, name: str) -> Iterator[tuple[int, int]]:
        """A list of [start, end]; empty if it is missing."""
        for value in self.as_list(name, self._values.pop(name, [])):
            pair = self.as_ints(name, value)
            if len(pair) != 2:
                raise self.wrong(name, "[start, end]", value)
            yield pair[0], pair[1]

    def as_text(self, name: str, value: Any) -> str:
        """A value that must be a string."""
        if not isinstance(value, str):
            raise self.wrong(name, "a string", value)
        return value

    def as_list(self, name: str, value: Any) -> list[Any]:
        """A value that must be a list."""
        if not isinstance(value, list):
            raise self.wrong(name, "a list", value)
        return value

    def as_texts(self, name: str, value: Any) -> tuple[str, ...]:
        """A value that must be a list of strings."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(name, "a list of strings", value)
        return tuple(value)

    def as_ints(self, name: str, value: Any) -> tuple[int, ...]:
        """A value that must be a list of whole numbers."""
        if not isinstance(value, list) or not all(type(item) is int for item in value):
            raise self.wrong(name, "a list of whole numbers", value)
        return tuple(value)


_SPACE = " \t\r\n"


def metadata_from_json(fields: dict[str, Any]) -> Pairs:
    """The remaining fields of an object as metadata: names with texts."""
    return tuple(
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in fields.items()
    )


def metadata_to_json(meta: Pairs) -> dict[str, Any]:
    """The metadata of a problem as JSON fields, as they were in the file."""
    return {name: _value(text) for name, text in meta}


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
        same = json.dumps(value, ensure_ascii=False, allow_nan=False) == text
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) or not same else value


def read_objects(lines: Iterable[str], source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
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
    return read_object_lines(every, source)


def _items(text: str, source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of an array, one by one."""
    decoder = json.JSONDecoder()
    at, line = _skip(text, 0, 1)
    at, line = _skip(text, at + 1, line)
    while not text.startswith("]", at):
        source.begin(line)
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            message = f"expected a JSON object, found bad JSON: {error.msg}"
            raise source.error(error.lineno, message) from error
        except (ValueError, RecursionError) as error:
            raise source.error(line, f"expected a JSON object, found {error}") from error
        if not isinstance(value, dict):
            raise source.error(line, f"expected a JSON object, found {_short(value)}")
        yield line, value
        at, line = _skip(text, end, line + text.count("\n", at, end))
        at, line = _comma(text, at, line, source)
    at, line = _skip(text, at + 1, line)
    if at < len(text):
        raise source.error(line, f"expected nothing after ']', found {shown(text[at : at + 20])}")


def _comma(text: str, at: int, line: int, source: Source) -> tuple[int, int]:
    """The offset after a comma, or of the closing bracket if there is no comma."""
    if text.startswith("]", at):
        return at, line
    if not text.startswith(",", at):
        actual = shown(text[at : at + 20]) if at < len(text) else "the end of the file"
        raise source.error(line, f"expected ',' or ']' after an object, found {actual}")
    return _skip(text, at + 1, line)


def _skip(text: str, at: int, line: int) -> tuple[int, int]:
    """The next offset that is not white space, and its line."""
    while at < len(text) and text[at] in _SPACE:
        line += text[at] == "\n"
        at += 1
    return at, line


def _short(value: Any) -> str:
    try:
        return shown(value)
    except RecursionError:
        return "values nested too deep"
