"""Fitting the weights of an ensemble's members from a recipe, and writing the model's folder."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, versions, write_json
from coindex.models.pronoun import ensemble
from coindex.models.pronoun.artifact import write_fitted_card
from coindex.models.pronoun.query import own_candidates
from coindex.models.pronoun.recipe import Dev, Member, Recipe
from coindex.models.pronoun.train.dev_sets import DevSet, dev_score, load_dev_sets
from coindex.types.decision import Decision
from coindex.types.problem import Problem

logger = logging.getLogger(__name__)

MemberDecisions = Callable[[Member, str, Sequence[Problem]], list[Decision]]
"""The decisions of a member on problems, with "given" or "found" candidates."""


def fit_ensemble(
    recipe: Recipe, out: Path, decide: MemberDecisions
) -> tuple[dict[str, Any], list[str]]:
    """Fit the members' weights on the recipe's dev problems; write the folder.

    Returns the result as plain values, and the dev scores as lines.
    """
    weights, scores = {}, {}
    names = _member_names(recipe.member)
    for candidates in dict.fromkeys(dev.candidates for dev in recipe.dev):
        chosen = [Dev(dev.files) for dev in recipe.dev if dev.candidates == candidates]
        dev_sets = load_dev_sets(chosen, {"given": own_candidates})
        problems = [problem for dev in dev_sets for problem in dev.problems]
        decisions = []
        for name, member in zip(names, recipe.member, strict=True):
            logger.info(f"{candidates}: {name} on {len(problems):,} problems")
            decisions.append(decide(member, candidates, problems))
        fitted, title, combined = _combine(recipe, names, problems, decisions)
        weights[candidates] = asdict(fitted)
        systems = {title: combined, **dict(zip(names, decisions, strict=True))}
        scores[candidates] = {name: _dev_scores(dev_sets, own) for name, own in systems.items()}
    members = [
        {"resolver": m.resolver, "model": str(Path(m.model).resolve()) if m.model else "",
         "veto": m.veto}
        for m in recipe.member
    ]  # fmt: skip
    metadata = {
        "kind": "ensemble", "recipe": asdict(recipe), "members": members, "weights": weights,
        "dev": scores, "versions": versions("scipy"),
    }  # fmt: skip
    write_json(out / METADATA, metadata)
    lines = [
        f"{candidates} {system}: " + ", ".join(f"{name} {value:.2f}" for name, value in own.items())
        for candidates, systems_of in scores.items()
        for system, own in systems_of.items()
    ]
    write_fitted_card(out, "ensemble", _summary(recipe, names), lines)
    return {"folder": str(out), "weights": weights, "dev": scores}, lines


def _summary(recipe: Recipe, names: Sequence[str]) -> str:
    how = "with equal weights, scored" if recipe.equal else "weighed"
    shown = [f"{n} (veto)" if m.veto else n for n, m in zip(names, recipe.member, strict=True)]
    return f"{', '.join(shown)}, {how} on {', '.join(f for dev in recipe.dev for f in dev.files)}."


def _combine(
    recipe: Recipe,
    names: Sequence[str],
    problems: Sequence[Problem],
    decisions: Sequence[Sequence[Decision]],
) -> tuple[ensemble.MemberWeights, str, list[Decision]]:
    """The weights, the name of the ensemble in the table, and its decisions on dev."""
    pairs = list(zip(recipe.member, decisions, strict=True))
    voting = [own for member, own in pairs if not member.veto]
    vetoing = [own for member, own in pairs if member.veto]
    for name, (member, own) in zip(names, pairs, strict=True):
        if recipe.equal or member.veto:
            _check_scores(name, own)
    rows = list(zip(*voting, strict=True))
    vetoes = list(zip(*vetoing, strict=True)) if vetoing else [()] * len(problems)
    if recipe.equal:
        weights = ensemble.equal_weights(len(voting))
        each = zip(problems, rows, vetoes, strict=True)
        combined = [ensemble.choose_candidate(p, row, weights, veto) for p, row, veto in each]
        return weights, "ensemble (equal)", combined
    weights = ensemble.fit_weights(problems, rows, neither=recipe.neither)
    combined = ensemble.cross_validated(problems, rows, vetoes, neither=recipe.neither)
    return weights, "ensemble (crossed)", combined


def _check_scores(name: str, decisions: Sequence[Decision]) -> None:
    """Raise an `InputError` if a member chooses without scores.

    Where no detected phrase matches a candidate, a member neither chooses nor has scores.
    """
    if any(decision.chosen and decision.scores is None for decision in decisions):
        raise InputError(f"member {name}: expected scores, found a choice alone")


def _dev_scores(dev_sets: Sequence[DevSet], decisions: Sequence[Decision]) -> dict[str, float]:
    scores, at = {}, 0
    for dev in dev_sets:
        scores[dev.name] = dev_score(dev, decisions[at : at + len(dev.queries)])
        at += len(dev.queries)
    return scores


def _member_names(members: Sequence[Member]) -> list[str]:
    """The names of members, with the name of the model's folder, or its path if names repeat."""
    short = [f"{m.resolver} {Path(m.model).name}" if m.model else m.resolver for m in members]
    if len(set(short)) == len(short):
        return short
    return [f"{m.resolver} {m.model}" if m.model else m.resolver for m in members]
