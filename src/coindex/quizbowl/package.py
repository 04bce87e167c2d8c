"""A model as one file: a zip of `model.json`, numpy arrays and the CRF's own bytes.

Nothing in it is code, and nothing is run when it is read. Before use, every part is
checked against its checksum, the settings against those that exist, the features
against this version's, the labels against the CRF's, and the word vectors against
those on this machine. The same model gives the same bytes.
"""

from __future__ import annotations

import io as streams
import json
import os
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from coindex.errors import CoindexError, InputError
from coindex.quizbowl import pairs, tokens, vectors
from coindex.quizbowl.classify import Classifier
from coindex.quizbowl.config import config
from coindex.quizbowl.detect import Detector
from coindex.quizbowl.model import Model
from coindex.quizbowl.vectors import Facts, Vectors

FORMAT = "coindex quizbowl 2"

_PARTS = ("columns.npy", "weights.npy", "mentions.crf")
_TIME = (1980, 1, 1, 0, 0, 0)


def save(model: Model, path: Path, facts: Mapping[str, Any] | None = None) -> None:
    """Write a model; further facts (the data's checksums, scores) stand in its description."""
    parts = {
        "columns.npy": _array(model.classifier.columns),
        "weights.npy": _array(model.classifier.values),
        "mentions.crf": model.detector.data,
    }
    told = {**describe(model), "facts": dict(facts or {})}
    told["sha256"] = {name: sha256(data).hexdigest() for name, data in parts.items()}
    part = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
            text = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
            for name, data in {"model.json": text.encode(), **parts}.items():
                file.writestr(zipfile.ZipInfo(name, _TIME), data, zipfile.ZIP_DEFLATED)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def describe(model: Model) -> dict[str, Any]:
    """What `model.json` says of a model."""
    return {
        "format": FORMAT,
        "features": {"mentions": tokens.VERSION, "pairs": pairs.VERSION},
        "labels": list(model.detector.labels()),
        "config": model.config.as_json(),
        "vectors": [each.as_json() for each in model.vectors] or "none: no cosine feature",
        "singletons": model.singletons,
        "lost": model.lost,
        "documents": {"count": model.trained_on[1], "digest": model.trained_on[0]},
        "seed": model.seed,
        "pipeline": model.pipeline,
        "intercept": model.classifier.intercept,
        "digest": model.digest,
    }


def load(path: Path) -> tuple[Model, tuple[Vectors, ...]]:
    """A model and the word vectors it needs, all checked."""
    told, parts = _read(path)
    try:
        _check_features(told)
        settings = config(told["config"])
        columns, weights = (_values(parts[name]) for name in _PARTS[:2])
        detector = Detector(parts["mentions.crf"])
        _check_values(told, columns, weights, 1 << settings.bits)
        if list(detector.labels()) != told["labels"]:
            found = ", ".join(detector.labels())
            raise InputError(f"expected labels {', '.join(told['labels'])}, found {found}")
        needed = _vectors(told["vectors"])
        model = Model(
            settings, detector, Classifier(columns, weights, float(told["intercept"])),
            tuple(each.facts for each in needed), bool(told["singletons"]), int(told["lost"]),
            (told["documents"]["digest"], told["documents"]["count"]), told["seed"],
            told["pipeline"],
        )  # fmt: skip
        if model.digest != told["digest"]:
            raise InputError(f"expected the model {told['digest']}, found {model.digest}")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: expected a model's description: {error!r}") from None
    except CoindexError as error:
        raise InputError(f"{path}: {error}") from None
    return model, needed


def _read(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as file:
            told = json.loads(file.read("model.json"))
            parts = {name: file.read(name) for name in _PARTS}
    except FileNotFoundError:
        raise InputError(f"{path}: expected the file of a Quiz Bowl model, found none") from None
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: expected the file of a Quiz Bowl model: {error}") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        found = told.get("format") if isinstance(told, dict) else type(told).__name__
        raise InputError(f"{path}: expected the format {FORMAT!r}, found {found!r}")
    for name, data in parts.items():
        if sha256(data).hexdigest() != told.get("sha256", {}).get(name):
            raise InputError(f"{path}: {name} is not what its checksum says: damaged")
    return told, parts


def _check_features(told: Mapping[str, Any]) -> None:
    expected = {"mentions": tokens.VERSION, "pairs": pairs.VERSION}
    if told["features"] != expected:
        raise InputError(f"expected features of version {expected}, found {told['features']}")


def _check_values(told: Mapping[str, Any], columns: Any, weights: Any, most: int) -> None:
    if columns.shape != weights.shape or columns.ndim != 1:
        raise InputError(f"expected a weight a column, found {weights.shape}, {columns.shape}")
    if len(columns) and not (columns.min() >= 0 and columns.max() < most):
        raise InputError(f"expected columns below {most}, found {columns.max()}")


def _vectors(told: Any) -> tuple[Vectors, ...]:
    if isinstance(told, str):
        return ()
    found = []
    for each in told:
        facts = Facts(**each)
        loaded = vectors.load(facts.source)
        if loaded is None or loaded.facts.sha256 != facts.sha256:
            why = vectors.lacking(facts.source)
            what = f"sha256 {loaded.facts.sha256[:8]}" if loaded else f"none: {why}"
            raise InputError(
                f"expected the vectors {facts.source} (sha256 {facts.sha256[:8]}) that it was"
                f" trained with, found {what}; train it again with those that are here"
            )
        found.append(loaded)
    return tuple(found)


def _array(values: Any) -> bytes:
    stream = streams.BytesIO()
    np.save(stream, values, allow_pickle=False)
    return stream.getvalue()


def _values(data: bytes) -> Any:
    return np.load(streams.BytesIO(data), allow_pickle=False)
