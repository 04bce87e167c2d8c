"""brat standoff: a text file and an annotation file beside it.

    T1  person 0 3  Ann          a mention, with offsets into the text
    *   Coref T1 T4              mentions that are the same
    #1  Entity T1  e12           (ours) the id of a mention's entity

Coreference is read from `Entity` notes, from `*` lines, from links (relations whose names begin
with `coref`, `ident`, `equiv`, `same`, `anaph` or `antecedent`), and from LitBank's second mark
on each mention, whose label is the entity (`Mr_Bennet-6`). A link to an event (`E1`) is one to its
trigger. A mention that none of these name is a singleton.
Other relations are stored in the metadata `relation`, other lines in `brat`, with their
ids. The text is tokenised by rule, and tokens are split at the borders of mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from coindex import io
from coindex.formats.brat_marks import StandoffMarks, mention_ids, mention_line
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
PARTS = (".ann", ".txt")
SUPPORTS = frozenset({
    "entities", "entity-id", "text", "surface", "discontinuous", "crossing", "mention-kind",
    "mention-id", "meta:relation", "meta:brat",
})  # fmt: skip

_LINE = re.compile(r"(?:[TREAMN#]\d+|\*)\t")
_MARK = re.compile(r"T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*\t")
_EVENT = re.compile(r"(E\d+)\t[^\s:]+:(T\d+)")
_COREF = re.compile(r"co-?ref|ident|equiv|same|anaph|antecedent", re.IGNORECASE)


def sniff(head: Sequence[str]) -> bool:
    """The first line is a mark of standoff annotation."""
    first = next((line for line in head if line.strip()), "")
    return bool(_MARK.match(first))


def read_parts(lines: Iterable[str], text: str, source: Source) -> Iterator[Document]:
    """One document, named after its file."""
    source.begin(1)
    marks = StandoffMarks(text, source)
    metadata: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        bare = line.rstrip("\r\n")
        if not bare.strip():
            continue
        if not _LINE.match(bare):
            raise source.error(number, f"expected a line such as 'T1<TAB>…', found {bare[:30]!r}")
        metadata += _line(bare, number, marks, source)
    id = PurePath(source.name).name.removesuffix(PARTS[0])
    yield marks.document(id, tuple(metadata))


def _line(
    bare: str, number: int, marks: StandoffMarks, source: Source
) -> Iterator[tuple[str, str]]:
    """Add one line to the marks; a line without coreference is yielded as metadata."""
    key, _, rest = bare.partition("\t")
    if key[0] == "T":
        marks.mark(key, rest, number)
    elif key == "*":
        marks.groups.append((rest.split()[1:], number))
    elif key[0] == "#" and rest.startswith("Entity "):
        target, _, id = rest.removeprefix("Entity ").partition("\t")
        marks.names.append((target, id, number))
    elif key[0] == "R":
        label, _, arguments = rest.partition(" ")
        ids = re.findall(r":([TE]\d+)", arguments)
        if len(ids) != 2:
            raise source.error(number, f"expected 'Arg1:T1 Arg2:T2', found {arguments.strip()!r}")
        if _COREF.match(label):
            marks.groups.append((ids, number))
        else:
            yield "relation", bare
    else:
        trigger = _EVENT.match(bare)
        if trigger:
            marks.triggers[trigger[1]] = trigger[2]
        yield "brat", bare


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    return {
        "documents renamed: the id is no file name": int(io.file_name(document.id) != document.id)
    }


def write_parts(document: Document) -> tuple[list[str], list[str]]:
    """The lines of the annotation file, and the text."""
    ids = mention_ids(document)
    stored = [line for name, line in document.meta if name in ("relation", "brat")]
    lines = [f"{mention_line(document, mention, id)}\n" for mention, id in ids.items()]
    notes = max((int(n) for line in stored for n in re.findall(r"^#(\d{1,9})\t", line)), default=0)
    for entity in document.entities:
        names = [ids[mention] for mention in entity.mentions]
        if len(names) > 1:
            lines.append(f"*\tCoref {' '.join(names)}\n")
        for name in names if entity.id is not None else ():
            notes += 1
            lines.append(f"#{notes}\tEntity {name}\t{' '.join((entity.id or '').split())}\n")
    lines += [f"{line}\n" for line in stored]
    return lines, [document.text]
