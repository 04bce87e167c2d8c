"""What a resolved document gets right of a probe, and what not, in words.

Predicted mentions are matched with the marked ones (see `probe_spans`), each with at most one; a
marked mention of the same entity and head is then found as well. Two
predicted mentions of one entity that are the same marked mention (`Lee`, `Lee's`) count as one, and
as a double. Entities that are left with one mention are ignored. Then:

    missing    a required mention of an expected cluster that is in no cluster with another mention
    merged     a cluster with mentions of two marked entities, distractors and optional ones included
    split      an expected cluster whose required mentions are in several clusters
    spurious   an unmarked mention in a cluster with marked ones, or an unmarked pronoun in any

A probe is wholly right if it has none of these four; doubles are only counted. Optional mentions
may be in the cluster of their entity or absent from it. Clusters of unmarked nouns and names are
ignored. A relative pronoun (`who`, `that`) that is not marked is no pronoun here: schemes differ.

The document must have the text of the probe; its white space and its tokens may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from coindex.benchmarks.probe_format import ExpectedMention, Probe
from coindex.benchmarks.probe_spans import matched_mentions, single_word
from coindex.errors import InvalidValue
from coindex.scoring.contradictions.features import pronoun_of
from coindex.text.char_alignment import nonspace_text
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.span import Chars

ERRORS = ("missing", "merged", "split", "spurious")


@dataclass(frozen=True, slots=True)
class ProbeErrors:
    """The number of each error in one document, and each of them in words."""

    missing: int = 0
    merged: int = 0
    split: int = 0
    spurious: int = 0
    doubles: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the probe is wholly right."""
        return not (self.missing or self.merged or self.split or self.spurious)


@dataclass(frozen=True, slots=True)
class _Cluster:
    """A predicted entity: the marked mentions in it, the characters of the others, doubles.

    alike   marked mentions that those in it could be as well
    """

    marked: tuple[ExpectedMention, ...]
    alike: tuple[ExpectedMention, ...]
    unmarked: tuple[Chars, ...]
    doubles: tuple[Chars, ...]

    def __len__(self) -> int:
        return len(self.marked) + len(self.unmarked)


def score_probe(probe: Probe, document: Document) -> ProbeErrors:
    """The errors of a resolved document."""
    every = [_cluster(probe, chars) for chars in predicted_clusters(probe, document)]
    clusters = [cluster for cluster in every if len(cluster) > 1]
    found = {
        "missing": list(_missing(probe, clusters)),
        "merged": list(_merged(probe, clusters)),
        "split": list(_split(probe, clusters)),
        "spurious": list(_spurious(probe, clusters)),
        "doubles": [
            f"{_quoted(probe, [chars])} is a second mention of one place"
            for cluster in every
            for chars in cluster.doubles
        ],
    }
    counts = {name: len(reasons) for name, reasons in found.items()}
    reasons = [f"{name}: {reason}" for name, each in found.items() for reason in each]
    return ProbeErrors(**counts, reasons=tuple(reasons))


def predicted_clusters(probe: Probe, document: Document) -> Iterator[list[Chars]]:
    """The entities of a document as characters of the probe's text."""
    theirs, ours = nonspace_text(document.text), nonspace_text(probe.text)
    if theirs.text != ours.text:
        raise InvalidValue(f"{probe.id}: expected a document with its text, found another text")

    def moved(mention: Mention) -> Chars | None:
        head = mention.head
        spans = [span for span in mention.spans if head is not None and head in span]
        start, end = theirs.range(document.chars((spans or mention.spans)[0]))
        return Chars(ours.offsets[start], ours.offsets[end - 1] + 1) if start < end else None

    for entity in document.entities:
        places = filter(None, map(moved, entity.mentions))
        yield list(dict.fromkeys(places))


def _cluster(probe: Probe, places: Iterable[Chars]) -> _Cluster:
    marked: dict[ExpectedMention, None] = {}
    unmarked, doubles = [], []
    alike: list[ExpectedMention] = []
    for chars in places:
        mention, *others = matched_mentions(probe.text, chars, probe.mentions) or (None,)
        alike += filter(None, others)
        if mention is None:
            unmarked.append(chars)
        elif mention in marked:
            doubles.append(chars)
        else:
            marked[mention] = None
    return _Cluster(tuple(marked), tuple(alike), tuple(unmarked), tuple(doubles))


def _missing(probe: Probe, clusters: Sequence[_Cluster]) -> Iterator[str]:
    found = {each for cluster in clusters for each in (*cluster.marked, *cluster.alike)}
    for entity, mentions in probe.clusters.items():
        for mention in mentions:
            if mention not in found:
                others = [each.chars for each in mentions if each != mention]
                yield (
                    f"{_quoted(probe, [mention.chars])} of entity {entity}"
                    f" ({_quoted(probe, others)}) is in no cluster"
                )


def _merged(probe: Probe, clusters: Sequence[_Cluster]) -> Iterator[str]:
    for cluster in clusters:
        parts = _by_entity(cluster.marked)
        if len(parts) > 1:
            yield " with ".join(
                f"{_quoted(probe, chars)} (entity {entity})" for entity, chars in parts.items()
            )


def _split(probe: Probe, clusters: Sequence[_Cluster]) -> Iterator[str]:
    for entity, mentions in probe.clusters.items():
        parts = [
            [each.chars for each in cluster.marked if each in mentions] for cluster in clusters
        ]
        parts = [part for part in parts if part]
        if len(parts) > 1:
            yield f"entity {entity}: " + " | ".join(_quoted(probe, part) for part in parts)


def _spurious(probe: Probe, clusters: Sequence[_Cluster]) -> Iterator[str]:
    for cluster in clusters:
        for chars in cluster.unmarked:
            if cluster.marked:
                where = _by_entity(cluster.marked).items()
                names = "; ".join(f"entity {name} {_quoted(probe, part)}" for name, part in where)
                yield f"{_quoted(probe, [chars])} is in the cluster of {names}"
            elif _is_pronoun(probe.text, chars):
                others = [each for each in cluster.unmarked if each != chars]
                yield f"{_quoted(probe, [chars])} is in a cluster with {_quoted(probe, others)}"


def _is_pronoun(text: str, chars: Chars) -> bool:
    word = single_word(text, chars) or ""
    pronoun = pronoun_of(word.lower() if text.isupper() else word)
    return pronoun is not None and pronoun.gender != "relative"


def _by_entity(mentions: Iterable[ExpectedMention]) -> dict[str, list[Chars]]:
    result: dict[str, list[Chars]] = {}
    for mention in mentions:
        result.setdefault(mention.entity, []).append(mention.chars)
    return result


def _quoted(probe: Probe, places: Iterable[Chars]) -> str:
    """The words of some mentions, each with its offset, so that two `he` can be told apart."""
    return ", ".join(f"“{chars.of(probe.text)}” @{chars.start}" for chars in places)
