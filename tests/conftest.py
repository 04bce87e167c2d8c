"""What all tests share: the folder of real corpora, or a visible skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("coindex", deadline=None)  # time is measured in perf/, not here
settings.load_profile("coindex")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora."""
    folder = Path(os.environ.get("COINDEX_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpora in {folder.name!r}: set COINDEX_DATA to their folder")
    return folder
