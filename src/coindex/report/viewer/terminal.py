"""Texts with marks, and tables of entities, in a terminal: `[Ann]₁ lost [[her]₁ keys]₂`.

Brackets and numbers carry all information; colour only repeats it. A mention of two entities
ends in `₁₊₂`. The first part of a discontinuous mention ends in `…]`, the next begins with
`[…`. A mention that crosses another has its number at both ends. Control characters are
replaced by visible symbols, so that no text can control the terminal.

`show_entities` prints the entities of a document as a table:

     #  entity       mentions  conf  first mentions
     1  Ann Lee             3  0.91  Ann Lee · her · She
     2  her brother         2  0.84  her brother · he
    1 singleton: Leeds (3)
    2 speakers: Ann Lee · Ben

`conf` is the mean confidence of the links of an entity (see `transform.resolution`); documents
without confidences have no such column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from coindex.report.table import pluralize
from coindex.report.viewer.annotated_text import ZERO, AnnotatedText, EntityGroup, Mark
from coindex.report.viewer.markup_events import Break, Close, Open, Text, Zero
from coindex.transform.resolved_entities import ResolvedEntity, resolved_entities
from coindex.transform.speakers import document_turns
from coindex.types.document import Document

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as Rich

_HUES = ("blue", "red", "green", "magenta", "cyan", "yellow")
COLOURS = (*_HUES, *(f"bright_{hue}" for hue in _HUES))
WIDEST = 36
"""The maximum width of a name or mention in the table of entities, in columns."""

LEAST = 6
"""The width to which a narrow terminal may truncate a name."""

SHOWN = 6
"""The maximum number of different mentions shown in the table of entities."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_SUBSCRIPTS = str.maketrans("0123456789+?", "₀₁₂₃₄₅₆₇₈₉₊?")


def show(text: AnnotatedText, console: Console) -> None:
    """Print a text with its marks, then the entities."""
    soft_wrap = not console.is_terminal  # in a pipe the lines of the text are not broken

    def put(line: Rich | str, style: str | None = None) -> None:
        console.print(
            line, style=style, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False
        )

    label = _subscript if _can_write(console, "₊₀∅…×·") else _plain
    put(visible(f"{text.id}: {text.summary}"), "bold")
    put("")
    put(marked(text, label))
    put("")
    if text.note:
        put(visible(text.note), "bold")
    for line in listed(text):
        put(line)


def marked(text: AnnotatedText, label: Callable[[Mark], str]) -> Rich:
    """The text with brackets, each in the colour of its entity."""
    from rich.text import Text as Rich

    line = Rich()
    open_: list[int] = []
    zero = False
    for event in text.events:
        inside = _style(text, text.marks[open_[-1]]) if open_ else ""
        if isinstance(event, Text):
            line.append(" " * (zero and event.text[0].isalnum()) + visible(event.text), inside)
            zero = False
        elif isinstance(event, Zero):
            line.append(ZERO, inside)
            zero = True
        elif isinstance(event, Break):
            line.append("\n")
        elif isinstance(event, Open):
            open_.append(event.mark)
            line.append(_opening(text.marks[event.mark], event, label), _border(text, event))
        elif isinstance(event, Close):
            open_.pop()
            line.append(_closing(text.marks[event.mark], event, label), _border(text, event))
    return line


def _opening(mark: Mark, event: Open, label: Callable[[Mark], str]) -> str:
    if not event.real:
        return ""
    return "[" + (f"{label(mark)} " if mark.crosses else "") + ("…" if event.part else "")


def _closing(mark: Mark, event: Close, label: Callable[[Mark], str]) -> str:
    if not event.real:
        return ""
    return ("…" if event.part + 1 < len(mark.chars) else "") + "]" + label(mark)


def _plain(mark: Mark) -> str:
    return "+".join(map(str, mark.entities)) or "?"


def _subscript(mark: Mark) -> str:
    return _plain(mark).translate(_SUBSCRIPTS)


def _style(text: AnnotatedText, mark: Mark) -> str:
    if not mark.entities:
        return "bold"
    group = text.groups[mark.entities[0] - 1]
    return "dim" if group.singleton else _colour(group)


def _border(text: AnnotatedText, event: Open | Close) -> str:
    style = _style(text, text.marks[event.mark])
    return style if style in ("dim", "bold") else f"bold {style}"


def _colour(group: EntityGroup) -> str:
    return COLOURS[(group.number - 1) % len(COLOURS)]


def listed(text: AnnotatedText) -> Iterator[Rich]:
    """One line per entity with its mentions, and one line for all singletons."""
    from rich.text import Text as Rich

    several = [group for group in text.groups if not group.singleton]
    width = len(str(len(several)))
    for group in several:
        line = Rich().append(f"{group.number:>{width}} ", f"bold {_colour(group)}")
        line.append(visible(group.name), "bold")
        mentions = " · ".join(_runs(text.marks[mark].text for mark in group.marks))
        count = pluralize(len(group.marks), "mention")
        yield line.append(f"  {count}: {mentions}" if mentions else "  not in the text")
    yield from _singletons([group for group in text.groups if group.singleton])


def _can_write(console: Console, text: str) -> bool:
    try:
        text.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def show_entities(document: Document, console: Console, singletons: bool = True) -> None:
    """Print the numbers of tokens, mentions and entities, then one line per entity.

    Lines are truncated in a terminal, and whole in a pipe. In a narrow terminal names are
    truncated first, so that the numbers stay.
    """
    from rich.text import Text as Rich

    entities = resolved_entities(document, singletons)
    width = console.width if console.is_terminal else None
    head: list[Rich] = [Rich(_summary(document, entities), "bold"), Rich()]
    for at, line in enumerate((*head, *entity_lines(entities, width), *speaker_lines(document))):
        if width is not None and at:
            line.truncate(width, overflow="ellipsis")
        console.print(line, soft_wrap=True, highlight=False, markup=False, emoji=False)


def entity_lines(entities: Sequence[ResolvedEntity], width: int | None = None) -> Iterator[Rich]:
    """The lines of the table; all singletons share the last one.

    width   of the terminal: names are truncated so that the numbers are within it
    """
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text as Rich

    several = [entity for entity in entities if len(entity.mentions) > 1]
    rows = [("#", "entity", "mentions", "conf", "first mentions"), *map(_row, several)]
    confident = any(row[3] for row in rows[1:])
    wide = min(WIDEST, max(cell_len(row[1]) for row in rows))
    left = max(2, len(str(len(several))))
    if width is not None:
        numbers = left + 2 + 12 + (6 if confident else 0)
        wide = min(wide, max(LEAST, width - numbers))
    for at, (number, name, count, mean, words) in enumerate(rows if several else ()):
        middle = f"  {count:>8}  " + (f"{mean:>4}  " if confident else "")
        line = Rich(f"{number:>{left}}  ", "dim" if not at else "bold")
        line.append(set_cell_size(_truncated(name, wide), wide), "bold" if at else "dim")
        yield line.append(middle + words, "dim" if not at else "")
    yield from _singletons([entity for entity in entities if len(entity.mentions) == 1])


def speaker_lines(document: Document) -> Iterator[Rich]:
    """A line with the speakers of a document, in the order in which they speak."""
    from rich.text import Text as Rich

    names = dict.fromkeys(turn.speaker for turn in document_turns(document) if turn.speaker)
    if names:
        listed = " · ".join(map(_truncated, map(visible, names)))
        yield Rich(f"{pluralize(len(names), 'speaker')}: {listed}", "dim")


def _row(entity: ResolvedEntity) -> tuple[str, str, str, str, str]:
    words = [_truncated(word) for word in _runs(m.words or m.text for m in entity.mentions)]
    first = " · ".join(words[:SHOWN] + ["…"] * (len(words) > SHOWN))
    mean = "" if entity.confidence is None else f"{entity.confidence:.2f}"
    name = visible(entity.name)
    return str(entity.number), name, f"{len(entity.mentions):,}", mean, first


def _truncated(text: str, width: int = WIDEST) -> str:
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"


def _summary(document: Document, entities: Sequence[ResolvedEntity]) -> str:
    tokens = pluralize(len(document), "token")
    mentions = pluralize(sum(len(entity.mentions) for entity in entities), "mention")
    count = pluralize(len(entities), "entity", "entities")
    return visible(f"{document.key}: {tokens}, {mentions}, {count}")


def visible(text: str) -> str:
    """Text with visible symbols for control characters, so that it cannot control the terminal."""
    return _CONTROL.sub(_symbol, text)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


def _runs(texts: Iterable[str]) -> list[str]:
    """Texts without line breaks, with the number of repetitions in a row: `her ×2`, `she`."""
    lines = (visible(" ".join(text.split())) for text in texts)
    runs = ((text, len(list(run))) for text, run in groupby(lines))
    return [f"{text} ×{count}" if count > 1 else text for text, count in runs]


def _singletons(entities: Sequence[EntityGroup | ResolvedEntity]) -> Iterator[Rich]:
    """One line for all entities that are mentioned once, if there are any."""
    from rich.text import Text as Rich

    if entities:
        names = " · ".join(f"{visible(each.name)} ({each.number})" for each in entities)
        yield Rich(f"{pluralize(len(entities), 'singleton')}: {names}", "dim")
