"""Texts in, parses out: from the cache where it has them, from spaCy where not.

The key of a parse is a digest of the text, the pipeline, the version of spaCy and
the layout of parses. What a batch had to parse is written before the next one is
begun, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from coindex.errors import InvalidValue
from coindex.parsing import pipeline
from coindex.parsing.cache import Cache, folder
from coindex.parsing.parse import LAYOUT, Parse, pack, unpack
from coindex.parsing.pipeline import Pipeline

BATCH = 256

Progress = Callable[[int], None]
"""Told how many texts have been parsed so far, after each batch."""


@dataclass(frozen=True, slots=True)
class Parser:
    """A pipeline, loaded only when a text comes that is not in the cache."""

    pipeline: Pipeline
    cache: Cache | None = None

    @property
    def signature(self) -> str:
        """What parses depend on."""
        return self.pipeline.signature

    def parses(self, texts: Iterable[str], progress: Progress | None = None) -> Iterator[Parse]:
        """Each text's parse, in order."""
        rest, done = iter(texts), 0
        while batch := list(islice(rest, BATCH)):
            found = self.batch(batch)
            done += len(batch)
            if progress is not None:
                progress(done)
            yield from found

    def batch(self, texts: Sequence[str]) -> list[Parse]:
        """The parses of some texts at once; a text that comes twice is parsed once."""
        keys = [self._key(text) for text in texts]
        found = self._known(list(dict.fromkeys(keys)))
        lacking = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if lacking:
            fresh = pipeline.parse(pipeline.load(self.pipeline), list(lacking.values()))
            new = dict(zip(lacking, fresh, strict=True))
            if self.cache is not None:
                self.cache.put({key: pack(parse) for key, parse in new.items()})
            found.update(new)
        return [found[key] for key in keys]

    def _known(self, keys: list[bytes]) -> dict[bytes, Parse]:
        found = {}
        for key, data in (self.cache.get(keys) if self.cache else {}).items():
            try:
                found[key] = unpack(data)
            except InvalidValue:
                continue  # damaged on disk: parsed again and replaced
        return found

    def _key(self, text: str) -> bytes:
        whole = f"{LAYOUT}\n{self.signature}\n{text}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).digest()[:16]


def parser(
    name: str | None = None, *, cache: bool = True, needs: frozenset[str] = pipeline.NEEDS
) -> Parser:
    """A parser with the pipeline of that name, or with the best one installed."""
    chosen = pipeline.choose(name, needs)
    if not cache:
        return Parser(chosen)
    file = re.sub(r"[^\w.+-]+", "-", chosen.signature.replace("pipeline:", ""))
    return Parser(chosen, Cache(folder() / "parses" / f"{file}.sqlite"))
