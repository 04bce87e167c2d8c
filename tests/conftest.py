"""What all tests share: the folder of real corpora, or a visible skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Time is measured in perf/, not here. Locally each run tries other inputs; in CI they are
# the same each time, so that a failure there is about the change at hand.
settings.register_profile(
    "coindex",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("coindex")

pytest_plugins = ["browser_fixtures", "model_fixtures"]

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora."""
    folder = Path(os.environ.get("COINDEX_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpora in {folder.name!r}: set COINDEX_DATA to their folder")
    return folder
