"""The corpora of a recipe as examples, with what had to be left out, counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from coindex.core.document import Document
from coindex.errors import InputError
from coindex.training.config import Corpus, Recipe
from coindex.training.cut import parts
from coindex.training.examples import Example, Maker
from coindex.training.read import Read


@dataclass(frozen=True, slots=True)
class Side:
    """The examples of one corpus; `documents` are those of the examples, one to one.

    remarks     how much there is, and what was left out
    """

    corpus: Corpus
    documents: tuple[Document, ...]
    examples: tuple[Example, ...]
    remarks: tuple[str, ...]

    @property
    def name(self) -> str:
        """The corpus by its files."""
        return ", ".join(self.corpus.files)


def side(found: Read, recipe: Recipe, maker: Maker, *, cut: bool) -> Side:
    """The examples of a corpus; long documents are cut for training, never for scoring."""
    corpus = found.corpus
    schemes = recipe.under(corpus)
    documents: tuple[Document, ...] = ()
    if corpus.partial:
        examples = tuple(maker.pack(found.problems, schemes[0]))
        known = sum(len(example.clues) for example in examples)
        lost = [(len(found.problems) - known, "problems of which nothing can be learnt")]
    else:
        whole = [document for document in found.documents if len(document)]
        every = (p for d in whole for p in parts(d, recipe.longest)) if cut else whole
        documents = tuple(every)
        examples = tuple(maker.document(d, schemes[0], not corpus.unlabelled) for d in documents)
        lost = list(_lost(found, examples))
    if not examples:
        raise InputError(f"{', '.join(corpus.files)}: expected examples to use, found none")
    words = sum(map(len, examples))
    remarks = [f"{len(examples):,} examples, {words:,} words"]
    remarks += [f"left out: {count:,} {what}" for count, what in lost if count]
    return Side(corpus, documents, examples, tuple(remarks))


def _lost(found: Read, examples: tuple[Example, ...]) -> Iterator[tuple[int, str]]:
    yield sum(not len(document) for document in found.documents), "documents without words"
    if not found.corpus.unlabelled:
        gold = sum(len(entity) for document in found.documents for entity in document.entities)
        kept = sum(len(example.spans) for example in examples)
        yield gold - kept, "mentions: too wide, with gaps, across sentences or in two entities"
