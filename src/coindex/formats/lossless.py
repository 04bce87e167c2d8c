"""Documents as one text that keeps all of them, for what travels between programs."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import cast

from coindex import formats
from coindex.types.document import Document
from coindex.types.source import Source
from coindex.types.text_values import check_several, unicode_text

LOSSLESS = "document-jsonl"


def lossless_text(documents: str | Document | Iterable[Document]) -> str:
    """Documents as the text of a file; a text is one already."""
    if isinstance(documents, str):
        return str(unicode_text(documents, 1))
    every = [documents] if isinstance(documents, Document) else documents
    check_several(every)
    return "".join(formats.write_lines(every, LOSSLESS))


def lossless_documents(text: str) -> list[Document]:
    """The documents of such a text."""
    lines = StringIO(text, newline="\n")
    return [cast("Document", item) for item in formats.read_lines(lines, LOSSLESS, Source())]
