"""Documents and problems as arrays for a training step.

Short problems are packed: several passages make one example, and no pair crosses from one
passage to another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from coindex.models.common.subwords import SubwordTokenizer
from coindex.models.coref.features import SpanFeaturizer, WordFeatures, word_features
from coindex.models.coref.train.clues import Clue, Clues, Pair, shift_clue
from coindex.models.coref.windows import Window, split_into_windows
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.span import Chars

Ints = NDArray[np.int64]

_LINKS = 40
"""How many mentions before one are compared with it, where only links are known."""


@dataclass(frozen=True, slots=True)
class Example:
    """One document, or several packed passages, ready for a step.

    last        one past the last word of each word's sentence
    parts       the index of each word's passage; pairs do not cross passages
    spans       gold mentions, (mentions, 2); entities: the entity of each
    annotated   how many words, from the first on, are of documents whose mentions are all
                annotated; the others are of passages with partial annotation
    clues       the partial annotation
    labelled    whether there is any annotation
    texts       the words and sentence starts of each passage
    schemes     the scheme of each word, where examples of several schemes were merged
    """

    id: str
    scheme: int
    windows: tuple[Window, ...]
    words: WordFeatures
    featurizer: SpanFeaturizer
    last: Ints
    parts: Ints
    spans: Ints
    entities: Ints
    annotated: int
    clues: Clues = field(default_factory=Clues.of)
    labelled: bool = True
    texts: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = ()
    schemes: Ints | None = None

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class ExampleBuilder:
    """Builds examples of documents and problems for one encoder."""

    tokenizer: SubwordTokenizer
    size: int = 512
    overlap: int = 64
    width: int = 30

    def document(self, document: Document, scheme: int, labelled: bool = True) -> Example:
        """A whole document.

        Mentions that are too wide, cross sentences or are discontinuous are left out. A span in
        several entities belongs to the largest of them.
        """
        features = word_features(document)
        last = sentence_ends(features)
        spans, entities = self._gold(document, last)
        return Example(
            document.key, scheme,
            tuple(self._windows(document.tokens, document.sentences, 0)),
            features, SpanFeaturizer(features), last, np.zeros(len(features), dtype=np.int64),
            spans, entities, len(features), Clues.of(), labelled,
            ((document.tokens, document.sentences),),
        )  # fmt: skip

    def retokenized(self, example: Example) -> Example:
        """The same example with the subwords of this builder's tokenizer, as of a teacher."""
        windows: list[Window] = []
        at = 0
        for words, sentences in example.texts:
            windows += self._windows(words, sentences, at)
            at += len(words)
        return replace(example, windows=tuple(windows))

    def _windows(self, words: Sequence[str], sentences: Sequence[int], at: int) -> list[Window]:
        """The windows of a text whose first word has the index `at`."""
        windows = split_into_windows(
            self.tokenizer.of(words), sentences, self.tokenizer, self.size, self.overlap
        )
        return [replace(window, first=window.first + at) for window in windows]

    def unusable_mentions(self, document: Document) -> list[str]:
        """Why mentions of a document are left out, once for each of them."""
        last = sentence_ends(word_features(document))
        return [why for _, why in self._mentions(document, last) if why]

    def _mentions(self, document: Document, last: Ints) -> Iterator[tuple[tuple[int, Pair], str]]:
        """The number of the entity and the span of each mention, and why it is left out."""
        seen: set[Pair] = set()
        largest = sorted(enumerate(document.entities), key=lambda pair: -len(pair[1].mentions))
        for number, entity in largest:
            for mention in entity.mentions:
                span = mention.start, mention.end
                if mention.discontinuous:
                    why = "with gaps"
                elif span[1] > last[span[0]]:
                    why = "across sentences"
                elif span[1] - span[0] > self.width:
                    why = f"of more than {self.width} words"
                else:
                    why = "of a larger entity too" if span in seen else ""
                    seen.add(span)
                yield (number, span), why

    def links(self, document: Document, scheme: int) -> Example | None:
        """A document of which only links are known; None if no entity has two mentions.

        Every mention is a clue: it corefers with the earlier mentions of its entity, and not
        with those of other entities, unless they have the same words.
        """
        features = word_features(document)
        last = sentence_ends(features)
        found = [pair for pair, why in self._mentions(document, last) if not why]
        found.sort(key=lambda pair: pair[1])
        words = {span: document.tokens[span[0] : span[1]] for _, span in found}
        clues = []
        for at, (number, span) in enumerate(found):
            before = found[max(0, at - _LINKS) : at]
            right = tuple(other for entity, other in found[:at] if entity == number)
            wrong = tuple(
                other for entity, other in before
                if entity != number and words[other] != words[span]
            )  # fmt: skip
            if right or wrong:
                clues.append(Clue(span, right, wrong, link=True))
        if not any(clue.right for clue in clues):
            return None
        empty = np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64)
        return Example(
            document.key, scheme,
            tuple(self._windows(document.tokens, document.sentences, 0)),
            features, SpanFeaturizer(features), last, np.zeros(len(features), dtype=np.int64),
            *empty, 0, Clues.of(clues), True, ((document.tokens, document.sentences),),
        )  # fmt: skip

    def _gold(self, document: Document, last: Ints) -> tuple[Ints, Ints]:
        rows = {span: number for (number, span), why in self._mentions(document, last) if not why}
        ordered = sorted(rows)
        spans = np.array(ordered, dtype=np.int64).reshape(-1, 2)
        return spans, np.array([rows[span] for span in ordered], dtype=np.int64)

    def pack(self, problems: Iterable[Problem], scheme: int, most: int = 900) -> Iterator[Example]:
        """Problems packed into examples of about `most` words; unusable ones are left out."""
        passages: list[tuple[Document, Clue]] = []
        size = 0
        for problem in problems:
            passage = passage_of(problem)
            clue = _without_wide_spans(passage[1], self.width) if passage is not None else None
            if passage is None or clue is None:
                continue
            passages.append((passage[0], clue))
            size += len(passage[0])
            if size >= most:
                yield self._packed(passages, scheme)
                passages, size = [], 0
        if passages:
            yield self._packed(passages, scheme)

    def _packed(self, passages: Sequence[tuple[Document, Clue]], scheme: int) -> Example:
        features: list[tuple[WordFeatures, int]] = []
        clues: list[Clue] = []
        windows: list[Window] = []
        parts: list[int] = []
        at = sentences = 0
        for number, (document, clue) in enumerate(passages):
            own = word_features(document)
            windows += self._windows(document.tokens, document.sentences, at)
            features.append((own, sentences))
            clues.append(shift_clue(clue, at))
            parts += [number] * len(own)
            at += len(own)
            sentences += int(own.sentences[-1]) + 1
        words = join_words(features)
        return Example(
            f"{passages[0][0].id}+{len(passages) - 1}", scheme, tuple(windows), words,
            SpanFeaturizer(words), sentence_ends(words), np.array(parts, dtype=np.int64),
            np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64), 0,
            Clues.of(clues), True, tuple((document.tokens, document.sentences) for document, _ in passages),
        )  # fmt: skip


def passage_of(problem: Problem) -> tuple[Document, Clue] | None:
    """A problem as a document with a clue; None if the problem has no usable answer.

    Every occurrence of a candidate's name counts as that candidate, unless it is part of a
    longer name (a capitalised word is next to it), or overlaps an occurrence of a candidate of
    the other side: the `Ann` of `Ann Lee` is not the other Ann. The annotated span of a
    candidate always counts.
    """
    if problem.answer is None or any(c.chars is None for c in problem.candidates):
        return None
    chars = [c.chars for c in problem.candidates if c.chars is not None]
    borders = {edge for each in (problem.target, *chars) for edge in (each.start, each.end)}
    spans = list(token_offsets(problem.text, borders))
    document = Document(
        problem.id, problem.text, tuple(problem.text[a:b] for a, b in spans),
        tuple(a for a, _ in spans), tuple(b for _, b in spans),
        tuple(sentence_starts(problem.text, spans)),
    )  # fmt: skip
    pronoun = _span(document, problem.target)
    marked = [_span(document, each) for each in chars]
    if pronoun is None or None in marked:
        return None
    sides: tuple[list[Pair], list[Pair]] = ([], [])
    for index, own in enumerate(marked):
        if own is not None:
            sides[0 if index in problem.answer else 1].extend(_occurrences(document, own))
    right, wrong = _apart(sides[0], sides[1], marked), _apart(sides[1], sides[0], marked)
    names = tuple(span for span in right if span in marked)
    proper = [own for own in marked if own and _is_name(document, own)]
    inner = tuple(dict.fromkeys(part for own in proper for part in _inner(own)))
    clear = tuple(part for part in inner if part not in (*right, *wrong, pronoun))
    return (document, Clue(pronoun, right, wrong, names, clear)) if right or wrong else None


def _is_name(document: Document, span: Pair) -> bool:
    """Whether all words are capitalised; the parts of other phrases may be mentions."""
    return all(word[:1].isupper() for word in document.tokens[span[0] : span[1]])


def _inner(span: Pair) -> Iterator[Pair]:
    """The shorter spans within a span."""
    for start in range(span[0], span[1]):
        for end in range(start + 1, span[1] + 1):
            if (start, end) != span:
                yield start, end


def _apart(own: list[Pair], others: list[Pair], marked: Sequence[Pair | None]) -> tuple[Pair, ...]:
    """The spans of one side that are not also those of the other side."""

    def clear(span: Pair) -> bool:
        over = [(a, b) for a, b in others if a < span[1] and span[0] < b]
        return all(span[0] <= a and b <= span[1] for a, b in over)

    every = dict.fromkeys(own)
    return tuple(s for s in every if s not in others and (s in marked or clear(s)))


def _without_wide_spans(clue: Clue, width: int) -> Clue | None:
    """The clue without spans that are too wide for a mention; None if no label is left."""

    def narrow(spans: Iterable[Pair]) -> tuple[Pair, ...]:
        return tuple(span for span in spans if span[1] - span[0] <= width)

    right, wrong = narrow(clue.right), narrow(clue.wrong)
    if not narrow([clue.pronoun]) or not (right or wrong):
        return None
    return Clue(clue.pronoun, right, wrong, narrow(clue.names), narrow(clue.inner))


def _span(document: Document, chars: Chars) -> Pair | None:
    """The tokens of some characters; None if there are none, as for white space."""
    first = bisect_left(document.starts, chars.start)
    last = bisect_left(document.starts, chars.end)
    return (first, last) if first < last else None


def _occurrences(document: Document, span: Pair) -> list[Pair]:
    """The span itself, and the other occurrences of its words as a whole name."""
    words = document.tokens
    name = words[span[0] : span[1]]
    size = len(name)

    def whole(at: int) -> bool:
        return not any(word[:1].isupper() for word in (*words[max(at - 1, 0) : at],
                                                       *words[at + size : at + size + 1]))  # fmt: skip

    return [
        (at, at + size)
        for at in range(len(document) - size + 1)
        if words[at : at + size] == name and (at == span[0] or whole(at))
    ]


def join_words(texts: Sequence[tuple[WordFeatures, int]]) -> WordFeatures:
    """The features of several texts as one; each text with the number of sentences before it."""
    columns = {name: [getattr(own, name) for own, _ in texts] for name in WordFeatures.__slots__}
    columns["sentences"] = [own.sentences + before for own, before in texts]
    return WordFeatures(**{name: np.concatenate(parts) for name, parts in columns.items()})


def sentence_ends(words: WordFeatures) -> Ints:
    """One past the last word of each word's sentence."""
    return np.searchsorted(words.sentences, words.sentences, side="right")
