"""Exchanging words in a text: which places change, what stands there then, and where.

Names are looked for as they are written, common nouns also with a capital; all
as whole words. Articles and possessives next to them are made to agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from coindex.core._switch_names import (
    Names,
    article,
    is_function_word,
    is_title,
)
from coindex.core.span import Chars

_BEFORE = re.compile(r"(?<![\w'’-])([\w'’-]+\.?)\s+\Z")
_AFTER = re.compile(r"\s+(\w[\w-]*)")
_START = re.compile(r"(?:\A|[.!?:]|``|[\"“‘(\[])[\s\"'“”‘’`)\]]*\Z")
_OPENED = re.compile(r"(?:\A|[\s(])['‘](?=\w)")
_POSSESSIVE = re.compile(r"\s?['’](?:s(?!\w)|(?=\s|[.,;:!?]|\Z))")
_NEAR = 60  # how far to look for the word before


class NotSafe(Exception):
    """A problem cannot be switched; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Some characters of the old text and what stands in their place."""

    start: int
    end: int
    new: str
    main: bool = False


@dataclass(frozen=True, slots=True)
class Edits:
    """All edits of a text in order, and the text after them."""

    edits: tuple[Edit, ...]
    text: str
    bare: bool

    def image(self, place: Chars) -> Chars:
        """Where a place that begins and ends at or outside edits lies in the new text."""
        start = place.start + self._growth(place.start)
        return Chars(start, max(start, place.end + self._growth(place.end)))

    def _growth(self, at: int) -> int:
        return sum(len(e.new) - (e.end - e.start) for e in self.edits if e.end <= at)

    def touches(self, place: Chars) -> bool:
        """Whether an edit changes characters of a place."""
        return any(e.start < place.end and place.start < e.end for e in self.edits)

    def slot_in(self, place: Chars) -> Edit:
        """The one exchanged candidate at a place."""
        found = [e for e in self.edits if e.main and e.start < place.end and place.start < e.end]
        if len(found) != 1:
            raise NotSafe("a candidate's place is not that of its words")
        return found[0]


def edits_of(text: str, names: Names, *, bare: bool) -> Edits:
    """What to change in a text so that the pairs of names are exchanged."""
    names = _with_titles(text, names)
    others = dict([*names.pairs, *((b, a) for a, b in names.pairs)])
    slots = [(match, _key(match[0], others)) for match in _finder(others).finditer(text)]
    _check_alone(text, names, [match for match, _ in slots])
    possessives = [(slot[1], _POSSESSIVE.match(text, slot[0].end())) for slot in slots]
    style = bare or any(mark and _is_bare(name, mark) for name, mark in possessives)
    edits: list[Edit] = []
    for (match, name), (_, mark) in zip(slots, possessives, strict=True):
        _check_neighbours(text, match)
        new = _with_capital(text, match, name, others[name])
        edits += _article(text, match, new)
        edits.append(Edit(match.start(), match.end(), new, name in names.pairs[0]))
        if style and mark:
            edits += _possessive(text, mark, name, others[name])
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return Edits(tuple(edits), "".join([*parts, text[at:]]), style)


def begins_sentence(text: str, at: int) -> bool:
    """Whether a sentence or a quotation begins at a place."""
    return _START.search(text[:at]) is not None


def _finder(names: dict[str, str]) -> re.Pattern[str]:
    """A pattern for any of the names, the longest first."""
    patterns = []
    for name in sorted(names, key=len, reverse=True):
        first = f"[{name[0]}{name[0].upper()}]" if _is_common(name) else re.escape(name[0])
        patterns.append(first + re.escape(name[1:]))
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)")


def _is_common(name: str) -> bool:
    return name[0].islower() and len(name[0].upper()) == 1


def _key(found: str, names: dict[str, str]) -> str:
    return found if found in names else found[0].lower() + found[1:]


def _with_titles(text: str, names: Names) -> Names:
    """The names with the titles that all their occurrences have."""
    one, other = (_titled(text, name, names) for name in names.pairs[0])
    return Names(((one, other), *names.pairs[1:]), names.alone)


def _titled(text: str, name: str, names: Names) -> str:
    found = list(_finder({name: ""}).finditer(text))
    before = {_word_before(text, match.start()) for match in found}
    titles = {word for word in before if is_title(word)}
    if not titles or not name[0].isupper():
        return name
    if len(before) > 1:
        raise NotSafe("a candidate has a title in some places only")
    return f"{titles.pop()} {name}"


def _word_before(text: str, at: int) -> str:
    match = _BEFORE.search(text[max(0, at - _NEAR) : at])
    return match[1] if match else ""


def _check_alone(text: str, names: Names, slots: list[re.Match[str]]) -> None:
    if not names.alone:
        return
    for match in _finder(dict.fromkeys(names.alone, "")).finditer(text):
        if not any(s.start() <= match.start() and match.end() <= s.end() for s in slots):
            raise NotSafe("a part of a candidate's name stands alone")


def _check_neighbours(text: str, match: re.Match[str]) -> None:
    """A name with another word with a capital beside it is part of a longer name."""
    start, end = match.span()
    if re.search(r"\w[-‐/]\Z", text[:start][-2:]) or re.match(r"[-‐/]\w", text[end : end + 2]):
        raise NotSafe("a candidate is part of a longer word")
    if not match[0].split()[-1][0].isupper():
        return
    before = _word_before(text, start)
    after = _AFTER.match(text, end)
    if before and is_title(before):
        raise NotSafe("a title stands before a part of a name")
    for word in (before, after[1] if after else ""):
        if word[:1].isupper() and not word.endswith(".") and not is_function_word(word):
            raise NotSafe("a candidate may be part of a longer name")


def _with_capital(text: str, match: re.Match[str], old: str, new: str) -> str:
    """The new name, with a capital if it begins a sentence or the old one had one there."""
    raised = match[0] != old if _is_common(old) else begins_sentence(text, match.start())
    return new[0].upper() + new[1:] if raised and _is_common(new) else new


def _article(text: str, match: re.Match[str], new: str) -> list[Edit]:
    """The article before a name, made to agree with the new one."""
    before = re.search(r"(?<![\w'’])([Aa]n?)\s+\Z", text[: match.start()][-_NEAR:])
    if not before:
        return []
    fits = article(new)
    if article(match[0]) != before[1].lower():
        raise NotSafe("the article a or an before a candidate is unusual")
    start = match.start() - len(before[0])
    word = before[1][0] + fits[1:]
    return [Edit(start, start + len(before[1]), word)] if word != before[1] else []


def _is_bare(name: str, mark: re.Match[str]) -> bool:
    """Whether a possessive has no s of its own, as in "James' hat"."""
    if mark[0][-1] == "s" or not name.endswith("s"):
        return False
    if _OPENED.search(mark.string[: mark.start()]):
        raise NotSafe("an apostrophe may be a quotation mark")
    return True


def _possessive(text: str, mark: re.Match[str], old: str, new: str) -> list[Edit]:
    """The possessive after a name, made to agree with the new one."""
    if _is_bare(old, mark) and not new.endswith("s"):
        return [Edit(mark.end(), mark.end(), "s")]
    if mark[0][-1] == "s" and new.endswith("s") and not old.endswith("s"):
        return [Edit(mark.end() - 1, mark.end(), "")]
    return []
