"""The base models of coindex: weights only, found by the entry point `coindex.models`."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.2.0"

MODEL = Path(__file__).parent / "model"
"""The folder of the model."""
