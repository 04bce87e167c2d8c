"""The build stops where weights are missing or too large: an empty wheel would install silently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED = ("model.json", "encoder.onnx", "head.npz", "tokenizer.json")
MAX_FILE = 50_000_000
MAX_WHEEL = 100_000_000


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc, type-arg, unused-ignore]
    """Checks the folder of the model before a wheel is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stop with a message if the model is not complete."""
        folder = Path(self.root) / "src" / "coindex_base" / "model"
        message = fault(folder)
        if message:
            raise SystemExit(f"coindex-base: {message}")


def fault(folder: Path) -> str | None:
    """What is wrong with the weights of a folder; None if nothing is."""
    needed = list(NEEDED)
    index = folder / "encoder.json"
    if index.is_file():
        needed += json.loads(index.read_text(encoding="utf-8"))["files"]
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing:
        return (
            f"{folder} lacks {', '.join(missing)}: export a model there first"
            " (coindex train export FOLDER -o packages/coindex-base/src/coindex_base/model)"
        )
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    large = [name for name, size in sizes.items() if size > MAX_FILE]
    if large:
        return f"{', '.join(large)}: expected files of at most {MAX_FILE:,} bytes"
    total = sum(sizes.values())
    if total > MAX_WHEEL:
        return f"{folder}: expected at most {MAX_WHEEL:,} bytes, found {total:,}"
    return None
