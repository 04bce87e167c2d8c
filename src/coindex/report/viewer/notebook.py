"""A document or a problem as a piece of HTML for notebooks: marked text and a list of entities.

Notebooks remove scripts and often style sheets, so each element has its own style, and colours
are translucent: they are legible on light and on dark pages. `coindex.to_html` is what
`Document._repr_html_` and `Problem._repr_html_` return, so that a notebook shows the entities of
the last value of a cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from coindex.report.html_text import escape
from coindex.report.viewer.annotated_text import ZERO, AnnotatedText, EntityGroup, layout
from coindex.report.viewer.markup_events import Break, Close, Open, Text, Zero
from coindex.types.document import Document
from coindex.types.problem import Problem

HUES = (212, 28, 150, 320, 268, 52, 186, 0, 96)
"""The hue of each entity's colour; they repeat."""

LONGEST = 20_000
"""The characters that are shown of a text; a notebook is no place for a whole book."""

LISTED = 30
"""The entities that are listed."""


def to_html(item: Document | Problem, singletons: bool = True) -> str:
    """A document or a problem as HTML that needs no style sheet and no script.

    Mentions have the colour and the number of their entity; the entities are listed below the
    text. Of long texts the beginning is shown, and how much that is.
    """
    text = layout(item, singletons)
    title = f"<b>{escape(text.id)}</b>: {escape(text.summary)}"
    note = f'<div dir="auto">{escape(text.note)}</div>' if text.note else ""
    return (
        '<div class="coindex" style="line-height:1.9;max-width:60em">'
        f'<div style="opacity:.75">{title}</div>{note}'
        f'<div dir="auto" style="margin:.4em 0">{"".join(_marked(text))}</div>'
        f"{''.join(_listed(text))}</div>"
    )


def _marked(text: AnnotatedText) -> Iterator[str]:
    """The text with its marks; marks that are open where it is cut are closed."""
    shown = depth = 0
    for event in text.events:
        if isinstance(event, Text):
            part = event.text[: LONGEST - shown]
            shown += len(part)
            yield escape(part)
            if shown >= LONGEST:
                yield "</span>" * depth
                yield f"<div><i>the first {LONGEST:,} of {len(text.text):,} characters</i></div>"
                return
        elif isinstance(event, Break):
            yield "<br>"
        elif isinstance(event, Zero):
            yield f"<i>{ZERO}</i>"
        elif isinstance(event, Open):
            depth += 1
            yield _opening(text, event.mark)
        elif isinstance(event, Close):
            depth -= 1
            yield (_number(text, event.mark) if event.real else "") + "</span>"


def _opening(text: AnnotatedText, number: int) -> str:
    mark = text.marks[number]
    names = "; ".join(_short(text.groups[entity - 1].name) for entity in mark.entities)
    border = 1 if mark.entities and text.groups[mark.entities[0] - 1].singleton else 2
    colour = _colour(mark.entities[0]) if mark.entities else "hsla(0,0%,50%,"
    return (
        f'<span title="{escape(names)}" style="background:{colour}.18);border-radius:3px;'
        f'padding:{1 + 2 * mark.level}px 1px;border-bottom:{border}px solid {colour}.9)">'
    )


def _number(text: AnnotatedText, number: int) -> str:
    entities = text.marks[number].entities
    shown = ",".join(map(str, entities)) or "?"
    return f'<sub style="font-size:.7em;opacity:.85">{shown}</sub>'


def _listed(text: AnnotatedText) -> Iterator[str]:
    """The entities of several mentions, with their number of mentions."""
    groups = [group for group in text.groups if not group.singleton or text.kind == "problem"]
    if not groups:
        return
    yield '<div style="line-height:1.6">'
    for group in groups[:LISTED]:
        yield _entity(group)
    if len(groups) > LISTED:
        yield f"<i>and {len(groups) - LISTED} more</i>"
    yield "</div>"


def _entity(group: EntityGroup) -> str:
    count = f" ×{len(group.marks)}" if len(group.marks) > 1 else ""
    return (
        f'<span dir="auto" style="margin-right:1em;border-bottom:2px solid'
        f' {_colour(group.number)}.9)">{group.number} {escape(_short(group.name))}{count}</span> '
    )


def _colour(entity: int) -> str:
    """The beginning of a CSS colour, to which its opacity is added."""
    return f"hsla({HUES[(entity - 1) % len(HUES)]},75%,50%,"


def _short(name: str, longest: int = 60) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"
