"""Plain text as stretches of pieces, for the head of a masked language model.

Pages come from any source of `coindex.sources`. The pieces of a page are cut into
stretches of `pieces` pieces, marks counted; what is left at the end is kept if it is
half as long or more. A share of the pages, by their ids, is held out to measure
perplexity: the same pages for every seed. Pages with a sentence of a test set are left
out and counted, see `coindex.pronoun.overlap`.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coindex import data, sources
from coindex.errors import InputError
from coindex.pronoun.overlap import HeldOut
from coindex.pronoun.pieces import Tokens
from coindex.pronoun.recipe import Stage

Stretches = NDArray[np.int32]
_TOGETHER = 256


@dataclass(frozen=True, slots=True)
class Text:
    """Stretches (count, pieces), padded: to learn from, and held out.

    pages    how many there were; removed: how many of them are in which test set
    """

    learn: Stretches
    held: Stretches
    pages: int
    removed: tuple[tuple[str, int], ...] = ()

    @property
    def checksum(self) -> str:
        """The sha256 of everything that is learnt from."""
        return hashlib.sha256(self.learn.tobytes() + b"|" + self.held.tobytes()).hexdigest()


def read_text(stage: Stage, tokens: Tokens, seed: int, tests: HeldOut | None = None) -> Text:
    """The stretches of a stage's files, without pages that are in a test set."""
    sides: dict[bool, list[Stretches]] = {False: [], True: []}
    pages, removed = 0, Counter[str]()
    rest = _pages(stage.files)
    while together := list(islice(rest, _TOGETHER)):
        pages += len(together)
        if tests is not None:
            together = _apart(together, tests, removed)
        every = tokens.many([text for _, text in together])
        for (id, _), pieces in zip(together, every, strict=True):
            sides[_share(id) < stage.held] += _cut(pieces, stage.pieces - 2)
    learn = sides[False]
    if stage.most and len(learn) > stage.most:
        kept = sorted(random.Random(seed).sample(range(len(learn)), stage.most))
        learn = [learn[at] for at in kept]
    if not learn:
        raise InputError(f"{', '.join(stage.files)}: expected text to learn from, found none")
    made = [_array(rows, stage.pieces, tokens) for rows in (learn, sides[True])]
    return Text(made[0], made[1], pages, tuple(sorted(removed.items())))


def _apart(
    pages: list[tuple[str, str]], tests: HeldOut, removed: Counter[str]
) -> list[tuple[str, str]]:
    """The pages that have no sentence of a test set; the others are counted."""
    kept = []
    for id, text in pages:
        name = tests.of_text(text)
        if name is None:
            kept.append((id, text))
        else:
            removed[name] += 1
    return kept


def _pages(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The id and the text of every page."""
    for name in names:
        for path in _paths(name):
            for page in sources.pages(path):
                if isinstance(page, sources.Page) and page.text.strip():
                    yield f"{page.source or path.name}:{page.id}", page.text


def _paths(name: str) -> list[Path]:
    if Path(name).expanduser().exists():
        return [Path(name).expanduser()]
    corpus, _, split = name.partition(":")
    if corpus not in data.names():
        raise InputError(f"{name}: expected a file, a folder or a corpus, found neither")
    return sorted(data.paths(corpus, split or None))


def _cut(pieces: Sequence[int], room: int) -> list[Stretches]:
    whole = np.asarray(pieces, dtype=np.int32)
    found = [whole[at : at + room] for at in range(0, len(whole), room)]
    return [part for part in found if len(part) >= room // 2]


def _share(id: str) -> float:
    """A number from 0 to 1 that depends on the id alone."""
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _array(rows: Sequence[Stretches], size: int, tokens: Tokens) -> Stretches:
    made = np.full((len(rows), size), tokens.pad, dtype=np.int32)
    for at, row in enumerate(rows):
        made[at, 0], made[at, len(row) + 1] = tokens.begin, tokens.end
        made[at, 1 : len(row) + 1] = row
    return made
