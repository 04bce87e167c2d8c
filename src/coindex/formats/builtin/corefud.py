"""CorefUD: CoNLL-U with entities in the MISC column.

    # newdoc id = d
    # global.Entity = eid-etype-head-other
    1  Ann  Ann  PROPN  NNP  _  2  nsubj  _  Entity=(e1-person-1-)

`(e1-…` opens a mention of entity e1, `e1)` closes it, `(e1[1/2]-…` is the first
of two parts of a discontinuous mention. The other fields of a bracket are named by
`global.Entity`. Empty nodes (`3.1`) become zeros. Comments, word ranges, the other
columns and the rest of MISC are stored unchanged in layers, so that a file is the same after
reading and writing. POS is the fifth column (XPOS); the fourth is the layer `upos`. Links between
entities (`SplitAnte` and `Bridge` in MISC) are left out, with a count, if one of their entities is
gone. Heads of mentions are written even if the file that was read had none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from coindex import io
from coindex.formats import corefud_entities
from coindex.formats.conll import count_renamed
from coindex.formats.conllu import ID, Sentence, Spacing, read_sentences, text_offsets
from coindex.types.document import Document
from coindex.types.source import Source

KIND = "document"
LAYERS = ("upos", "feats", "deprel", "deps", "misc", "comments", "ranges")
SUPPORTS = frozenset({
    "entities", "entity-id", "zeros", "discontinuous", "text", "sentences", "tokens", "pos",
    "lemma", "heads", "speakers", "mention-head", "mention-kind", "mention-attrs",
    "meta:global.Entity",
    *(f"layers:{name}" for name in LAYERS),
})  # fmt: skip

_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?\s*$")
_SPEC = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_SPEAKER = re.compile(r"#\s*speaker\s*=\s*(.*)")


def sniff(head: Sequence[str]) -> bool:
    """The first line after comments has ten columns separated by tabs, the first a number."""
    for line in head:
        if line.strip() and not line.startswith("#"):
            fields = line.rstrip("\r\n").split("\t")
            return len(fields) == 10 and bool(ID.fullmatch(fields[0]))
    return False


def read(lines: Iterable[str], source: Source) -> Iterator[Document]:
    """The documents of a file; a document without `newdoc` is named after the file."""
    batch: list[Sentence] = []
    spec = corefud_entities.DEFAULT_SPEC
    for sentence in read_sentences(lines, source):
        if batch and any(_NEWDOC.match(comment) for comment in sentence.comments):
            yield _document(batch, spec, source)
            batch = []
        specs = [match[1] for comment in sentence.comments if (match := _SPEC.match(comment))]
        spec = specs[-1] if specs else spec
        batch.append(sentence)
    if batch:
        yield _document(batch, spec, source)


def _document(batch: list[Sentence], spec: str, source: Source) -> Document:
    source.begin(batch[0].line)
    ids = [match[1] for c in batch[0].comments if (match := _NEWDOC.match(c)) and match[1]]
    id = (ids[0].strip() if ids else "") or io.stem(source.name)
    rows, firsts, comments, ranges = _rows(batch, source)
    columns = list(zip(*rows, strict=True))
    text, starts, ends = text_offsets(rows, firsts, comments, ranges)
    reader = corefud_entities.EntityReader(source, spec)
    misc = [reader.token(index, row[9]) for index, row in enumerate(rows)]
    layers = {
        "upos": columns[3],
        "feats": columns[5],
        "deprel": columns[7],
        "deps": columns[8],
        "comments": tuple(comments),
        "ranges": tuple(ranges),
    }
    return Document(
        id,
        text,
        columns[1],
        starts,
        ends,
        tuple(firsts),
        reader.entities(),
        speakers=_speakers(batch, firsts, len(rows)),
        pos=_nonempty(columns[4]),
        lemma=_nonempty(columns[2]),
        heads=_heads(rows, firsts, source),
        zeros=tuple(index for index, row in enumerate(rows) if "." in row[0]),
        layers=(*((n, c) for n, c in layers.items() if _nonempty(c)), ("misc", tuple(misc))),
        meta=(("global.Entity", spec),),
    )


def _rows(
    batch: list[Sentence], source: Source
) -> tuple[list[list[str]], list[int], list[str], list[str]]:
    """The rows of all sentences, their first rows, and each row's comments and range."""
    rows: list[list[str]] = []
    firsts: list[int] = []
    comments: list[str] = []
    ranges: list[str] = []
    for sentence in batch:
        firsts.append(len(rows))
        pending = ""
        for row, line in zip(sentence.rows, sentence.lines, strict=True):
            if "-" in row[0]:
                pending = "\t".join(row)
                continue
            source.anchor(len(rows), line)
            comments.append("" if len(rows) > firsts[-1] else "\n".join(sentence.comments))
            ranges.append(pending)
            pending = ""
            rows.append(row)
        if pending:
            raise source.error(sentence.lines[-1], "expected words after their range, found none")
    return rows, firsts, comments, ranges


def _nonempty(column: tuple[str, ...]) -> tuple[str, ...] | None:
    return None if set(column) <= {"_", ""} else column


def _speakers(batch: list[Sentence], firsts: list[int], count: int) -> tuple[str, ...] | None:
    names: list[str] = []
    for sentence, end in zip(batch, [*firsts[1:], count], strict=True):
        speakers = [match[1] for c in sentence.comments if (match := _SPEAKER.match(c))]
        names += [speakers[0].strip() if speakers else ""] * (end - len(names))
    return tuple(names) if any(names) else None


def _heads(rows: list[list[str]], firsts: list[int], source: Source) -> tuple[int, ...] | None:
    """Governors as token indices of the document; None if the file has no trees."""
    if all(row[6] == "_" for row in rows):
        return None
    heads: list[int] = []
    for start, end in zip(firsts, [*firsts[1:], len(rows)], strict=True):
        indices = {rows[index][0]: index for index in range(start, end)}
        for index in range(start, end):
            head = rows[index][6]
            if head not in indices and head not in ("0", "_"):
                message = f"expected a head within the sentence, found {head!r}"
                raise source.error(source.line_of(index), message)
            heads.append(indices.get(head, -1))
    return tuple(heads)


def remarks(document: Document) -> dict[str, int]:
    """Remarks for users on how the document is written, with counts."""
    names = document.speakers or ()
    spec = corefud_entities.spec_of(document)
    escaped, unnamed = corefud_entities.count_attribute_losses(document, spec)
    several = sum(len(set(names[s.start : s.end])) > 1 for s in document.sentence_spans())
    return {
        "entities renamed: their ids cannot stand in CorefUD": count_renamed(
            document, corefud_entities.FORBIDDEN
        ),
        "sentences of several speakers: the first is written": several,
        "labels with a character that CorefUD cannot hold, written as %2D and the like": escaped,
        "mention attributes that global.Entity does not name, left out": unnamed,
        "links (Bridge, SplitAnte) left out: an entity of theirs is gone": (
            corefud_entities.count_links_left_out(document)
        ),
        "documents renamed: white space in the id": int(
            " ".join(document.id.split()) != document.id
        ),
    }


def write(items: Iterable[Document]) -> Iterator[str]:
    """CoNLL-U, with a blank line after each sentence."""
    spec = None
    for document in items:
        own = corefud_entities.spec_of(document)
        yield from _write_document(document, own, spec_is_known=own == spec)
        spec = own


def _write_document(document: Document, spec: str, *, spec_is_known: bool) -> Iterator[str]:
    layers = dict(document.layers)
    blank = ("_",) * len(document)
    none = ("",) * len(document)
    comments, ranges = layers.get("comments", none), layers.get("ranges", none)
    spacing = Spacing(document)
    misc = corefud_entities.entity_column(document, spec, layers.get("misc") or spacing.misc)
    zeros = frozenset(document.zeros)
    for number, span in enumerate(document.sentence_spans()):
        yield from _comments(document, comments[span.start], number, spec, spec_is_known, spacing)
        ids = _ids(span.start, span.end, zeros)
        for index, id in enumerate(ids, span.start):
            if ranges[index]:
                yield f"{ranges[index]}\n"
            elif "comments" not in layers:
                yield from spacing.range_line(index, id)
            fields = [
                id,
                document.tokens[index],
                (document.lemma or blank)[index],
                layers.get("upos", blank)[index],
                (document.pos or blank)[index],
                layers.get("feats", blank)[index],
                _head(document, index, ids, span.start),
                layers.get("deprel", blank)[index],
                layers.get("deps", blank)[index],
                misc[index],
            ]
            yield "\t".join(re.sub(r"[\t\r\n]+", " ", value) or "_" for value in fields) + "\n"
        yield "\n"


def _ids(start: int, end: int, zeros: frozenset[int]) -> list[str]:
    ids = []
    word, empty = 0, 0
    for index in range(start, end):
        word, empty = (word, empty + 1) if index in zeros else (word + 1, 0)
        ids.append(f"{word}.{empty}" if empty else str(word))
    return ids


def _head(document: Document, index: int, ids: list[str], start: int) -> str:
    if document.heads is None or ids[index - start].count("."):
        return "_"
    head = document.heads[index]
    if head < 0:
        return "0"
    return ids[head - start] if start <= head < start + len(ids) else "0"


def _comments(
    document: Document, stored: str, number: int, spec: str, spec_is_known: bool, spacing: Spacing
) -> Iterator[str]:
    """The stored comments of a sentence, or else the required ones."""
    lines = [_respecified(line, document, spec) for line in stored.split("\n")] if stored else []
    if not number:
        lines = [line for line in lines if not _foreign_newdoc(line, document.id)]
        head = []
        if not any(_NEWDOC.match(line) for line in lines):
            head.append(f"# newdoc id = {' '.join(document.id.split())}")
        if not spec_is_known and not any(_SPEC.match(line) for line in lines):
            head.append(f"# global.Entity = {spec}")
        lines = head + lines
    if not stored:
        lines += spacing.comments(number)
    yield from (f"{line}\n" for line in lines)


def _respecified(line: str, document: Document, spec: str) -> str:
    """A comment; the one that names the fields of brackets names those that are written."""
    match = _SPEC.match(line)
    if match and match[1] == dict(document.meta).get("global.Entity"):
        return line[: match.start(1)] + spec + line[match.end(1) :]
    return line


def _foreign_newdoc(line: str, id: str) -> bool:
    match = _NEWDOC.match(line)
    return match is not None and (match[1] or "").strip() != id
