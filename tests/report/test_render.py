"""Tables in every style: golden outputs, escaping, marks, and a page that stands alone."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from coindex.errors import UnknownName
from coindex.report.render import STYLES, render
from coindex.report.table import Bar, Note, Table, text_notes

NASTY = "<b>&_%$#|"
SMALL = Table(
    "Scores of a_1",
    ("metric", "F1", "mentions", "95 % interval"),
    (("B³", 62.2, 12345, "61.20-64.93"), ("CEAFe", -0.001, None, None)),
    (
        Note("marked", "the best."),
        Note("caption", "F1"),
        Note("text", "Odd: 3 | 4."),
        Note("signature", "b3+ceafe|match:exact"),
    ),
    frozenset({(0, 1)}),
    (Bar("B³", 62.2, 61.2, 64.93), Bar("CEAFe", 0.0)),
)
EVIL = Table(
    NASTY,
    ("system", NASTY),
    ((NASTY, NASTY),),
    text_notes(NASTY),
    frozenset({(0, 1)}),
    (Bar(NASTY, 1.0),),
)
VOID = {"meta", "link", "line", "rect", "path"}


class Page(HTMLParser):
    """Checks that elements nest, and keeps their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.stack[-1], data.strip()))

    def of(self, tag: str) -> list[str]:
        return [text for where, text in self.texts if where == tag]


def test_text() -> None:
    assert render([SMALL], "text") == (
        "Scores of a_1\n"
        "╭────────┬────────┬──────────┬───────────────╮\n"
        "│ metric │     F1 │ mentions │ 95 % interval │\n"
        "├────────┼────────┼──────────┼───────────────┤\n"
        "│ B³     │ 62.20* │   12,345 │   61.20-64.93 │\n"
        "│ CEAFe  │  0.00  │          │               │\n"
        "╰────────┴────────┴──────────┴───────────────╯\n"
        "* the best.\n"
        "Odd: 3 | 4.\n"
        "Signature: b3+ceafe|match:exact"
    )


def test_markdown() -> None:
    assert render([SMALL], "markdown") == (
        "### Scores of a\\_1\n"
        "\n"
        "| metric |        F1 | mentions | 95 % interval |\n"
        "| ------ | --------: | -------: | ------------: |\n"
        "| B³     | **62.20** |   12,345 |   61.20-64.93 |\n"
        "| CEAFe  |      0.00 |          |               |\n"
        "\n"
        "- **Bold**: the best.\n"
        "- Odd: 3 \\| 4.\n"
        "- Signature: `b3+ceafe|match:exact`"
    )


def test_latex() -> None:
    assert render([SMALL], "latex") == "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            r"\caption{Scores of a\_1}",
            r"\begin{tabular}{lrrr}",
            r"\toprule",
            r"metric & F$_1$ & mentions & 95 \% interval \\",
            r"\midrule",
            r"B$^3$ & \textbf{62.20} & 12,345 & 61.20--64.93 \\",
            r"CEAF$_e$ & 0.00 &  &  \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\medskip",
            r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
            r"\textbf{Bold}: the best.\par",
            r"Odd: 3 \textbar{} 4.\par",
            r"Signature: \texttt{b3+ceafe\textbar\allowbreak{}match:exact}\par",
            r"\end{minipage}",
            r"\end{table}",
        ]
    )


def test_html_table() -> None:
    text = render([SMALL], "html")
    assert '<h2 id="t1" dir="auto">Scores of a_1</h2>' in text
    assert (
        '<tr><th scope="row" dir="auto">B³</th><td class="n"><b>62.20</b>'
        '<span class="sign" role="img" aria-label="marked">◆</span></td>'
        '<td class="n">12,345</td><td class="n">61.20–64.93</td></tr>'
    ) in text
    assert "<figcaption>F1</figcaption>" in text
    assert "<li>Signature: <code>b3+ceafe|match:exact</code></li>" in text


def test_html_picture() -> None:
    page = Page(render([SMALL], "html"))
    kinds = [attrs.get("class") for _, attrs in page.seen]
    assert kinds.count("bar") == 2
    assert kinds.count("whisker") == 1
    assert page.of("desc") == ["B³ 62.20, interval 61.20 to 64.93; CEAFe 0.00"]
    assert page.of("title") == ["Scores of a_1 · coindex", "Scores of a_1, F1"]
    assert [text for text in page.of("text") if "." in text] == ["62.20", "0.00"]
    (svg,) = [attrs for tag, attrs in page.seen if tag == "svg"]
    ids = {attrs.get("id") for _, attrs in page.seen}
    assert set((svg["aria-labelledby"] or "").split()) <= ids


@pytest.mark.parametrize("bars", [
    (Bar("a", 0.0),),
    (Bar("a", -3.0, -4.0, 1.0), Bar("b", 2.0)),
    (Bar("a" * 99, 0.004), Bar("日本", 0.001)),
    (Bar("a", 100.0, 99.0, 100.0),),
])  # fmt: skip
def test_bars_stay_in_the_picture(bars: tuple[Bar, ...]) -> None:
    page = Page(render([Table("t", ("c",), (), bars=bars)], "html"))
    viewbox = next(a["viewbox"] for t, a in page.seen if t == "svg") or ""
    width = float(viewbox.split()[2])
    for _, attrs in page.seen:
        for name in ("x", "x1", "x2"):
            assert 0 <= float(attrs.get(name) or 0) <= width
        assert float(attrs.get("width") or 0) >= 0 if attrs.get("class") == "bar" else True


def test_the_page_stands_alone() -> None:
    text = render([SMALL, EVIL], "html")
    page = Page(text)
    assert not {"script", "img", "iframe", "b>"} & {tag for tag, _ in page.seen}
    links = [
        attrs[n] for _, attrs in page.seen for n in ("href", "src", "xlink:href") if n in attrs
    ]
    assert links == ["data:,"]
    assert "http://" not in text
    assert "https://" not in text
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert not any("style" in attrs for _, attrs in page.seen)  # the policy would forbid it
    ids = [attrs["id"] for _, attrs in page.seen if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_escaping() -> None:
    assert f"│ {NASTY} │ {NASTY}* │" in render([EVIL], "text")
    assert r"| \<b\>\&\_%\$\#\| | **\<b\>\&\_%\$\#\|** |" in render([EVIL], "markdown")
    nasty = r"\textless{}b\textgreater{}\&\_\%\$\#\textbar{}"
    assert rf"{nasty} & \textbf{{{nasty}}} \\" in render([EVIL], "latex")
    page = Page(render([EVIL], "html"))
    assert page.of("h2") == page.of("li") == [NASTY]
    assert page.of("b") == [NASTY]
    assert page.of("th") == ["system", NASTY, NASTY]


def test_other_characters_of_latex() -> None:
    text = render([Table('\\{}~^"\u2007', ("c",), ())], "latex")
    assert r"\caption{\textbackslash{}\{\}\textasciitilde{}\textasciicircum{}''\phantom{0}}" in text


@pytest.mark.parametrize("style", STYLES)
def test_no_text_breaks_out_of_its_line(style: str) -> None:
    grid = Table("a\nb", ("c\td",), (("e\r\n\x1b[31mf\u202e\ud800",),), text_notes("g\nh"))
    text = render([grid], style)
    assert "a b" in text
    assert "c d" in text
    assert "g h" in text
    assert not re.search("[\x1b\r\t\u202e\ud800]", text)


def test_signs_of_numbers() -> None:
    grid = Table("t", ("a", "b", "c"), (("x", "-9.58", "-12.46 to +6.68"), ("-1", -3.0, "1-2")))
    text = render([grid], "latex")
    assert r"{lrr}" in text
    assert r"x & $-$9.58 & $-$12.46 to +6.68 \\" in text
    assert r"-1 & $-$3.00 & 1--2 \\" in text
    assert '<td class="n">−12.46 to +6.68</td>' in render([grid], "html")


def test_columns_of_words_stand_to_the_left() -> None:
    grid = Table("t", ("a", "b", "c", "d"), (("1", "2nd", None, "62.20 \u2007(1)"),))
    assert "| --- | --- | --- | -" in render([grid], "markdown")
    assert "{lllr}" in render([grid], "latex")
    digits = Table("t", ("a", "b"), (("1", "1" * 5000 + "x"),))  # and this takes no time
    assert "{ll}" in render([digits], "latex")


def test_colour_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in render([SMALL], "text")
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = render([SMALL], "text", color=True)
    assert "\x1b[1m62.20*" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == render([SMALL], "text")


LONG = Table(
    "t",
    ("system", "first of all numbers", "second", "word"),
    (("a system with a rather long name", 1234.5, "62.20 (1)", "some more words of explanation"),),
    (
        Note("text", "A note of several words that is longer than the table is wide."),
        Note("signature", "x" * 99),
    ),
)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_width(width: int) -> None:
    *lines, signature = render([LONG], "text", width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert signature == str(LONG.notes[1])
    assert any("1,234.50" in line and "62.20 (1)" in line for line in lines)


def test_numbers_are_whole_when_there_is_no_room() -> None:
    text = render([LONG], "text", width=10)
    assert "a system with a rather long name │" in text
    assert "1,234.50 │ 62.20 (1)" in text


def test_several_and_none() -> None:
    for style in STYLES:
        assert render([SMALL, EVIL], style).count("Scores of a") >= 1
        assert render([], style) == render([], style).rstrip("\n")
        assert render([Table("t", ("c",), ())], style)


def test_unknown_style() -> None:
    with pytest.raises(UnknownName, match="unknown style 'pdf'; expected one of: html, latex"):
        render([], "pdf")
