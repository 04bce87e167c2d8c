"""The files of an exported parser, which lie beside those of the encoder that it shares.

    parser.json      format, labels, tags, how it was trained, checksums
    parser.onnx      subwords in, rows of words out; refers to the weights in encoder.onnx
    parser.npz       the last layer, which numpy applies to spans
    encoder.onnx, tokenizer.json    of the shipped model, or of another one

The network refers to bytes of the encoder's file by their offsets, so all files are checked
before anything is run: with another encoder the parser must be trained again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coindex.errors import InputError
from coindex.models.common.artifact import PARSER_METADATA, check_file, digest, read_json
from coindex.models.common.encoders import ENCODER_FILE
from coindex.models.parser.decode import SpanScorer

FORMAT = 1
NETWORK = "parser.onnx"
SCORER = "parser.npz"
RETRAIN = "train the parser again (coindex train parser)"


@dataclass(frozen=True, slots=True)
class ParserMetadata:
    """The part of `parser.json` that inference needs.

    window   subwords that are read at once
    digest   a short checksum of the file, for signatures
    """

    labels: tuple[str, ...]
    tags: tuple[str, ...]
    window: int
    digest: str


def read_parser(folder: Path) -> tuple[ParserMetadata, SpanScorer]:
    """The metadata and the last layer of an exported parser; its files are checked."""
    file = folder / PARSER_METADATA
    if not file.is_file():
        raise InputError(f"{folder}: expected a parser's folder with {PARSER_METADATA}, found none")
    content = read_json(file)
    if content.get("format") != FORMAT:
        raise InputError(
            f"{file}: expected a parser of format {FORMAT}, found {content.get('format')!r}"
        )
    try:
        for name, key in ((NETWORK, "network"), (SCORER, "scorer"), (ENCODER_FILE, "encoder")):
            check_file(folder / name, content[key], RETRAIN)
        metadata = ParserMetadata(
            tuple(content["labels"]), tuple(content["tags"]), int(content["window"]), digest(file)
        )
    except KeyError as error:
        raise InputError(f"{file}: expected the metadata of a parser: no {error}") from None
    return metadata, _read_scorer(folder / SCORER, metadata)


def _read_scorer(file: Path, metadata: ParserMetadata) -> SpanScorer:
    with np.load(file) as stored:
        weight, bias = (stored[name].astype(np.float32) for name in ("weight", "bias"))
    if len(weight) != len(metadata.labels) or bias.shape != weight.shape[:1]:
        raise InputError(
            f"{file}: expected weights of {len(metadata.labels)} labels, found {weight.shape}"
        )
    return SpanScorer(weight, bias, metadata.labels)
