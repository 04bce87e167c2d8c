"""The corpora of a recipe: read, selected, checksummed, and turned into examples."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from coindex import datasets, formats
from coindex.datasets.checksums import sha256
from coindex.errors import InputError
from coindex.models.coref.recipe import Corpus, Recipe
from coindex.models.coref.train.examples import Example, ExampleBuilder
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Problem
from coindex.types.span import Span


@dataclass(frozen=True, slots=True)
class CorpusItems:
    """The items of a corpus, and the path and sha256 of each of its files.

    unseen  how many items were left out by the recipe's `without`
    origins of the others, CORPUS/DOCUMENT
    """

    corpus: Corpus
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    checksums: tuple[tuple[Path, str], ...]
    unseen: int = 0
    origins: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.documents) + len(self.problems)


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """The examples of one corpus.

    documents   those of the examples, one for each; none for problems
    remarks     how many examples there are, and what was left out
    warnings    what makes it useless for training
    """

    corpus: Corpus
    documents: tuple[Document, ...]
    examples: tuple[Example, ...]
    remarks: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The names of its files."""
        return ", ".join(self.corpus.files)


def build_corpus(
    items: CorpusItems, recipe: Recipe, builder: ExampleBuilder, *, split: bool
) -> TrainingCorpus:
    """The examples of a corpus; long documents are split for training, never for scoring."""
    corpus = items.corpus
    scheme = recipe.scheme_numbers(corpus)[0]
    documents: tuple[Document, ...] = ()
    if corpus.partial and items.documents:
        if not split:
            raise InputError(f"{', '.join(corpus.files)}: partial documents cannot be scored")
        parts = [p for d in items.documents for p in split_document(d, recipe.longest) if len(p)]
        linked = [builder.links(part, scheme) for part in parts]
        examples = tuple(example for example in linked if example is not None)
        left_out = [(len(parts) - len(examples), "documents without two mentions of an entity")]
    elif corpus.partial:
        examples = tuple(builder.pack(items.problems, scheme))
        usable = sum(len(example.clues) for example in examples)
        left_out = [(len(items.problems) - usable, "problems of which nothing can be learnt")]
    else:
        whole = [document for document in items.documents if len(document)]
        cut = (p for d in whole for p in split_document(d, recipe.longest)) if split else whole
        documents = tuple(cut)
        examples = tuple(builder.document(d, scheme, not corpus.unlabelled) for d in documents)
        left_out = list(_left_out(items, documents, builder))
    if not examples:
        raise InputError(f"{', '.join(corpus.files)}: expected examples to use, found none")
    left_out.append((items.unseen, "items that the recipe is to be without"))
    words = sum(map(len, examples))
    remarks = [f"{len(examples):,} examples, {words:,} words"]
    remarks += [f"left out: {count:,} {what}" for count, what in left_out if count]
    warnings = () if corpus.unlabelled else tuple(_warnings(documents))
    return TrainingCorpus(corpus, documents, examples, tuple(remarks), warnings)


def _warnings(documents: Sequence[Document]) -> Iterator[str]:
    """What annotated documents lack, if they all lack it."""
    entities = [entity for document in documents for entity in document.entities]
    if documents and not entities:
        yield "no document has an entity: a model learns from them that there is nothing to find"
    elif documents and all(len(entity) < 2 for entity in entities):
        yield "no entity has two mentions: a model learns from them to link nothing"


def _left_out(
    items: CorpusItems, documents: Sequence[Document], builder: ExampleBuilder
) -> Iterator[tuple[int, str]]:
    yield sum(not len(document) for document in items.documents), "documents without words"
    if items.corpus.unlabelled:
        return
    gold = sum(len(entity) for document in items.documents for entity in document.entities)
    inside = sum(len(entity) for document in documents for entity in document.entities)
    yield gold - inside, "mentions across the parts of long documents"
    reasons = Counter(why for each in documents for why in builder.unusable_mentions(each))
    yield from ((count, f"mentions {why}") for why, count in reasons.most_common())


def read_corpus(
    corpus: Corpus, without: Sequence[str] = (), *, training: bool = False
) -> CorpusItems:
    """Read a corpus of documents, or of problems or documents if it is partial.

    without   what is left out: see `Recipe.without`
    training  whether it is trained on: a corpus that is for scoring only is then an error
    """
    name = ", ".join(corpus.files)
    find = datasets.training_files if training else datasets.named_files
    files = [find(file) for file in corpus.files]
    documents: list[Document] = []
    problems: list[Problem] = []
    origins: list[str] = []
    unseen = 0
    for origin, item in _items(corpus, files):
        if is_without(origin, without):
            unseen += 1
            continue
        origins.append(origin)
        if isinstance(item, Problem):
            problems.append(item)
        else:
            documents.append(item)
    if problems and not corpus.partial:
        raise InputError(f"{name}: expected documents, found {problems[0].id}")
    if documents and problems:
        raise InputError(f"{name}: expected problems, found {documents[0].id}")
    if not documents and not problems and not unseen:
        raise InputError(f"{name}: expected examples, found none")
    if corpus.switched and documents:
        raise InputError(f"{name}: expected problems to switch, found {documents[0].id}")
    if corpus.switched:
        copies = (switch(problem) for problem in tuple(problems))
        problems += [copy for copy in copies if not isinstance(copy, Refused)]
    sums = tuple((path, sha256(path)) for _, paths in files for path in paths)
    if corpus.unlabelled:
        sums = _folder_checksums(sums)
    return CorpusItems(corpus, tuple(documents), tuple(problems), sums, unseen, tuple(origins))


def is_without(origin: str, without: Iterable[str]) -> bool:
    """Whether an item is left out, by its origin, `CORPUS/DOCUMENT`.

    A name without `/` is that of a whole corpus; other names are patterns with `*`.
    """
    return any(fnmatchcase(origin, name if "/" in name else f"{name}/*") for name in without)


def checksums(corpora: Iterable[CorpusItems]) -> dict[str, str]:
    """The sha256 of every file once, by its name; with its folder where names are the same."""
    sums = {path.resolve(): total for items in corpora for path, total in items.checksums}
    names = [path.name for path in sums]
    return {
        path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}": total
        for path, total in sums.items()
    }


def _folder_checksums(sums: Iterable[tuple[Path, str]]) -> tuple[tuple[Path, str], ...]:
    """One checksum per folder of unlabelled texts: the sha256 of a line "NAME SUM" per file."""
    lines: dict[Path, list[str]] = {}
    for path, total in sums:
        lines.setdefault(path.parent, []).append(f"{path.name} {total}\n")
    return tuple(
        (folder, hashlib.sha256("".join(sorted(rows)).encode()).hexdigest())
        for folder, rows in lines.items()
    )


def _items(
    corpus: Corpus, files: Iterable[tuple[str, Sequence[Path]]]
) -> Iterator[tuple[str, Document | Problem]]:
    """The selected items, each with its origin: that in its metadata if it was generated."""
    number = 0
    for name, paths in files:
        for path in formats.expand_paths(paths):
            for item in formats.read(path):
                index = number % corpus.every
                number += 1
                if (not corpus.only or index in corpus.only) and index not in corpus.but:
                    yield _origin(item, name), item


def _origin(item: Document | Problem, corpus: str) -> str:
    meta = dict(item.meta)
    own = item.key if isinstance(item, Document) else item.id
    return f"{meta.get('corpus', corpus)}/{meta.get('document', own)}"


def split_document(document: Document, longest: int) -> Iterator[Document]:
    """The document in parts of at most `longest` words, since pairs grow with their square.

    A part ends where a sentence does, if any sentence ends in it. Mentions that cross the end
    of a part are left out; an entity becomes one entity in each part.
    """
    if len(document) <= longest:
        yield document
        return
    first = 0
    while first < len(document):
        last = _part_end(document, first, longest)
        yield _part(document, first, last)
        first = last


def _part_end(document: Document, first: int, longest: int) -> int:
    most = first + longest
    if most >= len(document):
        return len(document)
    at = bisect_right(document.sentences, most) - 1
    return document.sentences[at] if document.sentences[at] > first else most


def _part(document: Document, first: int, last: int) -> Document:
    inner = document.sentences[
        bisect_right(document.sentences, first) : bisect_left(document.sentences, last)
    ]
    entities = []
    for entity in document.entities:
        mentions = tuple(
            Mention(tuple(Span(span.start - first, span.end - first) for span in mention.spans))
            for mention in entity.mentions
            if first <= mention.start and mention.end <= last
        )
        if mentions:
            entities.append(Entity(mentions, entity.id))
    speakers = document.speakers[first:last] if document.speakers is not None else None
    return replace(
        document, id=f"{document.key}, from word {first}", part=None,
        tokens=document.tokens[first:last], starts=document.starts[first:last],
        ends=document.ends[first:last], sentences=(0, *(s - first for s in inner)),
        entities=tuple(entities), speakers=speakers, pos=None, lemma=None, parse=None, heads=None,
        zeros=(), layers=(),
    )  # fmt: skip
