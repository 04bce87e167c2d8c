"""The pseudo-labels of the recipe `adapters` are stored, and can be joined to their problems."""

from __future__ import annotations

from pathlib import Path

import pytest
from research.models import pseudo_labels

from coindex import formats
from coindex.errors import InputError
from coindex.models.pronoun.recipe import load_recipe
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


def problem(name: str, answer: tuple[int, ...] | None) -> Problem:
    """A problem of two names."""
    text = "Anna thanked Susan before she left."
    names = Candidate("Anna", Chars(0, 4)), Candidate("Susan", Chars(13, 18))
    return Problem(name, text, Chars(26, 29), names, answer)


def test_stored_answers_are_joined_to_their_problems(tmp_path: Path) -> None:
    built = [problem(name, None) for name in ("1-7", "2-9", "a b")]
    taught = [problem("1-7", (1,)), problem("a b", (0,))]
    for name, each in (("built", built), ("taught", taught)):
        formats.write(str(tmp_path / f"{name}.jsonl"), each, "problem-jsonl")
    stored, again = tmp_path / "stored.xz", tmp_path / "again.jsonl"
    assert pseudo_labels.store(str(tmp_path / "taught.jsonl"), stored) == 2
    assert pseudo_labels.answers(stored) == {"1-7": 1, "a b": 0}
    assert pseudo_labels.join(str(tmp_path / "built.jsonl"), str(again), stored) == 2
    assert again.read_bytes() == (tmp_path / "taught.jsonl").read_bytes()


def test_missing_problems_are_an_error(tmp_path: Path) -> None:
    file = str(tmp_path / "built.jsonl")
    formats.write(file, [problem("1-7", None)], "problem-jsonl")
    with pytest.raises(InputError, match=r"built.jsonl: expected the 8,655 problems.*8,655 of"):
        pseudo_labels.join(file, str(tmp_path / "out.jsonl"))
    assert not (tmp_path / "out.jsonl").exists()


def test_the_answers_that_the_recipe_adapters_reads_are_stored() -> None:
    assert "gap.taught.jsonl" in load_recipe("adapters").stage[1].files
    found = pseudo_labels.answers()
    assert len(found) == 8655
    assert set(found.values()) == {0, 1}
