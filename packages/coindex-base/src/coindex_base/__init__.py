"""The base models of coindex: weights only, found by the entry point `coindex.models`."""

from __future__ import annotations

from pathlib import Path

MODEL = Path(__file__).parent / "model"
"""The folder of the model."""
