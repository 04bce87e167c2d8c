"""The inputs of phrase-scoring models: the passage with each candidate in the pronoun's place.

    Ann thanked Mary because she helped.  →  Ann thanked Mary because Mary helped.

A possessive pronoun leaves its ending (`his hat`: `Bob's hat`), as a masked name in WikiCREM
does; a rule decides whether `her` is possessive (`text.noun_phrase`). The passage is cut to
the subwords around the candidate that the encoder can read.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coindex.models.common.subwords import TextTokenizer, window_around
from coindex.models.pronoun.query import CandidateQuery
from coindex.text.noun_phrase import is_possessive_her
from coindex.text.word_lists import labels
from coindex.transform.edit import retokenize
from coindex.types.decision import answer_of
from coindex.types.document import Document
from coindex.types.problem import Problem
from coindex.types.span import Chars

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class FilledPassage:
    """Subwords with special tokens, and the range of the candidate's among them."""

    subwords: tuple[int, ...]
    start: int
    end: int

    def __len__(self) -> int:
        return len(self.subwords)

    @property
    def own(self) -> tuple[int, ...]:
        """The candidate's subwords."""
        return self.subwords[self.start : self.end]


def is_possessive_pronoun(problem: Problem) -> bool:
    """Whether the pronoun of a problem is possessive."""
    form = labels("pronoun_forms").get(problem.pronoun.lower(), "")
    if form != "either":
        return form == "possessive"
    document = retokenize(Document("p", problem.text), ())
    token = bisect_right(document.starts, problem.target.start) - 1
    return token >= 0 and is_possessive_her(document, token, token + 1)


def fill_passage(
    problem: Problem, phrase: str, tokenizer: TextTokenizer, window: int, *, possessive: bool
) -> FilledPassage:
    """The passage with a phrase in the pronoun's place; the range is empty if it has no subwords.

    possessive    whether the phrase gets an ending
    """
    text, target = problem.text, problem.target
    ending = "'s" if possessive else ""
    whole = tokenizer.of(f"{text[: target.start]}{phrase}{ending}{text[target.end :]}")
    own = whole.within(Chars(target.start, target.start + len(phrase)))
    before = len(tokenizer.begin)
    chosen = window_around(len(whole), own, window - before - 1)
    subwords = (*tokenizer.begin, *whole.part(chosen).subwords, tokenizer.end)
    start = max(own.start - chosen.start, 0) + before
    end = min(own.stop, chosen.stop) - chosen.start + before
    return FilledPassage(subwords, start, max(start, end)) if own else FilledPassage(subwords, 1, 1)


@dataclass(frozen=True, slots=True)
class ProblemRows:
    """One problem: a row for each phrase, and which of them are right if that is known.

    target   the probability of each phrase that is learned, of a teacher or of the answer
    """

    rows: tuple[FilledPassage, ...]
    right: tuple[bool, ...] = ()
    target: tuple[float, ...] = ()

    def __len__(self) -> int:
        return max(map(len, self.rows), default=0)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of several problems, padded.

    subwords  (rows, longest); mask: which of them are not padding
    own       which subwords are the candidate's
    owner     the problem of each row; right: whether its candidate is right
    target    the probability of its candidate that is learned; empty where none is given
    """

    subwords: Tensor
    mask: Tensor
    own: Tensor
    owner: Tensor
    right: Tensor
    target: Tensor


def problem_rows(query: CandidateQuery, tokenizer: TextTokenizer, window: int) -> ProblemRows:
    """The rows of a problem."""
    possessive = is_possessive_pronoun(query.problem)
    rows = tuple(
        fill_passage(query.problem, phrase.text, tokenizer, window, possessive=possessive)
        for phrase in query.phrases
    )
    if query.problem.answer is None:
        return ProblemRows(rows)
    answer = answer_of(query.problem)
    right = (any(index in answer for index in phrase.candidates) for phrase in query.phrases)
    return ProblemRows(rows, tuple(right))


def make_batch(problems: Sequence[ProblemRows], pad: int, device: torch.device) -> Batch:
    """The rows of several problems as one batch."""
    import torch

    rows = [(number, row) for number, each in enumerate(problems) for row in each.rows]
    longest = max((len(row) for _, row in rows), default=0)
    subwords = torch.full((len(rows), longest), pad)
    own = torch.zeros((len(rows), longest), dtype=torch.bool)
    for at, (_, row) in enumerate(rows):
        subwords[at, : len(row)] = torch.tensor(row.subwords)
        own[at, row.start : row.end] = True
    lengths = torch.tensor([len(row) for _, row in rows])
    mask = torch.arange(longest)[None] < lengths[:, None]
    owner = torch.tensor([number for number, _ in rows])
    right = torch.tensor([value for each in problems for value in each.right], dtype=torch.bool)
    target = torch.tensor([value for each in problems for value in each.target])
    parts = (subwords, mask, own, owner, right, target)
    return Batch(*(part.to(device) for part in parts))


def shuffled_batches(lengths: Sequence[int], size: int, rng: random.Random) -> list[list[int]]:
    """Batches of indices in random order, of similar lengths, so that there is little padding."""
    order = list(range(len(lengths)))
    rng.shuffle(order)
    pool, batches = 32 * size, []
    for start in range(0, len(order), pool):
        near = sorted(order[start : start + pool], key=lengths.__getitem__)
        batches += [near[at : at + size] for at in range(0, len(near), size)]
    rng.shuffle(batches)
    return batches


def batch_parts(costs: Sequence[int], most: int) -> list[range]:
    """A batch in consecutive parts that cost at most `most` each, or are single items; 0: whole."""
    parts: list[range] = []
    first = total = 0
    for at, cost in enumerate(costs):
        if most and at > first and total + cost > most:
            parts.append(range(first, at))
            first, total = at, 0
        total += cost
    return [*parts, range(first, len(costs))]


def epoch_part(count: int, parts: int, number: int, seed: int) -> list[int]:
    """The examples of one part of an epoch; `parts` consecutive numbers cover each example once."""
    order = list(range(count))
    random.Random(f"{seed}:{number // parts}").shuffle(order)
    return sorted(order[number % parts :: parts])
