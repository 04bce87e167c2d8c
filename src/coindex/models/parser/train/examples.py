"""Training examples: windows with the vectors of the shared layers, and their trees as spans.

The shared layers are not trained, so their output is computed once, for all epochs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from coindex.errors import InputError
from coindex.models.common.subwords import SubwordTokenizer
from coindex.models.parser.trees import known_label, labelled_spans
from coindex.models.parser.vocabulary import Vocabulary
from coindex.models.parser.windows import Window, document_windows
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Example:
    """A window with what is to be learnt of it.

    lower           (subwords, width), after the shared layers, in half precision
    starts, ends    the first and the last word of every span of every sentence
    labels          the label of each span
    tags            the tag of each word; -100 where it is not known
    """

    window: Window
    lower: Tensor
    starts: Ints
    ends: Ints
    labels: Ints
    tags: Ints


def make_examples(
    documents: Sequence[Document], known: Vocabulary, encoder: Any,
    tokenizer: SubwordTokenizer, size: int, on_progress: OnProgress = ignore_progress,
) -> list[Example]:  # fmt: skip
    """The examples of documents with trees; `encoder` has the shared layers only."""
    examples: list[Example] = []
    for number, document in enumerate(documents, 1):
        for window in document_windows(document, tokenizer, size):
            subwords = torch.from_numpy(window.subwords)[None]
            with torch.no_grad():
                lower = encoder(input_ids=subwords).last_hidden_state[0].to(torch.float16)
            examples.append(Example(window, lower, *targets(document, window, known)))
        on_progress(Progress("shared layers", number, len(documents)))
    return examples


def targets(document: Document, window: Window, known: Vocabulary) -> tuple[Ints, Ints, Ints, Ints]:
    """The spans of a window with their labels, and its tags; see `Example`."""
    if document.parse is None or document.pos is None:
        raise InputError(f"{document.key}: expected a document with trees and tags")
    numbers = {label: number for number, label in enumerate(known.labels)}
    tag_numbers = {tag: number for number, tag in enumerate(known.tags)}
    tags: list[int] = []
    columns: list[tuple[Ints, Ints, Ints]] = []
    for sentence, span in zip(window.sentences, window.spans, strict=True):
        count = len(sentence)
        labels = np.zeros((count, count), dtype=np.int64)
        for each in labelled_spans(document.parse[span.start : span.end]):
            labels[each.start, each.end - 1] = numbers[known_label(each.label, known.labels)]
        starts, ends = np.triu_indices(count)
        columns.append((starts + sentence.start, ends + sentence.start, labels[starts, ends]))
        tags += [tag_numbers.get(tag, -100) for tag in document.pos[span.start : span.end]]
    first, last, label = (np.concatenate(column) for column in zip(*columns, strict=True))
    return first, last, label, np.array(tags, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Batch:
    """Several examples: subwords padded to (windows, n), words and spans one after another."""

    lower: Tensor
    shapes: Tensor
    edges: Tensor
    mask: Tensor
    firsts: Tensor
    lasts: Tensor
    starts: Tensor
    ends: Tensor
    labels: Tensor
    tags: Tensor


def make_batch(examples: Sequence[Example], device: torch.device) -> Batch:
    """The examples as one batch."""
    longest = max(len(each.lower) for each in examples)
    lower = torch.zeros(len(examples), longest, examples[0].lower.shape[1])
    shapes, edges = (torch.zeros(len(examples), longest, dtype=torch.int64) for _ in range(2))
    mask = torch.full((len(examples), 1, 1, longest), -1e4)
    columns: list[tuple[Ints, ...]] = []
    words = 0
    for row, each in enumerate(examples):
        count = len(each.lower)
        lower[row, :count] = each.lower.float()
        shapes[row, :count] = torch.from_numpy(each.window.shapes)
        edges[row, :count] = torch.from_numpy(each.window.edges)
        mask[row, :, :, :count] = 0
        columns.append((
            each.window.firsts + row * longest, each.window.lasts + row * longest,
            each.starts + words, each.ends + words, each.labels, each.tags,
        ))  # fmt: skip
        words += len(each.tags)
    flat = [torch.from_numpy(np.concatenate(column)) for column in zip(*columns, strict=True)]
    return Batch(*(tensor.to(device) for tensor in (lower, shapes, edges, mask, *flat)))
