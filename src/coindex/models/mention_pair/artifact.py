"""A model as one file: a zip of `model.json`, numpy arrays and the CRF.

The file contains no code. When it is loaded, every part is checked against its checksum, the
versions of the features against this program's, the labels against the CRF's, and the word
vectors against those on this machine. The same model gives the same bytes.
"""

from __future__ import annotations

import io as streams
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from coindex import io
from coindex.errors import CoindexError, InputError
from coindex.models.mention_pair import pair_features, token_features, word_vectors
from coindex.models.mention_pair.mention_crf import Detector
from coindex.models.mention_pair.model import Model
from coindex.models.mention_pair.pair_classifier import Classifier
from coindex.models.mention_pair.recipe import config_from_json
from coindex.models.mention_pair.word_vectors import Vectors, VectorsInfo

FORMAT = "coindex quizbowl 2"

_PARTS = ("columns.npy", "weights.npy", "mentions.crf")
_TIME = (1980, 1, 1, 0, 0, 0)


def save(model: Model, path: Path, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a model; further metadata (checksums of the data, scores) goes into `model.json`."""
    parts = {
        "columns.npy": _array(model.classifier.columns),
        "weights.npy": _array(model.classifier.values),
        "mentions.crf": model.detector.data,
    }
    content = {**describe(model), "facts": dict(metadata or {})}
    content["sha256"] = {name: sha256(data).hexdigest() for name, data in parts.items()}
    try:
        with (
            io.replace_file(path) as part,
            zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file,
        ):
            text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
            for name, data in {"model.json": text.encode(), **parts}.items():
                file.writestr(zipfile.ZipInfo(name, _TIME), data, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def describe(model: Model) -> dict[str, Any]:
    """A model's metadata, as in `model.json`."""
    return {
        "format": FORMAT,
        "features": _feature_versions(),
        "labels": list(model.detector.labels()),
        "config": model.config.as_json(),
        "vectors": [asdict(each) for each in model.vectors] or "none: no cosine feature",
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
    metadata, parts = _read(path)
    try:
        features = _feature_versions()
        if metadata["features"] != features:
            found = metadata["features"]
            raise InputError(f"expected features of version {features}, found {found}")
        settings = config_from_json(metadata["config"])
        columns, weights = (
            np.load(streams.BytesIO(parts[name]), allow_pickle=False) for name in _PARTS[:2]
        )
        detector = Detector(parts["mentions.crf"])
        _check_values(columns, weights, 1 << settings.bits)
        if list(detector.labels()) != metadata["labels"]:
            result = ", ".join(detector.labels())
            raise InputError(f"expected labels {', '.join(metadata['labels'])}, found {result}")
        needed = _vectors(metadata["vectors"])
        model = Model(
            settings, detector, Classifier(columns, weights, float(metadata["intercept"])),
            tuple(each.info for each in needed), bool(metadata["singletons"]), int(metadata["lost"]),
            (metadata["documents"]["digest"], metadata["documents"]["count"]), metadata["seed"],
            metadata["pipeline"],
        )  # fmt: skip
        if model.digest != metadata["digest"]:
            raise InputError(f"expected the model {metadata['digest']}, found {model.digest}")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: expected a model's description: {error!r}") from None
    except CoindexError as error:
        raise InputError(f"{path}: {error}") from None
    return model, needed


def _read(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as file:
            metadata = json.loads(file.read("model.json"))
            parts = {name: file.read(name) for name in _PARTS}
    except FileNotFoundError:
        raise InputError(f"{path}: expected the file of a Quiz Bowl model, found none") from None
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: expected the file of a Quiz Bowl model: {error}") from None
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        result = metadata.get("format") if isinstance(metadata, dict) else type(metadata).__name__
        raise InputError(f"{path}: expected the format {FORMAT!r}, found {result!r}")
    for name, data in parts.items():
        if sha256(data).hexdigest() != metadata.get("sha256", {}).get(name):
            raise InputError(f"{path}: {name} is not what its checksum says: damaged")
    return metadata, parts


def _feature_versions() -> dict[str, int]:
    return {"mentions": token_features.VERSION, "pairs": pair_features.VERSION}


def _check_values(columns: Any, weights: Any, most: int) -> None:
    if columns.shape != weights.shape or columns.ndim != 1:
        raise InputError(f"expected a weight per column, found {weights.shape}, {columns.shape}")
    if len(columns) and not (columns.min() >= 0 and columns.max() < most):
        raise InputError(f"expected columns below {most}, found {columns.max()}")


def _vectors(metadata: Any) -> tuple[Vectors, ...]:
    if isinstance(metadata, str):
        return ()
    result = []
    for each in metadata:
        info = VectorsInfo(**each)
        loaded = word_vectors.load(info.source)
        if loaded is None or loaded.info.sha256 != info.sha256:
            why = word_vectors.unavailable_reason(info.source)
            what = f"sha256 {loaded.info.sha256[:8]}" if loaded else f"none: {why}"
            raise InputError(
                f"expected the vectors {info.source} (sha256 {info.sha256[:8]}) that it was"
                f" trained with, found {what}; train it again with those that are here"
            )
        result.append(loaded)
    return tuple(result)


def _array(values: Any) -> bytes:
    stream = streams.BytesIO()
    np.save(stream, values, allow_pickle=False)
    return stream.getvalue()
