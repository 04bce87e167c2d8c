"""Bodies of requests: read within limits of size and time, and parsed as JSON.

A body that is too large is read to its end, up to a point, and thrown away: a client that is
still sending would otherwise see its connection reset instead of the answer.
"""

from __future__ import annotations

import asyncio
import codecs
import json
from typing import Any

from starlette.requests import Request

from coindex.annotate.errors import ApiError
from coindex.integrations.service.settings import MEGABYTE, ServiceLimits

DISCARDED = 64 * MEGABYTE
"""How much of a body that is too large is read and thrown away."""


async def read_body(request: Request, limits: ServiceLimits) -> bytes:
    """The body of a request, within the limits of its size and time."""
    try:
        return await asyncio.wait_for(_read(request, limits.body), limits.upload)
    except asyncio.TimeoutError:
        message = f"expected the body within {limits.upload:g} seconds"
        raise ApiError(408, "slow", message) from None


async def _read(request: Request, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    large = _declared(request) > limit
    if large and "expect" in request.headers:
        raise too_large(limit)  # nothing was sent yet
    async for part in request.stream():
        size += len(part)
        large = large or size > limit
        if large:
            parts.clear()
            if size > DISCARDED:
                break
        else:
            parts.append(part)
    if large:
        raise too_large(limit)
    return b"".join(parts)


def _declared(request: Request) -> int:
    length = request.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 16 else 0


def too_large(limit: int, what: str = "bytes") -> ApiError:
    """The error for more than a limit allows."""
    return ApiError(413, "large", f"expected no more than {limit} {what}")


def check_media_type(request: Request, *kinds: str) -> None:
    """An error if the body is not declared as one of these media types."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in kinds:
        raise ApiError(415, "type", f"expected Content-Type: {' or '.join(kinds)}")


def parse_json(content: bytes) -> Any:
    """The JSON value of a body, or an error that says where it is not JSON."""
    content = content.removeprefix(codecs.BOM_UTF8)  # which some programs write before a file
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"found the byte 0x{content[error.start]:02x} at offset {error.start}"
        raise ApiError(400, "malformed", f"expected UTF-8, {found}") from None
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ApiError(400, "malformed", f"not JSON at {where}: {error.msg.lower()}") from None
    except RecursionError:
        raise ApiError(400, "malformed", "expected JSON, found it nested too deep") from None
    except ValueError:  # NaN, or an integer of thousands of digits
        raise ApiError(400, "malformed", "expected JSON, found a number it cannot hold") from None


def _no_constant(name: str) -> Any:
    raise ValueError(name)
