"""wl-coref (word-level coreference): words with their sentences, half-open spans, heads.

    {"document_id": "nw_a", "cased_words": ["Ann", "said", "she", "slept"],
     "sent_id": [0, 0, 0, 0], "span_clusters": [[[0, 1], [2, 3]]], "word_clusters": [[0, 2]]}

Spans are `[start, end]`, half-open, and count words of the document. `span_clusters` are read;
where there are none, `word_clusters` with the spans that `head2span` gives to heads
(`[head, start, end]`), or with the heads alone, which is noted. `head2span` also gives mentions
their heads. In a file with gold `clusters` beside them, `span_clusters` are the predictions.
Written is the form that wl-coref's `convert_to_heads.py` and `predict.py` read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from coindex.formats.json_documents import (
    flat_sentences,
    read_json_documents,
    stored_fields,
    unread_fields,
)
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.token_clusters import choose_field, cluster_pairs, entity_of, read_clusters
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

KIND = "document"
SUPPORTS = frozenset({
    "entities", "crossing", "tokens", "sentences", "part", "speakers", "pos", "heads", "meta:json",
})  # fmt: skip

Heads = dict[int, tuple[int, int]]
_WORDS = "word_clusters"


def sniff(head: Sequence[str]) -> bool:
    """The first object has `cased_words`."""
    return "cased_words" in first_object(head)


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per line."""
    return read_json_documents(lines, source, _documents, ids=("document_id",))


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    words = fields.as_texts("cased_words", fields.take("cased_words"))
    firsts = _sentence_starts(fields, len(words))
    heads = _head_spans(fields, len(words))
    entities = _entities(fields, len(words), heads)
    speakers = _column(fields, "speaker", len(words))
    yield Document.of(
        name,
        flat_sentences(words, firsts),
        entities,
        part=fields.optional_int("part_id"),
        speakers=speakers and tuple("" if name in ("-", "_") else name for name in speakers),
        pos=_column(fields, "pos", len(words)),
        heads=_governors(fields, len(words)),
        meta=unread_fields(fields, _WORDS),
    )


def _sentence_starts(fields: Fields, count: int) -> tuple[int, ...]:
    numbers = fields.ints("sent_id")
    if len(numbers) != count:
        raise fields.wrong("sent_id", f"{count} numbers, one per word", f"{len(numbers)} numbers")
    return tuple(at for at in range(count) if not at or numbers[at] != numbers[at - 1])


def _column(fields: Fields, name: str, count: int) -> tuple[str, ...] | None:
    values = fields.optional_texts(name)
    if values is not None and len(values) != count:
        raise fields.wrong(name, f"{count} values, one per word", f"{len(values)} values")
    return values


def _governors(fields: Fields, count: int) -> tuple[int, ...] | None:
    value = fields.take("head")
    if value is None:
        return None
    heads = [-1 if head is None else head for head in fields.as_list("head", value)]
    if len(heads) != count:
        raise fields.wrong("head", f"{count} numbers, one per word", f"{len(heads)} numbers")
    return fields.as_ints("head", heads)


def _head_spans(fields: Fields, count: int) -> Heads:
    spans: Heads = {}
    for value in fields.as_list("head2span", fields.take("head2span") or []):
        numbers = fields.as_ints("head2span", value)
        if len(numbers) != 3 or not 0 <= numbers[1] <= numbers[0] < numbers[2] <= count:
            raise fields.wrong("head2span", f"[head, start, end] within {count} words", value)
        spans[numbers[0]] = numbers[1], numbers[2]
    return spans


def _entities(fields: Fields, count: int, heads: Heads) -> list[Entity]:
    chosen = choose_field(fields, "clusters", ("span_clusters",))
    if chosen != _WORDS and (fields.has(chosen) or not fields.has(_WORDS)):
        entities = read_clusters(fields, chosen, count, inclusive=False)
        fields.take("span_clusters")
        fields.take("clusters")
        return [_with_heads(entity, heads) for entity in entities]
    return list(_from_words(fields, count, heads))


def _with_heads(entity: Entity, heads: Heads) -> Entity:
    at = {span: head for head, span in heads.items()}
    mentions = (replace(m, head=at.get((m.start, m.end))) for m in entity.mentions)
    return replace(entity, mentions=tuple(mentions))


def _from_words(fields: Fields, count: int, heads: Heads) -> Iterator[Entity]:
    """Entities of `word_clusters`, each head with its span if that is known."""
    name = _WORDS
    alone = 0
    for cluster in fields.as_list(name, fields.take(name)):
        mentions: dict[tuple[int, int], Mention] = {}
        for head in fields.as_ints(name, cluster):
            if not 0 <= head < count:
                raise fields.wrong(name, f"numbers of {count} words", head)
            alone += head not in heads
            span = heads.get(head, (head, head + 1))
            mentions[span] = Mention((Span(*span),), head)
        entity = entity_of(fields, list(mentions.values()))
        if entity:
            yield entity
    if alone:
        message = f"expected spans in 'head2span', found none for {alone} heads; read as words"
        fields.source.note(fields.line, "span", message)


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        sentences = list(document.sentence_spans())
        fields: dict[str, Any] = {
            "document_id": document.id,
            "part_id": document.part,
            "cased_words": document.tokens,
            "sent_id": [n for n, span in enumerate(sentences) for _ in range(span.start, span.end)],
            "speaker": document.speakers and [name or "-" for name in document.speakers],
            "pos": document.pos,
            "head": document.heads and [None if head < 0 else head for head in document.heads],
            "clusters": cluster_pairs(document, inclusive=False),
        }
        present = {name: value for name, value in fields.items() if value is not None}
        yield to_line({**present, **stored_fields(document)})
