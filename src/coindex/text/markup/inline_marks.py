"""What is not text in a paragraph of Markdown: marks of code, links, footnotes and emphasis.

An asterisk or underscore is emphasis only in pairs, with text directly inside: not in `2 * 3 * 4`,
`snake_case` or `2*3*4`. Within a word (`An**n**a`) both must be in that word, so `f**k` stays. Every
paragraph takes time in proportion to its length.
"""

from __future__ import annotations

import re
from itertools import pairwise

from coindex.text.markup.html_marks import HtmlTags
from coindex.text.markup.mask import SPACE, Mask

_TARGET = r"""\([ \t]*(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)
              (?:[ \t\n]+(?:"[^"\n]*"|'[^'\n]*'))?[ \t]*\)"""
_LABEL = r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]"
IMAGE = re.compile(rf"!{_LABEL}{_TARGET}", re.VERBOSE)
LINK = re.compile(rf"{_LABEL}({_TARGET})", re.VERBOSE)
CODE = re.compile(r"(?<!`)(`+)(?!`)([^`\n]+)\1(?!`)")
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,300})\](\[[^\[\]\n]{0,100}\])?")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^\s<>]+>")
_RUN = re.compile(r"\*+|_+|~~|\s+")


class InlineMarks:
    """Marks what is not text in paragraphs."""

    def __init__(self, mask: Mask, defined: frozenset[str]) -> None:
        """The names of the links that the text defines (`[name]: target`), in lower case."""
        self.mask = mask
        self.defined = defined
        self._tags = HtmlTags(mask, known_only=True)
        self._free = bytearray(b"\x01") * len(mask.text)

    def mark(self, start: int, end: int) -> None:
        """Mark code, links, tags and emphasis in a paragraph."""
        self._mark_code(start, end)
        self._mark_links(start, end)
        _Emphasis(self.mask, self._free, start, end).mark()

    def _mark_code(self, start: int, end: int) -> None:
        """Mark code, escapes and tags; what is in code is neither."""
        borders = [start]
        for match in CODE.finditer(self.mask.text, start, end):
            ticks = len(match[1])
            self.mask.mark(match.start(), match.start() + ticks)
            self.mask.mark(match.end() - ticks, match.end())
            self._take(*match.span())
            borders += match.span()
        for before, after in list(pairwise([*borders, end]))[::2]:
            for match in _ESCAPE.finditer(self.mask.text, before, after):
                if self._free[match.start()]:
                    self.mask.mark(*match.span())
                    self._take(match.start(), match.end() + 1)
            for match in _AUTOLINK.finditer(self.mask.text, before, after):
                self.mask.mark(match.start(), match.start() + 1)
                self.mask.mark(match.end() - 1, match.end())
                self._take(*match.span())
            self._tags.mark(before, after)

    def _mark_links(self, start: int, end: int) -> None:
        text = self.mask.text
        for match in IMAGE.finditer(text, start, end):
            if self._free[match.start()]:
                self.mask.mark(*match.span(), SPACE)
                self._take(*match.span())
        for match in LINK.finditer(text, start, end):
            if self._free[match.start()]:
                self.mask.mark(match.start(), match.start() + 1)
                self.mask.mark(match.end(1), match.end())
                self._take(match.end(1), match.end())
        for match in _REFERENCE.finditer(text, start, end):
            if self._free[match.start()] and self._free[match.end(1)]:
                self._mark_reference(match)

    def _mark_reference(self, match: re.Match[str]) -> None:
        """Mark `[words][name]` and `[name]` if the name is defined, and the number of a footnote."""
        name = (match[2] or "").strip("[]") or match[1]
        if match[1].startswith("^") and not match[2] and " " not in match[1]:
            self.mask.mark(*match.span())
        elif name.casefold() in self.defined:
            self.mask.mark(match.start(), match.start() + 1)
            self.mask.mark(match.end(1), match.end())
            self._take(match.end(1), match.end())

    def _take(self, start: int, end: int) -> None:
        self._free[start:end] = bytes(end - start)


class _Emphasis:
    """Pairs of `*`, `**`, `_`, `__` and `~~` in a paragraph.

    An opening run is on the stack of its character: where it ends, how many characters of it are
    not yet paired, and whether it is within a word.
    """

    def __init__(self, mask: Mask, free: bytearray, start: int, end: int) -> None:
        self.mask, self.free, self.start, self.end = mask, free, start, end
        self._stacks: dict[str, list[tuple[int, int, bool]]] = {"*": [], "_": [], "~": []}
        self._word_start = start

    def mark(self) -> None:
        """Hide the pairs."""
        for match in _RUN.finditer(self.mask.text, self.start, self.end):
            start, end = match.span()
            if match[0].isspace():
                self._word_start = end
            elif self.free[start] and self.mask.is_shown(start, end):
                self._read(match[0][0], start, end)

    def _read(self, sign: str, start: int, end: int) -> None:
        """Read a run as the end of emphasis, as its start, or as text."""
        text = self.mask.text
        before = text[start - 1] if start > self.start else " "
        after = text[end] if end < self.end else " "
        within = before.isalnum() and after.isalnum()
        if within and (sign != "*" or (before.isdigit() and after.isdigit())):
            return
        if within or not (before.isspace() or after.isalnum()):
            start = self._close(sign, start, end, within)
        if start < end and (within or not (after.isspace() or before.isalnum())):
            self._stacks[sign].append((end, end - start, within))

    def _close(self, sign: str, start: int, end: int, within: bool) -> int:
        """Pair a run with those before it; where the rest of it begins."""
        stack = self._stacks[sign]
        while stack and start < end:
            opened, count, in_word = stack[-1]
            if opened < self._word_start and in_word:
                stack.pop()  # its word has ended
                continue
            if opened < self._word_start and within:
                break
            size = min(count, end - start)
            self.mask.mark(opened - size, opened)
            self.mask.mark(start, start + size)
            start += size
            stack.pop()
            if count > size:
                stack.append((opened - size, count - size, in_word))
        return start
