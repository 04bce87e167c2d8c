"""The documents that a system did not get wholly right, with expected and found clusters beside.

The texts are laid out as the viewer does it (`report.viewer`), without its script: each mention is
underlined in the colour of its entity and followed by the entity's id, or by its number where it has
none. A found entity has the colour and name of the expected one with which it shares most mentions;
what remains is called `new1`, `new2`, ... Two found entities never have one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from coindex import io
from coindex.benchmarks.protocol import DocumentOutcome
from coindex.evaluate.document_results import DocumentBenchmarkResult, DocumentSystemResult
from coindex.report.html_text import escape
from coindex.report.viewer.annotated_text import AnnotatedText, EntityGroup, Mark, layout
from coindex.report.viewer.markup_events import Break, Close, Open, Text
from coindex.types.span import Chars

COLOURS = 9
Label = tuple[int, str]
"""The number of a colour, and the name of an entity."""


def style() -> str:
    """The style of these sections."""
    return io.package_text("coindex.evaluate", "assets", "documents.css")


def failed_documents(table: DocumentBenchmarkResult, number: int) -> str:
    """A section for each system; `number` makes their names unique."""
    sections = [
        _section(table, result, f"x{number}-{at}") for at, result in enumerate(table.results, 1)
    ]
    return "\n".join(sections)


def _section(table: DocumentBenchmarkResult, result: DocumentSystemResult, name: str) -> str:
    failed = [outcome for outcome in result.outcomes if not outcome.right]
    title = f"Not wholly right: {table.name} {table.split}, {result.system}"
    items = "\n".join(map(_item, failed))
    return (
        f'<section class="failed" aria-labelledby="{name}">\n'
        f'<h2 id="{name}">{escape(title)}</h2>\n'
        f"<p>{len(failed):,} of {len(result.outcomes):,} documents. A mention is followed by the"
        " name of its entity; optional ones have a dotted line.</p>\n"
        f"<ol>\n{items}\n</ol>\n</section>"
    )


def _item(outcome: DocumentOutcome) -> str:
    reasons = "".join(f'<li dir="auto">{escape(reason)}</li>' for reason in outcome.reasons)
    expected = layout(outcome.expected)
    labels = [(group.number, group.id or str(group.number)) for group in expected.groups]
    found = "<div>no document</div>"
    if outcome.found:
        other = layout(outcome.found)
        found = _side("found", other, aligned(expected, other, labels))
    return (
        f'<li><h3>{escape(outcome.id)}</h3>\n<div class="sides">'
        f"{_side('expected', expected, labels)}{found}</div>\n<ul>{reasons}</ul></li>"
    )


def aligned(expected: AnnotatedText, found: AnnotatedText, labels: Sequence[Label]) -> list[Label]:
    """The colour and name of each found entity: those of the expected one that it corresponds to."""
    sides = [[_places(text, group) for group in text.groups] for text in (expected, found)]
    pairs = sorted(
        (-len(one & two), len(one ^ two), at, to)
        for at, one in enumerate(sides[0])
        for to, two in enumerate(sides[1])
        if one & two
    )
    chosen: dict[int, int] = {}
    for _, _, at, to in pairs:
        if to not in chosen and at not in chosen.values():
            chosen[to] = at
    new = count(1)
    return [
        labels[chosen[to]] if to in chosen else (len(labels) + (at := next(new)), f"new{at}")
        for to in range(len(found.groups))
    ]


def _places(text: AnnotatedText, group: EntityGroup) -> set[tuple[Chars, ...]]:
    """Where the mentions of an entity are."""
    return {text.marks[mark].chars for mark in group.marks}


def _side(title: str, text: AnnotatedText, labels: Sequence[Label]) -> str:
    marked = "".join(_marked(text, labels))
    return f'<div><h4>{title}</h4><p class="text" dir="auto">{marked}</p></div>'


def _marked(text: AnnotatedText, labels: Sequence[Label]) -> Iterator[str]:
    for event in text.events:
        if isinstance(event, Text):
            yield escape(event.text)
        elif isinstance(event, Break):
            yield "\n"
        elif isinstance(event, Open):
            yield _opening(text.marks[event.mark], labels)
        elif isinstance(event, Close):
            names = "+".join(labels[each - 1][1] for each in text.marks[event.mark].entities)
            yield (f"<sub>{escape(names)}</sub>" if event.real else "") + "</b>"


def _opening(mark: Mark, labels: Sequence[Label]) -> str:
    kind = " optional" if mark.kind == "optional" else ""
    return f'<b class="c{labels[mark.entities[0] - 1][0] % COLOURS}{kind}">'
