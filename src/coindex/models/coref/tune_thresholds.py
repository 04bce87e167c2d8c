"""The thresholds of mentions and links of an exported model, chosen on dev for each scheme.

A logit of 0 is where a span is as likely a mention as not, which is not where CoNLL F1 is
highest: one scheme counts singletons, another drops them. So every pair of thresholds on a grid
is tried with the exported model, on the dev corpora of its scheme (the mean of CoNLL F1 for
documents and F1 for problems), and the best pair is written into `model.json`. Schemes without a
dev corpus keep the threshold 0.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, read_json, write_json
from coindex.models.common.inference import one_thread
from coindex.models.coref.artifact import Scheme
from coindex.models.coref.infer.antecedents import ScoreBlock, antecedent_scores
from coindex.models.coref.infer.decode import link_by_scores
from coindex.models.coref.infer.engine import Engine, document_with_entities, load_engine
from coindex.models.coref.infer.mention_detection import DetectedMentions
from coindex.models.coref.recipe import Corpus, Recipe
from coindex.models.coref.train.clues import Clue
from coindex.models.coref.train.corpora import read_corpus
from coindex.models.coref.train.evaluate import gap_f1
from coindex.models.coref.train.examples import passage_of
from coindex.scoring.api import score
from coindex.types.document import Document

logger = logging.getLogger(__name__)

MENTION_THRESHOLDS = (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)
LINK_THRESHOLDS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)

Pair = tuple[float, float]


def tune_thresholds(folder: Path, recipe: Recipe, threads: int = 2) -> dict[str, Any]:
    """Choose and write the thresholds of each scheme; returns them with the dev scores."""
    if not recipe.dev:
        raise InputError(f"{folder}: the recipe has no [[dev]] corpora to choose thresholds on")
    engine = load_engine(folder, threads)
    tuned: dict[str, Any] = {}
    for scheme in engine.metadata.schemes:
        corpora = [c for c in recipe.dev if scheme.name in map(str.strip, c.scheme.split(","))]
        if not corpora:
            continue
        grids = [_grid(engine, scheme, corpus) for corpus in corpora]
        best = max(grids[0], key=lambda pair: (mean(g[pair] for g in grids), -abs(pair[0])))
        tuned[scheme.name] = {
            "cut_mention": best[0], "cut_link": best[1],
            "dev": {", ".join(c.files): {"before": grid[0.0, 0.0], "after": grid[best]}
                    for c, grid in zip(corpora, grids, strict=True)},
        }  # fmt: skip
        logger.info("%s: %s", scheme.name, tuned[scheme.name])
    _write(folder / METADATA, tuned)
    return tuned


def _grid(engine: Engine, scheme: Scheme, corpus: Corpus) -> dict[Pair, float]:
    """The score of every pair of thresholds on one corpus."""
    items = read_corpus(corpus)
    clues: list[Clue] = []
    documents = list(items.documents)
    if corpus.partial:
        passages = [made for made in map(passage_of, items.problems) if made is not None]
        documents, clues = [document for document, _ in passages], [clue for _, clue in passages]
    lowest = replace(scheme, singletons=corpus.singletons, mention_threshold=MENTION_THRESHOLDS[0])
    detected = list(engine.detect(documents, lowest))
    grid: dict[Pair, float] = {}
    for mention in MENTION_THRESHOLDS:
        with one_thread():
            scored = [(d, *_antecedents(engine, mentions, mention)) for d, mentions in detected]
        for link in LINK_THRESHOLDS:
            answers = [
                document_with_entities(
                    document, some, link_by_scores(some.spans, blocks, link), lowest
                )
                for document, some, blocks in scored
            ]
            grid[mention, link] = round(_score(answers, documents, clues), 3)
    return grid


def _antecedents(
    engine: Engine, mentions: DetectedMentions, threshold: float
) -> tuple[DetectedMentions, list[ScoreBlock]]:
    """The mentions above a threshold, and the scores of their antecedents."""
    kept = np.nonzero(mentions.logits > threshold)[0]
    some = DetectedMentions(
        mentions.spans.take(kept), mentions.logits[kept], mentions.vectors[kept]
    )
    return some, list(antecedent_scores(some, engine.metadata, engine.head))


def _score(answers: list[Document], documents: list[Document], clues: list[Clue]) -> float:
    if not clues:
        return score(documents, answers, metrics=["conll"]).scores["conll"].f1
    clusters = [
        [[(mention.start, mention.end) for mention in entity.mentions] for entity in each.entities]
        for each in answers
    ]
    return gap_f1(list(zip(clues, clusters, strict=True)))


def _write(file: Path, tuned: dict[str, Any]) -> None:
    metadata = read_json(file)
    for scheme in metadata["schemes"]:
        chosen = tuned.get(scheme["name"], {})
        scheme.update({key: chosen[key] for key in ("cut_mention", "cut_link") if key in chosen})
    write_json(file, {**metadata, "tuned": tuned})
