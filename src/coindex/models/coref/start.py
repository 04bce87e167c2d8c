"""The model that a recipe starts from: its sizes and schemes complete the recipe.

A start is `default` (the shipped model), `base`, an exported folder or one that training wrote.
Sizes and windows are the model's. The schemes of the recipe follow those of the model; the
parameters of a new one begin as those of `new_schemes_from`, by default the model's own default
scheme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex.errors import InputError
from coindex.models.common.artifact import COREF, describe_model
from coindex.models.common.installed_models import find_model
from coindex.models.coref.artifact import inference_metadata

HEAD_SIZES = ("hidden", "span", "width", "fine")
WINDOW_SIZES = ("window", "overlap")


@dataclass(frozen=True, slots=True)
class StartModel:
    """What is known of a model before its weights are read.

    trained   the metadata that training wrote: sizes, recipe, schemes, checksums of the data
    rows      the schemes as inference knows them, some of which share a number
    default   the scheme that is used by default
    """

    folder: Path
    exported: bool
    trained: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    default: str

    @property
    def schemes(self) -> tuple[str, ...]:
        """The schemes in the order of their numbers."""
        return tuple(self.trained["head"]["schemes"])

    def row(self, name: str) -> Mapping[str, Any]:
        """A scheme as inference knows it."""
        for row in self.rows:
            if row["name"] == name:
                return row
        known = ", ".join(str(row["name"]) for row in self.rows)
        raise InputError(f"{self.folder}: expected one of its schemes ({known}), found {name!r}")

    def numbers(self, names: Sequence[str], model: str) -> list[int]:
        """For each scheme of a recipe, the scheme whose parameters it begins with.

        model   the scheme for those that the model does not know
        """
        known = {str(row["name"]): int(row["number"]) for row in self.rows}
        other = int(self.row(model or self.default)["number"])
        return [known.get(name, other) for name in names]


def read_start(name: str) -> StartModel:
    """The model of a name or folder."""
    folder = find_model(name)
    artifact = describe_model(folder)
    artifact.expect(COREF)
    exported = "trained" in artifact.metadata
    trained = artifact.metadata["trained"] if exported else artifact.metadata
    missing = [key for key in ("head", "recipe", "schemes") if key not in trained]
    if missing:
        raise InputError(
            f"{folder}: expected a model that can be trained on, found no {missing[0]}"
        )
    metadata = artifact.metadata if exported else inference_metadata(trained)
    return StartModel(folder, exported, trained, tuple(metadata["schemes"]), metadata["default"])


def complete_recipe(values: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The plain values of a recipe with what follows from the model that it starts from."""
    start = read_start(str(values["start"]))
    own = {name: start.trained["head"][name] for name in HEAD_SIZES}
    own |= {name: start.trained["recipe"][name] for name in WINDOW_SIZES}
    for name, value in own.items():
        if values.get(name, value) != value:
            raise InputError(
                f"{source}: {name} must be that of {values['start']}, {value},"
                f" found {values[name]!r}"
            )
    tables = values.get("train", [])
    rows = [row for row in tables if isinstance(row, Mapping) and not row.get("partial")]
    used = [str(row.get("scheme", "default")) for row in rows]
    schemes = values.get("schemes") or list(dict.fromkeys([*start.schemes, *used]))
    start.row(str(values.get("new_schemes_from") or start.default))
    first = {name: used[0] for name in ("plain", "single") if used}
    return {**first, **values, **own, "schemes": schemes}


def scheme_rows(start: StartModel, recipe: Any) -> list[dict[str, Any]]:
    """The schemes of a model that was trained on, as inference knows them.

    Those of the start keep their thresholds. New ones begin with those of `new_schemes_from`, but
    are no everyday schemes: what they annotate was learnt.
    """
    names = list(recipe.all_schemes())
    single = {c.scheme: c.singletons for c in recipe.train if not (c.partial or c.unlabelled)}
    by_name = {str(row["name"]): row for row in start.rows}
    model = dict(start.row(recipe.new_schemes_from or start.default))
    rows = []
    for number, name in enumerate(names):
        row = dict(by_name.get(name, {**model, "everyday": False, "singletons": True}))
        if name in single:
            row["singletons"] = single[name]
        rows.append({**row, "name": name, "number": number})
    for known in start.rows:
        owner = start.schemes[int(known["number"])]
        if known["name"] not in names and owner in names:
            rows.append({**known, "number": names.index(owner)})
    return rows
