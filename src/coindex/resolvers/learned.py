"""Resolvers of pronoun problems by a trained model: attention, masked-lm and substitution."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import tee
from pathlib import Path

from coindex.assets import DEFAULT_MODEL
from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, digest
from coindex.models.common.installed_models import find_model, model_label
from coindex.models.pronoun import artifact
from coindex.models.pronoun.attention import (
    AttentionEncoder,
    FittedHeads,
    choose_phrase,
    parse_fitted_heads,
)
from coindex.models.pronoun.infer import PronounScorer, load_scorer
from coindex.models.pronoun.query import CandidateFinder, decide_by_scores
from coindex.resolvers.parsed_problem import candidate_finder
from coindex.resolvers.protocol import ResolverSettings
from coindex.types.decision import Decision
from coindex.types.problem import Problem


@dataclass(frozen=True, slots=True)
class PhraseScoringResolver:
    """Chooses the phrase that a model scores best."""

    signature: str
    find: CandidateFinder
    scorer: PronounScorer

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        queries, again = tee(self.find(problems))
        for query, scores in zip(queries, self.scorer.score(again), strict=True):
            yield decide_by_scores(query, scores, self.scorer.threshold)


@dataclass(frozen=True, slots=True)
class AttentionResolver:
    """Decides by the attention of candidates to the pronoun."""

    signature: str
    find: CandidateFinder
    encoder: AttentionEncoder
    heads: FittedHeads
    multi: bool

    def decide(self, problems: Iterable[Problem]) -> Iterator[Decision]:
        """One decision for each problem, in their order."""
        for query in self.find(problems):
            (weights,) = self.encoder.weigh([query])
            yield query.decision(choose_phrase(query, weights, self.heads, multi=self.multi))


def missing_model(settings: ResolverSettings, kind: str) -> str | None:
    """What a resolver needs and does not have: torch, or a folder with a model of this kind."""
    return artifact.missing(_model(settings, kind), kind)


def model_folder(settings: ResolverSettings, kind: str) -> Path:
    """The folder of the model, or an `InputError` if something is missing."""
    missing = missing_model(settings, kind)
    if missing:
        raise InputError(missing)
    return Path(_model(settings, kind) or "")


def _model(settings: ResolverSettings, kind: str) -> str | None:
    """The model in the settings, else the shipped one if it is of this kind."""
    if settings.model is None and not artifact.is_exported(DEFAULT_MODEL, kind):
        return None
    return str(find_model(settings.model))


def phrase_scoring_resolver(settings: ResolverSettings, kind: str) -> PhraseScoringResolver:
    """The resolver of a masked-lm or substitution model."""
    folder = model_folder(settings, kind)
    find, depends = candidate_finder(settings)
    threads = settings.threads or os.cpu_count() or 1
    scorer = load_scorer(folder, kind, threads, settings.device)
    signature = f"{kind}|{depends}|model:{model_label(folder)}-{scorer.digest}"
    return PhraseScoringResolver(signature, find, scorer)


def attention_resolver(name: str, settings: ResolverSettings, *, multi: bool) -> AttentionResolver:
    """The resolver of fitted heads."""
    folder = model_folder(settings, "attention")
    metadata = artifact.read_metadata(folder, "attention")
    fits = metadata.get("fits", {})
    fitted = artifact.for_candidates(folder, fits, settings.candidates, "its heads are fitted")
    find, depends = candidate_finder(settings)
    heads = parse_fitted_heads(fitted, str(folder / METADATA))
    model = f"{Path(metadata['encoder']).name}-{digest(folder / METADATA)}"
    encoder = AttentionEncoder(metadata["encoder"], layers=heads.depth(multi=multi))
    return AttentionResolver(f"{name}|{depends}|model:{model}", find, encoder, heads, multi)
