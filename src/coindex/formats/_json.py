"""JSON lines, read with care: a wrong type is an error that names line and field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from coindex.core.source import Source
from coindex.errors import FormatError, InvalidValue

Built = TypeVar("Built")


def to_line(value: Any) -> str:
    """One line of JSON; what cannot be UTF-8 is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = json.dumps(value, separators=(",", ":"))
    return text + "\n"


def looks_like(head: Sequence[str], test: Callable[[dict[str, Any]], bool]) -> bool:
    """Whether the first line that is not blank is an object that passes a test."""
    first = next((line for line in head if line.strip()), "")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and test(found)


def lines_of_objects(lines: Iterable[str], source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with their line numbers; blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            source.begin(number)
            yield number, parse_object(line, number, source)


def parse_object(line: str, number: int, source: Source) -> dict[str, Any]:
    """One JSON object, or an error that says what was found instead."""
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        message = f"expected a JSON object, found bad JSON: {error.msg} at column {error.colno}"
        raise source.error(number, message) from error
    except (ValueError, RecursionError) as error:
        raise source.error(number, f"expected a JSON object, found {error}") from error
    if not isinstance(found, dict):
        raise source.error(number, f"expected a JSON object, found {shown(found)}")
    return found


def shown(value: Any) -> str:
    """A value for an error message: short, on one line."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 40 else f"{text[:37]}..."


class Fields:
    """The fields of an object, each taken once; what is left over is an error."""

    def __init__(self, found: dict[str, Any], line: int, source: Source) -> None:
        self._found = dict(found)
        self.line = line
        self.source = source

    @classmethod
    def build(
        cls, found: dict[str, Any], make: Callable[[Fields], Built], line: int, source: Source
    ) -> Iterator[Built]:
        """Make something of an object; values that contradict each other name the line."""
        try:
            yield make(cls(found, line, source))
        except InvalidValue as error:
            raise source.error(line, str(error)) from error

    def wrong(self, name: str, expected: str, found: Any) -> FormatError:
        """The error for a field of the wrong type."""
        return self.source.error(self.line, f"{name!r}: expected {expected}, found {shown(found)}")

    def done(self) -> None:
        """Nothing may be left over."""
        if self._found:
            name = next(iter(self._found))
            raise self.source.error(self.line, f"unknown field {name!r}")

    def rest(self) -> dict[str, Any]:
        """What has not been taken yet; now it has."""
        rest, self._found = self._found, {}
        return rest

    def expect(self, name: str, value: Any) -> None:
        """A field must have this very value."""
        found = self._found.pop(name, None)
        if found != value or isinstance(found, bool):
            raise self.wrong(name, shown(value), found)

    def take(self, name: str, default: Any = None) -> Any:
        """A field of any type."""
        return self._found.pop(name, default)

    def text(self, name: str) -> str:
        """A string that must be there."""
        return self.as_text(name, self._found.pop(name, None))

    def optional_text(self, name: str) -> str | None:
        """A string, or None."""
        return self.text(name) if self._found.get(name) is not None else self.take(name)

    def optional_int(self, name: str) -> int | None:
        """A whole number, or None."""
        value = self._found.pop(name, None)
        return None if value is None else self.as_ints(name, [value])[0]

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty if it is not there."""
        return self.as_texts(name, self._found.pop(name, []))

    def optional_texts(self, name: str) -> tuple[str, ...] | None:
        """A list of strings, or None."""
        return self.texts(name) if self._found.get(name) is not None else self.take(name)

    def ints(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers; empty if it is not there."""
        return self.as_ints(name, self._found.pop(name, []))

    def optional_ints(self, name: str) -> tuple[int, ...] | None:
        """A list of whole numbers, or None."""
        return self.ints(name) if self._found.get(name) is not None else self.take(name)

    def objects(self, name: str) -> Iterator[Fields]:
        """A list of objects; empty if it is not there."""
        for value in self.as_list(name, self._found.pop(name, [])):
            if not isinstance(value, dict):
                raise self.wrong(name, "a list of objects", value)
            yield Fields(value, self.line, self.source)

    def pairs(self, name: str) -> Iterator[tuple[str, Any]]:
        """A list of [name, value]; empty if it is not there."""
        for value in self.as_list(name, self._found.pop(name, [])):
            if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
                raise self.wrong(name, "[name, value]", value)
            yield value[0], value[1]

    def int_pairs(self, name: str) -> Iterator[tuple[int, int]]:
        """A list of [start, end]; empty if it is not there."""
        for value in self.as_list(name, self._found.pop(name, [])):
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
