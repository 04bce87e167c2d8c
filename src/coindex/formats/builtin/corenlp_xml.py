"""Stanford CoreNLP's XML: sentences of tokens, and coreference chains.

    <root><document><sentences><sentence id="1"><tokens><token id="1"><word>Ann</word>...
    <coreference><coreference><mention representative="true"><sentence>1</sentence>
    <start>1</start><end>2</end><head>1</head><text>Ann</text></mention>...

Sentences, tokens and heads are counted from 1; `end` is the token after the last, so that spans
are half-open. The text is laid out from the offsets of the tokens; it has spaces where the
original had white space. Trees (`parse`) are read if every sentence has one that fits it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape

from coindex import io
from coindex.formats.corenlp import NARRATOR, ChainMention, CoreNlpDocument, Token
from coindex.formats.sentence_spans import sentence_place
from coindex.formats.wsc_xml import Element, elements
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "crossing", "tokens", "sentences", "within-sentences", "lemma", "pos", "speakers",
    "mention-head",
})  # fmt: skip


def sniff(head: Sequence[str]) -> bool:
    """`<root>` around `<document>`."""
    text = "".join(head[:20])
    return "<root>" in text and "<document>" in text.partition("<root>")[2]


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file."""
    source.begin(1)
    for number, element in enumerate(elements(lines, "root", source), 1):
        if element.name != "document":
            message = f"expected <document>, found {element.name!r}"
            raise source.error(element.line, message)
        source.begin(element.line)
        id = element.child("docId")
        stem = io.stem(source.name)
        source.unnamed = source.unnamed or id is None
        name = id.text if id else stem if number == 1 else f"{stem}-{number}"
        with source.errors_at(element.line):
            document = _document(element, source).build(name, element.line, source)
        yield document


def _document(element: Element, source: Source) -> CoreNlpDocument:
    found = CoreNlpDocument()
    for sentence in _children(element.child("sentences")):
        tree = sentence.child("parse")
        found.trees.append(tree.text if tree else None)
        tokens = _children(sentence.child("tokens"))
        found.sentences.append([_token(token, source) for token in tokens])
    for chain in _children(element.child("coreference")):
        mentions = [_mention(each, source) for each in chain.children]
        found.chains.append((None, mentions))
    return found


def _children(element: Element | None) -> list[Element]:
    return element.children if element else []


def _token(element: Element, source: Source) -> Token:
    word = _text(element, "word")
    if word is None:
        raise source.error(element.line, "expected <word> in a token, found none")
    start = _number(element, "CharacterOffsetBegin", source)
    end = _number(element, "CharacterOffsetEnd", source)
    return Token(
        word,
        word,
        None if start is None or end is None else (start, end),
        None,
        _text(element, "lemma"),
        _text(element, "POS"),
        _text(element, "Speaker"),
    )


def _mention(element: Element, source: Source) -> ChainMention:
    numbers = [_number(element, name, source) for name in ("sentence", "start", "end")]
    sentence, start, end = numbers
    if sentence is None or start is None or end is None:
        message = "expected <sentence>, <start> and <end> in a mention"
        raise source.error(element.line, message)
    return ChainMention(sentence, start, end, _number(element, "head", source))


def _text(element: Element, name: str) -> str | None:
    child = element.child(name)
    return child.raw.strip(" \t\r\n") or None if child else None


def _number(element: Element, name: str, source: Source) -> int | None:
    text = _text(element, name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise source.error(element.line, f"expected a number in <{name}>, found {text[:20]!r}")
    return int(text)


def write(items: Iterable[Document]) -> Iterator[str]:
    """A file with one `<document>` for each document."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<root>\n'
    for document in items:
        yield f"<document>\n<docId>{_escape(document.id)}</docId>\n<sentences>\n"
        for number, span in enumerate(document.sentence_spans(), 1):
            yield f'<sentence id="{number}">\n<tokens>\n'
            for at in range(span.start, span.end):
                yield _token_line(document, at, at - span.start + 1)
            yield "</tokens>\n</sentence>\n"
        yield "</sentences>\n<coreference>\n"
        for entity in document.entities:
            yield "<coreference>\n"
            for mention in entity.mentions:
                yield _mention_line(document, mention, mention is entity.mentions[0])
            yield "</coreference>\n"
        yield "</coreference>\n</document>\n"
    yield "</root>\n"


def _token_line(document: Document, at: int, id: int) -> str:
    fields = {
        "word": document.tokens[at],
        "lemma": document.lemma and document.lemma[at],
        "CharacterOffsetBegin": str(document.starts[at]),
        "CharacterOffsetEnd": str(document.ends[at]),
        "POS": document.pos and document.pos[at],
        "Speaker": document.speakers and (document.speakers[at] or NARRATOR),
    }
    inside = "".join(f"<{name}>{_escape(text)}</{name}>" for name, text in fields.items() if text)
    return f'<token id="{id}">{inside}</token>\n'


def _mention_line(document: Document, mention: Mention, first: bool) -> str:
    number, start, end = sentence_place(document, mention)
    head = (
        "" if mention.head is None else f"<head>{mention.head - mention.start + start + 1}</head>"
    )
    mark = ' representative="true"' if first else ""
    place = f"<sentence>{number + 1}</sentence><start>{start + 1}</start><end>{end + 1}</end>"
    words = _escape(document.text_of(mention))
    return f"<mention{mark}>{place}{head}<text>{words}</text></mention>\n"


def _escape(text: str) -> str:
    """A text for XML; characters that XML cannot hold become U+FFFD."""
    allowed = "".join(char if _allowed(char) else "\ufffd" for char in text)
    return escape(allowed, {"\r": "&#13;", "\n": "&#10;"})


def _allowed(char: str) -> bool:
    return char in "\t\n\r" or (
        char >= " " and not "\ud800" <= char <= "\udfff" and char not in "\ufffe\uffff"
    )


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    odd = sum(not all(map(_allowed, token)) for token in document.tokens)
    return {"token(s) with a character that XML cannot hold, written as U+FFFD": odd}
