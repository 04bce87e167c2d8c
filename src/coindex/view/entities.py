"""The entities of a document as a table for people.

     #  entity       mentions  sure  first mentions
     1  Ann Lee             3  0.91  Ann Lee · her · She
     2  her brother         2  0.84  her brother · he
    1 singleton: Leeds (3)

`sure` is the mean of the links that hold an entity together (see `core.resolved`); it
is left out for documents that say nothing about it. In a terminal a line is cut at the
edge; in a pipe it is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from coindex.core.document import Document
from coindex.core.resolved import Resolved, entities_of
from coindex.view._words import in_a_row, visible
from coindex.view.sheet import count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

WIDEST = 36
"""Names and mentions are cut to this many columns."""

SHOWN = 6
"""How many different mentions are shown."""


def show(document: Document, console: Console, singletons: bool = True) -> None:
    """Print how much was found, then a line for each entity."""
    from rich.text import Text

    found = entities_of(document, singletons)
    head: list[Text] = [Text(_summary(document, found), "bold"), Text()]
    for line in (*head, *lines(found)):
        if console.is_terminal:
            line.truncate(console.width, overflow="ellipsis")
        console.print(line, soft_wrap=True, highlight=False, markup=False, emoji=False)


def lines(entities: Sequence[Resolved]) -> Iterator[Text]:
    """The lines of the table; entities mentioned once share the last."""
    from rich.cells import set_cell_size
    from rich.text import Text

    several = [entity for entity in entities if len(entity.mentions) > 1]
    singles = [entity for entity in entities if len(entity.mentions) == 1]
    rows = [("#", "entity", "mentions", "sure", "first mentions"), *map(_row, several)]
    sure = any(row[3] for row in rows[1:])
    wide = min(WIDEST, max(_width(row[1]) for row in rows))
    left = max(2, len(str(len(several))))
    for at, (number, name, many, mean, words) in enumerate(rows if several else ()):
        middle = f"  {many:>8}  " + (f"{mean:>4}  " if sure else "")
        line = Text(f"{number:>{left}}  ", "dim" if not at else "bold")
        line.append(set_cell_size(_cut(name), wide), "bold" if at else "dim")
        yield line.append(middle + words, "dim" if not at else "")
    if singles:
        names = " · ".join(f"{visible(entity.name)} ({entity.number})" for entity in singles)
        yield Text(f"{count(len(singles), 'singleton')}: {names}", "dim")


def _row(entity: Resolved) -> tuple[str, str, str, str, str]:
    words = [_cut(word) for word in in_a_row(mention.text for mention in entity.mentions)]
    first = " · ".join(words[:SHOWN] + ["…"] * (len(words) > SHOWN))
    mean = "" if entity.confidence is None else f"{entity.confidence:.2f}"
    name = visible(entity.name)
    return str(entity.number), name, f"{len(entity.mentions):,}", mean, first


def _cut(text: str) -> str:
    from rich.cells import set_cell_size

    return text if _width(text) <= WIDEST else f"{set_cell_size(text, WIDEST - 1).rstrip()}…"


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _summary(document: Document, found: Sequence[Resolved]) -> str:
    mentions = sum(len(entity.mentions) for entity in found)
    counts = [
        count(len(document), "token"),
        count(mentions, "mention"),
        count(len(found), "entity", "entities"),
    ]
    return visible(f"{document.key}: {', '.join(counts)}")
