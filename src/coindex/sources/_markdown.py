"""Reddit's markdown as plain text: quotes, code, tables and addresses out, marks off."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_CODE = re.compile(r"^(?: {4}|\t)")
_QUOTE = re.compile(r"^\s*>(?!!)")
_TABLE = re.compile(r"^\s*\|.*\||^\s*:?-+:?\s*\|")
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
_MARKER = re.compile(r"^\s{0,3}(?:#{1,6}\s*|[-*+]\s+|\d{1,3}[.)]\s+)")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_ADDRESS = re.compile(r"<?\b(?:https?://|www\.)[^\s>)]*>?", re.IGNORECASE)
_INLINE = re.compile(r"`+([^`]*)`+")
_SPOILER = re.compile(r">!(.{0,500}?)!<")
_STRONG = re.compile(r"(\*{1,3}|~~)(?=\S)(.{1,500}?)(?<=\S)\1")
_UNDER = re.compile(r"(?<!\w)(_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)")
_SUPER = re.compile(r"\^+(?=\S)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!>~^|-])")
_SPACE = re.compile(r"[ \t\u00a0]+")


def unescaped(text: str) -> str:
    """Entities as characters (the dumps hold `&gt;`, at times `&amp;gt;`); no zero-width ones."""
    text = html.unescape(html.unescape(text)) if "&" in text else text
    return text.replace("\u200b", "").replace("\ufeff", "").replace("\r", "")


def plain(body: str) -> str:
    """The text of a comment, a paragraph a line."""
    paragraphs: list[list[str]] = [[]]
    for line in _prose(unescaped(body)):
        if line:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([])
    return "\n".join(" ".join(lines) for lines in paragraphs if lines)


def _prose(text: str) -> Iterator[str]:
    """The lines that are prose, cleaned; an empty one where a paragraph ends."""
    fence, quoted = "", False
    blank = True
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            continue
        if fence:
            continue
        if not line.strip():
            quoted, blank = False, True
            yield ""
            continue
        quoted = bool(_QUOTE.match(line)) or quoted  # a quote goes on to the blank line
        if not (quoted or (blank and _CODE.match(line)) or _is_frame(line)):
            if _MARKER.match(line):
                yield ""
            blank = False
            yield _inline(_MARKER.sub("", line))


def _is_frame(line: str) -> bool:
    return bool(_TABLE.match(line) or _RULE.match(line))


def _inline(line: str) -> str:
    line = _LINK.sub(r"\1", _IMAGE.sub("", line))
    line = _ADDRESS.sub("", line)
    line = _SPOILER.sub(r"\1", _INLINE.sub(r"\1", line))
    for mark in (_STRONG, _STRONG, _UNDER):
        line = mark.sub(r"\2", line)
    line = _ESCAPE.sub(r"\1", _SUPER.sub("", line))
    line = _SPACE.sub(" ", line).strip()
    return line if any(char.isalnum() for char in line) else ""
