"""What `coindex show` prints: brackets and numbers first, colour second."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from coindex.report.viewer.annotated_text import layout
from coindex.report.viewer.terminal import show
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars, Span


def entity(*spans: tuple[int, int]) -> Entity:
    return Entity(tuple(Mention.at(*span) for span in spans))


def printed(item: Document | Problem, **options: Any) -> str:
    console = Console(file=io.StringIO(), **options)
    show(layout(item), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_brackets_numbers_and_a_list() -> None:
    words = ["Ann", "and", "her", "dog", "saw", "it", ";", "her", "cat", "slept"]
    doc = Document.of(
        "d", [words], [entity((0, 1), (2, 3), (7, 8)), entity((2, 4), (5, 6)), entity((7, 9))]
    )
    assert printed(doc) == (
        "d: 10 tokens, 6 mentions, 3 entities (1 singleton)\n"
        "\n"
        "[Ann]₁ and [[her]₁ dog]₂ saw [it]₂ ; [[her]₁ cat]₃ slept\n"
        "\n"
        "1 Ann  3 mentions: Ann · her ×2\n"
        "2 her dog  2 mentions: her dog · it\n"
        "1 singleton: her cat (3)\n"
    )


def test_plural_broken_crossing_and_zero() -> None:
    broken = Mention((Span(0, 1), Span(2, 3)))
    entities = [
        Entity((broken, Mention.at(3, 4))),
        entity((1, 2), (3, 4)),
        entity((4, 6)),
        entity((5, 7)),
    ]
    out = printed(Document.of("d", [["take", "it", "off", "they", "a", "b", "c"]], entities))
    assert "[take…]₁ [it]₂ […off]₁ [they]₁₊₂ [₃ a [₄ b]₃ c]₄" in out
    doc = Document("z", "She left", ("She", "_", "left"), (0, 4, 4), (3, 4, 8), (0,), (entity((0, 1), (1, 2)),), zeros=(1,))  # fmt: skip
    assert "[She]₁ [∅]₁ left" in printed(doc)


def test_a_mention_may_go_over_the_end_of_a_line() -> None:
    doc = Document.of("d", [["a", "long"], ["name", "b"]], [entity((1, 3), (3, 4))])
    assert "\na [long\nname]₁ [b]₁\n" in printed(doc)


def test_a_pipe_keeps_long_lines_and_a_terminal_folds_them() -> None:
    doc = Document.of("d", [["word"] * 60])
    assert "word " * 59 in printed(doc, width=80)
    assert max(map(len, printed(doc, width=40, force_terminal=True).splitlines())) < 60


def test_colour_only_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    doc = Document.of("d", [["Ann", "saw", "her"]], [entity((0, 1), (2, 3))])
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[34mAnn" in printed(doc, force_terminal=True, color_system="standard")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "34m" not in printed(doc, force_terminal=True, color_system="standard")


def test_no_text_can_command_the_terminal() -> None:
    text = "a\x1b[2J\x07\x9b \ud800 [bold]x[/bold] :smile:"
    tokens = ("a", "[bold]x[/bold]")
    start = text.index("[bold]")
    doc = Document(
        "i\x1bd", text, tokens, (0, start), (1, start + 14), (0,), (entity((0, 1), (1, 2)),)
    )
    out = printed(doc)
    assert not {"\x1b", "\x07", "\x9b", "\ud800"} & set(out)
    assert "[a]₁␛[2J␇" in out
    assert "[[bold]x[/bold]]₁ :smile:" in out


def test_a_console_without_subscripts_gets_plain_numbers() -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii", errors="replace")
    doc = Document.of("d", [["Ann", "saw", "her"]], [entity((0, 1), (2, 3))])
    show(layout(doc), Console(file=stream))
    stream.flush()
    assert b"[Ann]1 saw [her]1" in written.getvalue()


def test_problems_state_their_answer() -> None:
    candidates = (Candidate("Ann", Chars(0, 3)), Candidate("Zoe"))
    out = printed(Problem("p", "Ann says she won", Chars(9, 12), candidates, (0,)))
    assert "[Ann]₁ says [she]₁ won" in out
    assert "“she” means: Ann (1)\n" in out
    assert "2 Zoe  not in the text\n" in out
    assert "[she]? won" in printed(Problem("p", "Ann says she won", Chars(9, 12), candidates))
