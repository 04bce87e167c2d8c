"""Stanza's JSON: sentences of words, each with the coreference chains that it belongs to.

    [[{"id": 1, "text": "Ann", "start_char": 0, "end_char": 3,
       "coref_chains": [{"index": 0, "representative_text": "Ann",
                         "is_start": true, "is_end": true}]}, ...], ...]

This is what `str(doc)` and `json.dumps(doc.to_dict())` give. A mention goes from the word with
`is_start` to the word with `is_end`, both inclusive, within a sentence. Ranges of several words
(`"id": [1, 2]`) are skipped, as their words follow; empty nodes are left out and noted. The text
is laid out from the offsets of the words; it has spaces where the original had white space. An
object with `sentences` and `text`, as `to_serialized` writes it, has the original. The file has no
id: a document is named after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coindex import io
from coindex.formats.json_documents import concatenated_values
from coindex.formats.json_fields import Fields, shown, to_line
from coindex.formats.json_probe import first_value
from coindex.formats.text_layout import replaced_text, with_layout
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({
    "entities", "tokens", "sentences", "within-sentences", "lemma", "pos",
})  # fmt: skip


def sniff(head: Sequence[str]) -> bool:
    """A list of lists of words, each with a number and a text, perhaps beside the text."""
    value = first_value(head)
    if isinstance(value, dict) and "text" in value:
        value = value.get("sentences")
    for _ in range(2):
        value = value[0] if isinstance(value, list) and value else None
    return isinstance(value, dict) and {"id", "text"} <= value.keys()


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file: one list of sentences after the other."""
    values = concatenated_values("".join(lines), source)
    number, now = 0, next(values, None)
    while now is not None:
        number, following = number + 1, next(values, None)
        line, value = now
        source.begin(line)
        source.unnamed = True
        alone = number == 1 and following is None
        stem = io.stem(source.name)
        with source.errors_at(line):
            name = stem if alone else f"{stem}-{number}"
            document = _StanzaReader(line, source).document(name, value)
        yield document
        now = following


class _StanzaReader:
    """Collects the words and mentions of one document."""

    def __init__(self, line: int, source: Source) -> None:
        self.line, self.source = line, source
        self.sentences: list[list[str]] = []
        self.offsets: list[tuple[int, int] | None] = []
        self.columns: dict[str, list[str | None]] = {"lemma": [], "xpos": []}
        self.chains: dict[int, dict[tuple[int, int], Mention]] = {}
        self.empty = 0

    def document(self, name: str, value: Any) -> Document:
        """The document of a list of sentences, or of an object that holds them and the text."""
        outer = Fields(value if isinstance(value, dict) else {}, self.line, self.source)
        text = outer.optional_text("text")
        for sentence in self._list(outer.take("sentences") if isinstance(value, dict) else value):
            self.sentences.append([])
            self._sentence(self._list(sentence))
        if self.empty:
            message = f"{self.empty} empty node(s), with their mentions; left out"
            self.source.note(self.line, "empty", message)
        tokens = [word for sentence in self.sentences for word in sentence]
        entities = [Entity(tuple(mentions.values())) for mentions in self.chains.values()]
        document = Document.of(
            name, self.sentences, entities, lemma=self._column("lemma"), pos=self._column("xpos")
        )
        return self._over(text, document) or with_layout(document, self.offsets, tokens)

    def _over(self, text: str | None, document: Document) -> Document | None:
        """The document over the original text, if its words are at their offsets there."""
        known = [pair for pair in self.offsets if pair is not None]
        if text is None or document.tokens != tuple(text[start:end] for start, end in known):
            return None
        starts, ends = tuple(start for start, _ in known), tuple(end for _, end in known)
        return replaced_text(document, text, starts, ends)

    def _list(self, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.source.error(self.line, f"expected a list, found {shown(value)}")
        return value

    def _column(self, name: str) -> tuple[str, ...] | None:
        values = self.columns[name]
        return tuple(value or "_" for value in values) if any(values) else None

    def _sentence(self, words: list[Any]) -> None:
        open_: dict[int, list[int]] = {}
        last = 0
        for value in words:
            if not isinstance(value, dict):
                raise self.source.error(self.line, f"expected a word, found {shown(value)}")
            fields = Fields(value, self.line, self.source)
            number = fields.take("id")
            numbers = fields.as_ints("id", number if isinstance(number, list) else [number])
            if len(numbers) == 1:
                last = numbers[0]
                self._word(fields, open_)
            elif numbers[:1] != (last + 1,):  # else a range, whose words follow
                self.empty += 1
        if any(open_.values()):
            chain = next(index for index, starts in open_.items() if starts)
            message = f"expected 'is_end' of chain {chain} in its sentence, found none"
            raise self.source.error(self.line, message)

    def _word(self, fields: Fields, open_: dict[int, list[int]]) -> None:
        at = len(self.offsets)
        self.sentences[-1].append(fields.text("text"))
        start, end = fields.optional_int("start_char"), fields.optional_int("end_char")
        self.offsets.append(None if start is None or end is None else (start, end))
        for name, column in self.columns.items():
            column.append(fields.optional_text(name))
        for chain in fields.objects("coref_chains"):
            index = fields.as_ints("index", [chain.take("index")])[0]
            if chain.take("is_start"):
                open_.setdefault(index, []).append(at)
            if chain.take("is_end"):
                if not open_.get(index):
                    message = f"'is_end' of chain {index}, which has not begun"
                    raise self.source.error(self.line, message)
                self._mention(index, open_[index].pop(), at + 1)

    def _mention(self, index: int, start: int, end: int) -> None:
        mentions = self.chains.setdefault(index, {})
        if (start, end) in mentions:
            message = f"chain {index} holds the mention of words {start} to {end} twice; kept once"
            self.source.note(self.line, "repeated", message)
        mentions[start, end] = Mention.at(start, end)


def write(items: Iterable[Document]) -> Iterator[str]:
    """One line per document."""
    for document in items:
        chains: list[list[dict[str, Any]]] = [[] for _ in document.tokens]
        for index, entity in enumerate(document.entities):
            words = document.text_of(entity.mentions[0])
            for mention in sorted(entity.mentions, key=lambda m: (m.start, -m.end)):
                for at in range(mention.start, mention.end):
                    flags = {"is_start": at == mention.start, "is_end": at == mention.end - 1}
                    named = {name: True for name, flag in flags.items() if flag}
                    chains[at].append({"index": index, "representative_text": words, **named})
        yield to_line(
            [
                [
                    _word(document, at, at - span.start + 1, chains[at])
                    for at in range(span.start, span.end)
                ]
                for span in document.sentence_spans()
            ]
        )


def _word(document: Document, at: int, id: int, chains: list[dict[str, Any]]) -> dict[str, Any]:
    word: dict[str, Any] = {"id": id, "text": document.tokens[at]}
    if document.lemma is not None:
        word["lemma"] = document.lemma[at]
    if document.pos is not None:
        word["xpos"] = document.pos[at]
    word |= {"start_char": document.starts[at], "end_char": document.ends[at]}
    return {**word, "coref_chains": chains} if chains else word
