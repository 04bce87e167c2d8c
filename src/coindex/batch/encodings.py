"""The encoding of texts: UTF-8, one that is named, or one that is recognised.

A byte order mark is always believed. With `auto`, text that is not UTF-8 is given to
charset-normalizer, which tries the encodings that there are; where Windows-1252 is as plausible as
its best guess, that is taken, since most English text that is not UTF-8 is in it.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO

from coindex.errors import UsageError

AUTO = "auto"
UTF8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 65536
_LIKELY = "cp1252"
_TOLERANCE = 0.02


def check_encoding(name: str) -> str:
    """The encoding's usual name, or `auto`; an error if there is none of that name."""
    if name == AUTO:
        return AUTO
    try:
        found = codecs.lookup(name).name
        "".encode(found)  # some codecs are not for text
    except (LookupError, TypeError):
        raise UsageError(
            f"--encoding: expected auto or the name of an encoding such as utf-8 or cp1252,"
            f" found {name!r}"
        ) from None
    return UTF8 if found == "utf-8-sig" else found


def marked_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark states, unless that is UTF-8."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def stream_encoding(stream: IO[bytes]) -> str | None:
    """The encoding of bytes that are read to their end; None for UTF-8."""
    decoder = codecs.getincrementaldecoder(UTF8)()
    before = b""
    try:
        for chunk in _chunks(stream):
            decoder.decode(chunk)
            before = chunk
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return guess_encoding(before + chunk)
    return None


def guess_encoding(sample: bytes) -> str:
    """The most plausible encoding of bytes that are not UTF-8."""
    from charset_normalizer import from_bytes

    matches = from_bytes(sample)
    best = matches.best()
    if best is None:
        return _LIKELY if _decodes(sample, _LIKELY) else "latin-1"
    likely = (match for match in matches if _LIKELY in match.could_be_from_charset)
    if any(match.chaos <= best.chaos + _TOLERANCE for match in likely):
        return _LIKELY
    return str(best.encoding)


def _decodes(sample: bytes, encoding: str) -> bool:
    try:
        sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk
