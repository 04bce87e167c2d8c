"""ECB+: XML with numbered tokens, markables that point to them, and coreference relations.

    <Document doc_name="1_1ecbplus.xml" doc_id="...">
      <token t_id="1" sentence="0" number="0">Ann</token>
      <Markables>
        <HUMAN_PART_PER m_id="3"><token_anchor t_id="1"/></HUMAN_PART_PER>
        <HUMAN_PART_PER m_id="9" TAG_DESCRIPTOR="ann" instance_id="HUM1"/>
      </Markables>
      <Relations>
        <CROSS_DOC_COREF r_id="1" note="HUM1"><source m_id="3"/><target m_id="9"/></CROSS_DOC_COREF>
      </Relations>
    </Document>

A markable without tokens is an instance. An entity is called by the `note` of its relation,
which is the same in other documents, or by `INTRA` and its `r_id`. Markables that no relation
names are singletons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from coindex import io
from coindex.formats.standoff import one_document, spans_of, token_entities
from coindex.formats.xml_tree import (
    XmlElement,
    count_replaced,
    escape,
    parse_xml,
    root_name,
    tag,
)
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source

KIND = "document"
ONE_DOCUMENT = True
SUPPORTS = frozenset({
    "entities", "entity-id", "tokens", "sentences", "discontinuous", "crossing", "mention-kind",
})  # fmt: skip

_PLAIN = "MARKABLE"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_RESERVED = frozenset({_PLAIN, "token", "token_anchor", "source", "target"})


def sniff(head: Sequence[str]) -> bool:
    """The first element is `Document`, with tokens that have a `t_id`."""
    return root_name(head) == "Document" and bool(re.search(r"<token\s[^>]*\bt_id=", "".join(head)))


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The document of a file."""
    root = parse_xml(lines, source)
    if root.local != "Document":
        raise source.error(root.line, f"expected <Document>, found <{root.local}>")
    source.begin(root.line)
    tokens, sentences = _tokens(root, source)
    id = root.attributes.get("doc_name", io.stem(source.name))
    yield Document.of(id, sentences, token_entities(_clusters(root, tokens, source), source))


def _tokens(root: XmlElement, source: Source) -> tuple[dict[str, int], list[list[str]]]:
    """The index of each token id, and the words of the sentences."""
    tokens: dict[str, int] = {}
    sentences: list[list[str]] = []
    current = None
    for element in root.named("token"):
        id, word = element.get("t_id"), element.text.strip()
        if not id or id in tokens or not word:
            found = f"t_id={id!r}, {word!r}"
            message = f"expected a token with a word and a t_id of its own, found {found}"
            raise source.error(element.line, message)
        if element.get("sentence") != current or not sentences:
            current = element.get("sentence")
            sentences.append([])
        tokens[id] = len(tokens)
        sentences[-1].append(word)
    return tokens, sentences


def _clusters(
    root: XmlElement, tokens: dict[str, int], source: Source
) -> Iterator[tuple[str | None, list[tuple[Mention, int]]]]:
    """The entities: one for each relation, then the markables without one."""
    mentions, instances = _markables(root, tokens, source)
    groups: dict[str, dict[str, int]] = {}
    for relation in root.named("CROSS_DOC_COREF", "INTRA_DOC_COREF"):
        name = relation.get("note") or f"INTRA{relation.get('r_id')}"
        for end in relation.named("source", "target"):
            id = end.get("m_id")
            if id in mentions:
                groups.setdefault(name, {})[id] = end.line
            elif id not in instances:
                raise source.error(end.line, f"expected the m_id of a markable, found {id!r}")
    for name, ids in groups.items():
        yield name, [(mentions[id], line) for id, line in ids.items()]
    grouped = {id for ids in groups.values() for id in ids}
    for id, mention in mentions.items():
        if id not in grouped:
            yield None, [(mention, root.line)]


def _markables(
    root: XmlElement, tokens: dict[str, int], source: Source
) -> tuple[dict[str, Mention], set[str]]:
    """The markables with tokens by their ids, and the ids of those without."""
    mentions: dict[str, Mention] = {}
    instances: set[str] = set()
    for element in (child for part in root.named("Markables") for child in part.children):
        id, anchors = element.get("m_id"), list(element.named("token_anchor"))
        if not id or id in mentions or id in instances:
            raise source.error(element.line, f"expected an m_id of its own, found {id!r}")
        for anchor in anchors:
            if anchor.get("t_id") not in tokens:
                message = f"expected the t_id of a token, found {anchor.get('t_id')!r}"
                raise source.error(anchor.line, message)
        if anchors:
            spans = spans_of(tokens[anchor.get("t_id")] for anchor in anchors)
            kind = element.get("kind") or (None if element.local == _PLAIN else element.local)
            mentions[id] = Mention(spans, None, kind, id)
        else:
            instances.add(id)
    return mentions, instances


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "character(s) that XML cannot hold, written as U+FFFD": count_replaced(document.text),
    }


def write(items: Iterable[Document]) -> Iterator[str]:
    """One document; every entity is an instance with a relation."""
    for document in one_document(items, "ecbplus"):
        yield '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        shown = escape(document.id)
        yield f'<Document doc_name="{shown}" doc_id="{shown}">\n'
        yield from _write_tokens(document)
        yield from _write_annotation(document)
        yield "</Document>\n"


def _write_tokens(document: Document) -> Iterator[str]:
    for sentence, span in enumerate(document.sentence_spans()):
        for token in range(span.start, span.end):
            numbers = {"t_id": token + 1, "sentence": sentence, "number": token - span.start}
            yield tag("token", dict(numbers), escape(document.tokens[token])) + "\n"


def _write_annotation(document: Document) -> Iterator[str]:
    ids = count(1)
    names = _instance_names(document.entities)
    markables: list[str] = []
    relations: list[str] = []
    for name, entity in zip(names, document.entities, strict=True):
        sources = []
        for mention in entity.mentions:
            id = next(ids)
            markables.append(_markable(mention, id))
            sources.append(tag("source", {"m_id": id}))
        id = next(ids)
        instance = {"m_id": id, "RELATED_TO": "", "TAG_DESCRIPTOR": name, "instance_id": name}
        markables.append(tag(_PLAIN, dict(instance)))
        ends = "".join([*sources, tag("target", {"m_id": id})])
        relations.append(tag("CROSS_DOC_COREF", {"r_id": id, "note": name}, ends))
    yield "<Markables>\n"
    yield from (f"{line}\n" for line in markables)
    yield "</Markables>\n<Relations>\n"
    yield from (f"{line}\n" for line in relations)
    yield "</Relations>\n"


def _markable(mention: Mention, id: int) -> str:
    anchors = "".join(tag("token_anchor", {"t_id": token + 1}) for token in mention.tokens)
    kind = mention.kind or _PLAIN
    if kind == _PLAIN or (_NAME.fullmatch(kind) and kind not in _RESERVED):
        return tag(kind, {"m_id": id}, anchors)
    return tag(_PLAIN, {"m_id": id, "kind": kind}, anchors)


def _instance_names(entities: Sequence[Entity]) -> list[str]:
    """The ids of the entities; an unused number for those without."""
    taken = {entity.id for entity in entities}
    free = (str(number) for number in count(1))
    return [e.id or next(name for name in free if name not in taken) for e in entities]
