"""A tiny encoder and a corpus of ten stories, made once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import training_samples as samples

WHY = "needs torch: pip install 'coindex[train]'"


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny matrices are slower on two threads, and other work is running."""
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder's folder."""
    for package in ("torch", "transformers", "tokenizers"):
        pytest.importorskip(package, reason=WHY)
    return samples.encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten stories, a CoNLL file each."""
    return samples.corpus(tmp_path_factory.mktemp("stories"))
