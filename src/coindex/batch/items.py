"""What a collection is read into: texts, and what could not be read, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coindex.types.document import Document


@dataclass(frozen=True, slots=True)
class InputText:
    """One text of a collection.

    document   the text; without tokens unless its format has them
    source     where it stands, for messages: `tweets.jsonl:17`
    target     the path of its file relative to the collection, for a tree of outputs
    position   how many bytes of the whole input are read with it, for progress
    speaker    who says it; empty if that is not known
    fields     further fields of its row, which the output keeps
    """

    document: Document
    source: str
    target: str
    position: int = 0
    speaker: str = ""
    fields: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """An input that has no answer, and why."""

    source: str
    reason: str
    position: int = 0


Item = InputText | Skipped


@dataclass(frozen=True, slots=True)
class Record:
    """The answer for one text.

    content    what is written: a line of JSON or a form of text; a line of `document-jsonl` for
               outputs that are made of documents
    document   the document itself, where it is at hand
    """

    target: str
    content: str
    words: int
    position: int = 0
    document: Document | None = None


Outcome = Record | Skipped
