"""Documents and problems as tensors that a training step can use.

Short problems are packed: several passages make one example, and no pair may
cross from one passage to another.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coindex.core.document import Document
from coindex.core.problem import Problem
from coindex.core.span import Chars
from coindex.core.tokenize import sentences as sentence_starts
from coindex.core.tokenize import tokens
from coindex.neural.windows import Pieces, Window, windows
from coindex.neural.words import Phrases, Words, words_of

Ints = NDArray[np.int64]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Clue:
    """What is known of one pronoun: which spans it means, and which it does not.

    names   the right candidates where they were marked: mentions for certain
    inner   the parts of marked names: no mentions for certain
    """

    pronoun: Pair
    right: tuple[Pair, ...]
    wrong: tuple[Pair, ...]
    names: tuple[Pair, ...] = ()
    inner: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """One document, or several packed passages, ready for a step.

    last        one past the last word of each word's sentence
    parts       the passage of each word; pairs do not cross passages
    spans       gold mentions, (mentions, 2); entities: the entity of each
    clues       of partial annotation; then `spans` is empty
    labelled    whether anything is known at all
    texts       the words and sentence starts of each passage
    schemes     the scheme of each word, where examples of several were joined
    """

    id: str
    scheme: int
    windows: tuple[Window, ...]
    words: Words
    phrases: Phrases
    last: Ints
    parts: Ints
    spans: Ints
    entities: Ints
    clues: tuple[Clue, ...] = ()
    labelled: bool = True
    texts: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = ()
    schemes: Ints | None = None

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class Maker:
    """Turns documents and problems into examples for one encoder."""

    pieces: Pieces
    size: int = 512
    overlap: int = 64
    width: int = 30

    def document(self, document: Document, scheme: int, labelled: bool = True) -> Example:
        """A whole document.

        Mentions that are too wide, cross sentences or have gaps are left out, and so is
        a mention's second entity: a span is in one cluster, that of the larger entity.
        """
        found = words_of(document)
        last = _last(found)
        spans, entities = self._gold(document, last)
        split = self.pieces.of(document.tokens)
        return Example(
            document.key, scheme,
            tuple(windows(split, document.sentences, self.pieces, self.size, self.overlap)),
            found, Phrases(found), last, np.zeros(len(found), dtype=np.int64),
            spans, entities, (), labelled, ((document.tokens, document.sentences),),
        )  # fmt: skip

    def again(self, example: Example) -> Example:
        """The same example in this maker's pieces: a teacher may split words otherwise."""
        made: list[Window] = []
        at = 0
        for words, sentences in example.texts:
            split = self.pieces.of(words)
            for window in windows(split, sentences, self.pieces, self.size, self.overlap):
                made.append(Window(window.pieces, window.first + at, window.places))
            at += len(words)
        return replace(example, windows=tuple(made))

    def _gold(self, document: Document, last: Ints) -> tuple[Ints, Ints]:
        rows: dict[tuple[int, int], int] = {}
        largest = sorted(enumerate(document.entities), key=lambda pair: -len(pair[1].mentions))
        for number, entity in largest:
            for mention in entity.mentions:
                start, end = mention.start, mention.end
                fits = end - start <= self.width and end <= last[start]
                if fits and not mention.discontinuous:
                    rows.setdefault((start, end), number)
        ordered = sorted(rows)
        spans = np.array(ordered, dtype=np.int64).reshape(-1, 2)
        return spans, np.array([rows[span] for span in ordered], dtype=np.int64)

    def pack(self, problems: Iterable[Problem], scheme: int, most: int = 900) -> Iterator[Example]:
        """Problems, several to an example of about `most` words; those of no use are left out."""
        held: list[tuple[Document, Clue]] = []
        size = 0
        for problem in problems:
            found = passage(problem)
            clue = _narrow(found[1], self.width) if found is not None else None
            if found is None or clue is None:
                continue
            held.append((found[0], clue))
            size += len(found[0])
            if size >= most:
                yield self._packed(held, scheme)
                held, size = [], 0
        if held:
            yield self._packed(held, scheme)

    def _packed(self, held: Sequence[tuple[Document, Clue]], scheme: int) -> Example:
        found, clues, all_windows, parts = [], [], [], []
        at = lines = 0
        for number, (document, clue) in enumerate(held):
            own = words_of(document)
            split = self.pieces.of(document.tokens)
            for window in windows(split, document.sentences, self.pieces, self.size, self.overlap):
                all_windows.append(Window(window.pieces, window.first + at, window.places))
            found.append((own, lines))
            clues.append(moved(clue, at))
            parts += [number] * len(own)
            at += len(own)
            lines += int(own.sentences[-1]) + 1
        words = joined(found)
        return Example(
            f"{held[0][0].id}+{len(held) - 1}", scheme, tuple(all_windows), words, Phrases(words),
            _last(words), np.array(parts, dtype=np.int64),
            np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64), tuple(clues),
            True, tuple((document.tokens, document.sentences) for document, _ in held),
        )  # fmt: skip


def passage(problem: Problem) -> tuple[Document, Clue] | None:
    """A problem as a document, with what is known; None if nothing is.

    Every occurrence of a candidate's name counts as that candidate, unless it is part of
    a longer name (a capital stands next to it), or stands within, or across, an
    occurrence of a candidate of the other side: the `Ann` of `Ann Lee` is not the other
    Ann. Where a candidate was marked, it always counts.
    """
    if problem.answer is None or any(c.chars is None for c in problem.candidates):
        return None
    places = [c.chars for c in problem.candidates if c.chars is not None]
    borders = {edge for place in (problem.target, *places) for edge in (place.start, place.end)}
    cut = list(tokens(problem.text, borders))
    document = Document(
        problem.id, problem.text, tuple(problem.text[a:b] for a, b in cut),
        tuple(a for a, _ in cut), tuple(b for _, b in cut),
        tuple(sentence_starts(problem.text, cut)),
    )  # fmt: skip
    pronoun = _span(document, problem.target)
    marked = [_span(document, place) for place in places]
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
    """Whether all words have capitals; the parts of other phrases may be mentions."""
    return all(word[:1].isupper() for word in document.tokens[span[0] : span[1]])


def _inner(span: Pair) -> Iterator[Pair]:
    """The shorter spans within a span."""
    for start in range(span[0], span[1]):
        for end in range(start + 1, span[1] + 1):
            if (start, end) != span:
                yield start, end


def _apart(own: list[Pair], others: list[Pair], marked: Sequence[Pair | None]) -> tuple[Pair, ...]:
    """The spans of one side that the other side does not claim too."""

    def clear(span: Pair) -> bool:
        over = [(a, b) for a, b in others if a < span[1] and span[0] < b]
        return all(span[0] <= a and b <= span[1] for a, b in over)

    every = dict.fromkeys(own)
    return tuple(s for s in every if s not in others and (s in marked or clear(s)))


def _narrow(clue: Clue, width: int) -> Clue | None:
    """The clue without spans that no mention can be; None if nothing is left to learn."""

    def kept(spans: Iterable[Pair]) -> tuple[Pair, ...]:
        return tuple(span for span in spans if span[1] - span[0] <= width)

    right, wrong = kept(clue.right), kept(clue.wrong)
    if not kept([clue.pronoun]) or not (right or wrong):
        return None
    return Clue(clue.pronoun, right, wrong, kept(clue.names), kept(clue.inner))


def _span(document: Document, place: Chars) -> Pair | None:
    """The tokens of a place in the text; None if there are none, as for white space."""
    first = bisect_left(document.starts, place.start)
    last = bisect_left(document.starts, place.end)
    return (first, last) if first < last else None


def _occurrences(document: Document, span: Pair) -> list[Pair]:
    """Where the words of a span stand again as a whole name, and the span itself."""
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


def moved(clue: Clue, by: int) -> Clue:
    """The clue in a text that `by` words were put before."""

    def shifted(spans: Iterable[Pair]) -> tuple[Pair, ...]:
        return tuple((a + by, b + by) for a, b in spans)

    others = (clue.right, clue.wrong, clue.names, clue.inner)
    return Clue(shifted([clue.pronoun])[0], *map(shifted, others))


def joined(found: Sequence[tuple[Words, int]]) -> Words:
    """The words of several texts as one; with each text, how many sentences come before."""
    columns = {name: [getattr(own, name) for own, _ in found] for name in Words.__slots__}
    columns["sentences"] = [own.sentences + lines for own, lines in found]
    return Words(**{name: np.concatenate(parts) for name, parts in columns.items()})


def _last(found: Words) -> Ints:
    return np.searchsorted(found.sentences, found.sentences, side="right")


def batches(examples: Sequence[Example], most: int, rng: random.Random) -> list[list[Example]]:
    """All examples once, in random order, in batches of about `most` words."""
    order = list(examples)
    rng.shuffle(order)
    made: list[list[Example]] = [[]]
    size = 0
    for example in order:
        if made[-1] and size + len(example) > most:
            made.append([])
            size = 0
        made[-1].append(example)
        size += len(example)
    return [batch for batch in made if batch]
