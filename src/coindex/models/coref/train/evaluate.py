"""The model's predictions on documents and problems, to choose the best epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from coindex.models.coref.infer.decode import EntityDecoder
from coindex.models.coref.network import Model
from coindex.models.coref.train.clues import Clue
from coindex.models.coref.train.examples import Example
from coindex.models.coref.train.step import encode, score_example, score_words
from coindex.scoring.api import score
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

Clusters = list[list[tuple[int, int]]]


@torch.no_grad()
def predict_clusters(
    model: Model,
    examples: Sequence[Example],
    device: torch.device,
    mention_threshold: float = 0.0,
) -> list[Clusters]:
    """The clusters of each example, singletons included."""
    model.eval()
    result: list[Clusters] = []
    for example in examples:
        if not len(example):
            result.append([])
            continue
        (vectors,) = encode(model, [example], device)
        result.append(_clusters(model, example, vectors, mention_threshold))
    return result


def _clusters(
    model: Model, example: Example, vectors: torch.Tensor, mention_threshold: float
) -> Clusters:
    head = model.head
    _, logits, inside = score_words(head, example, vectors)
    likely = ((logits > mention_threshold) & inside).flatten().nonzero()[:, 0]
    keys = likely.cpu().numpy()
    if not len(keys):
        return []
    scores = score_example(head, example, vectors, keys)
    starts, lengths = np.divmod(keys, logits.shape[1])
    spans = np.stack([starts, starts + lengths + 1], -1)
    parents, _ = EntityDecoder().add(
        scores.pairs.cpu().numpy(), scores.antecedents.cpu().numpy(), 0.0
    )
    return clusters_from_parents(spans.tolist(), parents.tolist())


def clusters_from_parents(spans: Sequence[Sequence[int]], parents: Sequence[int]) -> Clusters:
    """Chains of antecedents as clusters; a parent of -1 starts a new one."""
    number: list[int] = []
    clusters: Clusters = []
    for span, parent in zip(spans, parents, strict=True):
        number.append(number[parent] if parent >= 0 else len(clusters))
        if parent < 0:
            clusters.append([])
        clusters[number[-1]].append((span[0], span[1]))
    return clusters


def score_clusters(
    documents: Sequence[Document], predicted: Sequence[Clusters], singletons: bool
) -> dict[str, float]:
    """CoNLL F1 with or without singletons, and the F1 of the mentions."""
    answers = []
    for document, clusters in zip(documents, predicted, strict=True):
        chosen = [cluster for cluster in clusters if singletons or len(cluster) > 1]
        entities = tuple(Entity(tuple(Mention.at(a, b) for a, b in cluster)) for cluster in chosen)
        answers.append(replace(document, entities=entities))
    result = score(list(documents), answers, metrics=["mentions", "muc", "b3", "ceafe", "conll"])
    return {name: round(value.f1, 2) for name, value in result.scores.items()}


def gap_f1(clues: Sequence[tuple[Clue, Clusters]]) -> float:
    """F1 in percent over candidates, of clues and the clusters of their passages.

    A candidate counts by any of its occurrences, which is close enough to choose an epoch or a
    threshold; `coindex bench` scores by the rules of GAP.
    """
    right = wrong = missed = 0
    for clue, clusters in clues:
        own: set[tuple[int, int]] = set()
        for cluster in clusters:
            if clue.pronoun in cluster:
                own = set(cluster)
        hit = any(span in own for span in clue.right)
        right += hit
        missed += bool(clue.right) and not hit
        wrong += any(span in own for span in clue.wrong)
    return 200 * right / max(2 * right + wrong + missed, 1)
