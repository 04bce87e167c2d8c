"""The folder of a pronoun model: `model.json`, and what its kind needs besides.

attention     model.json alone: the fitted heads, and the name of the encoder
masked-lm     also weights.pt, config.json and tokenizer.json, as of `coindex train coref`
substitution  the same; exported, for use without torch: pronoun.onnx and pronoun.json instead
              of weights.pt, config.json and model.json
ensemble      model.json alone: the members and their weights

Every folder has a model card, README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from coindex import io
from coindex.errors import InputError, MissingExtra
from coindex.models.common.artifact import METADATA, ONNX_METADATA, describe_model, read_json

NETWORK = "pronoun.onnx"
CARD = "README.md"
Part = TypeVar("Part")


def read_metadata(folder: Path, kind: str | None = None, name: str = METADATA) -> dict[str, Any]:
    """The content of `model.json`, or of `pronoun.json`, of a model of a kind."""
    file = folder / name
    if not file.is_file():
        raise InputError(f"{folder}: expected a pronoun model with {name}, found none")
    metadata = read_json(file)
    if kind is not None:
        describe_model(folder).expect(kind)
    if "kind" not in metadata:
        raise InputError(f"{file}: expected a model of `coindex train pronoun`")
    return metadata


def is_exported(folder: Path, kind: str) -> bool:
    """Whether a folder holds a model of a kind that runs without torch."""
    return kind == "substitution" and (folder / ONNX_METADATA).is_file()


def missing(model: str | None, kind: str) -> str | None:
    """What a resolver of a kind needs and does not have: torch, or a folder of this kind."""
    if model is not None and is_exported(Path(model), kind):
        return None
    for name in ("torch", "transformers"):
        if kind != "ensemble" and find_spec(name) is None:
            return str(MissingExtra(name, "train"))
    if model is None:
        return f"{kind}: no model is shipped: train one (coindex train pronoun) and name its folder"
    try:
        read_metadata(Path(model), kind)
    except InputError as error:
        return str(error)
    return None


def for_candidates(folder: Path, fitted: Mapping[str, Part], candidates: str, what: str) -> Part:
    """The part of a model that was fitted for given or for found candidates.

    what    for the message: `its heads are fitted`
    """
    if candidates not in fitted:
        raise InputError(
            f"{folder}: {what} for {', '.join(fitted) or 'no'} candidates, expected {candidates}"
        )
    return fitted[candidates]


def write_fitted_card(out: Path, kind: str, summary: str, lines: Iterable[str]) -> None:
    """Write the card of a model that is fitted and not trained."""
    text = [f"# A pronoun model of coindex: {kind}", "", summary, "", "```", *lines, "```", ""]
    io.write_text(out / CARD, ["\n".join(text)])


def write_trained_card(out: Path, metadata: Mapping[str, Any]) -> None:
    """Write the card of a trained model."""
    recipe = metadata["recipe"]
    base = _base_name(recipe["encoder"]) or f"the model {_base_name(recipe['start'])}"
    lines = [
        f"# A pronoun model of coindex: {metadata['kind']}", "",
        f"Trained from {base}, {metadata['parameters']:,} parameters, seed {metadata['seed']}.", "",
        "| stage | best epoch | loss | perplexity | dev |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for row in metadata["stages"]:
        dev = ", ".join(f"{name} {value}" for name, value in row.get("dev", {}).items())
        lines.append(
            f"| {row['stage']} | {row['of stage']} | {row['loss']} |"
            f" {row.get('perplexity', '')} | {dev} |"
        )
    lines += ["", "## Data", ""]
    for name, remarks in metadata["left out"].items():
        lines.append(f"- {name}: {'; '.join(remarks)}. sha256 {metadata['data'][name][:16]}")
    for name, lost in metadata["lost"].items():
        lines.append(f"- dev {name}: {lost} % of the right names are not among the candidates")
    if metadata.get("neither") is not None:
        lines += ["", f'"Neither" is said below a score of {metadata["neither"]:.4f}.']
    if metadata.get("probes"):
        right = sum(each["sense"] for each in metadata["probes"])
        lines += ["", "## Probes", "", f"{right} of {len(metadata['probes'])} make sense.", ""]
        lines += [f"- {each['text']}: {', '.join(each['fills'])}" for each in metadata["probes"]]
    made = ", ".join(f"{name} {number}" for name, number in metadata["versions"].items())
    io.write_text(out / CARD, ["\n".join([*lines, "", f"Made with {made}.", ""])])


def _base_name(name: str) -> str:
    """A hub name as it is; of an absolute path its last part, not where it was on a machine."""
    return Path(name).name if Path(name).is_absolute() else name
