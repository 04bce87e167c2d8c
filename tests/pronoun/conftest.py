"""A tiny encoder, and pronoun problems in a file."""

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


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Parses are kept away from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COINDEX_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder's folder."""
    for package in ("torch", "transformers", "tokenizers"):
        pytest.importorskip(package, reason=WHY)
    return samples.encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty-two problems, each with one right name."""
    found = [samples.problem(number) for number in range(32)]
    folder = tmp_path_factory.mktemp("problems")
    return samples.write(folder / "problems.jsonl", found, "problem-jsonl")
