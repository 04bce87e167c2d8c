"""coindex: build, annotate, train, resolve, score and audit English coreference.

Names are loaded when they are first used, so that `import coindex` is instant.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from coindex import formats
    from coindex.core.document import Document
    from coindex.core.mention import Entity, Mention
    from coindex.core.problem import Candidate, Problem
    from coindex.core.span import Chars, Span
    from coindex.errors import CoindexError, FormatError, InvalidValue
    from coindex.formats import read, write
    from coindex.resolvers._api import load
    from coindex.scoring.api import score

_HOMES = {
    "Candidate": "coindex.core.problem",
    "Chars": "coindex.core.span",
    "CoindexError": "coindex.errors",
    "Document": "coindex.core.document",
    "Entity": "coindex.core.mention",
    "FormatError": "coindex.errors",
    "InvalidValue": "coindex.errors",
    "Mention": "coindex.core.mention",
    "Problem": "coindex.core.problem",
    "Span": "coindex.core.span",
    "load": "coindex.resolvers._api",
    "read": "coindex.formats",
    "score": "coindex.scoring.api",
    "write": "coindex.formats",
}

__all__ = [
    "Candidate",
    "Chars",
    "CoindexError",
    "Document",
    "Entity",
    "FormatError",
    "InvalidValue",
    "Mention",
    "Problem",
    "Span",
    "formats",
    "load",
    "read",
    "score",
    "write",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "formats":
        return import_module("coindex.formats")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'coindex' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
