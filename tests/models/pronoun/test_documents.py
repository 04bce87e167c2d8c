"""Problems that are made of documents with entities."""

from __future__ import annotations

from pathlib import Path

import pytest

import training_samples as samples
from coindex import datasets, formats
from coindex.models.pronoun.train.problems import (
    MAX_WORDS,
    MAX_WRONG,
    problems_from_documents,
    read_problems,
)
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Problem
from coindex.types.span import Chars

SENTENCES = [
    ["Ann", "met", "the", "old", "queen", "."],
    ["She", "bowed", "."],
    ["Then", "Ann", "gave", "her", "a", "rose", "and", "the", "queen", "smiled", "."],
    ["It", "rained", "."],
]
ANN = Entity((Mention.at(0, 1), Mention.at(6, 7), Mention.at(10, 11)), "ann")
QUEEN = Entity((Mention.at(2, 5), Mention.at(12, 13), Mention.at(16, 18)), "queen")
ROSE = Entity((Mention.at(13, 15),), "rose")


def story(*entities: Entity) -> Document:
    return Document.of("d", SENTENCES, entities)


def test_hard_pronouns_become_problems() -> None:
    first, second = problems_from_documents([story(ANN, QUEEN, ROSE)])
    assert (first.id, first.pronoun, first.group) == ("d:6", "She", "feminine")
    assert first.text == "Ann met the old queen .\nShe bowed ."
    assert [c.text for c in first.candidates] == ["Ann", "the old queen"]
    assert first.answer == (0,)
    assert (second.pronoun, second.answer) == ("her", (0,))
    assert [c.text for c in second.candidates] == ["the old queen", "Ann"]  # the nearer Ann
    for problem in (first, second):
        for candidate in problem.candidates:
            assert candidate.chars is not None
            assert candidate.chars.of(problem.text) == candidate.text


def test_what_comes_before_is_nearer_than_what_comes_after() -> None:
    queen = Entity((Mention.at(12, 13), Mention.at(16, 18)), "queen")
    found = [p for p in problems_from_documents([story(ANN, queen)]) if p.pronoun == "her"]
    assert [[c.text for c in p.candidates] for p in found] == [["Ann", "the queen"]]


def test_the_form_must_not_give_the_answer_away() -> None:
    """A rose is never called "she", so without the queen there is nothing to choose."""
    assert not list(problems_from_documents([story(ANN, ROSE)]))


def test_pronouns_without_a_phrase_are_left_out() -> None:
    alone = Entity((Mention.at(6, 7),), "she")
    assert not list(problems_from_documents([story(alone, QUEEN)]))
    assert not list(problems_from_documents([story()]))


def test_files_of_documents_are_read(tmp_path: Path) -> None:
    path = samples.write(tmp_path / "a.jsonl", [story(ANN, QUEEN)], "document-jsonl")
    assert read_problems(str(path)) == tuple(problems_from_documents([story(ANN, QUEEN)]))


def test_every_problem_of_litbank(data_folder: Path) -> None:
    found: list[Problem] = []
    for path in sorted(datasets.paths("litbank", "conll"))[:20]:
        found += problems_from_documents(
            item for item in formats.read(path) if isinstance(item, Document)
        )
    assert len(found) > 200
    for each in found:
        texts = [c.text for c in each.candidates]
        assert 2 <= len(texts) <= MAX_WRONG + 1
        assert all(len(text.split()) <= MAX_WORDS for text in texts)
        assert isinstance(each.target, Chars)
        right = texts[(each.answer or (0,))[0]].casefold()
        assert [text.casefold() for text in texts].count(right) == 1


@pytest.fixture
def data_folder(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    return data
