"""The table of entities in a terminal and in a pipe."""

from __future__ import annotations

import io
from typing import Any

from hypothesis import given
from rich.console import Console

from coindex import Document, Entity, Mention, Span
from coindex.report.viewer.terminal import SHOWN, show_entities
from coindex.transform.naming import NOBODY
from resolved_samples import marked
from strategies import documents


def printed(document: Document, singletons: bool = True, **options: Any) -> str:
    console = Console(file=io.StringIO(), **options)
    show_entities(document, console, singletons)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


TEXT = "{1:Ann Lee} saw {2:{1:her} brother} in {3:Leeds}. {2:He} slept; {1:she} and {1:she} ate."


def test_a_line_for_each_entity_and_one_for_the_rest() -> None:
    assert printed(marked(TEXT)) == (
        "d: 16 tokens, 7 mentions, 3 entities\n"
        "\n"
        " #  entity       mentions  first mentions\n"
        " 1  Ann Lee             4  Ann Lee · her · she ×2\n"
        " 2  her brother         2  her brother · He\n"
        "1 singleton: Leeds (3)\n"
    )
    assert "Leeds" not in printed(marked(TEXT), singletons=False)


def test_how_sure_the_resolver_was() -> None:
    def sure(start: int, **values: str) -> Mention:
        return Mention((Span(start, start + 1),), attrs=tuple(values.items()))

    ann = Entity((sure(0, confidence="0.99"), sure(1, confidence="0.9", link="0.85")))
    bo = Entity((Mention.at(2, 3), Mention.at(3, 4)))
    out = printed(Document.of("d", [["Ann", "her", "Bo", "him"]], [ann, bo]))
    assert out.splitlines()[2:] == [
        " #  entity  mentions  conf  first mentions",
        " 1  Ann            2  0.85  Ann · her",
        " 2  Bo             2        Bo · him",
    ]


def test_long_lines_are_cut_in_a_terminal_only() -> None:
    words = [f"Name{number}" for number in range(SHOWN + 2)]
    long = Document.of(
        "d", [words], [Entity(tuple(Mention.at(n, n + 1) for n in range(len(words))))]
    )
    assert printed(long, width=40).splitlines()[3].endswith("Name5 · …")
    cut = printed(long, width=40, force_terminal=True, color_system=None).splitlines()
    assert max(map(len, cut)) == 40
    assert cut[3].endswith("…")
    name = Document.of("d", [["日本" * 30, "it"]], [Entity((Mention.at(0, 1), Mention.at(1, 2)))])
    assert " 1  " + "日本" * 8 + "日…          2" in printed(name)


def test_nothing_found_and_nothing_commanded() -> None:
    assert printed(Document("d", "")) == "d: 0 tokens, 0 mentions, 0 entities\n\n"
    out = printed(
        Document.of("d", [["\x1b[31mAnn", "\0"]], [Entity((Mention.at(0, 1), Mention.at(1, 2)))])
    )
    assert "␛[31mAnn · ␀" in out
    assert "\x1b" not in out


@given(documents())
def test_a_line_for_every_entity(document: Document) -> None:
    several = sum(not entity.singleton for entity in document.entities)
    single = len(document.entities) > several
    rows = printed(document, width=400).split("\n")
    spoken = any(name not in NOBODY for name in document.speakers or ())
    assert len(rows) == 2 + bool(several) + several + single + spoken + 1
