"""Test doubles of audits: resolvers that know the answers, follow stereotypes, or are fragile.

They know every question of an audit with its answer, and are wrong on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from coindex.audit.file_subject import AuditQuestions
from coindex.audit.run import AuditOptions, run_audit
from coindex.audit.subject import with_clusters
from coindex.audit.templates import Passage
from coindex.benchmarks.probe_format import ExpectedMention
from coindex.types.decision import Decision, answer_of
from coindex.types.document import Document
from coindex.types.problem import Candidate, Problem
from coindex.types.progress import OnProgress, ignore_progress
from coindex.types.span import Chars

WOMENS = frozenset(
    [
        "nurse",
        "secretary",
        "receptionist",
        "librarian",
        "cleaner",
        "hairdresser",
        "teacher",
        "housekeeper",
        "babysitter",
    ]
)
FRAGILE = frozenset(
    ["typos", "lower-case", "capitals", "no-punctuation", "other-names", "distance", "passive"]
)
SHE = frozenset({"she", "her", "hers", "herself"})
HE = frozenset({"he", "him", "his", "himself"})


def questions(options: AuditOptions | None = None) -> AuditQuestions:
    """Everything that an audit asks, with the answers."""
    asked = AuditQuestions()
    run_audit(asked, options)
    return asked


class Oracle:
    """A resolver of problems and of documents that knows the answers: a fair one."""

    signature = "oracle"

    def __init__(self, asked: AuditQuestions) -> None:
        self.asked = asked
        self.problems = {(each.id, each.text): each for each in asked.problems.values()}
        self.passages = {each.text: each for each in asked.passages.values()}

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        for each in problems:
            yield Decision(each.id, self.answer(self.problems[each.id, each.text]))

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        for document in documents:
            passage = replace(self.passages[document.text], id=document.id)
            yield with_clusters(passage, self.clusters(passage))

    def answer(self, problem: Problem) -> tuple[int, ...]:
        return answer_of(problem)

    def clusters(self, passage: Passage) -> list[list[ExpectedMention]]:
        return group(passage, lambda mention: mention.entity)


def group(
    passage: Passage, entity_of: Callable[[ExpectedMention], str]
) -> list[list[ExpectedMention]]:
    """The mentions of a passage by the entities that they are said to be of."""
    clusters: dict[str, list[ExpectedMention]] = {}
    for mention in passage.mentions:
        clusters.setdefault(entity_of(mention), []).append(mention)
    return list(clusters.values())


class Stereotyped(Oracle):
    """Follows stereotypes: she is the nurse; and it errs on every other she of GAP."""

    signature = "stereotyped"

    def answer(self, problem: Problem) -> tuple[int, ...]:
        right = answer_of(problem)
        meta = dict(problem.meta)
        if "percent-women" in meta:  # Winogender: the majority gender of the occupation decides
            if problem.group not in ("feminine", "masculine"):
                return right
            fits = (float(meta["percent-women"]) >= 50) == (problem.group == "feminine")
            return (0,) if fits else (1,)
        if "part" in meta:  # WinoBias: right where the pronoun fits
            return right if meta["part"].endswith("pro") else (1 - right[0],)
        if problem.group == "feminine" and hash_of(problem.id) % 2:
            return (1 - right[0],) if right else right
        return right

    def clusters(self, passage: Passage) -> list[list[ExpectedMention]]:
        roles: dict[bool, str] = {}
        for mention, kind in zip(passage.mentions, passage.kinds, strict=True):
            if kind == "noun" and passage.group == "roles":
                noun = mention.chars.of(passage.text).lower().split()[-1]
                roles.setdefault(noun in WOMENS, mention.entity)

        def entity_of(mention: ExpectedMention) -> str:
            word = mention.chars.of(passage.text).lower()
            if word in SHE | HE:
                return roles.get(word in SHE, mention.entity)
            return mention.entity

        return group(passage, entity_of)


class Fragile(Oracle):
    """Finds nothing in a text that was changed on its surface."""

    signature = "fragile"

    def clusters(self, passage: Passage) -> list[list[ExpectedMention]]:
        ids = {id for id, each in self.asked.passages.items() if each.text == passage.text}
        changed = {id.partition("/")[2] for id in ids} <= FRAGILE
        return [] if changed else super().clusters(passage)


def hash_of(text: str) -> int:
    """A number that depends on nothing but a text."""
    return sum(map(ord, text))


def sample(id: str, pronoun: str, right: int, group: str = "", **meta: str) -> Problem:
    """`The doctor met Kim Lee when she left .`"""
    one, two = meta.pop("one", "The doctor"), meta.pop("two", "Kim Lee")
    text = f"{one} met {two} when {pronoun} left {id} ."
    start = text.index(f"when {pronoun}") + 5
    candidates = (
        Candidate(one, Chars(0, len(one))),
        Candidate(two, Chars(len(one) + 5, len(one) + 5 + len(two))),
    )
    pairs = tuple(meta.items())
    return Problem(
        id, text, Chars(start, start + len(pronoun)), candidates, (right,), group, meta=pairs
    )


def sample_benchmarks() -> Mapping[str, tuple[Problem, ...]]:
    """Problems of the four benchmarks of an audit, enough of each to tell."""
    gap = [
        sample(f"test-{n}", ("she", "he")[n % 2], n // 2 % 2, ("feminine", "masculine")[n % 2])
        for n in range(1200)
    ]
    winobias = [
        sample(f"type{kind}-{side}-{n}", "she" if (side == "pro") == (n % 2 == 0) else "he",
               n % 2, part=f"type{kind}-{side}")
        for kind in (1, 2) for side in ("pro", "anti") for n in range(120)
    ]  # fmt: skip
    winogender = [
        sample(f"job{job}.kim.{right}.{gender}", word, right, group, one=f"The job{job}",
               **{"percent-women": str(5 + job)})
        for job in range(90) for right in (0, 1)
        for gender, word, group in (("male", "he", "masculine"), ("female", "she", "feminine"),
                                    ("neutral", "they", "neutral"))
    ]  # fmt: skip
    knowref = [
        sample(str(n), ("she", "he")[n % 2], n % 2, one="Ann Ode", two="Mary Lane")
        for n in range(150)
    ]
    return {
        "gap": tuple(gap), "winobias": tuple(winobias), "winogender": tuple(winogender),
        "knowref": tuple(knowref),
    }  # fmt: skip
