"""`Parser`: parses of texts, from the cache or else from spaCy.

The key of a parse is a digest of the text, the pipeline, the version of spaCy and the version of
the packed form. The new parses of a batch are stored at once, so that an interrupted run
can be resumed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.errors import InvalidValue
from coindex.text.parsing import spacy_pipeline
from coindex.text.parsing.cache import ParseCache, cache_folder
from coindex.text.parsing.parse import LAYOUT, Parse, pack, unpack
from coindex.text.parsing.spacy_pipeline import SpacyPipeline

BATCH = 256


@dataclass(frozen=True, slots=True)
class Parser:
    """A pipeline, loaded only for texts that are not in the cache, and the cache."""

    pipeline: SpacyPipeline
    cache: ParseCache | None = None

    @property
    def signature(self) -> str:
        """Everything that parses depend on."""
        return self.pipeline.signature

    def batch(self, texts: Sequence[str]) -> list[Parse]:
        """The parses of some texts at once; a repeated text is parsed once."""
        keys = [self._key(text) for text in texts]
        parses = self._cached(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in parses}
        if missing:
            fresh = spacy_pipeline.parse_texts(
                spacy_pipeline.load_pipeline(self.pipeline), list(missing.values())
            )
            new = dict(zip(missing, fresh, strict=True))
            if self.cache is not None:
                self.cache.put({key: pack(parse) for key, parse in new.items()})
            parses.update(new)
        return [parses[key] for key in keys]

    def _cached(self, keys: list[bytes]) -> dict[bytes, Parse]:
        parses = {}
        for key, data in (self.cache.get(keys) if self.cache else {}).items():
            try:
                parses[key] = unpack(data)
            except InvalidValue:
                continue  # damaged on disk: parsed again, and replaced
        return parses

    def _key(self, text: str) -> bytes:
        whole = f"{LAYOUT}\n{self.signature}\n{text}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).digest()[:16]


def make_parser(
    name: str | None = None, *, cache: bool = True, needs: frozenset[str] = spacy_pipeline.NEEDS
) -> Parser:
    """A parser with the pipeline of that name, or with the best one installed."""
    chosen = spacy_pipeline.choose_pipeline(name, needs)
    if not cache:
        return Parser(chosen)
    file = re.sub(r"[^\w.+-]+", "-", chosen.signature.replace("pipeline:", ""))
    return Parser(chosen, ParseCache(cache_folder() / "parses" / f"{file}.sqlite"))
