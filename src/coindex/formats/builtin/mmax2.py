"""MMAX2: a file of words and a file of markables, whose `coref_class` names their entity.

    <words>                                              d_words.xml
      <word id="word_1">Ann</word>
    </words>
    <markables xmlns="www.eml.org/NameSpaces/coref">     d_coref_level.xml
      <markable id="markable_1" span="word_1..word_3,word_5" coref_class="set_1"/>
    </markables>

The markables may be beside the words or in the folders `Markables` and `Basedata` of a
project. Coreference is read from `coref_class`, `coref_set` or `mention_group`, and from
pointers to other markables (`ref`, `antecedent`), unless their `type` is not identity. A
markable without any is a singleton. Sentences are read from an attribute of the words (`sent`,
`alpsent`), or made by rule. The attribute `type` is the kind of a mention; others are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import PurePath

from coindex import io
from coindex.formats.standoff import merged, spans_of, token_entities
from coindex.formats.xml_tree import (
    XmlElement,
    count_replaced,
    escape,
    parse_xml,
    root_name,
    tag,
)
from coindex.text.tokenizer import sentence_starts
from coindex.types.document import Document, join
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

KIND = "document"
PARTS = ("_coref_level.xml", "_words.xml")
FOLDERS = ("Markables", "Basedata", "../Markables", "../Basedata", "../markables", "../basedata")
SUPPORTS = frozenset({
    "entities", "entity-id", "tokens", "sentences", "discontinuous", "crossing", "mention-kind",
    "mention-attrs",
})  # fmt: skip

_SETS = ("coref_class", "coref_set", "mention_group")
_POINTERS = ("ref", "antecedent")
_SENTENCE = ("sent", "alpsent", "sentence")
_IDENTITY = re.compile(r"ident|coref|ana|dn|$", re.IGNORECASE)
_OWN = frozenset({"id", "span", "type", "mmax_level", *_SETS})
_ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_ROOTS = frozenset({"words", "markables", "mmax_project"})


def sniff(head: Sequence[str]) -> bool:
    """The first element is that of a file of words or markables, or of a project."""
    return root_name(head) in _ROOTS


def read_parts(lines: Iterable[str], text: str, source: Source) -> Iterator[Document]:
    """One document, named after its files; `text` is the file of words."""
    source.begin(1)
    beside = Source(source.name.removesuffix(PARTS[0]) + PARTS[1])
    root = parse_xml([text], beside)
    words, index, sentences = _words(root, beside)
    markables = parse_xml(lines, source)
    with source.errors_at(markables.line):
        entities = token_entities(_clusters(markables, index, source), source)
        joined, starts, ends = join(words, sentences)
        id = PurePath(source.name).name.removesuffix(PARTS[0])
        yield Document(id, joined, words, starts, ends, sentences, entities)


def _words(
    root: XmlElement, source: Source
) -> tuple[tuple[str, ...], dict[str, int], tuple[int, ...]]:
    """The words, the index of each id, and the first word of each sentence."""
    words: list[str] = []
    index: dict[str, int] = {}
    numbers: list[str] = []
    for element in root.named("word"):
        id, word = element.get("id"), " ".join(element.text.split())
        if not id or id in index or not word:
            message = f"expected a word with an id of its own, found {id!r}, {word!r}"
            raise source.error(element.line, message)
        index[id] = len(words)
        words.append(word)
        numbers.append(next((element.get(n) for n in _SENTENCE if element.get(n)), ""))
    if any(numbers):
        firsts = [i for i in range(len(words)) if not i or numbers[i] != numbers[i - 1]]
        return tuple(words), index, tuple(firsts)
    text, starts, ends = join(words, [0] if words else [])
    return tuple(words), index, sentence_starts(text, list(zip(starts, ends, strict=True)))


def _clusters(
    root: XmlElement, index: dict[str, int], source: Source
) -> Iterator[tuple[str | None, list[tuple[Mention, int]]]]:
    """The entities: sets by name, then markables that pointers connect, then the others."""
    mentions: dict[str, tuple[Mention, int]] = {}
    sets: dict[str, list[str]] = {}
    links: list[tuple[str, str, int]] = []
    for element in root.named("markable"):
        id = element.get("id")
        if not id or id in mentions:
            raise source.error(element.line, f"expected an id of its own, found {id!r}")
        mentions[id] = _mention(element, index, source), element.line
        name = next((element.get(n) for n in _SETS if element.get(n)), "empty")
        if name not in ("empty", "none"):
            sets.setdefault(name, []).append(id)
        elif _IDENTITY.match(element.get("type")):
            targets = (m for n in _POINTERS for m in re.findall(r"markable_\d+", element.get(n)))
            links += ((target, id, element.line) for target in targets)
    for target, _, line in links:
        if target not in mentions:
            raise source.error(line, f"expected the id of a markable, found {target!r}")
    for name, ids in sets.items():
        yield name, [mentions[id] for id in ids]
    in_sets = {id for ids in sets.values() for id in ids}
    for group in merged((one, other) for one, other, _ in links):
        rest = [id for id in group if id not in in_sets]
        in_sets.update(rest)
        yield None, [mentions[id] for id in rest]
    yield from ((None, [found]) for id, found in mentions.items() if id not in in_sets)


def _mention(element: XmlElement, index: dict[str, int], source: Source) -> Mention:
    spans = spans_of(_tokens(element, index, source))
    others = ((key, value) for key, value in element.attributes.items() if key not in _OWN)
    return Mention(spans, None, element.get("type") or None, element.get("id"), tuple(others))


def _tokens(element: XmlElement, index: dict[str, int], source: Source) -> Iterator[int]:
    """The words of a span such as `word_1..word_3,word_5`."""
    for part in element.get("span").split(","):
        first, _, last = part.strip().partition("..")
        start, end = index.get(first), index.get(last or first)
        if start is None or end is None or end < start:
            message = f"expected a span of words such as 'word_1..word_3', found {part!r}"
            raise source.error(element.line, message)
        yield from range(start, end + 1)


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    attributes = [key for mention in document.mentions for key, _ in mention.attrs]
    return {
        "documents renamed: the id is no file name": int(io.file_name(document.id) != document.id),
        "character(s) that XML cannot hold, written as U+FFFD": count_replaced(document.text),
        "attribute(s) left out: their names are no names of XML or mean something else": (
            sum(not _writable(key) for key in attributes)
        ),
    }


def _writable(key: str) -> bool:
    return bool(_ATTRIBUTE.fullmatch(key)) and key not in _OWN and key not in _POINTERS


def write_parts(document: Document) -> tuple[list[str], list[str]]:
    """The lines of the markables, and those of the words."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    markables = [head, '<markables xmlns="www.eml.org/NameSpaces/coref">\n']
    numbers = count(1)
    for name, entity in zip(_set_names(document.entities), document.entities, strict=True):
        for mention in entity.mentions:
            attributes: dict[str, object] = {
                "id": f"markable_{next(numbers)}",
                "span": ",".join(map(_span, mention.spans)),
                "coref_class": name,
                "mmax_level": "coref",
            }
            if mention.kind is not None:
                attributes["type"] = mention.kind
            attributes.update((key, value) for key, value in mention.attrs if _writable(key))
            markables.append(f"{tag('markable', attributes)}\n")
    words = [head, '<!DOCTYPE words SYSTEM "words.dtd">\n', "<words>\n"]
    for number, span in enumerate(document.sentence_spans(), 1):
        for token in range(span.start, span.end):
            place = {"id": f"word_{token + 1}", "sent": number}
            words.append(f"{tag('word', dict(place), escape(document.tokens[token]))}\n")
    return [*markables, "</markables>\n"], [*words, "</words>\n"]


def _span(span: Span) -> str:
    first, last = f"word_{span.start + 1}", f"word_{span.end}"
    return first if first == last else f"{first}..{last}"


def _set_names(entities: Sequence[Entity]) -> list[str]:
    """The ids of the entities; an unused `set_N` for those without, or with a reserved one."""
    taken = {entity.id for entity in entities}
    free = (f"set_{number}" for number in count(1))
    usable = [e.id if e.id and e.id not in ("empty", "none") else None for e in entities]
    return [name or next(n for n in free if n not in taken) for name in usable]
