"""What is audited: a resolver of documents or of problems, by its name.

A resolver of documents gets each text as a user's text. One of problems is asked about every
pronoun of a bundled text, with the first name or noun of each entity as the candidates; names and
nouns of one entity are joined for it. It cannot be asked about texts without marked mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from coindex import resolvers
from coindex.audit.intervals import Draws
from coindex.audit.templates import Passage
from coindex.benchmarks.probe_format import ExpectedMention
from coindex.evaluate.options import BenchOptions, Selection
from coindex.evaluate.results import SystemResult
from coindex.evaluate.run import run_selected
from coindex.resolvers import Clusterer, Decider, ResolverSettings
from coindex.resolvers.resolver import Resolver
from coindex.transform.edit import retokenize
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.progress import OnProgress
from coindex.types.span import Span


class Subject(Protocol):
    """What is audited."""

    @property
    def name(self) -> str:
        """How it is called in reports."""

    @property
    def kind(self) -> str:
        """`resolver`, `clusters` or `predictions`."""

    @property
    def signature(self) -> str:
        """Everything that its answers depend on."""

    def benchmarks(
        self, selection: Selection, draws: Draws, on_progress: OnProgress
    ) -> dict[str, SystemResult]:
        """Its results on benchmarks, by their names; those it has no answers to are left out."""

    def resolve(self, passages: Sequence[Passage]) -> Iterator[Document | None]:
        """Each passage with entities, in their order; None where there is no answer."""


@dataclass(slots=True)
class ResolverSubject:
    """A resolver by its name."""

    system: str = "neural"
    options: BenchOptions = field(default_factory=BenchOptions)
    _loaded: list[Clusterer | Decider] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The resolver's name, with that of its model."""
        model = self.options.model
        return f"{self.system} ({model})" if model else self.system

    @property
    def kind(self) -> str:
        """What it is."""
        return "resolver"

    @property
    def signature(self) -> str:
        """That of the resolver."""
        return self.loaded.signature

    @property
    def loaded(self) -> Clusterer | Decider:
        """The resolver, loaded when it is first needed."""
        if not self._loaded:
            settings = ResolverSettings(
                "given", self.options.seed, self.options.pipeline,
                model=self.options.model, scheme=self.options.scheme,
            )  # fmt: skip
            self._loaded.append(resolvers.load(self.system, settings))
        return self._loaded[0]

    def benchmarks(
        self, selection: Selection, draws: Draws, on_progress: OnProgress
    ) -> dict[str, SystemResult]:
        """The results that `coindex bench` has."""
        options = replace(self.options, resamples=draws.resamples, seed=draws.seed)
        done = run_selected(selection, [self.system], options, on_progress)
        return {table.name: table.results[0] for table in done.tables}

    def resolve(self, passages: Sequence[Passage]) -> Iterator[Document | None]:
        """Each passage with the entities that the resolver finds."""
        if isinstance(self.loaded, Clusterer):
            yield from Resolver(self.loaded).stream(Document(p.id, p.text) for p in passages)
        else:
            yield from decided_documents(self.loaded, passages)


def decided_documents(decider: Decider, passages: Sequence[Passage]) -> Iterator[Document | None]:
    """The passages with the clusters that follow from decisions on their pronouns."""
    problems = {passage.id: list(passage_problems(passage)) for passage in passages}
    every = [problem for each in problems.values() for problem in each]
    decisions = {decision.id: decision for decision in decider.decide(every)}
    for passage in passages:
        given = [decisions.get(problem.id) for problem in problems[passage.id]]
        yield None if not given or None in given else document_of(passage, filter(None, given))


def passage_problems(passage: Passage) -> Iterator[Problem]:
    """A problem for each pronoun of a passage, with one candidate for each entity."""
    candidates = tuple(
        Candidate(mention.chars.of(passage.text), mention.chars)
        for mention in named_entities(passage).values()
    )
    for number, (mention, kind) in enumerate(zip(passage.mentions, passage.kinds, strict=True)):
        if kind == "pronoun" and candidates:
            yield Problem(f"{passage.id}/{number}", passage.text, mention.chars, candidates)


def named_entities(passage: Passage) -> dict[str, ExpectedMention]:
    """The first name or noun of each entity, in reading order."""
    result: dict[str, ExpectedMention] = {}
    for mention, kind in zip(passage.mentions, passage.kinds, strict=True):
        if kind != "pronoun":
            result.setdefault(mention.entity, mention)
    return result


def document_of(passage: Passage, decisions: Iterable[Decision]) -> Document:
    """A passage with the clusters of its names and nouns, and of the pronouns by the decisions."""
    order = list(named_entities(passage))
    clusters: dict[str, list[ExpectedMention]] = {entity: [] for entity in order}
    for mention, kind in zip(passage.mentions, passage.kinds, strict=True):
        if kind != "pronoun":
            clusters[mention.entity].append(mention)
    for decision in decisions:
        mention = passage.mentions[int(decision.id.rpartition("/")[2])]
        for index in decision.chosen:
            clusters[order[index]].append(mention)
    return with_clusters(passage, clusters.values())


def with_clusters(passage: Passage, clusters: Iterable[Sequence[ExpectedMention]]) -> Document:
    """A document with the text of a passage and these mentions together."""
    borders = [at for each in passage.mentions for at in (each.chars.start, each.chars.end)]
    plain = retokenize(Document(passage.id, passage.text), borders)
    first = {start: at for at, start in enumerate(plain.starts)}
    last = {end: at + 1 for at, end in enumerate(plain.ends)}
    entities = [
        Entity(
            tuple(
                Mention((Span(first[each.chars.start], last[each.chars.end]),))
                for each in dict.fromkeys(cluster)
            )
        )
        for cluster in clusters
        if len(cluster) > 1
    ]
    return Document(
        plain.id, plain.text, plain.tokens, plain.starts, plain.ends, plain.sentences,
        tuple(entities),
    )  # fmt: skip
