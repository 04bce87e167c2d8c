"""The answers that taught the shipped pronoun model are kept, and go back to their problems."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coindex import formats
from coindex.core.problem import Candidate, Problem
from coindex.core.span import Chars
from coindex.errors import InputError
from coindex.pronoun import shipped

MODELS = Path(__file__).parents[2] / "models"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The script."""
    monkeypatch.syspath_prepend(str(MODELS))
    yield importlib.import_module("pronoun_taught")
    sys.modules.pop("pronoun_taught")


def problem(name: str, answer: tuple[int, ...] | None) -> Problem:
    """A problem of two names."""
    text = "Anna thanked Susan before she left."
    names = Candidate("Anna", Chars(0, 4)), Candidate("Susan", Chars(13, 18))
    return Problem(name, text, Chars(26, 29), names, answer)


def test_answers_go_back_to_their_problems(module: Any, tmp_path: Path) -> None:
    built = [problem(name, None) for name in ("1-7", "2-9", "a b")]
    taught = [problem("1-7", (1,)), problem("a b", (0,))]
    for name, each in (("built", built), ("taught", taught)):
        formats.write(str(tmp_path / f"{name}.jsonl"), each, "problem-jsonl")
    kept, again = tmp_path / "kept.xz", tmp_path / "again.jsonl"
    assert module.keep(str(tmp_path / "taught.jsonl"), kept) == 2
    assert module.answers(kept) == {"1-7": 1, "a b": 0}
    assert module.join(str(tmp_path / "built.jsonl"), str(again), kept) == 2
    assert again.read_bytes() == (tmp_path / "taught.jsonl").read_bytes()


def test_problems_that_are_not_there_are_missed(module: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "built.jsonl")
    formats.write(file, [problem("1-7", None)], "problem-jsonl")
    with pytest.raises(InputError, match=r"built.jsonl: expected the 8,655 problems.*8,655 of"):
        module.join(file, str(tmp_path / "out.jsonl"))
    assert not (tmp_path / "out.jsonl").exists()


def test_those_of_the_shipped_model_are_kept(module: Any) -> None:
    recipe = json.loads((shipped.FOLDER / "pronoun.json").read_text())["recipe"]
    assert "gap.taught.jsonl" in recipe["stage"][1]["files"]
    found = module.answers()
    assert len(found) == 8655
    assert set(found.values()) == {0, 1}
