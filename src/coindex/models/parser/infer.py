"""Parsing of documents by an exported parser, without torch.

One call of the network reads one window; several threads read several windows, and results
come in the order of the documents. They do not depend on the number of threads, nor on the
other documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from coindex.assets import DEFAULT_MODEL
from coindex.models.common.artifact import PARSER_METADATA, TOKENIZER, read_json
from coindex.models.common.inference import map_in_order, one_thread, onnx_session
from coindex.models.common.packed_weights import shared_tensors
from coindex.models.common.subwords import SubwordTokenizer, read_tokenizer
from coindex.models.parser.artifact import NETWORK, ParserMetadata, read_parser
from coindex.models.parser.decode import SpanScorer
from coindex.models.parser.trees import LabelledSpan, to_fragments
from coindex.models.parser.windows import MAX_WORDS, Window, document_windows
from coindex.text.tokenizer import sentence_starts
from coindex.transform.edit import retokenize
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

INPUTS = ("pieces", "shapes", "edges", "firsts", "lasts")
OUTPUTS = ("starts", "ends", "tags")


@dataclass(frozen=True, slots=True)
class ParsedWindow:
    """The phrases of each sentence of a window, and the tags of all its words."""

    window: Window
    phrases: tuple[list[LabelledSpan], ...]
    tags: tuple[str, ...]


class ParserEngine:
    """A parser that is ready to run."""

    def __init__(self, folder: Path = DEFAULT_MODEL, threads: int = 1) -> None:
        """Load and check the parser of a folder, by default the shipped one."""
        self.metadata: ParserMetadata
        self.scorer: SpanScorer
        self.metadata, self.scorer = read_parser(folder)
        self.signature = f"parser-{self.metadata.digest}"
        self._tokenizer = SubwordTokenizer(read_tokenizer(folder / TOKENIZER))
        shared = shared_tensors(folder, read_json(folder / PARSER_METADATA))
        self._session: Any = onnx_session(folder / NETWORK, shared)
        self._threads = max(threads, 1)

    def parse(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        """Each document with tags and trees, in their order.

        A document without tokens is split into tokens and sentences first.
        """
        waiting: list[Document] = []
        parts: list[ParsedWindow] = []
        done = 0
        with one_thread():
            for parsed in map_in_order(
                self._run, self._inputs(documents, waiting), self._threads, 4 * self._threads
            ):
                if parsed is not None:
                    parts.append(parsed)
                    continue
                document = waiting.pop(0)
                yield _with_trees(document, parts)
                done, parts = done + len(document), []
                on_progress(Progress("parsing", done))

    def _inputs(
        self, documents: Iterable[Document], waiting: list[Document]
    ) -> Iterator[Window | None]:
        """The windows of all documents; None ends a document, which is then in `waiting`."""
        for document in documents:
            split = split_into_sentences(document)
            yield from document_windows(split, self._tokenizer, self.metadata.window)
            waiting.append(replace(split, sentences=document.sentences or split.sentences))
            yield None

    def _run(self, window: Window | None) -> ParsedWindow | None:
        if window is None:
            return None
        values = (window.subwords[None], window.shapes, window.edges, window.firsts, window.lasts)
        starts, ends, tags = self._session.run(OUTPUTS, dict(zip(INPUTS, values, strict=True)))
        parts = (slice(each.start, each.end) for each in window.sentences)
        phrases = tuple(self.scorer.tree(starts[part], ends[part]) for part in parts)
        return ParsedWindow(window, phrases, tuple(self.metadata.tags[each] for each in tags))


def split_into_sentences(document: Document) -> Document:
    """The document with tokens, and with sentences where it has one that is very long.

    Formats that hold no sentences give the whole text as one; the rules for plain text then
    say where sentences start.
    """
    if not document.tokens:
        return retokenize(document, ())
    firsts = [*document.sentences, len(document)]
    if max(end - start for start, end in pairwise(firsts)) <= MAX_WORDS:
        return document
    offsets = list(zip(document.starts, document.ends, strict=True))
    more = sentence_starts(document.text, offsets)
    long = {at for start, end in pairwise(firsts) if end - start > MAX_WORDS
            for at in more if start < at < end}  # fmt: skip
    return replace(document, sentences=tuple(sorted({*document.sentences, *long})))


def _with_trees(document: Document, parts: Sequence[ParsedWindow]) -> Document:
    """The document with what its windows gave; zeros are in no tree.

    A sentence that was parsed in parts has one root over the phrases of all of them.
    """
    zeros = frozenset(document.zeros)
    read = np.array([at for at in range(len(document)) if at not in zeros], dtype=np.int64)
    pos = [""] * len(document)
    parse = [""] * len(document)
    phrases: list[LabelledSpan] = []
    word = 0
    for part in parts:
        for tag, at in zip(part.tags, read[word : word + len(part.tags)], strict=True):
            pos[at] = tag
        for sentence, found in zip(part.window.sentences, part.phrases, strict=True):
            first = word + sentence.start
            phrases += (LabelledSpan(p.start + first, p.end + first, p.label) for p in found)
        word += len(part.tags)
    for (first, last), found in _by_sentence(document, read, phrases):
        count = last - first
        for at, fragment in zip(read[first:last], to_fragments(count, found), strict=True):
            parse[at] = fragment
    return replace(document, pos=tuple(pos), parse=tuple(parse))


def _by_sentence(
    document: Document, read: Any, phrases: Iterable[LabelledSpan]
) -> Iterator[tuple[tuple[int, int], list[LabelledSpan]]]:
    """The words of each sentence, counted without zeros, and its phrases from 0 on."""
    borders = np.searchsorted(read, [*document.sentences, len(document)]).tolist()
    rest = iter(sorted(phrases, key=lambda phrase: phrase.start))
    following = next(rest, None)
    for first, last in pairwise(borders):
        found: list[LabelledSpan] = []
        while following is not None and following.start < last:
            each = following
            found.append(LabelledSpan(each.start - first, each.end - first, each.label))
            following = next(rest, None)
        yield (first, last), found
