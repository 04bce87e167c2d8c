"""Subword tokenizers of encoders, for single words and for texts with character offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coindex import io
from coindex.assets import DEFAULT_MODEL
from coindex.errors import InputError, InvalidValue
from coindex.models.common.encoders import SHIPPED_ENCODER, quiet_transformers
from coindex.models.common.model_hub import check_gguf, is_gguf, not_found, pretrained
from coindex.types.span import Chars

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_SUBWORDS = 12
"""The most subwords of one word; further ones are dropped, so that no word fills a window."""
_MAX_CACHED = 20_000
_BEGIN = ("[CLS]", "<s>", "<|begin_of_text|>", "<bos>")
_END = ("[SEP]", "</s>", "<|endoftext|>", "<|end_of_text|>", "<eos>")
_PAD = ("[PAD]", "<pad>", "<|pad|>")
_MASK = ("[MASK]", "<mask>")


def read_tokenizer(file: Path) -> Tokenizer:
    """The tokenizer of a `tokenizer.json`, without truncation and padding."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises bare Exceptions
        raise InputError(f"{file}: expected a tokenizer: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def unused_subwords(folder: Path) -> tuple[int, ...]:
    """The numbers of BERT's `[unused1]` and the like, which are in no text, for a model's folder."""
    known = read_tokenizer(folder / "tokenizer.json").get_vocab()
    return tuple(sorted(number for word, number in known.items() if word.startswith("[unused")))


def load_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of an encoder, by folder, hub name or GGUF file; a folder needs no torch."""
    file = _tokenizer_file(name)
    if file.is_file():
        return read_tokenizer(file)
    if is_gguf(name):
        check_gguf()
    try:
        from transformers import AutoTokenizer

        with quiet_transformers():
            loaded = AutoTokenizer.from_pretrained(**pretrained(name))
            tokenizer: Tokenizer = loaded.backend_tokenizer
    except Exception as error:  # tokenizers raises bare Exceptions
        line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(not_found(name, "an encoder with a tokenizer", line)) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _tokenizer_file(name: str) -> Path:
    """The `tokenizer.json` of an encoder's folder; `default` is the shipped one."""
    return (DEFAULT_MODEL if name == SHIPPED_ENCODER else Path(name)) / "tokenizer.json"


def write_tokenizer(name: str, file: Path) -> None:
    """Copy the `tokenizer.json` of an encoder, or write it where the encoder has none."""
    source = _tokenizer_file(name)
    if source.is_file():
        io.copy_file(source, file)
    else:
        with io.replace_file(file) as temporary:
            load_tokenizer(name).save(str(temporary))


def _special_token(tokenizer: Tokenizer, *names: str) -> int:
    for name in names:
        number = tokenizer.token_to_id(name)
        if number is not None:
            return int(number)
    raise InvalidValue(f"expected a tokenizer with the mark {' or '.join(names)}, found none")


def _replace_surrogates(text: str) -> str:
    """The text with lone surrogates, which JSON can hold, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


class SubwordTokenizer:
    """Splits words into subwords, with a cache of words; safe in several threads."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """A WordPiece tokenizer with the special tokens of BERT or MPNet."""
        self._tokenizer = tokenizer
        self._cache: dict[str, list[int]] = {}
        self.begin = _special_token(tokenizer, "[CLS]", "<s>")
        self.end = _special_token(tokenizer, "[SEP]", "</s>")
        self.pad = _special_token(tokenizer, "[PAD]", "<pad>")
        self._unknown = _special_token(tokenizer, "[UNK]", "<unk>")

    def of(self, words: Sequence[str]) -> list[list[int]]:
        """The subwords of each word: at least one, at most `MAX_SUBWORDS`."""
        cache = self._cache  # another thread may begin a new one
        known = {word: cache.get(word) for word in dict.fromkeys(words)}
        new = [word for word, subwords in known.items() if subwords is None]
        encodings = self._tokenizer.encode_batch_fast(
            [_replace_surrogates(word[:200]) for word in new], add_special_tokens=False
        )
        encoded = {
            word: encoding.ids[:MAX_SUBWORDS] or [self._unknown]
            for word, encoding in zip(new, encodings, strict=True)
        }
        found = {word: subwords or encoded[word] for word, subwords in known.items()}
        if len(cache) > _MAX_CACHED:
            self._cache = dict(found)
        else:
            cache.update(encoded)
        return [found[word] for word in words]


@dataclass(frozen=True, slots=True)
class SubwordText:
    """The subwords of a text without special tokens, with their character offsets."""

    subwords: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.subwords)

    def within(self, chars: Chars) -> range:
        """The subwords that overlap some characters."""
        overlapping = [
            at
            for at, (start, end) in enumerate(zip(self.starts, self.ends, strict=True))
            if start < chars.end and chars.start < end
        ]
        return range(overlapping[0], overlapping[-1] + 1) if overlapping else range(0)

    def part(self, chosen: range) -> SubwordText:
        """A contiguous range of the subwords."""
        part = slice(chosen.start, chosen.stop)
        return SubwordText(self.subwords[part], self.starts[part], self.ends[part])


class TextTokenizer:
    """The tokenizer of an encoder for whole texts, by folder, hub name or GGUF file.

    begin   what a row of subwords begins with; none for most causal language models
    end     the token that a row ends with
    """

    def __init__(self, name: str, *, language_model: bool = False) -> None:
        """Load it; its special tokens are those of BERT (`[CLS]`) or of MPNet (`<s>`).

        language_model   whether it may also be that of a causal language model, which has an
                         end-of-text token, and need not have tokens to begin, pad or mask with
        """
        self.name = name
        self._tokenizer = load_tokenizer(name)
        self.begin: tuple[int, ...]
        try:
            if language_model:
                self._set_language_model_tokens()
            else:
                self.begin = (_special_token(self._tokenizer, "[CLS]", "<s>"),)
                self.end = _special_token(self._tokenizer, "[SEP]", "</s>")
                self.pad = _special_token(self._tokenizer, "[PAD]", "<pad>")
                self.mask = _special_token(self._tokenizer, "[MASK]", "<mask>")
        except InvalidValue as error:
            raise InputError(f"{name}: {error}") from None

    def _set_language_model_tokens(self) -> None:
        """The first of the known special tokens; the end-of-text token where there is none."""
        self.end = _special_token(self._tokenizer, *_END)
        known = self._tokenizer.get_vocab()
        self.begin = tuple(known[name] for name in _BEGIN if name in known)[:1]
        self.pad, self.mask = (
            next((known[name] for name in names if name in known), self.end)
            for names in (_PAD, _MASK)
        )

    def of(self, text: str) -> SubwordText:
        """The subwords of a text."""
        encoding = self._tokenizer.encode(_replace_surrogates(text), add_special_tokens=False)
        starts, ends = zip(*encoding.offsets, strict=True) if encoding.offsets else ((), ())
        return SubwordText(tuple(encoding.ids), starts, ends)

    def many(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The subwords of many texts, without their offsets."""
        clean = list(map(_replace_surrogates, texts))
        encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [tuple(encoding.ids) for encoding in encodings]

    def decode(self, subwords: Sequence[int]) -> str:
        """The text of some subwords."""
        text: str = self._tokenizer.decode(list(subwords), skip_special_tokens=False)
        return text

    @property
    def size(self) -> int:
        """The size of the vocabulary."""
        return int(self._tokenizer.get_vocab_size())

    @property
    def special(self) -> frozenset[int]:
        """The special tokens."""
        return frozenset({*self.begin, self.end, self.pad, self.mask})


def window_around(length: int, middle: range, room: int) -> range:
    """The range of at most `room` subwords to read of a longer text.

    The antecedent of a pronoun is usually before it, so three quarters of the room are for
    the text before, unless there is less.
    """
    if length <= room:
        return range(length)
    start = max(0, middle.stop - 3 * room // 4)
    start = min(start, length - room)
    return range(start, start + room)
