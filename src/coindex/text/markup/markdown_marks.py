"""What is not text in Markdown: the marks of its blocks. Those in a line are in `inline_marks`.

Read are the words of headings, items, quotes, cells, links and code in a line. Not read are front
matter, rules, the targets of links and their definitions, images, footnote numbers, and blocks of
code that name a programming language; other fenced blocks are read, since people quote mails and
chats in them. Tags of HTML are left out and entities decoded, but `<ann>` is text.

Items of lists, headings and cells of tables begin sentences of their own. The numbers of a numbered
list are text. Indented lines are not taken for code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from coindex.text.markup.html_marks import mark_entities
from coindex.text.markup.inline_marks import InlineMarks
from coindex.text.markup.mask import BLOCK, Mask

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*")
HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
DEFINITION = re.compile(r" {0,3}\[([^\[\]\n]{1,100})\]:[ \t]*(?=\S)")
_PLAIN = frozenset(
    {"", "text", "txt", "plain", "plaintext", "quote", "chat", "log", "md", "markdown"}
)
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:[\w-]+:.*\n|[ \t]+.*\n|-[ \t].*\n)*---[ \t]*(?:\n|$)")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(=+[ \t]*))$")
_QUOTE = re.compile(r" {0,3}>[ ]?")
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_NUMBERED = re.compile(r"[ \t]*(?=\d{1,9}[.)][ \t]+\S)")


def mark_markdown(mask: Mask) -> None:
    """Mark what is not text in Markdown."""
    front = _FRONT_MATTER.match(mask.text)
    if front:
        mask.mark(0, front.end(), BLOCK)
    _mark_comments(mask)
    inline = InlineMarks(mask, frozenset(match[1].casefold() for match in _definitions(mask)))
    for start, end in _mark_lines(mask, front.end() if front else 0):
        inline.mark(start, end)
    mark_entities(mask)


def _mark_comments(mask: Mask) -> None:
    """Mark `<!-- -->`, which may contain blank lines."""
    start = mask.text.find("<!--")
    end = mask.text.find("-->", start + 4)
    while 0 <= start < end:
        mask.mark(start, end + 3)
        start = mask.text.find("<!--", end + 3)
        end = mask.text.find("-->", start + 4)


def is_table_rule(before: str, line: str) -> bool:
    """Whether a line is `| --- | --- |`, below a line with cells."""
    return "|" in before and "|" in line and "-" in line and not line.strip(" \t|:-\r")


def _definitions(mask: Mask) -> Iterator[re.Match[str]]:
    for match in re.finditer(r"(?m)^(?=[ ]{0,3}\[)", mask.text):
        found = DEFINITION.match(mask.text, match.start())
        if found:
            yield found


def _mark_lines(mask: Mask, start: int) -> list[tuple[int, int]]:
    """Mark what stands at the start of lines; the blocks of text that remain."""
    reader = _Lines(mask)
    while start < len(mask.text):
        end = mask.text.find("\n", start)
        end = len(mask.text) if end < 0 else end
        reader.read(start, end)
        start = end + 1
    reader.close(len(mask.text))
    return reader.blocks


class _Lines:
    """Reads lines one by one, and collects the paragraphs in which emphasis can be."""

    def __init__(self, mask: Mask) -> None:
        self.mask = mask
        self.blocks: list[tuple[int, int]] = []
        self._open: int | None = None
        self._fence = ""
        self._code = False
        self._table = False
        self._previous = (0, 0)

    def close(self, at: int) -> None:
        """End the paragraph."""
        if self._open is not None:
            self.blocks.append((self._open, at))
        self._open = None

    def read(self, start: int, end: int) -> None:
        """Read a line."""
        text = self.mask.text
        if self._fence:
            self._read_code(start, end)
            return
        quote = _QUOTE.match(text, start, end)
        while quote:
            self.mask.mark(start, quote.end())
            start = quote.end()
            quote = _QUOTE.match(text, start, end)
        line = text[start:end]
        fence = FENCE.fullmatch(text, start, end)
        if fence:
            self.close(start)
            self._fence, self._code = fence[1], fence[2].lower() not in _PLAIN
            self.mask.mark(start, end, BLOCK)
        elif not line.strip():
            self.close(start)
            self._table = False
        elif is_table_rule(text[slice(*self._previous)], line):
            self._begin_table(start, end)
        elif self._table and "|" in line:
            self.close(start)
            self._read_row(start, end)
        else:
            self._table = False
            self._read_text(start, end)
        self._previous = (start, end)

    def _read_code(self, start: int, end: int) -> None:
        closing = self.mask.text[start:end].strip()
        if closing.startswith(self._fence) and not closing.strip(self._fence[0]):
            self.mask.mark(start, end, BLOCK)
            self._fence = ""
        elif self._code:
            self.mask.mark(start, end)

    def _begin_table(self, start: int, end: int) -> None:
        self.close(self._previous[0])
        self._table = True
        self._read_row(*self._previous)
        self.mask.mark(start, end, BLOCK)

    def _read_row(self, start: int, end: int) -> None:
        """Mark the borders of the cells; each cell is a block."""
        self.mask.mark(end, min(end + 1, len(self.mask.text)), BLOCK)
        while start < end:
            border = self.mask.text.find("|", start, end)
            border = end if border < 0 else border
            self.blocks.append((start, border))
            self.mask.mark(border, min(border + 1, end), BLOCK)
            start = border + 1

    def _read_text(self, start: int, end: int) -> None:
        """Mark what a line begins with; other lines go on with a paragraph."""
        text = self.mask.text
        rule = _RULE.match(text, start, end)
        heading = HEADING.match(text, start, end)
        item = _BULLET.match(text, start, end) or _NUMBERED.match(text, start, end)
        definition = DEFINITION.match(text, start, end)
        if rule and (self._open is not None or not rule[1]):
            self.close(start)
            self.mask.mark(start, end, BLOCK)
        elif heading:
            self._read_heading(start, heading.end(), end)
        elif definition:
            self.close(start)
            footnote = definition[1].startswith("^")
            self.mask.mark(start, definition.end() if footnote else end, BLOCK)
            self._open = definition.end() if footnote else None
        elif item:
            self.close(start)
            self.mask.mark(max(0, start - 1), item.end(), BLOCK)
            self._open = item.end()
        elif self._open is None:
            self._open = start

    def _read_heading(self, start: int, at: int, end: int) -> None:
        self.close(start)
        self.mask.mark(start, at, BLOCK)
        line = self.mask.text[at:end].rstrip()
        words = line.rstrip("#")
        stop = at + len(words) if words[-1:].isspace() else at + len(line)
        self.mask.mark(stop, min(end + 1, len(self.mask.text)), BLOCK)
        self.blocks.append((at, stop))
