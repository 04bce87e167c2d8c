"""Model artifacts: which kind of model a folder or file holds, and its metadata.

    kind          where it is stated                            trained by
    coref         model.json: `head` (trained) or `format` 1    train coref
    attention     model.json: `kind`                            train pronoun
    ensemble      model.json: `kind`                            train pronoun
    masked-lm     model.json: `kind`                            train pronoun
    substitution  model.json: `kind`; exported: pronoun.json    train pronoun
    parser        model.json: `kind`; exported: parser.json     train parser
    mention-pair  model.json in a zip file: `format`            train quizbowl

An exported substitution model and an exported parser may share a folder with a coreference model,
as the shipped ones do. Coreference and mention-pair models do not state a `kind`; it follows from their other keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from coindex import __version__, io
from coindex.errors import InputError
from coindex.models.common.installed_models import no_model

METADATA = "model.json"
ONNX_METADATA = "pronoun.json"
"""The metadata of an exported pronoun model, which may be in the folder of a coreference model."""
PARSER_METADATA = "parser.json"
"""The metadata of an exported parser, which is in the folder of the encoder that it shares."""
TOKENIZER = "tokenizer.json"

COREF, MENTION_PAIR, PARSER = "coref", "mention-pair", "parser"
PRONOUN_KINDS = ("attention", "ensemble", "masked-lm", "substitution")
_USES = {
    COREF: "coindex resolve --model",
    MENTION_PAIR: "coindex resolve --model",
    "attention": "coindex bench --resolver attention-multi --model",
    "ensemble": "coindex bench --resolver ensemble --model",
    "masked-lm": "coindex bench --resolver masked-lm --model",
    "substitution": "coindex bench --resolver substitution --model",
    PARSER: "coindex parse --model",
}
_MENTION_PAIR_FORMAT = "coindex quizbowl"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A stored model.

    kinds     what it holds, the main kind first; the folder of the shipped model holds three
    exported  whether it runs without torch
    metadata  the content of the file that states the first kind
    """

    path: Path
    kinds: tuple[str, ...]
    exported: bool
    metadata: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """The main kind."""
        return self.kinds[0]

    def expect(self, *kinds: str) -> None:
        """Raise an `InputError` unless the model is of one of these kinds.

        The message names the command that takes a model of the kind that it is.
        """
        if not set(kinds) & set(self.kinds):
            raise InputError(
                f"{self.path}: expected a model of the kind {' or '.join(kinds)}, found"
                f" {self.kind}, which is for `{_USES[self.kind]}`"
            )


def describe_model(path: Path) -> Artifact:
    """The kind and metadata of a model's folder or file; nothing else is read."""
    if path.is_file():
        metadata = _zip_metadata(path)
        return Artifact(path, (MENTION_PAIR,), True, metadata)
    kinds: list[str] = []
    first: dict[str, Any] = {}
    exported = False
    for name in (METADATA, ONNX_METADATA, PARSER_METADATA):
        if (path / name).is_file():
            metadata = read_json(path / name)
            kinds.append(_kind(metadata, path / name))
            exported = exported or name != METADATA or "format" in metadata
            first = first or metadata
    if not kinds:
        raise no_model(path, METADATA)
    return Artifact(path, tuple(kinds), exported, first)


def _kind(metadata: Mapping[str, Any], file: Path) -> str:
    kind = metadata.get("kind")
    if kind == COREF or (
        kind is None and ("format" in metadata or "head" in metadata or "schemes" in metadata)
    ):
        return COREF
    if kind not in (*PRONOUN_KINDS, PARSER):
        raise InputError(
            f"{file}: expected a model of the kind {', '.join((COREF, *PRONOUN_KINDS, PARSER))},"
            f" found {kind!r}"
        )
    return str(kind)


def _zip_metadata(path: Path) -> dict[str, Any]:
    import zipfile

    try:
        with zipfile.ZipFile(path) as file:
            metadata = json.loads(file.read(METADATA))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        expected = "a model's folder, or a file of `coindex train quizbowl`"
        raise InputError(f"{path}: expected {expected}: {error}") from None
    result = metadata.get("format") if isinstance(metadata, dict) else type(metadata).__name__
    if not str(result).startswith(_MENTION_PAIR_FORMAT):
        raise InputError(f"{path}: expected the format {_MENTION_PAIR_FORMAT!r}, found {result!r}")
    return dict(metadata)


def read_json(file: Path) -> dict[str, Any]:
    """The content of a metadata file, which must be a JSON object."""
    try:
        content = json.loads(io.read_text(file))
    except ValueError as error:
        raise InputError(f"{file}: expected JSON: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{file}: expected a model's metadata, found {type(content).__name__}")
    return content


def write_json(file: Path, metadata: Mapping[str, Any]) -> None:
    """Write a metadata file, and its folder if there is none."""
    io.make_folder(file.parent)
    io.write_text(file, [json.dumps(dict(metadata), indent=1), "\n"])


def digest(file: Path) -> str:
    """A short checksum of a metadata file, for signatures."""
    return sha256(io.read_bytes(file)).hexdigest()[:8]


def digest_of(data: bytes) -> str:
    """The checksum of bytes, in full."""
    return sha256(data).hexdigest()


def check_file(file: Path, expected: str | None, advice: str = "export again") -> None:
    """Raise an `InputError` unless a file has the checksum that it was exported with.

    A network that refers to bytes of the encoder's file by their offsets finds other values in
    another encoder, and nothing else would detect it.
    """
    if expected is None:
        return
    if not file.is_file():
        raise InputError(f"{file.parent}: expected {file.name} of an exported model, found none")
    result = sha256(io.read_bytes(file)).hexdigest()
    if result != expected:
        raise InputError(f"{file}: expected sha256 {expected[:16]}, found {result[:16]}: {advice}")


def versions(*packages: str) -> dict[str, str]:
    """The versions of coindex and of other packages, for a model's metadata."""
    from importlib.metadata import version

    return {"coindex": __version__, **{name: version(name) for name in packages}}
