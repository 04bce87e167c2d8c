"""Wikitext as plain text: one line per paragraph, headings as sections.

mwparserfromhell parses the markup. Left out are templates (except those that represent words of
a sentence, see `wiki_text_templates.txt`), tables, references, formulas and code (see
`wiki_dropped_tags.txt`), lists and indented lines, files, categories, links to other languages,
and comments. The words of links, bold text and the like remain. The parser treats unpaired markup,
such as a table that is never closed, as text; a second pass removes such markup and
lines that look like table rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from coindex.builders.sources.protocol import Section
from coindex.errors import import_extra
from coindex.text.word_lists import labels, words

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
_STRAY = re.compile(r"\{\{+|\}\}+|\[\[+|\]\]+|\{\||\|\}|'{2,}")
_LEAD = re.compile(r"^[|!][-+}|!\s]*")
_ROW = re.compile(r"\s*(?:\{\||\|\}|\||!)")

UNPAIRED = 1000
"""How many marks may be unclosed: the parser's time is quadratic in their number."""

_PAIRS = (("{{", "}}"), ("[[", "]]"), ("{|", "|}"), ("<", ">"), ("<ref", "</ref"))

Cleaned = tuple[str, tuple[Section, ...]]
_EMPTY = re.compile(r"\(\s*(?:[,;:–-]\s*)*\)|\[\s*\]")
_OPEN = re.compile(r"\(\s*(?:[,;]\s*)+")
_CLOSE = re.compile(r"\s*[,;\s]\)")
_BEFORE = re.compile(r"\s+(?=[,.;:!?)](?:\s|$))")
_SPACE = re.compile(r"[ \t\u00a0]{2,}|[\t\u00a0]")
_BRACKETS = re.compile(r"[(\[][\s,;:)\]–-]|[\s,;]\)")
_STOPS = re.compile(r" [,.;:!?)]")


def wikitext_to_plain(wikitext: str) -> Cleaned | str:
    """The text and its sections; or, as a string, why the parser failed."""
    mwparserfromhell = import_extra("mwparserfromhell", "build")
    source = _MAGIC.sub("", _COMMENT.sub("", _MARKS.sub("", wikitext)))
    for opening, closing in _PAIRS:
        single = source.count("/>") if opening == "<ref" else 0
        if source.count(opening) - source.count(closing) - single > UNPAIRED:
            return f"more than {UNPAIRED} times {opening} without {closing}"
    try:
        code = mwparserfromhell.parse(source, skip_style_tags=False)
        plain = "".join(_plain_words(code))
    except (mwparserfromhell.parser.ParserError, RecursionError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return _paragraphs(_without_leftovers(plain))


def _plain_words(code: Any) -> Iterator[str]:
    """The words of the nodes; headings and list items are marked."""
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
    return "".join(_plain_words(code)) if code is not None else ""


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


def _without_leftovers(text: str) -> str:
    """The text without the markup that the parser took for text."""
    if not re.search(r"[{\[<]", text):
        return text
    before = ""
    while before != text:
        before = text
        for leftover in _LEFTOVERS:
            text = leftover.sub("", text)
        text = _LINK.sub(r"\1", text)
    return text


def _paragraphs(text: str) -> Cleaned:
    writer = PageTextWriter()
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
    """A paragraph without the gaps that markup leaves; empty if no word remains."""
    line, before = _MARKS.sub("", line), ""
    while before != line:  # removing one mark can create another
        before = line
        line = _LEAD.sub("", tidy_line(_STRAY.sub("", _TAG.sub(" ", line))))
    return line if any(char.isalnum() for char in line) else ""


def tidy_line(line: str) -> str:
    """A line without the gaps that markup leaves: empty brackets, spaces before commas."""
    if _BRACKETS.search(line):
        line = _CLOSE.sub(")", _OPEN.sub("(", _EMPTY.sub("", line)))
    if "  " in line or "\t" in line or "\u00a0" in line:
        line = _SPACE.sub(" ", line)
    if _STOPS.search(line):
        line = _BEFORE.sub("", line)
    return line.strip()


class PageTextWriter:
    """Assembles the text of a page: paragraphs become lines, headings become sections.

    A section without text is left out, including the opening one.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._length = 0
        self._title = ""
        self._sections: list[Section] = []
        self._fresh = True

    def heading(self, title: str) -> None:
        """Begin a section."""
        self._title, self._fresh = title.strip(), True

    def paragraph(self, text: str) -> None:
        """Add a paragraph, unless it is blank."""
        text = text.strip()
        if not text:
            return
        if self._fresh:
            self._sections.append(Section(self._title, self._length))
            self._fresh = False
        self._lines.append(text)
        self._length += len(text) + 1

    def done(self) -> tuple[str, tuple[Section, ...]]:
        """The text and its sections."""
        return "\n".join(self._lines), tuple(self._sections) or (Section("", 0),)
