"""A corpus of ten stories, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

import training_samples as samples


@pytest.fixture(scope="session", autouse=True)
def _on_one_thread(one_thread: None) -> None:
    """All tests here."""


@pytest.fixture(scope="session")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten stories, a CoNLL file each."""
    return samples.corpus(tmp_path_factory.mktemp("stories"))
