"""Everything learned: recipes, training, artifacts and inference.

`open_model(path)` states what a model's folder or file holds; nothing heavy is imported.
"""

from __future__ import annotations

from os import PathLike

from coindex.models.common.artifact import (
    COREF,
    MENTION_PAIR,
    PARSER,
    PRONOUN_KINDS,
    Artifact,
    describe_model,
)
from coindex.models.common.installed_models import find_model

__all__ = ["COREF", "MENTION_PAIR", "PARSER", "PRONOUN_KINDS", "Artifact", "open_model"]


def open_model(path: str | PathLike[str]) -> Artifact:
    """The kind and the metadata of a model by its name or path, or an `InputError` if there is none."""
    return describe_model(find_model(path))
