"""ezCoref's crowd annotations (Gupta et al. 2023): five annotators on each of 170 passages.

Each passage is a file: a list with one object per annotator, `annotations` by sentence, with
keys `token,start,end` and the numbers of clusters. The files do not contain the texts. Where a
passage is the beginning of a document of the gold files (`NAME_0`), its tokens and its gold
come from there; other passages have `_` for every token. ezCoref splits words at hyphens, so
its spans count such parts of words and are widened to whole tokens. A passage whose spans do
not fit its gold document has no gold.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from operator import ge
from pathlib import Path
from typing import Any

from coindex import formats, io
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

Borders = set[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with the document of each annotator, and its gold where it is known."""

    name: str
    annotations: Mapping[int, Document]
    gold: Document | None


def read_passages(folder: Path) -> Iterator[Passage]:
    """Yield the passages of a folder with `annotations/` and `*.gold_conll`, by name."""
    golds: dict[str, Document] = {}
    for path in sorted(folder.glob("*.gold_conll")):
        for document in formats.read(path):
            if isinstance(document, Document):
                golds[document.id] = document
    for path in sorted((folder / "annotations").glob("*/*.json")):
        yield _passage(path, golds)


def _passage(path: Path, golds: Mapping[str, Document]) -> Passage:
    annotators: list[dict[str, Any]] = json.loads(io.read_text(path))
    name = path.stem
    parent, _, number = name.rpartition("_")
    sizes = _sizes(annotators)
    gold = golds.get(parent) if number == "0" else None
    if gold is not None:
        gold = _beginning(gold, name, len(sizes))
        parts = _word_parts(gold)
        fits = len(parts) == len(sizes) and all(map(ge, map(len, parts), sizes))
        gold = gold if fits else None
    blank = Document.of(name, [["_"] * size for size in sizes])
    bare = replace(gold, entities=()) if gold is not None else blank
    parts_to_tokens = _word_parts(bare)
    annotations = {
        each["annotator_id"]: _annotated(bare, parts_to_tokens, each["annotations"])
        for each in annotators
    }
    return Passage(name, annotations, gold)


def _word_parts(document: Document) -> list[list[int]]:
    """Return for each sentence the index of the token that contains each of ezCoref's parts."""
    parts = [list(filter(None, re.split(r"(?<=\w)(-)(?=\w)", word))) for word in document.tokens]
    return [
        [at for at in range(span.start, span.end) for _ in parts[at]]
        for span in document.sentence_spans()
    ]


def _sizes(annotators: list[dict[str, Any]]) -> list[int]:
    """Return the smallest possible number of parts of each sentence, by its annotations."""
    ends: defaultdict[int, int] = defaultdict(int)
    for each in annotators:
        for sentence, marks in each["annotations"].items():
            reach = (int(border) for key in marks for border in key.split(",")[2:])
            ends[int(sentence)] = max(ends[int(sentence)], *reach, 1)
    return [max(ends[at], 1) for at in range(max(ends, default=0) + 1)]


def _beginning(gold: Document, name: str, sentences: int) -> Document:
    """Return the first sentences of a document."""
    borders = (*gold.sentences, len(gold))
    end = borders[min(sentences, len(gold.sentences))]
    rows = [gold.tokens[start:stop] for start, stop in pairwise(borders) if stop <= end]
    mentions = [[m for m in entity.mentions if m.end <= end] for entity in gold.entities]
    return Document.of(name, rows, [Entity(tuple(own)) for own in mentions if own])


def _annotated(
    bare: Document, parts: list[list[int]], annotations: Mapping[str, Mapping[str, list[int]]]
) -> Document:
    groups: defaultdict[int, Borders] = defaultdict(set)
    for sentence, marks in annotations.items():
        for key, clusters in marks.items():
            start, end = (int(border) for border in key.split(",")[1:])
            for cluster in clusters:
                groups[cluster].add((int(sentence), start, end))
    entities = []
    for cluster in sorted(groups):
        spans = {
            Span(parts[sentence][start], parts[sentence][end - 1] + 1)
            for sentence, start, end in groups[cluster]
        }
        mentions = tuple(Mention((span,)) for span in sorted(spans, key=astuple))
        entities.append(Entity(mentions, str(cluster)))
    return replace(bare, entities=tuple(entities))
