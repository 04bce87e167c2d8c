"""The folder of a pronoun model: `model.json`, and what its kind needs beside it.

attention     model.json alone: the fitted heads, and where the encoder is
masked-lm     also weights.pt, config.json and tokenizer.json, as of `coindex train coref`
substitution  the same; exported, for use without torch: pronoun.onnx and pronoun.json in
              the stead of weights.pt, config.json and model.json
ensemble      model.json alone: the members and their weights
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from coindex import __version__, io
from coindex.errors import InputError

FACTS = "model.json"
LIGHT = "pronoun.json"
"""What is told of an exported model, which may lie beside a coreference model."""
NETWORK, TOKENIZER = "pronoun.onnx", "tokenizer.json"


def write_facts(out: Path, facts: Mapping[str, Any], name: str = FACTS) -> None:
    """Write `model.json`, or `pronoun.json`."""
    io.make_folder(out)
    io.write_text(out / name, [json.dumps(dict(facts), indent=1), "\n"])


def write_card(out: Path, kind: str, of: str, told: Iterable[str]) -> None:
    """A card for people, of models that are fitted and not trained: what of, and its lines."""
    lines = [f"# A pronoun model of coindex: {kind}", "", of, "", "```", *told, "```", ""]
    io.write_text(out / "README.md", ["\n".join(lines)])


def way_of(folder: Path, known: Mapping[str, Any], way: str, what: str) -> Any:
    """What a folder has for given or found candidates; `what` says what was done for them."""
    if way not in known:
        raise InputError(
            f"{folder}: {what} for {', '.join(known) or 'no'} candidates, expected {way}"
        )
    return known[way]


def facts_of(folder: Path, kind: str | None = None, name: str = FACTS) -> dict[str, Any]:
    """What `model.json`, or `pronoun.json`, says of a model of a kind."""
    file = folder / name
    if not file.is_file():
        raise InputError(f"{folder}: expected a pronoun model with {name}, found none")
    try:
        facts = json.loads(io.read_text(file))
    except ValueError as error:
        raise InputError(f"{file}: expected JSON: {error}") from None
    if not isinstance(facts, dict) or "kind" not in facts:
        raise InputError(f"{file}: expected a model of `coindex train pronoun`")
    if kind is not None and facts["kind"] != kind:
        raise InputError(f"{file}: expected a model of the kind {kind}, found {facts['kind']}")
    return facts


def missing(model: str | None, kind: str) -> str | None:
    """What a resolver of a kind lacks with a model's folder, if anything."""
    if model is None:
        return f"{kind}: no model is shipped: train one (coindex train pronoun) and name its folder"
    try:
        facts_of(Path(model), kind)
    except InputError as error:
        return str(error)
    return None


def digest(folder: Path, name: str = FACTS) -> str:
    """A short name for exactly this model, for signatures."""
    return sha256((folder / name).read_bytes()).hexdigest()[:8]


def versions(*packages: str) -> dict[str, str]:
    """What the model was made with."""
    return {"coindex": __version__, **{name: version(name) for name in packages}}
