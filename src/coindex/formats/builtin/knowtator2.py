"""Knowtator 2, as in CRAFT: a text, and XML with annotation by offsets and a graph of relations.

    <knowtator-project><document id="d" text-file="d.txt">
      <annotation id="m1"><class id="Noun Phrase"/><span id="s" start="0" end="3">Ann</span></annotation>
      <annotation id="c1"><class id="IDENTITY chain"/><span id="s" start="0" end="3">Ann</span></annotation>
      <graph-space id="g">
        <vertex id="v1" annotation="m1"/><vertex id="v2" annotation="c1"/>
        <triple id="t1" subject="v2" property="Coreferring strings" object="v1"/>
      </graph-space>
    </document></knowtator-project>

An `IDENTITY chain` is an entity, and its `Coreferring strings` are its mentions. Other
annotation that no chain names is a singleton, except for relations (`APPOS relation`), which are
left out and noted. The text is beside the XML, or in the folder of a project's articles. It
is tokenised by rule, and tokens are divided at the borders of mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import PurePath

from coindex import io
from coindex.formats.standoff import CharEntity, CharMention, checked_range, standoff_document
from coindex.formats.xml_tree import (
    XmlElement,
    count_replaced,
    escape,
    parse_xml,
    root_name,
    tag,
    whole_number,
)
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.source import Source

KIND = "document"
PARTS = (".xml", ".txt")
BY_CONTENT = True
FOLDERS = ("../Articles", "../articles", "../../articles/txt", "../txt", "Articles")
SUPPORTS = frozenset({
    "entities", "entity-id", "text", "surface", "discontinuous", "crossing", "mention-kind",
})  # fmt: skip

CHAIN = "IDENTITY chain"
MEMBER = "Coreferring strings"
PLAIN = "Noun Phrase"


def sniff(head: Sequence[str]) -> bool:
    """The first element is `knowtator-project`."""
    return root_name(head) == "knowtator-project"


def read_parts(lines: Iterable[str], text: str, source: Source) -> Iterator[Document]:
    """One document, named after its file."""
    source.begin(1)
    root = parse_xml(lines, source)
    documents = list(root.named("document"))
    if root.local != "knowtator-project" or len(documents) != 1:
        found = f"<{root.local}> with {len(documents)}"
        raise source.error(root.line, f"expected a project with one <document>, found {found}")
    with source.errors_at(root.line):
        id = PurePath(source.name).name.removesuffix(PARTS[0])
        yield standoff_document(id, text, _entities(documents[0], text, source), source)


def _entities(document: XmlElement, text: str, source: Source) -> Iterator[CharEntity]:
    """The chains with members, then the annotation that no chain names."""
    mentions: dict[str, CharMention] = {}
    chains: dict[str, list[str]] = {}
    for element in document.named("annotation"):
        id, kind = element.get("id"), _class(element)
        if not id or id in mentions or id in chains:
            raise source.error(element.line, f"expected an id of its own, found {id!r}")
        if kind == CHAIN:
            chains[id] = []
        else:
            mentions[id] = _mention(element, None if kind == PLAIN else kind, text, source)
    for chain, member, line in _members(document, source):
        if chain not in chains or member not in mentions:
            message = f"expected a chain and a mention, found {chain!r} and {member!r}"
            raise source.error(line, message)
        chains[chain].append(member)
    yield from ((id, [mentions[member] for member in ids]) for id, ids in chains.items() if ids)
    grouped = {member for ids in chains.values() for member in ids}
    for id, mention in mentions.items():
        if id in grouped:
            continue
        if mention.kind and mention.kind.endswith("relation"):
            source.note(mention.line, "element", f"{mention.kind} {id} is in no chain; left out")
        else:
            yield None, [mention]


def _class(element: XmlElement) -> str | None:
    kind = next(element.named("class"), None)
    return (kind.get("label") or kind.get("id") or None) if kind else None


def _mention(element: XmlElement, kind: str | None, text: str, source: Source) -> CharMention:
    ranges = []
    for span in element.named("span"):
        start, end = whole_number(span.get("start")), whole_number(span.get("end"))
        if start is None or end is None:
            found = f"{span.get('start')!r} and {span.get('end')!r}"
            raise source.error(span.line, f"expected start and end, found {found}")
        ranges.append(checked_range(text, start, end, span.line, source))
    if not ranges:
        raise source.error(element.line, f"expected a span in {element.get('id')!r}, found none")
    return CharMention(tuple(sorted(ranges)), element.line, kind, element.get("id"))


def _members(document: XmlElement, source: Source) -> Iterator[tuple[str, str, int]]:
    """The chain and the mention of each triple."""
    for graph in document.named("graph-space"):
        vertices = {v.get("id"): v.get("annotation") for v in graph.named("vertex")}
        for triple in graph.named("triple"):
            if triple.get("property") != MEMBER:
                continue
            ends = [vertices.get(triple.get(name)) for name in ("subject", "object")]
            if ends[0] is None or ends[1] is None:
                found = f"{triple.get('subject')!r} and {triple.get('object')!r}"
                raise source.error(triple.line, f"expected the ids of vertices, found {found}")
            yield ends[0], ends[1], triple.line


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "documents renamed: the id is no file name": int(io.file_name(document.id) != document.id),
        "character(s) of labels that XML cannot hold, written as U+FFFD": (
            sum(count_replaced(mention.kind or "") for mention in document.mentions)
        ),
    }


def write_parts(document: Document) -> tuple[list[str], list[str]]:
    """The lines of the annotation file, and the text."""
    taken = {entity.id for entity in document.entities}
    free = (f"m{number}" for number in count(1))
    names = (name for name in free if name not in taken)
    annotation: list[str] = []
    graph: list[str] = []
    for entity in document.entities:
        chain = next(names) if entity.id is None else entity.id
        annotation += _annotation(document, entity.mentions[0], chain, CHAIN)
        graph.append(tag("vertex", {"id": f"v-{chain}", "annotation": chain}))
        for mention in entity.mentions:
            id = next(names)
            annotation += _annotation(document, mention, id, mention.kind or PLAIN)
            link = {"subject": f"v-{chain}", "property": MEMBER, "object": f"v-{id}"}
            graph.append(tag("vertex", {"id": f"v-{id}", "annotation": id}))
            graph.append(tag("triple", {"id": f"t-{id}", **link}))
    shown = escape(document.id)
    lines = [
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
        "<knowtator-project>",
        f'<document id="{shown}" text-file="{escape(io.file_name(document.id))}.txt">',
        *annotation,
        '<graph-space id="coreference">',
        *graph,
        "</graph-space>",
        "</document>",
        "</knowtator-project>",
    ]
    return [f"{line}\n" for line in lines], [document.text]


def _annotation(document: Document, mention: Mention, id: str, kind: str) -> Iterator[str]:
    yield f'<annotation annotator="coindex" id="{escape(id)}" type="identity">'
    yield tag("class", {"id": kind, "label": kind})
    for number, span in enumerate(mention.spans):
        chars = document.chars(span)
        place = {"id": f"{id}-{number}", "start": chars.start, "end": chars.end}
        yield tag("span", dict(place), escape(chars.of(document.text)))
    yield "</annotation>"
