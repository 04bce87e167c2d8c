"""What people read of a model: a line an epoch, a card at the end, probes of a head."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from coindex.pronoun.masked import MaskedLM
from coindex.pronoun.weights import Model


def line(row: Mapping[str, Any], epochs: int) -> str:
    """A row of the log."""
    text = f"stage {row['stage']}, epoch {row['of stage']}/{epochs}: loss {row['loss']:.3f}"
    if "perplexity" in row:
        text += f", perplexity {row['perplexity']:.2f}"
    text += f", {row['seconds']} s"
    dev = row.get("dev")
    if not dev:
        return text
    each = ", ".join(f"{name} {value:.1f}" for name, value in dev.items() if name != "mean")
    return f"{text}; dev {dev['mean']:.1f} ({each}){' best so far' if row.get('best') else ''}"


def probe_list() -> list[tuple[str, tuple[str, ...]]]:
    """Sentences with a gap, and the words that make sense there."""
    text = files("coindex.pronoun").joinpath("probes.txt").read_text(encoding="utf-8")
    rows = [row for row in text.splitlines() if row.strip() and not row.startswith("#")]
    return [(one, tuple(two.split())) for one, _, two in (row.partition("\t") for row in rows)]


def probes(model: Model) -> list[dict[str, Any]]:
    """What the head puts into each gap, and whether one of its five words makes sense."""
    if not isinstance(model, MaskedLM):
        return []
    found = []
    for sentence, sense in probe_list():
        words = model.fills(sentence)
        found.append({"text": sentence, "fills": words, "sense": not set(sense).isdisjoint(words)})
    return found


def _name(place: str) -> str:
    """A hub name as it is; of a folder its own name, not where it was on some machine."""
    return Path(place).name if Path(place).is_absolute() else place


def card(facts: Mapping[str, Any]) -> str:
    """The model card, in Markdown."""
    recipe = facts["recipe"]
    base = _name(recipe["encoder"]) or f"the model {_name(recipe['start'])}"
    lines = [
        f"# A pronoun model of coindex: {facts['kind']}", "",
        f"Trained from {base}, {facts['parameters']:,} parameters, seed {facts['seed']}.", "",
        "| stage | best epoch | loss | perplexity | dev |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for row in facts["stages"]:
        dev = ", ".join(f"{name} {value}" for name, value in row.get("dev", {}).items())
        lines.append(
            f"| {row['stage']} | {row['of stage']} | {row['loss']} |"
            f" {row.get('perplexity', '')} | {dev} |"
        )
    lines += ["", "## Data", ""]
    for name, remarks in facts["left out"].items():
        lines.append(f"- {name}: {'; '.join(remarks)}. sha256 {facts['data'][name][:16]}")
    for name, lost in facts["lost"].items():
        lines.append(f"- dev {name}: {lost} % of the right names are not among the candidates")
    if facts.get("neither") is not None:
        lines += ["", f'"Neither" is said below a score of {facts["neither"]:.4f}.']
    if facts.get("probes"):
        right = sum(each["sense"] for each in facts["probes"])
        lines += ["", "## Probes", "", f"{right} of {len(facts['probes'])} make sense.", ""]
        lines += [f"- {each['text']}: {', '.join(each['fills'])}" for each in facts["probes"]]
    made = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return "\n".join([*lines, "", f"Made with {made}.", ""])
