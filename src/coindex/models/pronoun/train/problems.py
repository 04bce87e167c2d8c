"""The problems that a recipe names, with counts of what was left out and a checksum.

Documents with entities give one problem for every third-person pronoun of an entity: the passage
is its sentence and the two before it; the right candidate is the nearest phrase of its entity
there that is no pronoun; the wrong ones are the nearest phrases of other entities, at most
`MAX_WRONG`, that agree with the pronoun: entities that the document refers to by the same pronoun
somewhere ("she", "her"). So gender and number do not reveal the answer, and syntax and meaning
remain. Pronouns without a right and a wrong phrase are left out.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from coindex import benchmarks, datasets, formats
from coindex.errors import InputError, UnknownName
from coindex.models.pronoun.symmetric_scoring import are_names
from coindex.text.word_lists import labels
from coindex.transform.antecedent_switching import Refused, switch
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


@dataclass(frozen=True, slots=True)
class TrainingProblems:
    """Problems with answers, and how many items were left out, by reason."""

    problems: tuple[Problem, ...]
    dropped: tuple[tuple[str, int], ...] = ()

    @property
    def checksum(self) -> str:
        """The sha256 of the texts, candidates and answers."""
        total = hashlib.sha256()
        for each in self.problems:
            total.update(
                repr((each.text, each.target, each.candidates, each.answer)).encode(
                    "utf-8", "surrogatepass"
                )
            )
        return total.hexdigest()


def read_problems(name: str) -> tuple[Problem, ...]:
    """The problems of a path, of a benchmark's split, or of a corpus's file."""
    if Path(name).expanduser().is_file():
        return tuple(_problems(formats.read(Path(name).expanduser())))
    first, _, split = name.partition(":")
    if first in benchmarks.names("problems"):
        bench = benchmarks.load(first)
        if split in bench.SPLITS or split not in _corpus_splits(first):
            return bench.problems(split or bench.DEFAULT)
    if first not in datasets.names():
        known = (*benchmarks.names("problems"), *datasets.names())
        if Path(name).name != name or "." in name:
            raise InputError(f"{name}: expected a file, a benchmark or a corpus, found neither")
        raise UnknownName("file, benchmark or corpus", first, known)
    problems: list[Problem] = []
    for path in sorted(datasets.paths(first, split or None)):
        problems += _problems(formats.read(path))
    return tuple(problems)


def _corpus_splits(name: str) -> set[str | None]:
    """The splits of a corpus, which may have more than the benchmark of its name."""
    return {file.split for file in datasets.load(name).files} if name in datasets.names() else set()


def training_problems(
    files: Iterable[str], *, most: int = 0, seed: int = 1, neither: bool = False,
    scored: Container[str] = (),
) -> TrainingProblems:  # fmt: skip
    """The problems of some files that are usable for training.

    neither  whether to use problems that none of their candidates answers; the WikiCREM paper
             discards those of GAP
    scored   the ids of problems that need no answer, since a teacher scored them
    """
    result = [problem for name in files for problem in read_problems(name)]
    if most and len(result) > most:
        kept = sorted(random.Random(seed).sample(range(len(result)), most))
        result = [result[at] for at in kept]
    reasons: dict[str, int] = {}
    problems = []
    known: set[Problem] = set()
    for problem in result:
        reason = "" if problem.id in scored else _unusable(problem, neither)
        reason = "in another file too" if problem in known else reason
        known.add(problem)
        if reason:
            reasons[reason] = reasons.get(reason, 0) + 1
        else:
            problems.append(problem)
    return TrainingProblems(tuple(problems), tuple(sorted(reasons.items())))


def with_switched(data: TrainingProblems, *, names: bool = False) -> TrainingProblems:
    """The problems and their switched copies; what cannot be switched is counted.

    names   whether only problems whose candidates are all names are switched
    """
    copies = [
        Refused("not all are names") if names and not are_names(problem) else switch(problem)
        for problem in data.problems
    ]
    safe = [copy for copy in copies if not isinstance(copy, Refused)]
    refused = len(copies) - len(safe)
    dropped = (*data.dropped, ("not switched", refused)) if refused else data.dropped
    return TrainingProblems((*data.problems, *safe), dropped)


def _unusable(problem: Problem, neither: bool) -> str:
    if problem.answer is None:
        return "without an answer"
    if not problem.answer:
        return "" if neither else "none of the candidates is right"
    if len(problem.answer) == len(problem.candidates):
        return "all candidates are right"
    return ""


def _problems(items: Iterable[Problem | Document]) -> Iterator[Problem]:
    """Problems as they are, and the problems of documents."""
    for item in items:
        if isinstance(item, Problem):
            yield item
        else:
            yield from problems_from_documents([item])


BEFORE = 2
MAX_WRONG = 3
MAX_WORDS = 6
"""The maximum number of words of a candidate: a clause in the pronoun's place is no sentence."""

_GROUPS = frozenset({"masculine", "feminine", "neuter", "plural"})


@dataclass(frozen=True, slots=True)
class _EntityPhrases:
    """The phrases of an entity that are no pronouns, and the groups of its pronouns."""

    phrases: tuple[Mention, ...]
    groups: frozenset[str]


def problems_from_documents(documents: Iterable[Document]) -> Iterator[Problem]:
    """The problems of documents, in reading order."""
    for document in documents:
        known = []
        for entity in document.entities:
            phrases = tuple(each for each in entity.mentions if _is_phrase(document, each))
            groups = {_group(document, mention) for mention in entity.mentions}
            known.append(_EntityPhrases(phrases, frozenset(filter(None, groups))))
        for at, entity in enumerate(document.entities):
            for mention in entity.mentions:
                group = _group(document, mention)
                if group is not None:
                    result = _problem(document, mention, group, known, at)
                    if result is not None:
                        yield result


def _problem(
    document: Document, pronoun: Mention, group: str, known: list[_EntityPhrases], own: int
) -> Problem | None:
    sentence = bisect_right(document.sentences, pronoun.start) - 1
    first = document.sentences[max(sentence - BEFORE, 0)]
    ends = (*document.sentences[1:], len(document))
    last = ends[sentence]
    nearest: list[tuple[int, int, Mention]] = []
    for at, entity in enumerate(known):
        if at != own and group not in entity.groups:
            continue
        near = [m for m in entity.phrases if _fits(m, pronoun, first, last)]
        if near:
            best = min(near, key=lambda m: _distance(m, pronoun))
            nearest.append((_distance(best, pronoun), at, best))
    right = [row for row in nearest if row[1] == own]
    taken = {document.text_of(row[2]).casefold() for row in right}
    wrong = [
        row for row in sorted(nearest, key=lambda row: row[:2])
        if row[1] != own and document.text_of(row[2]).casefold() not in taken
    ][:MAX_WRONG]  # fmt: skip
    if not right or not wrong:
        return None
    chosen = sorted((*right, *wrong), key=lambda row: (row[2].start, row[2].end))
    return _made(document, pronoun, Chars(document.starts[first], document.ends[last - 1]),
                 [row[2] for row in chosen], [row[1] for row in chosen].index(own), group)  # fmt: skip


def _made(
    document: Document, pronoun: Mention, passage: Chars, chosen: list[Mention], right: int,
    group: str,
) -> Problem:  # fmt: skip
    def within(mention: Mention) -> Chars:
        chars = document.chars(mention.cover)
        return Chars(chars.start - passage.start, chars.end - passage.start)

    return Problem(
        f"{document.key}:{pronoun.start}",
        passage.of(document.text),
        within(pronoun),
        tuple(Candidate(document.text_of(mention), within(mention)) for mention in chosen),
        (right,),
        group,
        source=document.id,
    )


def _fits(phrase: Mention, pronoun: Mention, first: int, last: int) -> bool:
    apart = phrase.end <= pronoun.start or pronoun.end <= phrase.start
    return apart and first <= phrase.start and phrase.end <= last


def _distance(phrase: Mention, pronoun: Mention) -> int:
    """The distance in words; phrases after the pronoun are farther than all before it."""
    before = phrase.end <= pronoun.start
    return pronoun.start - phrase.end if before else 1000 + phrase.start - pronoun.end


def _group(document: Document, mention: Mention) -> str | None:
    """The group of a pronoun that a name can replace; None for other mentions."""
    word = document.tokens[mention.start].lower()
    if len(mention.tokens) != 1 or word not in labels("pronoun_forms"):
        return None
    group = labels("pronouns").get(word)
    return group if group in _GROUPS else None


def _is_phrase(document: Document, mention: Mention) -> bool:
    """Whether a mention is a short contiguous phrase without a pronoun."""
    if mention.discontinuous or len(mention.tokens) > MAX_WORDS:
        return False
    written = [document.tokens[at].lower() for at in mention.tokens]
    return not any(word in labels("pronouns") for word in written)
