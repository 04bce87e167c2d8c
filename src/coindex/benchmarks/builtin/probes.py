"""Probes: short everyday texts in many classes, each with its expected clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from coindex.benchmarks.loading import check_split
from coindex.benchmarks.probe_format import HALVES, Probe, probe_files
from coindex.benchmarks.probe_score import ERRORS, ProbeErrors, score_probe
from coindex.benchmarks.protocol import DocumentOutcome, Kind
from coindex.scoring.contradictions import contradictions
from coindex.transform.edit import retokenize
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

KIND: Kind = "documents"
TITLE = "Probes: short everyday texts in many classes"
CORPUS: tuple[str, ...] = ()
SPLITS = {"dev": 242, "test": 242}
DEFAULT = "dev"
PROTOCOL = """
Which phrases of a short text refer to the same thing? The expected clusters were written before
any resolver was run. Wholly right is a text without errors: no required mention is missing (in no
cluster), no cluster merges two marked entities, no marked entity is split, and no unmarked mention
is in the cluster of a marked one, nor an unmarked pronoun in any. Spans that differ in articles,
titles, possessive marks or postmodifiers count as equal, optional mentions may be left out, and
clusters of nouns and names that are not marked are ignored, as are entities of one mention.
Doubles (one place twice in a cluster) and contradictions (clusters that contradict themselves:
`he` with `she`) are counted beside. The texts are part of coindex (Apache-2.0).
Score `test` once for each final configuration, and do not look at its items.
"""
METRICS = ("wholly right", *ERRORS, "doubles", "contradictions")


def documents(split: str) -> tuple[Document, ...]:
    """The texts of one half."""
    return tuple(Document(probe.id, probe.text) for probe in _probes(split))


def outcomes(split: str, resolved: Sequence[Document | None]) -> tuple[DocumentOutcome, ...]:
    """What each resolved document gets right; without a document every mention is missing.

    Contradictions are judged by the text alone, not by speakers that a resolver found.
    """
    pairs = zip(_probes(split), resolved, strict=True)
    return tuple(_outcome(probe, document) for probe, document in pairs)


@cache
def _probes(split: str) -> tuple[Probe, ...]:
    check_split("probes", dict.fromkeys(HALVES), split)
    every = (probe for file in probe_files().values() for probe in file.probes)
    return tuple(probe for probe in every if probe.half == split)


def _outcome(probe: Probe, document: Document | None) -> DocumentOutcome:
    errors = score_probe(probe, document or Document(probe.id, probe.text))
    against = contradictions(replace(document, speakers=None)) if document else ()
    reasons = (*errors.reasons, *(f"contradiction: {each.kind}: {each.reason}" for each in against))
    counts = (*_counts(errors), ("contradictions", len({each.entity for each in against})))
    return DocumentOutcome(
        probe.id, probe.group, errors.right, counts, reasons, expected_document(probe), document
    )


def _counts(errors: ProbeErrors) -> Iterator[tuple[str, int]]:
    for name in (*ERRORS, "doubles"):
        yield name, getattr(errors, name)


def expected_document(probe: Probe) -> Document:
    """The probe as a document with its marked entities; optional mentions have that kind."""
    borders = [at for each in probe.mentions for at in (each.chars.start, each.chars.end)]
    plain = retokenize(Document(probe.id, probe.text), borders)
    first = {start: index for index, start in enumerate(plain.starts)}
    last = {end: index + 1 for index, end in enumerate(plain.ends)}
    entities = [
        Entity(
            tuple(
                Mention(
                    (Span(first[each.chars.start], last[each.chars.end]),),
                    kind=None if each.required else "optional",
                )
                for each in mentions
            ),
            id,
        )
        for id, mentions in probe.entities.items()
    ]
    return Document(
        plain.id,
        plain.text,
        plain.tokens,
        plain.starts,
        plain.ends,
        plain.sentences,
        tuple(entities),
    )
