"""spaCy's DocBin: a binary file of docs, with coreference in their span groups.

Read are, in this order: the group `coindex` of our spaCy component, whose labels are the
entities; the groups `coref_clusters_1`, `coref_clusters_2` ... of spacy-experimental, one for
each entity; and the extension `coref_clusters` of fastcoref, which has half-open character spans
(it is stored only with `DocBin(store_user_data=True)`). White space is no token here. Written are
the group `coindex`, sentences, tags and lemmas, with the id as user data. This needs spaCy.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from coindex import io
from coindex.errors import FormatError, import_extra
from coindex.formats.text_mentions import TextMention, text_document
from coindex.text.tokenizer import sentence_starts
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "entity-id", "crossing", "text", "tokens", "sentences", "lemma", "pos", "part",
})  # fmt: skip
GROUP = "coindex"
CLUSTERS = "coref_clusters"
_FASTCOREF = ("._.", CLUSTERS, None, None)


def sniff(head: Sequence[str]) -> bool:
    """Never recognised by lines: it is not text."""
    return False


def recognise(head: bytes) -> bool:
    """zlib, and within it the beginning of a DocBin."""
    try:
        inside = zlib.decompressobj().decompress(head, 64)
    except zlib.error:
        return False
    return b"version" in inside or b"attrs" in inside


def read_binary(data: bytes, source: Source) -> Iterator[Document]:
    """The documents of a file."""
    tokens = import_extra("spacy.tokens", "spacy", "spacy")
    vocab = import_extra("spacy.vocab", "spacy", "spacy").Vocab()
    source.begin(1)
    with _spacy_errors(source):
        docs = list(tokens.DocBin().from_bytes(data).get_docs(vocab))
    for number, doc in enumerate(docs, 1):
        stem = io.stem(source.name)
        name = stem if len(docs) == 1 else f"{stem}-{number}"
        with _spacy_errors(source):
            document = _document(doc, name, source)
        yield document


@contextmanager
def _spacy_errors(source: Source) -> Iterator[None]:
    """Report what is wrong with a file as one kind of error."""
    try:
        yield
    except FormatError:
        raise
    except Exception as error:  # spaCy, msgpack and zlib raise errors of many kinds
        reason = " ".join(f"{type(error).__name__} {error}".split())[:80]
        raise source.error(None, f"expected a DocBin of spaCy, found {reason}") from error


def _document(doc: Any, name: str, source: Source) -> Document:
    own = doc.user_data.get(GROUP)
    own = own if isinstance(own, dict) else {}
    id, part = own.get("id"), own.get("part")
    source.unnamed = source.unnamed or not isinstance(id, str)
    id = id if isinstance(id, str) else name
    fastcoref = doc.user_data.get(_FASTCOREF)
    groups = sorted(key for key in doc.spans if key.startswith(f"{CLUSTERS}_"))
    if fastcoref and GROUP not in doc.spans and not groups:
        return _from_offsets(doc, id, fastcoref, source)
    if not groups or GROUP in doc.spans:
        pairs = [(span.label_, span) for span in doc.spans.get(GROUP, ())]
    else:
        pairs = [
            (key.removeprefix(f"{CLUSTERS}_"), span) for key in groups for span in doc.spans[key]
        ]
    return _from_spans(doc, id, part if isinstance(part, int) else None, pairs)


def _from_offsets(doc: Any, id: str, clusters: Any, source: Source) -> Document:
    """A doc whose clusters are character spans of its text."""
    try:
        located = [[pair for pair in each if pair is not None] for each in clusters]
        groups = [(None, [TextMention(int(a), int(b)) for a, b in each]) for each in located]
    except (TypeError, ValueError) as error:
        message = f"{CLUSTERS}: expected lists of [start, end], found {str(clusters)[:40]}"
        raise source.error(None, message) from error
    for _ in range(sum(map(len, clusters)) - sum(map(len, located))):
        message = "a mention that fastcoref could not locate in the text; left out"
        source.note(1, "offset", message)
    return text_document(id, doc.text, groups, 1, source)


def _from_spans(doc: Any, id: str, part: int | None, pairs: list[tuple[str, Any]]) -> Document:
    """A doc whose clusters are spans of its tokens, with the names of their entities."""
    words = [token for token in doc if not token.text.isspace()]
    index = {token.i: at for at, token in enumerate(words)}
    entities: dict[str, dict[tuple[int, int], Mention]] = {}
    for label, span in pairs:
        inside = [index[i] for i in range(span.start, span.end) if i in index]
        if inside:
            place = inside[0], inside[-1] + 1
            entities.setdefault(label, {})[place] = Mention.at(*place)
    offsets = [(token.idx, token.idx + len(token.text)) for token in words]
    firsts = tuple(at for at, token in enumerate(words) if not at or token.is_sent_start)
    tags, lemmas = (tuple(getattr(token, name) for token in words) for name in ("tag_", "lemma_"))
    return Document(
        id,
        doc.text,
        tuple(token.text for token in words),
        tuple(start for start, _ in offsets),
        tuple(end for _, end in offsets),
        firsts if doc.has_annotation("SENT_START") else sentence_starts(doc.text, offsets),
        tuple(Entity(tuple(found.values()), id) for id, found in entities.items()),
        part,
        pos=tags if any(tags) else None,
        lemma=lemmas if any(lemmas) else None,
    )


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    blank = sum(token.isspace() for token in document.tokens)
    return {"token(s) of white space, which are not read back as tokens": blank}


def write_binary(items: Iterable[Document]) -> bytes:
    """The content of a file."""
    tokens = import_extra("spacy.tokens", "spacy", "spacy")
    vocab = import_extra("spacy.vocab", "spacy", "spacy").Vocab()
    attributes = ["ORTH", "SPACY", "SENT_START", "TAG", "LEMMA"]
    store = tokens.DocBin(attrs=attributes, store_user_data=True)
    for document in items:
        doc, index = _doc(document, tokens.Doc, vocab)
        spans = [
            tokens.Span(doc, index[m.start], index[m.end - 1] + 1, label=name)
            for number, entity in enumerate(document.entities)
            for name in [f"entity {number}" if entity.id is None else entity.id]
            for m in entity.mentions
        ]
        doc.spans[GROUP] = spans
        own = {"id": document.id, "part": document.part}
        doc.user_data[GROUP] = {name: value for name, value in own.items() if value is not None}
        store.add(doc)
    data: bytes = store.to_bytes()
    return data


def _doc(document: Document, make: Any, vocab: Any) -> tuple[Any, list[int]]:
    """A doc with the text of a document, and the number of each token in it.

    A space after a token belongs to it; other white space is a token by itself, as in spaCy.
    """
    words: list[str] = []
    spaces: list[bool] = []
    index: list[int] = []
    at = 0
    for start, end in zip(document.starts, document.ends, strict=True):
        _add_gap(document.text[at:start], words, spaces)
        index.append(len(words))
        words.append(document.text[start:end])
        spaces.append(False)
        at = end
    _add_gap(document.text[at:], words, spaces)
    firsts = {index[first] for first in document.sentences}
    columns: dict[str, Any] = {"sent_starts": [number in firsts for number in range(len(words))]}
    for name, values in (("tags", document.pos), ("lemmas", document.lemma)):
        if values is not None:
            known = dict(zip(index, values, strict=True))
            columns[name] = [known.get(number, "") for number in range(len(words))]
    return make(vocab, words=words, spaces=spaces, **columns), index


def _add_gap(gap: str, words: list[str], spaces: list[bool]) -> None:
    if gap.startswith(" ") and words:
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)
