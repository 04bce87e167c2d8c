"""What is not text in HTML: tags, comments, declarations, scripts and style sheets.

The text of a title, of captions, options, code and `pre` is read; attributes (alternative texts
too) are not. An inline tag within a word does not split it: `An<b>n</b>a` is one word. A tag of
a block begins a sentence, `<br>` a line; other tags separate words. Line breaks of the source are
spaces if there are tags of blocks, except in `pre`. Entities with a semicolon are read as
the character they stand for. What is no complete tag, such as `a < b`, is text.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

from coindex.text.markup.mask import BLOCK, HIDDEN, LINE, SPACE, Mask
from coindex.text.word_lists import labels

_TAG = re.compile(r"""</?([a-zA-Z][\w:-]*)(?:[\s/](?:[^<>"']|"[^"]*"|'[^']*')*)?>""")
_ROUGH_TAG = re.compile(r"</?([a-zA-Z][\w:-]*)(?:[\s/][^<>]*)?>")
_DECLARATION = re.compile(r"<[!?][a-zA-Z][^<>]*>")
_ENTITY = re.compile(r"&(?:\w{2,32}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_NEWLINE = re.compile(r"\s*\n\s*")
_PRE = re.compile(r"<(/?)pre\b", re.IGNORECASE)
_STATES = {"block": BLOCK, "line": LINE, "space": SPACE, "inline": HIDDEN, "hidden": BLOCK}
_MOST_FAILURES = 20
"""After so many tags with unbalanced quotes, quotes are not looked at, to stay linear."""


def mark_html(mask: Mask) -> None:
    """Mark what is not text in a page."""
    HtmlTags(mask, known_only=False).mark()
    if BLOCK in mask.states:
        _mark_newlines(mask)
    mark_entities(mask)


def mark_entities(mask: Mask) -> None:
    """Read `&amp;` as `&`."""
    for match in _ENTITY.finditer(mask.text):
        name = match.group()
        char = unescape(name) if name[1] == "#" else html5.get(name[1:], "")
        if char and mask.is_shown(*match.span()):
            mask.decode(*match.span(), char[0])


def _mark_newlines(mask: Mask) -> None:
    """Read the line breaks of the source as spaces, except in `pre`."""
    pre = 0
    last = 0
    for match in _PRE.finditer(mask.text):
        if not pre:
            _mark_newlines_in(mask, last, match.start())
        pre = max(0, pre + (-1 if match[1] else 1))
        last = match.end()
    if not pre:
        _mark_newlines_in(mask, last, len(mask.text))


def _mark_newlines_in(mask: Mask, start: int, end: int) -> None:
    for match in _NEWLINE.finditer(mask.text, start, end):
        if mask.is_shown(*match.span()):
            mask.mark(*match.span(), SPACE)


class HtmlTags:
    """Marks the tags and comments of a text, from left to right."""

    def __init__(self, mask: Mask, *, known_only: bool) -> None:
        """With `known_only`, only the elements of HTML are tags; `<ann>` is text."""
        self.mask = mask
        self.known_only = known_only
        self._failures = 0
        self._unclosed: set[str] = set()
        self._line_end = -1

    def mark(self, start: int = 0, end: int | None = None) -> None:
        """Mark the tags of a range in which nothing is marked yet."""
        text = self.mask.text
        stop = len(text) if end is None else end
        at = text.find("<", start, stop)
        while at >= 0:
            at = text.find("<", max(self._mark_at(at, stop), at + 1), stop)

    def _mark_at(self, at: int, stop: int) -> int:
        """Mark what begins with a `<`; the end of it, or 0 if it is text."""
        text = self.mask.text
        if text.startswith("<!--", at):
            return self._mark_until(at, stop, "-->", HIDDEN)
        declaration = _DECLARATION.match(text, at, stop)
        if declaration is not None:
            self.mask.mark(at, declaration.end(), BLOCK)
            return declaration.end()
        match = self._tag(at, stop)
        if match is None:
            return 0
        name = match[1].lower()
        kind = labels("html_tags").get(name)
        if kind is None and self.known_only:
            return 0
        self.mask.mark(at, match.end(), self._state(kind or "space", *match.span()))
        if kind == "hidden" and text[at + 1] != "/":
            return self._mark_until(match.end(), stop, f"</{name}", BLOCK) or match.end()
        return match.end()

    def _state(self, kind: str, start: int, end: int) -> int:
        """How a tag is read; two `<br>` end a paragraph."""
        if kind != "line":
            return _STATES[kind]
        again = self._line_end >= 0 and not self.mask.text[self._line_end : start].strip()
        self._line_end = end
        return BLOCK if again else LINE

    def _tag(self, at: int, stop: int) -> re.Match[str] | None:
        if self._failures < _MOST_FAILURES:
            match = _TAG.match(self.mask.text, at, stop)
            if match is not None:
                return match
            self._failures += self.mask.text[at + 1 : at + 3].strip("/").isalpha()
        return _ROUGH_TAG.match(self.mask.text, at, stop)

    def _mark_until(self, at: int, stop: int, closing: str, state: int) -> int:
        """Mark everything to a closing string; 0 if there is none."""
        if closing in self._unclosed:
            return 0
        end = _find(self.mask.text, closing, at, stop)
        if end < 0:
            self._unclosed.add(closing)
            return 0
        end += len(closing) if closing == "-->" else 0
        self.mask.mark(at, end, state)
        return end


def _find(text: str, closing: str, at: int, stop: int) -> int:
    """Where a closing string is, in any case."""
    match = re.compile(re.escape(closing), re.IGNORECASE).search(text, at, stop)
    return -1 if match is None else match.start()
