"""UIMA CAS XMI, as INCEpTION and WebAnno export it: a text, and annotation by offsets.

    <cas:Sofa xmi:id="1" sofaString="Ann said she left."/>
    <type4:Token xmi:id="2" sofa="1" begin="0" end="3"/>
    <type3:CoreferenceLink xmi:id="8" sofa="1" begin="0" end="3" next="9" referenceType="name"/>
    <type3:CoreferenceLink xmi:id="9" sofa="1" begin="9" end="12"/>
    <type3:CoreferenceChain xmi:id="7" sofa="1" first="8"/>

A chain is any feature structure with `first`, whose links lead on with `next`: those of
DKPro's coreference layer, and those of chain layers that a project defines. Links that no chain
begins with are chains too. Offsets count UTF-16 units. Without tokens or sentences in the
file they are made by rule. Where there are several views, the first one with a text is read.
A document is called by its `documentTitle`, since WebAnno and INCEpTION give the annotator's
name as `documentId`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise

from coindex import io
from coindex.formats.standoff import (
    CharEntity,
    CharMention,
    Range,
    checked_range,
    java_offsets,
    one_document,
    standoff_document,
    utf16_offsets,
)
from coindex.formats.xml_tree import (
    XmlElement,
    count_replaced,
    parse_xml,
    root_name,
    tag,
    whole_number,
)
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
ONE_DOCUMENT = True
SUPPORTS = frozenset({
    "entities", "text", "tokens", "sentences", "crossing", "mention-kind",
})  # fmt: skip

_XMI = "http://www.omg.org/XMI"
_ID = f"{_XMI} id"
_CORE = "de/tudarmstadt/ukp/dkpro/core/api"
_NAMESPACES = {
    "xmi": _XMI,
    "cas": "http:///uima/cas.ecore",
    "segmentation": f"http:///{_CORE}/segmentation/type.ecore",
    "metadata": f"http:///{_CORE}/metadata/type.ecore",
    "coref": f"http:///{_CORE}/coref/type.ecore",
}


def sniff(head: Sequence[str]) -> bool:
    """The first element is `xmi:XMI`."""
    return root_name(head).endswith("XMI")


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The document of a file."""
    root = parse_xml(lines, source)
    sofa = next((e for e in root.children if e.local == "Sofa" and e.get("sofaString")), None)
    if root.local != "XMI" or sofa is None:
        raise source.error(root.line, "expected an XMI file with a text (sofaString), found none")
    source.begin(root.line)
    text, view = sofa.get("sofaString"), sofa.get(_ID)
    own = [e for e in root.children if e.get("sofa") in (view, "")]
    offsets = utf16_offsets(text)
    tokens = sorted({_range(e, text, offsets, source) for e in own if e.local == "Token"})
    sentences = [_range(e, text, offsets, source)[0] for e in own if e.local == "Sentence"]
    yield standoff_document(
        _name(own, source),
        text,
        _entities(own, text, offsets, source),
        source,
        tokens=tokens or None,
        sentences=sorted(sentences) if tokens and sentences else None,
    )


def _name(own: list[XmlElement], source: Source) -> str:
    for element in own:
        if element.local == "DocumentMetaData":
            return element.get("documentTitle") or element.get("documentId") or io.stem(source.name)
    return io.stem(source.name)


def _range(element: XmlElement, text: str, offsets: Mapping[int, int], source: Source) -> Range:
    """The characters of an annotation."""
    units = [whole_number(element.get(name)) for name in ("begin", "end")]
    start, end = (offsets.get(-1 if unit is None else unit) for unit in units)
    if start is None or end is None:
        found = f"{element.get('begin')!r} and {element.get('end')!r}"
        message = f"expected begin and end within the text of {len(text)} characters, found {found}"
        raise source.error(element.line, message)
    return checked_range(text, start, end, element.line, source)


def _entities(
    own: list[XmlElement], text: str, offsets: Mapping[int, int], source: Source
) -> Iterator[CharEntity]:
    """The chains; links are followed from their first one."""
    links = {e.get(_ID): e for e in own if e.local.endswith("Link") and "begin" in e.attributes}
    targets = {link.get("next") for link in links.values()}
    chains = [(e.get("first"), e.line) for e in own if "first" in e.attributes]
    begun = {first for first, _ in chains}
    chains += [(id, e.line) for id, e in links.items() if id not in targets and id not in begun]
    for first, line in chains:
        mentions, seen, at = [], set[str](), first
        while at:
            if at not in links or at in seen:
                message = f"expected a chain of links that ends, found {at!r} next"
                raise source.error(line, message)
            link = links[at]
            seen.add(at)
            characters = _range(link, text, offsets, source)
            kind = link.get("referenceType") or None
            mentions.append(CharMention((characters,), link.line, kind, at))
            line, at = link.line, link.get("next")
        if mentions:
            yield None, mentions


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "character(s) that XML cannot hold, written as U+FFFD": count_replaced(document.text),
    }


def write(items: Iterable[Document]) -> Iterator[str]:
    """One document with DKPro's types, which INCEpTION knows."""
    for document in one_document(items, "xmi"):
        elements = [
            {"xmi:id": 0, "": "cas:NULL"},
            *_annotations(document),
            {"xmi:id": 1, "": "cas:Sofa", "sofaNum": 1, "sofaID": "_InitialView",
             "mimeType": "text", "sofaString": document.text},
        ]  # fmt: skip
        members = " ".join(str(e["xmi:id"]) for e in elements[1:-1])
        elements.append({"": "cas:View", "sofa": 1, "members": members})
        spaces = {f"xmlns:{prefix}": uri for prefix, uri in _NAMESPACES.items()}
        opening = tag("xmi:XMI", {**spaces, "xmi:version": "2.0"}, "").partition("></")[0]
        yield f'<?xml version="1.0" encoding="UTF-8"?>\n{opening}>\n'
        for element in elements:
            name = str(element.pop(""))
            yield f"  {tag(name, element)}\n"
        yield "</xmi:XMI>\n"


def _annotations(document: Document) -> Iterator[dict[str, object]]:
    """The metadata, sentences, tokens and chains, as attributes; the name is under "" """
    units = java_offsets(document.text)
    ids = count(2)

    def annotation(name: str, start: int, end: int, **more: object) -> dict[str, object]:
        place = {"begin": units[start], "end": units[end]}
        return {"": name, "xmi:id": next(ids), "sofa": 1, **place, **more}

    meta = {"documentTitle": document.id, "documentId": document.id}
    yield annotation("metadata:DocumentMetaData", 0, len(document.text), **meta)
    for span in document.sentence_spans():
        chars = document.chars(span)
        yield annotation("segmentation:Sentence", chars.start, chars.end)
    for start, end in zip(document.starts, document.ends, strict=True):
        yield annotation("segmentation:Token", start, end)
    for entity in document.entities:
        links = []
        for mention in entity.mentions:
            chars = document.chars(mention.cover)
            kind = {} if mention.kind is None else {"referenceType": mention.kind}
            links.append(annotation("coref:CoreferenceLink", chars.start, chars.end, **kind))
        for link, following in pairwise(links):
            link["next"] = following["xmi:id"]
        yield from links
        first = links[0]["xmi:id"]
        yield {"": "coref:CoreferenceChain", "xmi:id": next(ids), "sofa": 1, "first": first}
