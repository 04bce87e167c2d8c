"""Plain text: read as one document, written with its mentions in brackets.

    [Ann]_1 fed [[her]_1 dog]_2.

The number is the entity's id, or its position in the list. The text is split into
tokens and sentences by rule, with offsets into the unchanged text. Brackets are for
people and are not read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from coindex import io
from coindex.transform.edit import retokenize
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
SUPPORTS = frozenset({"text"})
WRITES_ONLY = frozenset({
    "entities", "entity-id", "zeros", "discontinuous", "crossing", "surface", "tokens",
    "sentences",
})  # fmt: skip


def sniff(head: Sequence[str]) -> bool:
    """Never recognised: plain text is the default if no other format matches."""
    return False


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The whole text as one document, named after its file."""
    source.begin(1)
    yield retokenize(Document(io.stem(source.name), "".join(lines)), ())


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {"entities written as brackets, which are not read back": len(document.entities)}


def write(items: Iterable[Document]) -> Iterator[str]:
    """The text with its mentions in brackets; a blank line between documents."""
    before: str | None = None
    for document in items:
        if before is not None:
            yield "\n" if before.endswith("\n") else "\n\n"
        before = bracketed(document)
        yield before


def bracketed(document: Document) -> str:
    """The text of a document with each mention as `[words]_entity`."""
    opening: list[list[tuple[int, str]]] = [[] for _ in range(len(document.text) + 1)]
    closing: list[list[tuple[int, str]]] = [[] for _ in range(len(document.text) + 1)]
    for number, entity in enumerate(document.entities, 1):
        label = f"]_{entity.id or number}"
        for mention in entity.mentions:
            for span in mention.spans:
                chars = document.chars(span)
                opening[chars.start].append((-chars.end, "["))
                closing[chars.end].append((-chars.start, label))
    parts = []
    for index in range(len(document.text) + 1):
        parts += [text for _, text in sorted(closing[index])]
        parts += [text for _, text in sorted(opening[index])]
        parts.append(document.text[index : index + 1])
    return "".join(parts)
