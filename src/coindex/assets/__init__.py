"""The shipped model: weights for coreference resolution and for pronoun problems."""

from __future__ import annotations

from pathlib import Path

DEFAULT_MODEL = Path(__file__).parent / "default"
"""The folder of the shipped model; both tasks share its encoder and its tokenizer."""
