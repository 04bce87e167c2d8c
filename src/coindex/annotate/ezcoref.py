"""ezCoref's crowd annotations (Gupta et al. 2023): five annotators on each of 170 passages.

A passage is a file: a list with an object for each annotator, `annotations` by sentence,
keys `token,start,end` with the numbers of clusters. The texts are not in the files. Where a
passage is the beginning of a document of the gold files (`NAME_0`), its words and its gold
come from there; for others words are not known and are written `_`. ezCoref's tokens are
finer than the gold's: it splits words at hyphens, so spans are counted in such pieces and
widened to whole words. A passage whose spans do not fit then goes without gold.
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
from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.span import Span

Borders = set[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as each annotator made it, and its gold where it is known."""

    name: str
    made: Mapping[int, Document]
    gold: Document | None


def read(folder: Path) -> Iterator[Passage]:
    """The passages of a folder with `annotations/` and `*.gold_conll`, by name."""
    golds: dict[str, Document] = {}
    for path in sorted(folder.glob("*.gold_conll")):
        for document in formats.read(path):
            if isinstance(document, Document):
                golds[document.id] = document
    for path in sorted((folder / "annotations").glob("*/*.json")):
        yield _passage(path, golds)


def _passage(path: Path, golds: Mapping[str, Document]) -> Passage:
    found: list[dict[str, Any]] = json.loads(io.read_text(path))
    name = path.stem
    parent, _, number = name.rpartition("_")
    sizes = _sizes(found)
    gold = golds.get(parent) if number == "0" else None
    if gold is not None:
        gold = _beginning(gold, name, len(sizes))
        pieces = _pieces(gold)
        fits = len(pieces) == len(sizes) and all(map(ge, map(len, pieces), sizes))
        gold = gold if fits else None
    bare = replace(gold, entities=()) if gold is not None else _blank(name, sizes)
    places = _pieces(bare)
    made = {each["annotator_id"]: _made(bare, places, each["annotations"]) for each in found}
    return Passage(name, made, gold)


def _pieces(document: Document) -> list[list[int]]:
    """For each sentence, the token that each of ezCoref's tokens is a piece of."""
    return [
        [at for at in range(span.start, span.end) for _ in _split(document.tokens[at])]
        for span in document.sentence_spans()
    ]


def _split(word: str) -> list[str]:
    return [piece for piece in re.split(r"(?<=\w)(-)(?=\w)", word) if piece]


def _sizes(found: list[dict[str, Any]]) -> list[int]:
    """The least number of tokens of each sentence that some annotation reaches."""
    ends: defaultdict[int, int] = defaultdict(int)
    for each in found:
        for sentence, marks in each["annotations"].items():
            reach = (int(border) for key in marks for border in key.split(",")[2:])
            ends[int(sentence)] = max(ends[int(sentence)], *reach, 1)
    return [max(ends[at], 1) for at in range(max(ends, default=0) + 1)]


def _beginning(gold: Document, name: str, sentences: int) -> Document:
    """The first sentences of a document."""
    borders = (*gold.sentences, len(gold))
    end = borders[min(sentences, len(gold.sentences))]
    rows = [gold.tokens[start:stop] for start, stop in pairwise(borders) if stop <= end]
    kept = [[m for m in entity.mentions if m.end <= end] for entity in gold.entities]
    return Document.of(name, rows, [Entity(tuple(own)) for own in kept if own])


def _blank(name: str, sizes: list[int]) -> Document:
    return Document.of(name, [["_"] * size for size in sizes])


def _made(
    bare: Document, places: list[list[int]], annotations: Mapping[str, Mapping[str, list[int]]]
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
            Span(places[sentence][start], places[sentence][end - 1] + 1)
            for sentence, start, end in groups[cluster]
        }
        mentions = tuple(Mention((span,)) for span in sorted(spans, key=astuple))
        entities.append(Entity(mentions, str(cluster)))
    return replace(bare, entities=tuple(entities))
