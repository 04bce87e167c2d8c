"""The forms in which `coindex resolve` writes a resolved document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from coindex import formats
from coindex.errors import CoindexError
from coindex.transform.replace_pronouns import MIN_CONFIDENCE, replace_pronouns
from coindex.transform.resolved_entities import as_json
from coindex.types.document import Document
from coindex.types.source import Source

FORMS = ("table", "jsonl", "html", "brackets", "replaced", "parquet")
LINES = ("table", "jsonl", "brackets", "replaced", "parquet")
"""The forms of which a document's part does not depend on the other documents."""
STORED = "document-jsonl"
"""The format that documents are stored in for all other outputs."""


def content(
    document: Document,
    form: str,
    min_confidence: float | None = None,
    fields: Mapping[str, Any] | None = None,
) -> str:
    """A document in a form; as a line of `document-jsonl` for pages and formats."""
    if form in ("jsonl", "parquet"):
        values = as_json(document) | ({} if fields is None else {"fields": dict(fields)})
        return json.dumps(values, ensure_ascii=False) + "\n"
    if form not in LINES:
        return "".join(formats.write_lines([document], STORED))
    if form == "replaced":
        least = MIN_CONFIDENCE if min_confidence is None else min_confidence
        text = replace_pronouns(document, min_confidence=least).text
    elif form == "brackets":
        from coindex.transform.brackets import bracketed_text

        text = bracketed_text(document)
    else:
        from coindex.report.viewer.terminal import entity_lines, speaker_lines
        from coindex.transform.resolved_entities import resolved_entities

        lines = (*entity_lines(resolved_entities(document)), *speaker_lines(document))
        text = "\n".join(map(str, lines))
    return text if text.endswith("\n") else text + "\n"


def stored_document(line: str) -> Document:
    """The document of a line that `content` returned for a page or a format."""
    (document,) = formats.read_lines([line], STORED, Source("<part>"))
    if not isinstance(document, Document):
        raise CoindexError(f"expected a document in a part, found {line[:40]!r}")
    return document


def page(documents: Iterator[Document]) -> Iterator[str]:
    """All documents as one web page."""
    from coindex.report.viewer.annotated_text import layout
    from coindex.report.viewer.html import page as whole_page

    first = list(islice(documents, 1))  # before the head of the page, as it may be an error
    yield from whole_page(layout(document, True) for document in chain(first, documents))
