"""Every problem of every benchmark can be asked: as rows, each with the candidate's pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")

from coindex import benchmarks
from coindex.pronoun.pieces import Tokens
from coindex.pronoun.rows import item
from coindex.resolvers._asked import given
from coindex.resolvers.neural import SHIPPED

WINDOW = 128
UNLABELLED = {("wnli", "test")}
SPLITS = [
    (name, split)
    for name in benchmarks.names()
    for split in benchmarks.load(name).SPLITS
    if not split.startswith("train") and (name, split) not in UNLABELLED
]


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    if not (SHIPPED / "tokenizer.json").is_file():
        pytest.skip("no model is shipped whose tokenizer could be used")
    return Tokens(str(SHIPPED))


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_every_problem_has_rows_with_its_candidates(
    name: str, split: str, tokens: Tokens, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is decided or scored here."""
    monkeypatch.setenv("COINDEX_DATA", str(data))
    for asked in given(benchmarks.load(name).problems(split)):
        made = item(asked, tokens, WINDOW)
        assert len(made.rows) == len(made.right) == len(asked.problem.candidates) > 0
        assert sum(made.right) == len(asked.problem.answer or ())
        for phrase, row in zip(asked.phrases, made.rows, strict=True):
            assert row.own == tokens.of(phrase.text).pieces != ()
            assert len(row) <= WINDOW
            assert (row.pieces[0], row.pieces[-1]) == (tokens.begin, tokens.end)
            assert 1 <= row.start < row.end < len(row)
