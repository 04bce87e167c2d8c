"""Pronoun problems in a file, and a cache of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import training_samples as samples


@pytest.fixture(scope="session", autouse=True)
def _on_one_thread(one_thread: None) -> None:
    """All tests here."""


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Parses are kept away from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COINDEX_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty-two problems, each with one right name."""
    found = [samples.problem(number) for number in range(32)]
    folder = tmp_path_factory.mktemp("problems")
    return samples.write(folder / "problems.jsonl", found, "problem-jsonl")
