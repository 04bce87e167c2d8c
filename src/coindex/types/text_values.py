"""What is given as texts, or as names of files: messages for values that are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set

from coindex.errors import InvalidValue
from coindex.types.document import Document


def found(value: object) -> str:
    """The part of a message that says of which type a value is."""
    return "found None" if value is None else f"found the type {type(value).__name__}"


def decode_hint(value: object) -> str:
    """What to do about a value that is no text."""
    return ": decode it to a str first" if isinstance(value, bytes | bytearray) else ""


def check_several(texts: object) -> None:
    """An error unless the value is a list of texts, a generator or the like."""
    if isinstance(texts, str | Document):
        raise InvalidValue(f"expected several texts or documents, {found(texts)}: use resolve")
    if isinstance(texts, bytes | bytearray):
        raise InvalidValue(f"expected text, {found(texts)}{decode_hint(texts)}")
    if isinstance(texts, Mapping | Set) or not isinstance(texts, Iterable):
        raise InvalidValue(f"expected a list of texts or documents, {found(texts)}")


def not_a_text(text: object, number: int) -> InvalidValue:
    """The error for one of several texts that is no text."""
    return InvalidValue(
        f"expected text {number} to be a str or a document, {found(text)}{decode_hint(text)}"
    )


def unicode_text(text: object, number: int) -> str | Document:
    """A text or document that UTF-8 can hold; an error if it is none, with its number."""
    if not isinstance(text, str | Document):
        raise not_a_text(text, number)
    if half := re.search("[\ud800-\udfff]", text if isinstance(text, str) else text.text):
        actual = f"found half a character (\\u{ord(half[0]):04x})"
        raise InvalidValue(f"expected text {number} to be one that UTF-8 can hold, {actual}")
    return text


def shown_path(name: str) -> str:
    """The name of a file as text that UTF-8 can hold; bytes that are not UTF-8 become `\\xff`."""
    escaped = re.sub("[\udc80-\udcff]", lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", name)
    return escaped.encode("utf-8", "backslashreplace").decode()
