"""Texts as word pieces of an encoder, and where characters of the text are among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coindex.core.span import Chars
from coindex.errors import InputError


@dataclass(frozen=True, slots=True)
class Pieced:
    """The pieces of a text without marks; `starts` and `ends` are characters of the text."""

    pieces: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.pieces)

    def within(self, chars: Chars) -> range:
        """The pieces that some characters touch."""
        touched = [
            at
            for at, (start, end) in enumerate(zip(self.starts, self.ends, strict=True))
            if start < chars.end and chars.start < end
        ]
        return range(touched[0], touched[-1] + 1) if touched else range(0)

    def part(self, chosen: range) -> Pieced:
        """Some of the pieces."""
        cut = slice(chosen.start, chosen.stop)
        return Pieced(self.pieces[cut], self.starts[cut], self.ends[cut])


class Tokens:
    """The tokenizer of an encoder, by folder or hub name."""

    def __init__(self, name: str) -> None:
        """Load it; the marks are those of BERT (`[CLS]`) or of MPNet (`<s>`)."""
        self.name = name
        self._tokenizer: Any = _tokenizer(name)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.begin = self._mark("[CLS]", "<s>")
        self.end = self._mark("[SEP]", "</s>")
        self.pad = self._mark("[PAD]", "<pad>")
        self.mask = self._mark("[MASK]", "<mask>")

    def of(self, text: str) -> Pieced:
        """The pieces of a text; half characters, as JSON can hold, become question marks."""
        clean = text.encode("utf-8", "replace").decode("utf-8")
        found = self._tokenizer.encode(clean, add_special_tokens=False)
        starts, ends = zip(*found.offsets, strict=True) if found.offsets else ((), ())
        return Pieced(tuple(found.ids), starts, ends)

    def many(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The pieces of many texts, without their places."""
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        found = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [tuple(each.ids) for each in found]

    def written(self, pieces: Sequence[int]) -> str:
        """The words of some pieces, for people."""
        text: str = self._tokenizer.decode(list(pieces), skip_special_tokens=False)
        return text

    @property
    def size(self) -> int:
        """How many pieces there are."""
        return int(self._tokenizer.get_vocab_size())

    @property
    def marks(self) -> frozenset[int]:
        """The pieces that are no text."""
        return frozenset({self.begin, self.end, self.pad, self.mask})

    def _mark(self, *names: str) -> int:
        for name in names:
            number = self._tokenizer.token_to_id(name)
            if number is not None:
                return int(number)
        raise InputError(
            f"{self.name}: expected a tokenizer with the mark {' or '.join(names)}, found none"
        )


def _tokenizer(name: str) -> Any:
    """The tokenizer of a folder; without torch where the folder has it as a file."""
    from tokenizers import Tokenizer

    file = Path(name) / "tokenizer.json"
    if not file.is_file():
        from coindex.training.encoders import load_tokenizer

        return load_tokenizer(name)
    try:
        return Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises bare Exceptions
        raise InputError(f"{file}: expected a tokenizer: {error}") from None


def around(length: int, middle: range, room: int) -> range:
    """The stretch of at most `room` pieces to read of a longer text: most of it before.

    What a pronoun means is usually said before it, so three quarters of the room are
    for what comes before, unless there is less.
    """
    if length <= room:
        return range(length)
    start = max(0, middle.stop - 3 * room // 4)
    start = min(start, length - room)
    return range(start, start + room)
