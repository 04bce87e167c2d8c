"""brat standoff: a text file and an annotation file beside it.

    T1  person 0 3  Ann          a mention, with offsets into the text
    *   Coref T1 T4              mentions that are the same
    #1  Entity T1  e12           (ours) the id of a mention's entity

Coreference is read from `Entity` notes, from `*` lines, from relations called
`coref…` or `ident…`, and from LitBank's second mark on each mention, whose label
is the entity (`Mr_Bennet-6`). A mention that none of these name is a singleton.
Other relations are kept in the fact `relation`, other lines in `brat`, with their ids. Tokens
are made from the text by rule, and cut at the borders of mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from coindex.core.document import Document
from coindex.core.source import Source
from coindex.formats._standoff import Marks, file_name, line_of_mention, numbered

KIND = "document"
PARTS = (".ann", ".txt")
HOLDS = frozenset(
    [
        "entities",
        "entity-id",
        "text",
        "surface",
        "discontinuous",
        "crossing",
        "mention-kind",
        "mention-id",
        "meta:relation",
        "meta:brat",
    ]
)

_LINE = re.compile(r"(?:[TREAMN#]\d+|\*)\t")
_MARK = re.compile(r"T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*\t")
_COREF = re.compile(r"coref|ident", re.IGNORECASE)


def sniff(head: Sequence[str]) -> bool:
    """The first line is a mark of standoff annotation."""
    first = next((line for line in head if line.strip()), "")
    return bool(_MARK.match(first))


def read(lines: Iterable[str], source: Source, text: str) -> Iterator[Document]:
    """One document, called after its file."""
    source.begin(1)
    marks = Marks(text, source)
    facts: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if not bare.strip():
            continue
        if not _LINE.match(bare):
            raise source.error(number, f"expected a line such as 'T1<TAB>…', found {bare[:30]!r}")
        facts += _line(bare, number, marks, source)
    id = PurePath(source.name).name.removesuffix(PARTS[0])
    yield marks.document(id, tuple(facts))


def _line(bare: str, number: int, marks: Marks, source: Source) -> Iterator[tuple[str, str]]:
    """Put one line where it belongs; what is no coreference is given back as a fact."""
    key, _, rest = bare.partition("\t")
    if key[0] == "T":
        marks.mark(key, rest, number)
    elif key == "*":
        marks.same(rest.split()[1:], number)
    elif key[0] == "#" and rest.startswith("Entity "):
        target, _, id = rest.removeprefix("Entity ").partition("\t")
        marks.name(target, id, number)
    elif key[0] == "R":
        label, _, arguments = rest.partition(" ")
        ids = re.findall(r":(T\d+)", arguments)
        if len(ids) != 2:
            raise source.error(number, f"expected 'Arg1:T1 Arg2:T2', found {arguments!r}")
        if _COREF.match(label):
            marks.same(ids, number)
        else:
            yield "relation", bare
    else:
        yield "brat", bare


def remarks(document: Document) -> dict[str, int]:
    """What is written in a way that readers of the files should know."""
    return {"documents renamed: the id is no file name": int(file_name(document.id) != document.id)}


def write(items: Iterable[Document]) -> Iterator[str]:
    """The annotation of one document after the other; see `write_parts`."""
    for document in items:
        yield from write_parts(document)[0]


def write_parts(document: Document) -> tuple[list[str], list[str]]:
    """The lines of the annotation file, and the text."""
    ids = numbered(document)
    kept = [fact for name, fact in document.meta if name in ("relation", "brat")]
    lines = [f"{line_of_mention(document, mention, id)}\n" for mention, id in ids.items()]
    notes = max((int(n) for fact in kept for n in re.findall(r"^#(\d{1,9})\t", fact)), default=0)
    for entity in document.entities:
        names = [ids[mention] for mention in entity.mentions]
        if len(names) > 1:
            lines.append(f"*\tCoref {' '.join(names)}\n")
        for name in names if entity.id is not None else ():
            notes += 1
            lines.append(f"#{notes}\tEntity {name}\t{' '.join((entity.id or '').split())}\n")
    lines += [f"{fact}\n" for fact in kept]
    return lines, [document.text]
