"""The labels of spans and the tags of words that a parser knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from coindex.errors import InputError
from coindex.models.parser.trees import CHAIN, labelled_spans
from coindex.types.document import Document

NO_PHRASE = ""
"""The label 0."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The labels of spans, the first of which is no phrase, and the tags of words."""

    labels: tuple[str, ...]
    tags: tuple[str, ...]


def vocabulary(documents: Iterable[Document], rare: int) -> Vocabulary:
    """The labels and tags of trees; labels that occur less than `rare` times are left out."""
    labels: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    for document in documents:
        if document.parse is None or document.pos is None:
            raise InputError(f"{document.key}: expected a document with trees and tags")
        tags.update(document.pos)
        for span in document.sentence_spans():
            found = labelled_spans(document.parse[span.start : span.end])
            labels.update(each.label for each in found)
    known = sorted(label for label, count in labels.items() if count >= rare or CHAIN not in label)
    return Vocabulary((NO_PHRASE, *known), tuple(sorted(tags)))
