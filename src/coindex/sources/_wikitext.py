"""Wikitext as plain text: a paragraph a line, headings as sections.

mwparserfromhell reads the markup. Left out: templates (but those that stand for words of a
sentence, see `wiki_text_templates.txt`), tables, references, formulas and code (see
`wiki_dropped_tags.txt`), lists and indented lines, files, categories, links to other
languages, comments. Links, bold and the like leave their words. What the parser could not
pair (a table that is never closed) stays text for it; so a second pass takes out whatever
markup is left, and lines that look like rows of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from coindex.core.words import labels, words
from coindex.errors import MissingExtra
from coindex.sources._page import Section
from coindex.sources._sections import Writer, closed

_HEADING, _ITEM = "\ue000", "\ue001"  # private-use characters, taken out of the input first
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_MARKS = re.compile("[\ue000\ue001]")
_MAGIC = re.compile(r"__[A-Z]{3,}__")
_FILE = re.compile(r"\s*(?:file|image|media|category|special|[a-z]{2,3}|simple)\s*:", re.IGNORECASE)
_LEFTOVERS = tuple(
    re.compile(pattern, re.DOTALL | re.IGNORECASE)
    for pattern in (
        r"<ref\b[^<>]*/>",
        r"<ref\b[^<>]*>(?:(?!<ref\b).)*?</ref\s*>",
        r"\{\{[^{}]*\}\}",
        r"\{\|(?:(?!\{\|).)*?\|\}",
        r"\[\[(?:file|image|category)\s*:[^\[\]]*\]\]",
    )
)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_TAG = re.compile(r"<ref(?:erences)?\b[^\n]*|</?[a-z][^<>\n]{0,200}>|</ref\b", re.IGNORECASE)
_ODD = re.compile(r"\{\{+|\}\}+|\[\[+|\]\]+|\{\||\|\}|'{2,}")
_LEAD = re.compile(r"^[|!][-+}|!\s]*")
_ROW = re.compile(r"\s*(?:\{\||\|\}|\||!)")

UNPAIRED = 1000
"""How many marks may be open: the parser's time grows with their square."""

_PAIRS = (("{{", "}}"), ("[[", "]]"), ("{|", "|}"), ("<", ">"), ("<ref", "</ref"))

Cleaned = tuple[str, tuple[Section, ...]]


def clean(wikitext: str) -> Cleaned | str:
    """The text and its sections; or, as a string, why the parser gave up."""
    try:
        import mwparserfromhell
    except ImportError as error:
        raise MissingExtra("mwparserfromhell", "build") from error
    source = _MAGIC.sub("", _COMMENT.sub("", _MARKS.sub("", wikitext)))
    for opening, closing in _PAIRS:
        single = source.count("/>") if opening == "<ref" else 0
        if source.count(opening) - source.count(closing) - single > UNPAIRED:
            return f"more than {UNPAIRED} times {opening} without {closing}"
    try:
        code = mwparserfromhell.parse(source, skip_style_tags=False)
        drawn = "".join(_drawn(code))
    except (mwparserfromhell.parser.ParserError, RecursionError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return _written(_scrubbed(drawn))


def _drawn(code: Any) -> Iterator[str]:
    """The nodes' own words; headings and list items are marked."""
    for node in code.nodes:
        kind = type(node).__name__
        if kind == "Text":
            yield node.value
        elif kind == "Heading":
            yield f"\n\n{_HEADING}{_inner(node.title)}\n\n"
        elif kind == "Wikilink":
            yield _link(node)
        elif kind == "ExternalLink":
            yield _inner(node.title) if node.brackets and node.title else ""
        elif kind == "HTMLEntity":
            yield _entity(node)
        elif kind == "Template":
            yield _template(node)
        elif kind == "Tag":
            yield _tag(node)


def _inner(code: Any) -> str:
    return "".join(_drawn(code)) if code is not None else ""


def _link(node: Any) -> str:
    target = str(node.title)
    if _FILE.match(target):
        return ""
    return _inner(node.text) if node.text is not None else _inner(node.title).lstrip(":")


def _entity(node: Any) -> str:
    try:
        return str(node.normalize())
    except (ValueError, OverflowError):
        return ""


def _template(node: Any) -> str:
    which = labels("wiki_text_templates").get(str(node.name).strip().lower())
    if which is None:
        return ""
    plain = [param for param in node.params if not param.showkey]
    at = int(which)
    if at < 0:
        return _inner(plain[-1].value) if plain else ""
    return _inner(plain[at - 1].value) if len(plain) >= at else ""


def _tag(node: Any) -> str:
    name = str(node.tag).strip().lower()
    if node.wiki_markup and name in ("li", "dd", "dt"):
        return _ITEM
    if name in words("wiki_dropped_tags"):
        return ""
    if name == "br":
        return " "
    inner = _inner(node.contents)
    return f"\n\n{inner}\n\n" if name in ("div", "p", "blockquote", "center") else inner


def _scrubbed(text: str) -> str:
    """Without the markup that the parser took for text."""
    if not re.search(r"[{\[<]", text):
        return text
    before = ""
    while before != text:
        before = text
        for leftover in _LEFTOVERS:
            text = leftover.sub("", text)
        text = _LINK.sub(r"\1", text)
    return text


def _written(text: str) -> Cleaned:
    writer = Writer()
    for block in re.split(r"\n\s*\n", text):
        prose: list[str] = []
        for line in block.split("\n"):
            if line.startswith(_HEADING):
                writer.paragraph(_tidy(" ".join(prose)))
                prose = []
                writer.heading(_tidy(line))
            elif _ITEM in line or _ROW.match(line):
                writer.paragraph(_tidy(" ".join(prose)))
                prose = []
            else:
                prose.append(line)
        writer.paragraph(_tidy(" ".join(prose)))
    return writer.done()


def _tidy(line: str) -> str:
    """A paragraph without the holes that markup leaves; nothing if no word is left."""
    line, before = _MARKS.sub("", line), ""
    while before != line:  # what is taken out can bring two halves of a mark together
        before = line
        line = _LEAD.sub("", closed(_ODD.sub("", _TAG.sub(" ", line))))
    return line if any(char.isalnum() for char in line) else ""
