r"""WebAnno TSV 3: tokens with offsets, and coreference as chains in two columns.

    #FORMAT=WebAnno TSV 3.3
    #T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation

    #Text=Ann said she left.
    1-1  0-3   Ann   name[1]  coref->1-1
    1-2  4-8   said  _        _
    1-3  9-12  she   pron[1]  *->1-2

`coref->1-2` is the second link of chain 1; tokens with the same number are one mention.
Stacked mentions are separated by `|`, and reserved characters follow a backslash. Offsets count
UTF-16 units. Every chain layer is read. Without one, relation layers are whose name holds
`coref`, as in GUM; see `webanno_cells`. Other layers are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from coindex import io
from coindex.formats.standoff import (
    CharEntity,
    CharMention,
    Range,
    java_offsets,
    one_document,
    standoff_document,
    utf16_offsets,
)
from coindex.formats.webanno_cells import (
    EMPTY,
    RelationLayer,
    Row,
    escaped,
    kind_of_value,
    relation_chains,
    stacked,
    unescaped,
)
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
ONE_DOCUMENT = True
SUPPORTS = frozenset({"entities", "tokens", "sentences", "crossing", "mention-kind"})

_FORMAT = re.compile(r"#FORMAT=WebAnno TSV 3(\.\d+)?\s*$")
_LAYER = re.compile(r"#T_(SP|CH|RL)=([^|]+)\|?(.*)")
_ROW = re.compile(r"\d{1,9}-\d{1,9}(\.\d{1,9})?\t(\d{1,9})-(\d{1,9})\t(.*)")
_LINK = re.compile(r".*->(\d+)-(\d+)", re.DOTALL)
_CHAIN = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
_HEADER = f"#FORMAT=WebAnno TSV 3.3\n#T_CH={_CHAIN}|referenceType|referenceRelation\n\n"
Key = tuple[str, str, str]
"""The layer of a link, its chain and its number."""


@dataclass
class _Body:
    """What the rows of a file add up to.

    text    the sentences, so far, with their gaps
    units   its length in UTF-16 units
    pending the lines of a sentence whose first token has not been read
    spans   the ranges of each link, in UTF-16 units
    kinds   the type of each link
    """

    text: str = ""
    units: int = 0
    pending: list[str] = field(default_factory=list)
    tokens: list[Range] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    spans: dict[Key, list[Range]] = field(default_factory=dict)
    kinds: dict[Key, str | None] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    def add(self, key: Key, ranges: Iterable[Range], kind: str | None, line: int) -> None:
        """Add ranges to a link."""
        self.spans.setdefault(key, []).extend(ranges)
        self.kinds.setdefault(key, kind)
        self.lines.setdefault(key, line)


@dataclass
class _Layers:
    """The layers that the header declares, by their columns."""

    width: int = 0
    spans: dict[str, int] = field(default_factory=dict)
    chains: list[tuple[str, int, int]] = field(default_factory=list)
    relations: list[tuple[str, str, int, int]] = field(default_factory=list)

    def declare(self, layer: re.Match[str], number: int, source: Source) -> None:
        """Add a layer, whose columns follow those of the layers before it."""
        names = layer[3].split("|") if layer[3] else [""]
        if layer[1] == "SP":
            self.spans[layer[2]] = self.width
        elif layer[1] == "CH":
            self.chains.append(_chain_columns(layer[2], names, self.width, number, source))
        elif "coref" in layer[2].lower():
            last = self.width + max(len(names) - 1, 1)
            self.relations.append((layer[2], names[-1].removeprefix("BT_"), self.width, last))
            self.width += len(names) == 1  # a relation without features has a column of stars
        self.width += len(names)


def sniff(head: Sequence[str]) -> bool:
    """The first line names the format."""
    first = next((line for line in head if line.strip()), "")
    return bool(_FORMAT.match(first))


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The document of a file, named after it."""
    source.begin(1)
    layers, body = _Layers(), _Body()
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        layer = _LAYER.match(bare)
        if layer:
            layers.declare(layer, number, source)
        elif bare.startswith("#Text="):
            body.pending.append(unescaped(bare.removeprefix("#Text=")))
        elif bare.strip() and not bare.startswith("#"):
            _row(bare, number, layers, body, source)
    if not layers.chains:
        _relations(layers, body, source)
    yield _document(body, source)


def _relations(layers: _Layers, body: _Body, source: Source) -> None:
    """Add the links of the relation layers."""
    for name, base, labels, targets in layers.relations:
        if base not in layers.spans:
            raise source.error(1, f"expected the span layer {base!r}, on which {name} is based")
        layer = RelationLayer(layers.spans[base], labels, targets)
        for chain, mentions in enumerate(relation_chains(body.rows, layer, source)):
            for link, mention in enumerate(mentions):
                key = name, str(chain), str(link)
                body.add(key, mention.ranges, mention.kind, mention.line)


def _chain_columns(
    name: str, features: list[str], before: int, number: int, source: Source
) -> tuple[str, int, int]:
    """The columns of a chain layer: of the type, and of the relation."""
    try:
        return (
            name,
            before + features.index("referenceType"),
            before + features.index("referenceRelation"),
        )
    except ValueError as error:
        found = "|".join(features)
        message = f"expected referenceType and referenceRelation in a chain layer, found {found!r}"
        raise source.error(number, message) from error


def _row(bare: str, number: int, layers: _Layers, body: _Body, source: Source) -> None:
    """Add a token or a part of one."""
    match = _ROW.fullmatch(bare)
    if not match:
        message = f"expected SENTENCE-TOKEN, BEGIN-END and a word by tabs, found {bare[:40]!r}"
        raise source.error(number, message)
    start, end = int(match[2]), int(match[3])
    word, *cells = match[4].split("\t")
    if body.pending or not body.tokens:
        _begin_sentence(body, start, unescaped(word), number, source)
    if not start < end <= body.units:
        message = f"expected start < end within the sentence's text, found {start}-{end}"
        raise source.error(number, message)
    if not match[1]:
        body.tokens.append((start, end))
    if layers.relations and not layers.chains:
        body.rows.append(Row(bare.partition("\t")[0], (start, end), cells, number))
    for name, kinds, relations in layers.chains:
        if relations < len(cells) and kinds < len(cells) and cells[relations] not in EMPTY:
            _links(name, cells[kinds], cells[relations], (start, end), number, body, source)


def _begin_sentence(body: _Body, start: int, word: str, number: int, source: Source) -> None:
    """Add the text of a sentence, after a gap of line breaks."""
    sentence = "\n".join(body.pending) or word
    gap = start - body.units
    if not 0 <= gap < 10**6:
        message = f"expected a sentence from {body.units} on, found one at {start}"
        raise source.error(number, message)
    body.text += "\n" * gap + sentence
    body.units = start + java_offsets(sentence)[-1]
    body.sentences.append(start)
    body.pending.clear()


def _links(
    layer: str, kinds: str, relations: str, at: Range, number: int, body: _Body, source: Source
) -> None:
    """Add a token to the links that its cells name."""
    types, links = stacked(kinds), stacked(relations)
    for index, relation in enumerate(links):
        match = _LINK.fullmatch(relation)
        if not match:
            message = f"expected RELATION->CHAIN-LINK such as 'coref->1-2', found {relation!r}"
            raise source.error(number, message)
        kind = kind_of_value(types[index]) if len(types) == len(links) else None
        body.add((layer, match[1], match[2]), [at], kind, number)


def _document(body: _Body, source: Source) -> Document:
    offsets = utf16_offsets(body.text)

    def characters(units: Range) -> Range:
        start, end = (offsets.get(unit) for unit in units)
        if start is None or end is None:
            message = f"expected offsets between characters, found {units[0]}-{units[1]}"
            raise source.error(None, message)
        return start, end

    chains: dict[tuple[str, str], list[CharMention]] = {}
    for key, units in body.spans.items():
        ranges = [characters(each) for each in units]
        cover = min(start for start, _ in ranges), max(end for _, end in ranges)
        mention = CharMention((cover,), body.lines[key], body.kinds[key])
        chains.setdefault(key[:2], []).append(mention)
    entities: list[CharEntity] = [(None, mentions) for mentions in chains.values()]
    tokens = [characters(each) for each in body.tokens]
    starts = [offsets[start] for start in body.sentences if start in offsets]
    return standoff_document(
        io.stem(source.name), body.text, entities, source, tokens=tokens, sentences=starts
    )


def write(items: Iterable[Document]) -> Iterator[str]:
    """One document with a chain layer."""
    for document in one_document(items, "webanno-tsv"):
        yield _HEADER
        units = java_offsets(document.text)
        cells = _chain_cells(document)
        for number, span in enumerate(document.sentence_spans(), 1):
            chars = document.chars(span)
            text = escaped(chars.of(document.text).replace("\n", " "))
            yield f"\n#Text={text}\n"
            for token in range(span.start, span.end):
                start, end = units[document.starts[token]], units[document.ends[token]]
                word = escaped(document.tokens[token])
                row = [f"{number}-{token - span.start + 1}", f"{start}-{end}", word, *cells[token]]
                yield "\t".join(row) + "\n"


def _chain_cells(document: Document) -> list[tuple[str, str]]:
    """The two cells of each token: types and relations."""
    found: list[list[tuple[str, str]]] = [[] for _ in document.tokens]
    for chain, entity in enumerate(document.entities, 1):
        for link, mention in enumerate(entity.mentions, 1):
            kind = "*" if mention.kind is None else escaped(mention.kind)
            relation = "*" if link == len(entity) else "coref"
            cells = f"{kind}[{chain}]", f"{relation}->{chain}-{link}"
            for token in mention.tokens:
                found[token].append(cells)
    return [
        ("|".join(kind for kind, _ in row) or "_", "|".join(to for _, to in row) or "_")
        for row in found
    ]
