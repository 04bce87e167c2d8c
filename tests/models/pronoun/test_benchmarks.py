"""Every problem of every benchmark can be asked: as rows, each with the candidate's pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")

from coindex import benchmarks
from coindex.assets import DEFAULT_MODEL as SHIPPED
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun.candidate_rows import problem_rows
from coindex.resolvers.parsed_problem import given_candidates

WINDOW = 128
UNLABELLED = {("wnli", "test")}
SPLITS = [
    (name, split)
    for name in benchmarks.names("problems")
    for split in benchmarks.load(name).SPLITS
    if not split.startswith("train") and (name, split) not in UNLABELLED
]


@pytest.fixture(scope="module")
def tokens() -> TextTokenizer:
    if not (SHIPPED / "tokenizer.json").is_file():
        pytest.skip("no model is shipped whose tokenizer could be used")
    return TextTokenizer(str(SHIPPED))


@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_every_problem_has_rows_with_its_candidates(
    name: str, split: str, tokens: TextTokenizer, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is decided or scored here."""
    monkeypatch.setenv("COINDEX_DATA", str(data))
    for asked in given_candidates(benchmarks.load(name).problems(split)):
        made = problem_rows(asked, tokens, WINDOW)
        assert len(made.rows) == len(made.right) == len(asked.problem.candidates) > 0
        assert sum(made.right) == len(asked.problem.answer or ())
        for phrase, row in zip(asked.phrases, made.rows, strict=True):
            assert row.own == tokens.of(phrase.text).subwords != ()
            assert len(row) <= WINDOW
            assert (row.subwords[0], row.subwords[-1]) == (tokens.begin[0], tokens.end)
            assert 1 <= row.start < row.end < len(row)
