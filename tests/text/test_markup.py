"""HTML and Markdown: what is visible, and where it is in the original."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex import Document
from coindex.errors import UnknownName
from coindex.text.markup import MARKUPS, detect_markup, read_markup
from coindex.text.tokenizer import token_offsets
from coindex.transform.edit import retokenize, without_markup
from strategies import marked_up_texts, odd_texts


def tokens(text: str, markup: str) -> list[str]:
    return list(without_markup(retokenize(Document("d", text), ()), markup).tokens)


HTML = {
    "<p>An<b>n</b>a &amp; Bo</p>": "Anna & Bo",
    "<p>Ann<p>Bo<br>Cy": "Ann Bo Cy",
    "x<sup>2</sup> Ann<sub>1</sub>": "x 2 Ann 1",
    "a < b and c > d <3": "a < b and c > d < 3",
    "<script>if (a < b) { he() }</script>Ann<style>p {}</style>": "Ann",
    "<SCRIPT>he</SCRIPT >Ann": "Ann",
    "<!-- she --><!DOCTYPE html>Ann<!-- > he -->": "Ann",
    "<!-- not closed": "< ! -- not closed",
    '<a title="it\'s > he" href=\'x\'>Ann</a>': "Ann",
    '<a title="not closed>Ann</a> Bo': "Ann Bo",
    '<img alt="Bo" src=x>Ann<hr/>Cy': "Ann Cy",
    "&lt;b&gt; &eacute;t&#233; &#x41;nn &nosuch; &amp &#0; AT&T": "< b > été Ann & nosuch ; & amp \ufffd AT&T",
    "<title>News</title><option>Ann</option><custom-tag>Bo</custom-tag>": "News Ann Bo",
    "Ann</b><b>Lee": "AnnLee",
}  # fmt: skip


@pytest.mark.parametrize("text", HTML)
def test_html(text: str) -> None:
    assert tokens(text, "html") == HTML[text].split()


MARKDOWN = {
    "# Ann #": "Ann",
    "## C#": "C #",
    "#hashtag Ann": "#hashtag Ann",
    "*Ann*'s **dog** and ***cat***": "Ann 's dog and cat",
    "An**n**a **Ann**s": "Anna Anns",
    "2 * 3 * 4 and 2*3*4": "2 * 3 * 4 and 2 * 3 * 4",
    "f**k you b**ch": "f ** k you b ** ch",
    "snake_case_word __init__ _she_": "snake_case_word init she",
    "**a *b* c** *open **Ann**": "a b c * open Ann",
    "~~Ann~~ ~5": "Ann ~ 5",
    r"\*Ann\* `he*r*`": "* Ann * he * r *",
    '[Ann](http://x.y/a_(b) "she") ![he](x.png) [![i](j)](k) [it]': "Ann [ it ]",
    "[Ann][1] [Bo][] [2]\n\n[1]: http://x.y\n[bo]: <z>": "Ann Bo [ 2 ]",
    "Ann[^1] left.\n\n[^1]: She did.": "Ann left . She did .",
    "<https://x.y> <ann> hi <b>Bo</b> <!-- a\n\nb --> &amp;": "https://x.y < ann > hi Bo &",
    "> Ann\n> > Bo": "Ann Bo",
    "- [x] Ann\n* Bo\n  + Cy\n1. Di": "Ann Bo Cy 1. Di",
    "| Ann | *Bo* |\n|:---|---|\n| he | she |\n\na | b": "Ann Bo he she a | b",
    "Ann\n===\nBo\n---\n***\n= 3": "Ann Bo = 3",
    "```python\nhe = 1\n```\nAnn\n~~~\nBo: *hi*\n~~~": "Ann Bo : * hi *",
    "---\ntitle: he\ntags:\n  - x\n---\nAnn": "Ann",
}  # fmt: skip


@pytest.mark.parametrize("text", MARKDOWN)
def test_markdown(text: str) -> None:
    assert tokens(text, "markdown") == MARKDOWN[text].split()


def test_offsets_are_those_of_the_original() -> None:
    text = "<p>An<b>n</b>a met <i>R&amp;D</i>.<p>She left"
    document = without_markup(Document("d", text), "auto")
    written = [text[a:b] for a, b in zip(document.starts, document.ends, strict=True)]
    assert written == ["An<b>n</b>a", "met", "R&amp;D", ".", "She", "left"]
    assert document.tokens == ("Anna", "met", "R&D", ".", "She", "left")
    assert document.sentences == (0, 4)
    assert document.text == text


def test_blocks_are_sentences() -> None:
    text = "# The keys\nAnn lost them.\n- she\n- he\n\n| a | b |\n|---|---|\n| c | d |\n"
    document = without_markup(Document("d", text), "markdown")
    starts = [document.tokens[first] for first in document.sentences]
    assert starts == ["The", "Ann", "she", "he", "a", "b", "c", "d"]
    wrapped = without_markup(Document("d", "<p>one\nTwo\n\nThree<br>Four<br><br>five</p>"), "html")
    assert [wrapped.tokens[first] for first in wrapped.sentences] == ["one", "Four", "five"]


DETECTED = {
    "html": ["<!DOCTYPE html>x", "<?xml version='1.0'?>\n<html>", "So <b>Ann</b> left", "a<br>b<br/>c",
             "<div>\n# x\n</div>"],
    "markdown": ["# A\n\n## B\n", "see [Ann](http://x.y)", "```\nx\n```", "**Ann** and **Bo**",
                 "| a | b |\n|---|---|\n", "[1]: http://x.y", "# A\n\nuse `x`", "<b>x</b> [a](b.c) y"],
    "none": ["", "Ann *grins* and *waves*", "<ann> hi\n<bo> hi", "<b> hi\n<b> again", "> Ann wrote\n> she left",
             "#fun #ann", "# A title\n\nAnn slept", "- a\n- b", "2 * 3 * 4 < 5", "__init__ and __x__",
             "import x\n# a comment\nx = 1\n# another\ny = 2", "f**k", "[1] Ann (2)", "a | b\nc | d",
             "AT&T &amp;", "he said <sigh> no", "[Ann](Bo)"],
}  # fmt: skip


@pytest.mark.parametrize("kind", DETECTED)
def test_detection(kind: str) -> None:
    assert {text: detect_markup(text) for text in DETECTED[kind]} == dict.fromkeys(
        DETECTED[kind], kind
    )


def test_none_and_unknown() -> None:
    assert read_markup("<p>Ann</p>", "none") is None
    document = Document("d", "<p>Ann</p>")
    assert without_markup(document, "none") is document
    with pytest.raises(UnknownName, match="auto, html, markdown, none"):
        read_markup("", "xml")


@settings(max_examples=1000)
@given(marked_up_texts | odd_texts, st.sampled_from(MARKUPS))
def test_every_token_is_where_it_says(text: str, markup: str) -> None:
    document = without_markup(retokenize(Document("d", text), ()), markup)
    visible = read_markup(text, markup)
    places = list(zip(document.starts, document.ends, strict=True))
    assert all(start < end for start, end in places)
    assert all(before[1] <= after[0] for before, after in pairwise(places))
    masked = text if visible is None else visible.masked
    assert len(masked) == len(text)
    for token, (start, end) in zip(document.tokens, places, strict=True):
        assert "".join(masked[start:end].split()) == token
    covered = {at for start, end in places for at in range(start, end)}
    assert all(at in covered for at, sign in enumerate(masked) if not sign.isspace())


PIECES = {
    "html": {
        "<b>Ann</b>": "Ann", "<i>A</i>nn": "Ann", "&amp;": "&", "<a href='x'>Bo's</a>": "Bo 's", "<br>": "", "</p><p>": "",
        "he": "he", "*x*": "* x *", "<!-- no -->": "", "<img src=x>": "", "2 < 3": "2 < 3", "&lt;she&gt;": "< she >",
        "<script>he()</script>": "", "<hr>": "",
    },
    "markdown": {
        "*Ann*": "Ann", "**Ann** Lee": "Ann Lee", "An**n**a": "Anna", "[Ann](http://x.y)'s": "Ann 's", "_her_": "her",
        "2 * 3": "2 * 3", "snake_case": "snake_case", "`he`": "he", "<b>Bo</b>": "Bo", "<ann>": "< ann >", "&amp;": "&",
        "![no](x.y)": "", "~~it~~": "it", "\n\n# Title\n\n": "Title", "\n- item": "item", "\n> quoted": "quoted", "f**k": "f ** k",
        "\n\n| a | b |\n|---|---|\n| *c* | d |\n\n": "a b c d", "\n\n```\nAnn\n```\n": "Ann", "***she***": "she",
    },
}  # fmt: skip


@pytest.mark.parametrize("markup", PIECES)
@given(st.data())
def test_all_visible_words_are_read(markup: str, data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.sampled_from(sorted(PIECES[markup])), max_size=12))
    text = " ".join(["<p>So" if markup == "html" else "So", *pieces])
    expected = ["So", *(word for piece in pieces for word in PIECES[markup][piece].split())]
    assert tokens(text, markup) == expected


UNITS = ["<", "<a ", "<a '\"", "<!--", "&", "&amp;", "*", "**a ", "a*", "a* ", "_a", "[", "[a", "[a](", "![", "`",
         "`a", "# ", "#", "> ", "- ", "- \n", "|", "|-\n", "\\", "]", "[a][", "~", "<br>", "---\na: b\n", "<script>",
         "</p", "[[a]", "(", "***a**", "<pre>", "a\n\n", "- a\n", "-->", '"', "<a \"", "</script"]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_long_texts_take_linear_time(unit: str) -> None:
    """What takes the square of the length does not end here."""
    text = unit * (300_000 // len(unit))
    for markup in ("auto", "html", "markdown"):
        visible = read_markup(text, markup)
        assert visible is None or len(visible.masked) == len(text)


def test_the_tokens_are_those_of_the_visible_text() -> None:
    text = "# A\n\n**Ann**'s [dog](x.y) & <b>Bo</b>"
    visible = read_markup(text, "markdown")
    assert visible is not None
    assert tokens(text, "markdown") == [visible.text[a:b] for a, b in token_offsets(visible.text)]
