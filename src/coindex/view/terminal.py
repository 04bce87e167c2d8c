"""A sheet in a terminal: `[Ann]₁ lost [[her]₁ keys]₂`.

Brackets and numbers say everything; colour, where there is any, only repeats it.
A mention of two entities ends in `₁₊₂`. The first part of a broken mention ends
in `…]`, the next begins with `[…`. A mention that crosses another has its number
at both ends. Control characters are replaced by their pictures, so that no text
can command the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from coindex.view._weave import Break, Close, Open, Text, Zero
from coindex.view._words import in_a_row, visible
from coindex.view.layout import ZERO
from coindex.view.sheet import Group, Mark, Sheet, count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as Rich

_HUES = ("blue", "red", "green", "magenta", "cyan", "yellow")
COLOURS = (*_HUES, *(f"bright_{hue}" for hue in _HUES))
_SUBSCRIPTS = str.maketrans("0123456789+?", "₀₁₂₃₄₅₆₇₈₉₊?")


def show(sheet: Sheet, console: Console) -> None:
    """Print a sheet: the text with its marks, then the entities."""
    fold = not console.is_terminal  # a pipe keeps the lines of the text

    def put(text: Rich | str, **style: str) -> None:
        console.print(text, soft_wrap=fold, highlight=False, markup=False, emoji=False, **style)  # type: ignore[arg-type]

    label = _subscript if _can_write(console, "₊₀∅…×·") else _plain
    put(visible(f"{sheet.id}: {sheet.summary}"), style="bold")
    put("")
    put(marked(sheet, label))
    put("")
    if sheet.note:
        put(visible(sheet.note), style="bold")
    for line in listed(sheet):
        put(line)


def marked(sheet: Sheet, label: Callable[[Mark], str]) -> Rich:
    """The text with brackets, each in its entity's colour."""
    from rich.text import Text as Rich

    text = Rich()
    open_: list[int] = []
    zero = False
    for step in sheet.steps:
        inside = _style(sheet, sheet.marks[open_[-1]]) if open_ else ""
        if isinstance(step, Text):
            text.append(" " * (zero and step.text[0].isalnum()) + visible(step.text), inside)
            zero = False
        elif isinstance(step, Zero):
            text.append(ZERO, inside)
            zero = True
        elif isinstance(step, Break):
            text.append("\n")
        elif isinstance(step, Open):
            open_.append(step.mark)
            text.append(_opening(sheet.marks[step.mark], step, label), _border(sheet, step))
        else:
            open_.pop()
            text.append(_closing(sheet.marks[step.mark], step, label), _border(sheet, step))
    return text


def _opening(mark: Mark, step: Open, label: Callable[[Mark], str]) -> str:
    if not step.real:
        return ""
    return "[" + (f"{label(mark)} " if mark.crosses else "") + ("…" if step.part else "")


def _closing(mark: Mark, step: Close, label: Callable[[Mark], str]) -> str:
    if not step.real:
        return ""
    return ("…" if step.part + 1 < len(mark.chars) else "") + "]" + label(mark)


def _plain(mark: Mark) -> str:
    return "+".join(map(str, mark.entities)) or "?"


def _subscript(mark: Mark) -> str:
    return _plain(mark).translate(_SUBSCRIPTS)


def _style(sheet: Sheet, mark: Mark) -> str:
    if not mark.entities:
        return "bold"
    group = sheet.groups[mark.entities[0] - 1]
    return "dim" if group.singleton else _colour(group)


def _border(sheet: Sheet, step: Open | Close) -> str:
    style = _style(sheet, sheet.marks[step.mark])
    return style if style in ("dim", "bold") else f"bold {style}"


def _colour(group: Group) -> str:
    return COLOURS[(group.number - 1) % len(COLOURS)]


def listed(sheet: Sheet) -> Iterator[Rich]:
    """A line for each entity with its mentions; the singletons share one."""
    from rich.text import Text as Rich

    several = [group for group in sheet.groups if not group.singleton]
    width = len(str(len(several)))
    for group in several:
        line = Rich().append(f"{group.number:>{width}} ", f"bold {_colour(group)}")
        line.append(visible(group.name), "bold")
        if group.marks:
            line.append(f"  {count(len(group.marks), 'mention')}: {_mentions(sheet, group.marks)}")
        else:
            line.append("  not in the text")
        yield line
    singles = [group for group in sheet.groups if group.singleton]
    if singles:
        names = " · ".join(f"{visible(group.name)} ({group.number})" for group in singles)
        yield Rich(f"{count(len(singles), 'singleton')}: {names}", "dim")


def _mentions(sheet: Sheet, marks: Sequence[int]) -> str:
    """The words of the mentions in order, repetitions counted: `her ×2 · she`."""
    return " · ".join(in_a_row(sheet.marks[mark].text for mark in marks))


def _can_write(console: Console, text: str) -> bool:
    try:
        text.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
