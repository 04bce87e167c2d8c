"""Weighing the members of an ensemble from a recipe, and the folder that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from coindex.core.decision import Decision
from coindex.core.problem import Problem
from coindex.errors import InputError
from coindex.pronoun.asked import given
from coindex.pronoun.dev import Side, figure, sides
from coindex.pronoun.ensemble import Weights, choose, crossed, equal, fit
from coindex.pronoun.package import versions, write_card, write_facts
from coindex.pronoun.recipe import Dev, Member, Recipe

Decide = Callable[[Member, str, Sequence[Problem]], list[Decision]]
"""The decisions of a member on problems, with "given" or "found" candidates."""


def weigh(
    recipe: Recipe, out: Path, decide: Decide, say: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Weigh the members on the recipe's dev problems; write the folder."""
    weights, figures = {}, {}
    names = _names(recipe.member)
    for way in dict.fromkeys(dev.candidates for dev in recipe.dev):
        chosen = [dev for dev in recipe.dev if dev.candidates == way]
        ready = sides([Dev(dev.files) for dev in chosen], {"given": given})
        problems = [problem for side in ready for problem in side.problems]
        told = []
        for name, member in zip(names, recipe.member, strict=True):
            say(f"{way}: {name} on {len(problems):,} problems")
            told.append(decide(member, way, problems))
        found, title, together = _together(recipe, names, problems, told)
        weights[way] = found.json()
        every = {title: together, **dict(zip(names, told, strict=True))}
        figures[way] = {name: _figures(ready, one) for name, one in every.items()}
    members = [
        {"resolver": m.resolver, "model": _path(m.model), "veto": m.veto} for m in recipe.member
    ]
    facts = {
        "kind": "ensemble", "recipe": recipe.json(), "members": members, "weights": weights,
        "dev": figures, "versions": versions("scipy"),
    }  # fmt: skip
    write_facts(out, facts)
    done = {"folder": str(out), "weights": weights, "dev": figures}
    how = "counting alike, seen" if recipe.equal else "weighed"
    told_of = [f"{n} (veto)" if m.veto else n for n, m in zip(names, recipe.member, strict=True)]
    of = f"{', '.join(told_of)}, {how} on {', '.join(f for dev in recipe.dev for f in dev.files)}."
    write_card(out, "ensemble", of, lines(done))
    return done


def _together(
    recipe: Recipe,
    names: Sequence[str],
    problems: Sequence[Problem],
    told: Sequence[Sequence[Decision]],
) -> tuple[Weights, str, list[Decision]]:
    """The weights, what the ensemble is called in the table, and its decisions on dev."""
    pairs = list(zip(recipe.member, told, strict=True))
    voting = [decisions for member, decisions in pairs if not member.veto]
    barring = [decisions for member, decisions in pairs if member.veto]
    for name, (member, decisions) in zip(names, pairs, strict=True):
        if recipe.equal or member.veto:
            _scored(name, decisions)
    rows = list(zip(*voting, strict=True))
    no = list(zip(*barring, strict=True)) if barring else [()] * len(problems)
    if recipe.equal:
        found = equal(len(voting))
        each = zip(problems, rows, no, strict=True)
        return found, "ensemble (equal)", [choose(p, row, found, vetoes) for p, row, vetoes in each]
    found = fit(problems, rows, neither=recipe.neither)
    return found, "ensemble (crossed)", crossed(problems, rows, no, neither=recipe.neither)


def lines(done: dict[str, Any]) -> list[str]:
    """The figures for people: a line a system and a dev set."""
    return [
        f"{way} {system}: " + ", ".join(f"{name} {value:.2f}" for name, value in found.items())
        for way, systems in done["dev"].items()
        for system, found in systems.items()
    ]


def _scored(name: str, decisions: Sequence[Decision]) -> None:
    """Raise an `InputError` if a member chooses without telling scores.

    Where no found phrase stands for a candidate, a member neither chooses nor tells any.
    """
    if any(decision.chosen and decision.scores is None for decision in decisions):
        raise InputError(f"member {name}: expected scores, found a choice alone")


def _figures(ready: Sequence[Side], decisions: Sequence[Decision]) -> dict[str, float]:
    found, at = {}, 0
    for side in ready:
        found[side.name] = figure(side, decisions[at : at + len(side.asked)])
        at += len(side.asked)
    return found


def _names(members: Sequence[Member]) -> list[str]:
    """What to call members: with the name of the model's folder, or its path where two are alike.

    Several seeds of one recipe are in folders of the same names as those of another.
    """
    short = [f"{m.resolver} {Path(m.model).name}" if m.model else m.resolver for m in members]
    if len(set(short)) == len(short):
        return short
    return [f"{m.resolver} {m.model}" if m.model else m.resolver for m in members]


def _path(model: str) -> str:
    return str(Path(model).resolve()) if model else ""
