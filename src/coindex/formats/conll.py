"""Entities written as brackets in a column, as in CoNLL-2012.

`(1` opens a mention of entity 1, `1)` closes the last one opened, `(1)` is a mention
of one token. Several brackets may follow each other, with or without `|` between them;
white space beside a `|` is read and noted. A lenient source leaves out brackets without a
partner, as the official scorer does, and mentions that cross another one of their entity.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from coindex.formats.conll_cells import brackets
from coindex.transform.edit import uncrossed
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

_SPACED_BAR = re.compile(r" +\| *|\| +")
_NOTHING = frozenset({"-", "_", "*", ""})


Spans = dict[str, dict[tuple[int, int], Mention]]


def read_column(column: Sequence[str], source: Source) -> tuple[Entity, ...]:
    """The entities of a column with one string per token; mistakes go to the source."""
    open_: defaultdict[str, list[int]] = defaultdict(list)
    entities: Spans = {}
    filled = [(token, cell) for token, cell in enumerate(column) if cell not in _NOTHING]
    for token, cell in filled:
        for opens, id, closes in brackets(cell) or _odd_cell(cell, token, source):
            if opens:
                open_[id].append(token)
            if not closes:
                continue
            starts = open_[id]
            if not starts:
                message = f"')' closes entity {id}, which is not open"
                source.mistake(source.line_of(token), "unbalanced", message)
                continue
            _add_mention(entities.setdefault(id, {}), id, starts.pop(), token + 1, source)
    _never_closed(open_, source)
    found = (Entity(tuple(mentions.values()), id) for id, mentions in entities.items())
    return tuple(
        _without_crossing(entity, source) if source.lenient else entity for entity in found
    )


def _without_crossing(entity: Entity, source: Source) -> Entity:
    """The entity without mentions that cross an earlier one of it, which are noted."""
    kept = uncrossed(entity)
    for mention in entity.mentions if len(kept) < len(entity) else ():
        if mention not in kept:
            tokens = f"tokens {mention.start} to {mention.end - 1}"
            message = f"the mention of {tokens} crosses another one of entity {entity.id}"
            source.mistake(source.line_of(mention.end - 1), "crossing", message)
    return Entity(kept, entity.id)


def _add_mention(
    mentions: dict[tuple[int, int], Mention], id: str, start: int, end: int, source: Source
) -> None:
    if (start, end) in mentions:
        message = f"entity {id} holds the mention of tokens {start} to {end - 1} twice; kept once"
        source.note(source.line_of(end - 1), "repeated", message)
    else:
        mentions[start, end] = Mention((Span(start, end),))


def _odd_cell(cell: str, token: int, source: Source) -> tuple[tuple[str, str, str], ...]:
    """The brackets of a cell with white space beside `|`, which is noted; others are mistakes."""
    found = brackets(_SPACED_BAR.sub("|", cell)) if _SPACED_BAR.search(cell) else None
    if found:
        message = f"expected brackets without white space, found {cell!r}; read without it"
        source.note(source.line_of(token), "dialect", message)
        return found
    message = f"expected brackets such as '(1', '1)' or '(1)|(2', found {cell!r}"
    source.mistake(source.line_of(token), "brackets", message)
    return ()


def _never_closed(open_: dict[str, list[int]], source: Source) -> None:
    for start, id in sorted((start, id) for id, starts in open_.items() for start in starts):
        message = f"'({id}' opens entity {id}, which is never closed"
        source.mistake(source.line_of(start), "unbalanced", message)


def bracket_column(document: Document) -> list[str]:
    """The column for a document: outer mentions open first and close last."""
    opening: list[list[tuple[int, str]]] = [[] for _ in document.tokens]
    closing: list[list[tuple[int, str]]] = [[] for _ in document.tokens]
    for id, entity in zip(entity_ids(document.entities), document.entities, strict=True):
        for mention in entity.mentions:
            start, end = mention.start, mention.end
            if end - start == 1:
                opening[start].append((0, f"({id})"))
            else:
                opening[start].append((start - end, f"({id}"))
                closing[end - 1].append((-start, f"{id})"))
    return [
        "|".join([text for _, text in sorted(opens)] + [text for _, text in sorted(closes)]) or "-"
        for opens, closes in zip(opening, closing, strict=True)
    ]


def entity_ids(entities: Sequence[Entity], forbidden: str = "()|") -> list[str]:
    """An id for each entity that can be written in brackets: its id, or an unused number."""
    taken = {entity.id for entity in entities}
    free = (str(number) for number in range(10**9))
    return [
        entity.id
        if entity.id and usable(entity.id, forbidden)
        else next(number for number in free if number not in taken)
        for entity in entities
    ]


def usable(id: str, forbidden: str = "()|") -> bool:
    """Whether an id can be written in brackets."""
    bare = not any(char in forbidden or char.isspace() for char in id)
    return bool(id) and bare


def count_renamed(document: Document, forbidden: str = "()|") -> int:
    """How many entities have an id that cannot be written."""
    return sum(e.id is not None and not usable(e.id, forbidden) for e in document.entities)


Columns = list[tuple[str, ...]]
"""Document, part, index (left empty), word, and so on; coreference is the last."""

_SPACES = re.compile(" +")


def read_columns(id: str, lines: list[str], source: Source) -> Columns:
    """The columns of a document; of rows of unequal length, the common columns."""
    columns = _even_columns(lines)
    if columns:
        return columns
    rows = [_fields(line) for line in lines]
    if len({len(row) for row in rows}) > 1:
        rows = [_joined_brackets(row) for row in rows]
    widths = Counter(map(len, rows))
    _check_widths(rows, widths, source)
    shared = list(zip(*(row[:-1] for row in rows), strict=False))
    coref = tuple(row[-1] for row in rows)
    if len(shared) < 5:  # two to five columns
        bare = len(shared) == 1 and set(shared[0]) == {id}
        return [(), (), (), ("_",) * len(rows) if bare else shared[-1] if shared else (), coref]
    if max(widths, default=0) > 12:
        # each sentence has one column per verb for its arguments
        padded = (row[11:-1] + [""] * (max(widths) - max(len(row), 12)) for row in rows)
        shared[11:] = list(zip(*padded, strict=True))
    return [*shared, coref]


def _even_columns(lines: list[str]) -> Columns | None:
    """The columns of tab-separated rows of equal width: a single split is fastest.

    Widths are equal if each line break ends a field of the last column.
    """
    width = lines[0].count("\t") + 1 if lines else 0
    if width < 6 or lines[0].endswith("\t\n"):
        return None
    flat = "\t".join(lines).split("\t")
    last = "".join(flat[width - 1 :: width]).replace("\r\n", "\n")
    if len(flat) != width * len(lines) or last.count("\n") != len(lines):
        return None
    columns = (tuple(flat[index::width]) for index in range(3, width - 1))
    return [(), (), (), *columns, tuple(last.split("\n")[:-1])]


def _check_widths(rows: list[list[str]], widths: Counter[int], source: Source) -> None:
    """Check that rows have equal widths, except for the verb arguments from column 12 on."""
    least = min(widths, default=12)
    if least >= 2 and (len(widths) == 1 or least >= 12):
        return
    usual = max(widths.most_common(1)[0][0], 2)
    at = next(i for i, row in enumerate(rows) if len(row) != usual)
    expected = "two columns or more" if usual == 2 else f"{usual} columns"
    message = f"expected {expected}, found {len(rows[at])}: {' '.join(rows[at])[:40]!r}"
    raise source.error(source.line_of(at), message)


_CELL = re.compile(r"(?:\([^\s()|]+\)?|[^\s()|]+\))+")


def _joined_brackets(row: list[str]) -> list[str]:
    """A row whose last cell was divided at spaces beside `|`, with that cell whole."""
    at = len(row) - 1
    while at >= 1 and (row[at - 1].endswith("|") or row[at].startswith("|")):
        at -= 1
    cell = " ".join(row[at:])
    parts = _SPACED_BAR.sub("|", cell).split("|")
    whole = at < len(row) - 1 and all(map(_CELL.fullmatch, parts))
    return [*row[:at], cell] if whole else row


def _fields(line: str) -> list[str]:
    if "\t" not in line:
        return _SPACES.split(line.strip(" \r\n"))
    fields = line.rstrip("\r\n").split("\t")
    if not fields[-1]:
        fields.pop()
    return fields
