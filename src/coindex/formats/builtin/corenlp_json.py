"""Stanford CoreNLP's JSON: sentences of tokens, and coreference chains.

    {"docId": "a.txt", "sentences": [{"index": 0, "tokens": [{"index": 1, "word": "Ann", ...}]}],
     "corefs": {"2": [{"sentNum": 1, "startIndex": 1, "endIndex": 2, "headIndex": 1, ...}]}}

Sentences, tokens and heads are counted from 1; `endIndex` is the token after the last, so that
spans are half-open. The text is put together from `originalText`, `before` and `after`. Trees
(`parse`) are read if every sentence has one that fits it. `type` (`PROPER`, `PRONOMINAL`) is the
kind of a mention. Dependencies and named entities are not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex.formats.corenlp import NARRATOR, ChainMention, CoreNlpDocument, Token
from coindex.formats.json_documents import read_json_documents
from coindex.formats.json_fields import Fields, to_line
from coindex.formats.json_probe import first_object
from coindex.formats.sentence_spans import sentence_place
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "entity-id", "crossing", "text", "tokens", "sentences", "within-sentences",
    "lemma", "pos", "speakers", "mention-head", "mention-kind",
})  # fmt: skip


def sniff(head: Sequence[str]) -> bool:
    """The first object has sentences that are objects with an index."""
    value = first_object(head)
    sentences = value.get("sentences")
    first = sentences[0] if isinstance(sentences, list) and sentences else None
    indexed = isinstance(first, dict) and "index" in first and "words" not in first
    return indexed or (isinstance(sentences, list) and not sentences and "corefs" in value)


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file, one per object."""
    return read_json_documents(lines, source, _documents, ids=("docId",))


def _documents(fields: Fields, name: str) -> Iterator[Document]:
    found = CoreNlpDocument()
    for sentence in fields.objects("sentences"):
        tree = sentence.take("parse")
        found.trees.append(tree if isinstance(tree, str) else None)
        found.sentences.append([_token(token) for token in sentence.objects("tokens")])
    chains = fields.take("corefs")
    if not isinstance(chains, dict | None):
        raise fields.wrong("corefs", "an object with a list for each chain", chains)
    for id, mentions in (chains or {}).items():
        inner = Fields({"corefs": mentions}, fields.line, fields.source)
        found.chains.append((id, [_mention(each) for each in inner.objects("corefs")]))
    yield found.build(name, fields.line, fields.source)


def _token(fields: Fields) -> Token:
    word = fields.text("word")
    before, after = fields.optional_text("before"), fields.optional_text("after")
    start, end = (fields.optional_int(f"characterOffset{side}") for side in ("Begin", "End"))
    return Token(
        word,
        fields.optional_text("originalText") or word,
        None if start is None or end is None else (start, end),
        None if before is None or after is None else (before, after),
        fields.optional_text("lemma"),
        fields.optional_text("pos"),
        fields.optional_text("speaker"),
    )


def _mention(fields: Fields) -> ChainMention:
    names = ("sentNum", "startIndex", "endIndex")
    sentence, start, end = fields.as_ints("corefs", [fields.take(name) for name in names])
    return ChainMention(
        sentence, start, end, fields.optional_int("headIndex"), fields.optional_text("type")
    )


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        names: dict[str, Entity] = {}
        for number, entity in enumerate(document.entities, 1):
            names[entity.id if entity.id is not None else f"chain {number}"] = entity
        yield to_line(
            {
                "docId": document.id,
                "sentences": [
                    {
                        "index": number,
                        "tokens": [
                            _token_fields(document, at, at - span.start + 1)
                            for at in range(span.start, span.end)
                        ],
                    }
                    for number, span in enumerate(document.sentence_spans())
                ],
                "corefs": {
                    name: [_mention_fields(document, m, at == 0) for at, m in enumerate(e.mentions)]
                    for name, e in names.items()
                },
            }
        )


def _token_fields(document: Document, at: int, index: int) -> dict[str, Any]:
    start, end, text = document.starts[at], document.ends[at], document.text
    before = document.ends[at - 1] if at else 0
    after = document.starts[at + 1] if at + 1 < len(document) else len(text)
    fields: dict[str, Any] = {
        "index": index,
        "word": document.tokens[at],
        "originalText": text[start:end],
        "lemma": document.lemma and document.lemma[at],
        "characterOffsetBegin": start,
        "characterOffsetEnd": end,
        "pos": document.pos and document.pos[at],
        "speaker": document.speakers and (document.speakers[at] or NARRATOR),
        "before": text[before:start],
        "after": text[end:after],
    }
    return {name: value for name, value in fields.items() if value is not None}


def _mention_fields(document: Document, mention: Mention, first: bool) -> dict[str, Any]:
    number, start, end = sentence_place(document, mention)
    head = None if mention.head is None else mention.head - mention.start + start + 1
    fields: dict[str, Any] = {
        "text": document.text_of(mention),
        "type": mention.kind,
        "startIndex": start + 1,
        "endIndex": end + 1,
        "headIndex": head,
        "sentNum": number + 1,
        "isRepresentativeMention": first,
    }
    return {name: value for name, value in fields.items() if value is not None}
