"""The first value of a JSON file, as far as its first lines show it.

Formats are recognised from a few lines, which may hold only the beginning of one large object.
What is cut off is closed, so that a format sees the fields that are there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

LONGEST = 2_000_000
"""How many characters of an incomplete value are examined."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s"\[\]{}:,]+')


def first_object(head: Sequence[str]) -> dict[str, Any]:
    """The first object of JSON lines, of an array, or of a file that is one object; else {}."""
    value = first_value(head)
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, dict) else {}


def first_value(head: Sequence[str]) -> Any:
    """The first value, complete or not; None if the lines are not JSON."""
    return _first_value(tuple(head))


def first_line(head: Sequence[str]) -> Any:
    """The value on the first line that is not blank; None if that is not JSON by itself."""
    return _line_value(next((line for line in head if line.strip()), ""))


def is_cut_off(head: Sequence[str]) -> bool:
    """Whether lines may be the beginning of a JSON value that goes on, and more of it helps."""
    within = sum(map(len, head)) < LONGEST
    return within and first_line(head) is None and first_value(head) is not None


@lru_cache(maxsize=1)
def _line_value(line: str) -> Any:
    try:
        return json.loads(line) if line.lstrip().startswith(("{", "[")) else None
    except (ValueError, RecursionError):
        return None


@lru_cache(maxsize=1)
def _first_value(head: tuple[str, ...]) -> Any:
    whole = first_line(head)
    start = next((line for line in head if line.strip()), "").lstrip()
    if whole is not None or not start.startswith(("{", "[")):
        return whole
    try:
        return _partial("".join(head)[:LONGEST])
    except (ValueError, RecursionError, AttributeError, IndexError):
        return None


def _whole_tokens(text: str) -> Iterator[str]:
    """The tokens of JSON up to where the text is cut off, within a string or another value."""
    at = 0
    for match in _TOKEN.finditer(text):
        if '"' in text[at : match.start()] or match.end() == len(text):
            return
        yield match[0]
        at = match.end()


def _partial(text: str) -> Any:
    """A value of which the end may be missing; ValueError if the text is not JSON."""
    root: list[Any] = []
    stack: list[Any] = [root]
    key: str | None = None
    for token in _whole_tokens(text):
        if token in "]}":
            if len(stack) == 1 or isinstance(stack.pop(), list) != (token == "]"):
                raise ValueError("a bracket that closes nothing")
            if len(stack) == 1:
                break
        elif token in ",:":
            continue
        elif isinstance(stack[-1], dict) and key is None:
            key = json.loads(token)
            if not isinstance(key, str):
                raise ValueError("a key that is no string")
        else:
            value: Any = {"{": {}, "[": []}[token] if token in "{[" else json.loads(token)
            if isinstance(stack[-1], dict):
                stack[-1][key] = value
                key = None
            else:
                stack[-1].append(value)
            if token in "{[":
                stack.append(value)
    return root[0] if root else None
