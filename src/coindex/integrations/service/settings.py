"""How the service is set up: its models, its limits, and who may use it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from coindex.errors import FormatError

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What one request may cost, and how many are answered at the same time.

    body       bytes of the body of a request, or of one line of a batch
    batch      bytes of a whole batch
    text       characters of the texts of a request, or of one line of a batch
    documents  documents of a request
    seconds    time for an answer, counted from the end of the body
    upload     time for the headers, and again for the body
    requests   requests that are answered or wait in one process; more are refused
    """

    body: int = 4 * MEGABYTE
    batch: int = 64 * MEGABYTE
    text: int = 200_000
    documents: int = 1_000
    seconds: float = 60.0
    upload: float = 20.0
    requests: int = 128


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Everything that the service needs to know.

    models    names with the model that each stands for (a name, a folder or a file); the first
              one is the default
    threads   threads that resolve, in each process
    tokens    SHA-256 digests of the bearer tokens that are accepted; none: no token is needed
    origins   other sites whose pages may use the service from a browser
    """

    models: tuple[tuple[str, str | None], ...] = (("default", None),)
    threads: int | None = None
    device: str = "cpu"
    tokens: tuple[bytes, ...] = ()
    origins: tuple[str, ...] = ()
    limits: ServiceLimits = field(default_factory=ServiceLimits)


def token_digest(token: str) -> bytes:
    """The digest by which a token is compared: all have the same length."""
    return hashlib.sha256(token.encode()).digest()


def read_tokens(lines: Iterable[str], source: str) -> tuple[bytes, ...]:
    """The digests of the tokens of a file: one per line; empty lines and `#` comments are skipped."""
    tokens = []
    for number, line in enumerate(lines, 1):
        token = line.strip()
        if not token or token.startswith("#"):
            continue
        if len(token) < 16 or not token.isascii() or not token.isprintable() or " " in token:
            message = "expected a token of at least 16 ASCII characters without spaces"
            raise FormatError(source, number, message)
        tokens.append(token_digest(token))
    if not tokens:
        raise FormatError(source, None, "expected a token per line, found none")
    return tuple(tokens)
