"""Encoders by folder or hub name, with their word pieces; torch and transformers only here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coindex.errors import InputError
from coindex.neural.windows import Pieces
from coindex.training.model import Model, Shape

_AFTER_PADDING = frozenset({"mpnet", "roberta", "xlm-roberta", "camembert", "longformer"})
"""Encoders that count positions from one past the padding piece's number."""


def tokenizer_of(name: str) -> Pieces:
    """The word pieces of an encoder, by folder or hub name."""
    tokenizer = load_tokenizer(name)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return Pieces(tokenizer)


def write_tokenizer(name: str, file: Path) -> None:
    """Copy an encoder's tokenizer, or make the file where there is none."""
    source = Path(name) / "tokenizer.json"
    if source.is_file():
        file.write_bytes(source.read_bytes())
    else:
        load_tokenizer(name).save(str(file))


def load_tokenizer(name: str) -> Any:
    """The tokenizer itself, of the library `tokenizers`, by folder or hub name."""
    from tokenizers import Tokenizer

    file = Path(name) / "tokenizer.json"
    try:
        if file.is_file():
            return Tokenizer.from_file(str(file))
        from transformers import AutoTokenizer

        with quiet():
            return AutoTokenizer.from_pretrained(name).backend_tokenizer
    except Exception as error:  # tokenizers raises bare Exceptions
        raise InputError(f"{name}: expected an encoder with a tokenizer: {_line(error)}") from None


def load_model(name: str, shape: Shape, layers: int = 0, window: int = 0) -> Model:
    """A new model over an encoder; only its first `layers` layers if told.

    window  how many pieces it has to read at once
    """
    from transformers import AutoModel

    try:
        with quiet():
            encoder: Any = AutoModel.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{name}: expected an encoder's folder or hub name: {_line(error)}"
        ) from None
    encoder.pooler = None
    if layers:
        shorten(encoder, layers, name)
    most = longest(encoder.config)
    if most is not None and window > most:
        raise InputError(f"{name}: reads at most {most} pieces, found a window of {window}")
    return Model(encoder.float(), shape)


def longest(config: Any) -> int | None:
    """How many pieces an encoder can read at once; None if it does not say."""
    most = getattr(config, "max_position_embeddings", None)
    if not isinstance(most, int) or most < 1:
        return None
    if config.model_type in _AFTER_PADDING:
        most -= int(config.pad_token_id) + 1
    return most


def shorten(encoder: Any, layers: int, name: str) -> None:
    """Take off all but the first layers of an encoder, in place; `name` is for messages."""
    stack = getattr(getattr(encoder, "encoder", None), "layer", None)
    if stack is None:
        raise InputError(f"{name}: layers can be taken off BERT, MPNet and their like only")
    if layers > len(stack):
        raise InputError(f"{name}: has {len(stack)} layers, found layers = {layers}")
    encoder.encoder.layer = stack[:layers]
    encoder.config.num_hidden_layers = layers


@contextmanager
def quiet() -> Iterator[None]:
    """Without the bars and the advice that transformers prints while it loads."""
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    level = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
