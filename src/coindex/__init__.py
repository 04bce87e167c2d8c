"""coindex: build, annotate, train, resolve, score and audit English coreference.

Names are imported when they are first used, so that `import coindex` is instant.
"""

from __future__ import annotations

from coindex.api import TOP_LEVEL

__version__ = "0.2.0"

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from coindex import formats
    from coindex.errors import CoindexError, FormatError, InvalidValue
    from coindex.formats import read, write
    from coindex.integrations.pandas_tables import to_pandas
    from coindex.report.viewer.notebook import to_html
    from coindex.resolvers.resolver import Resolver, load
    from coindex.scoring.api import score
    from coindex.types.document import Document
    from coindex.types.mention import Entity, Mention
    from coindex.types.problem import Candidate, Problem
    from coindex.types.span import Chars, Span

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
    "Resolver",
    "Span",
    "formats",
    "load",
    "read",
    "score",
    "to_html",
    "to_pandas",
    "write",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "formats":
        return import_module("coindex.formats")
    if name in TOP_LEVEL:
        return getattr(import_module(TOP_LEVEL[name]), name)
    raise AttributeError(f"module 'coindex' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
