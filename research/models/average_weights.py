"""The mean of the weights of several runs from one start: `average_weights OUT FOLDER FOLDER...`.

Runs that begin with the same weights and differ in the order of their batches end close enough
for their mean to be a model, mostly a better one (Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import torch


def average(out: Path, folders: list[Path]) -> None:
    """Write the mean of trained folders; the metadata is that of the first."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json", "model.json"):
        shutil.copy(folders[0] / name, out / name)
    weights = [torch.load(f / "weights.pt", weights_only=True, map_location="cpu") for f in folders]
    mean = {
        name: torch.stack([each[name].float() for each in weights]).mean(0).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in weights[0].items()
    }
    torch.save(mean, out / "weights.pt")
    metadata = json.loads((out / "model.json").read_text(encoding="utf-8"))
    metadata["average_of"] = [folder.name for folder in folders]
    (out / "model.json").write_text(json.dumps(metadata, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Average the folders that the arguments name."""
    out, *folders = map(Path, sys.argv[1:])
    average(out, folders)


if __name__ == "__main__":
    main()
