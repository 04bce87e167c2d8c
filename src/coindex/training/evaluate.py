"""The model's answers on documents and problems, for choosing the best epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.neural.decode import Joiner
from coindex.scoring.api import score
from coindex.training.examples import Example
from coindex.training.model import Model
from coindex.training.step import allowed, encode, look

Clusters = list[list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where mentions and links begin: scores above these count."""

    mention: float = 0.0
    link: float = 0.0


@torch.no_grad()
def clusters(
    model: Model, examples: Sequence[Example], device: torch.device, cuts: Cuts | None = None
) -> list[Clusters]:
    """The clusters of each example, single mentions too."""
    model.eval()
    cuts = cuts or Cuts()
    found: list[Clusters] = []
    for example in examples:
        if not len(example):
            found.append([])
            continue
        (vectors,) = encode(model, [example], device)
        found.append(_clusters(model, example, vectors, cuts))
    return found


def _clusters(model: Model, example: Example, vectors: torch.Tensor, cuts: Cuts) -> Clusters:
    head = model.head
    scheme = torch.tensor(example.scheme, device=vectors.device)
    shapes = torch.from_numpy(example.words.shapes).to(vectors.device)
    x = head.words(vectors, shapes, scheme)
    logits, inside = head.mentions(x, torch.from_numpy(example.last).to(vectors.device))
    starts, widths = ((logits > cuts.mention) & inside).nonzero(as_tuple=True)
    keep = torch.stack([starts, starts + widths + 1], -1)
    if not len(keep):
        return []
    seen = look(head, example, vectors, keep)
    parents, _ = Joiner().take(seen.scores.cpu().numpy(), seen.which.cpu().numpy(), cuts.link)
    return joined(keep.tolist(), parents.tolist())


def joined(spans: Sequence[Sequence[int]], parents: Sequence[int]) -> Clusters:
    """Chains of antecedents as clusters; -1 begins a new one."""
    number: list[int] = []
    found: Clusters = []
    for span, parent in zip(spans, parents, strict=True):
        number.append(number[parent] if parent >= 0 else len(found))
        if parent < 0:
            found.append([])
        found[number[-1]].append((span[0], span[1]))
    return found


def scored(
    documents: Sequence[Document], found: Sequence[Clusters], singletons: bool
) -> dict[str, float]:
    """CoNLL F1 with or without single mentions, and the F1 of the mentions."""
    answers = []
    for document, groups in zip(documents, found, strict=True):
        kept = [group for group in groups if singletons or len(group) > 1]
        entities = tuple(Entity(tuple(Mention.at(a, b) for a, b in group)) for group in kept)
        answers.append(replace(document, entities=entities))
    result = score(list(documents), answers, metrics=["mentions", "muc", "b3", "ceafe", "conll"])
    return {name: round(value.f1, 2) for name, value in result.scores.items()}


def gap_counts(examples: Sequence[Example], found: Sequence[Clusters]) -> tuple[int, int, int]:
    """Right names in the pronoun's cluster, wrong ones in it, right ones missing.

    A name counts by any of its occurrences; near enough for choosing an epoch, while
    `coindex bench` scores by the rules of GAP.
    """
    right = wrong = missed = 0
    for example, groups in zip(examples, found, strict=True):
        home = {span: set(group) for group in groups for span in group}
        for clue in example.clues:
            own = home.get(clue.pronoun, set())
            hit = any(span in own for span in clue.right)
            right += hit
            missed += bool(clue.right) and not hit
            wrong += any(span in own for span in clue.wrong)
    return right, wrong, missed


__all__ = ["Cuts", "allowed", "clusters", "gap_counts", "joined", "scored"]
