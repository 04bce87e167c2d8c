"""Texts with markup: what is visible in HTML and Markdown, with offsets into the original.

    read_markup("<p>An<b>n</b>a &amp; Bo</p>", "html").text  →  "\n\nAnna & Bo\n\n"

`auto` recognises HTML by its declaration, by elements that are closed, or by several `<br>` and
the like; Markdown by at least two of its unmistakable marks. Everything else is plain text:
a chat with `*grins*` or `<ann> hi`, `>` before quoted lines of a mail, `#hashtags`.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import islice, pairwise

from coindex.errors import UnknownName
from coindex.text.markup.html_marks import mark_html
from coindex.text.markup.inline_marks import CODE, LINK
from coindex.text.markup.markdown_marks import (
    DEFINITION,
    FENCE,
    HEADING,
    is_table_rule,
    mark_markdown,
)
from coindex.text.markup.mask import Mask, VisibleText
from coindex.text.tokenizer import without_bom
from coindex.text.word_lists import labels
from coindex.types.document import Document
from coindex.types.span import Span

MARKUPS = ("auto", "none", "html", "markdown")
"""The ways to read a text."""

__all__ = [
    "MARKUPS",
    "VisibleText",
    "collapse_spaces",
    "decoded",
    "detect_markup",
    "is_marked_up",
    "read_markup",
    "shown_text",
]

_PAGE = re.compile(
    r"\s*(?:<\?xml[^<>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html)\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<[^<>]*>|\]\([^()]*\)|[][*_~`\\]")
_NAME = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])[^<>]*>")
_BOLD = re.compile(r"(?<![\w*])\*\*(?=[^\s*])[^*\n]{1,200}(?<=[^\s*])\*\*(?![\w*])")
_PATH = frozenset("/#.:")
_ENOUGH = 2
_FARTHEST = 100_000
"""Markup is recognised in the first characters of a text."""


def read_markup(text: str, markup: str) -> VisibleText | None:
    """What is visible in a text; None if it has no markup.

    markup   one of `MARKUPS`
    """
    if markup not in MARKUPS:
        raise UnknownName("markup", markup, MARKUPS)
    text = without_bom(text)
    kind = detect_markup(text) if markup == "auto" else markup
    if kind == "none":
        return None
    mask = Mask(text)
    if kind == "html":
        mark_html(mask)
    else:
        mark_markdown(mask)
    return mask.visible()


def detect_markup(text: str) -> str:
    """`html`, `markdown` or `none`."""
    head = text[:_FARTHEST]
    if "<" in head and _PAGE.match(head):
        return "html"
    if _markdown_evidence(head) >= _ENOUGH:
        return "markdown"
    return "html" if "<" in head and _is_html(head) else "none"


def _is_html(text: str) -> bool:
    """Whether an element is opened and closed, or two have no end, such as `<br>`."""
    opened: set[str] = set()
    alone = 0
    for match in _NAME.finditer(text):
        name = match[2].lower()
        kind = labels("html_tags").get(name)
        if match[1] and name in opened:
            return True
        if kind is not None:
            opened.add(name)
            alone += name in ("br", "hr", "img", "p", "li", "input", "meta")
    return alone > 1


def _markdown_evidence(text: str) -> int:
    """How many marks there are that are hardly in plain text; of each kind, one or two count."""
    lines = text.split("\n")
    headings = sum(
        _is_heading(*three) for three in zip(["", *lines], lines, [*lines[1:], ""], strict=False)
    )
    definitions = any(DEFINITION.match(line) and "//" in line for line in lines)
    tables = any(is_table_rule(*two) for two in pairwise(lines))
    fences = sum(FENCE.fullmatch(line) is not None for line in lines) > 1
    links = any(not _PATH.isdisjoint(match[2]) for match in LINK.finditer(text))
    bold = sum(1 for _ in islice(_BOLD.finditer(text), 2))
    code = CODE.search(text) is not None
    return min(headings, 2) + bold + code + 2 * (definitions + tables + fences + links)


def _is_heading(before: str, line: str, after: str) -> bool:
    """Whether a line is a heading, not a comment of code."""
    match = HEADING.match(line)
    return match is not None and not before.strip() and (not after.strip() or len(match[1]) > 1)


def shown_text(document: Document, span: Span) -> str:
    """The characters of a span with single spaces, and without the markup that is in no token."""
    text = document.chars(span).of(document.text)
    if _MARKUP.search(text) is None and "&" not in text:
        return collapse_spaces(text)
    parts: list[str] = []
    last = document.starts[span.start]
    for token in range(span.start, span.end):
        start, end = document.starts[token], document.ends[token]
        written = document.text[start:end]
        if written != document.tokens[token] and is_marked_up(document.tokens[token], written):
            written = _MARKUP.sub("", written)
        parts += [_shown_gap(document.text[last:start]), written]
        last = end
    return collapse_spaces("".join(parts))


def _shown_gap(gap: str) -> str:
    """What is visible of the characters between two tokens: `&nbsp;` and `<br>` are spaces."""
    text = _NAME.sub(lambda tag: " " if _separates(tag[2]) else "", gap)
    text = _MARKUP.sub("", text)
    plain = unescape(text)
    return plain if plain.isspace() else text


def _separates(tag: str) -> bool:
    return labels("html_tags").get(tag.lower(), "inline") not in ("inline", "hidden")


def is_marked_up(token: str, written: str) -> bool:
    """Whether characters are a token with markup in them: `An<b>n</b>a`, `&amp;`."""
    return token == unescape(_MARKUP.sub("", written))


def decoded(document: Document, span: Span, text: str) -> str:
    """A text taken from a span, with the entities of HTML decoded if the tokens are."""
    chars = (document.chars(Span(at, at + 1)) for at in range(span.start, span.end))
    written = (each.of(document.text) for each in chars)
    html = "&" in text and any(
        each != token and unescape(each) != each
        for token, each in zip(document.tokens[span.start : span.end], written, strict=True)
    )
    return unescape(text) if html else text


def collapse_spaces(text: str) -> str:
    """A text with each run of white space replaced by one space."""
    return " ".join(text.split())
