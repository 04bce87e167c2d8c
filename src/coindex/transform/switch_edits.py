"""The words of two candidates that are exchanged: the phrases themselves and their parts.

"Barack Obama" and "John Smith" are exchanged as a whole, and so are "Obama" and
"Smith", "Barack" and "John". If only one of the two has such a part ("Barack
Obama" and "Ann"), the part must not occur alone in the text. Determiners are not
moved if both candidates have an article, or the same determiner.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coindex.text.word_classes import (
    ARTICLES,
    COORDINATORS,
    indefinite_article,
    is_capitalised_title,
    leading_determiner,
    word_class,
)
from coindex.types.span import Chars


@dataclass(frozen=True, slots=True)
class SwitchedNames:
    """Pairs of words that are exchanged, and words that must not occur alone."""

    pairs: tuple[tuple[str, str], ...]
    alone: frozenset[str]


def lowered(phrase: str) -> str:
    """A phrase with its determiner in lower case."""
    first = leading_determiner(phrase)
    return first.lower() + phrase[len(first) :]


def contained(one: str, other: str) -> bool:
    """Whether one phrase is contained in the other as whole words, ignoring case."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long) is not None


def is_name(phrase: str) -> bool:
    """Whether a phrase is a name without a determiner."""
    return phrase[:1].isupper() and not leading_determiner(phrase)


def is_common(phrase: str, beside: str, text: str) -> bool:
    """Whether a phrase that begins a sentence would be in lower case elsewhere."""
    words = phrase.split()
    if leading_determiner(phrase) or not phrase[:1].isupper() or phrase[1:] != phrase[1:].lower():
        return False
    if len(words) > 1:
        plain = not re.search(r"['’]|\d", phrase) and not any(map(_links, words))
        return plain and not is_capitalised_title(words[0])
    if not beside[:1].islower():
        return False
    plurals = phrase.endswith("s") and beside.endswith("s") and beside == beside.lower()
    return plurals or re.search(rf"(?<!\w){re.escape(phrase.lower())}(?!\w)", text) is not None


def is_bare_noun(phrase: str, before: str, other: str) -> bool:
    """Whether a phrase is not a whole noun phrase, unlike the other.

    A noun after its determiner or adjective ("brown suitcase") cannot be exchanged
    with "the trophy" or "Ann"; a singular noun can never be exchanged with "Ann".
    """
    if leading_determiner(phrase) or not phrase[:1].islower() or phrase.split()[-1][0].isupper():
        return False
    if not is_name(other) and not leading_determiner(other):
        return False
    last = before.split()[-1:]
    label = word_class(last[0]) if last else None
    return label in ("determiner", "adjective") or (is_name(other) and not phrase.endswith("s"))


def switched_names(one: str, other: str) -> SwitchedNames:
    """The words to exchange for two phrases of the text."""
    dets = leading_determiner(one).lower(), leading_determiner(other).lower()
    cores = one[len(dets[0]) :].strip(), other[len(dets[1]) :].strip()
    pairs: dict[str, str] = {}
    same = dets[0] == dets[1] or set(dets) <= ARTICLES
    whole = cores if same else (lowered(one), lowered(other))
    parts = _parts(cores[0]), _parts(cores[1])
    if whole != cores:
        for part, core, det in zip(parts, cores, dets, strict=True):
            if det:
                part["core"] = core
    for part, core, det in zip(parts, cores, dets, strict=True):
        if det and core.split()[-1][0].isupper():
            part["other"] = "\n".join([*part.get("other", "").split(), _head(core)])
    for kind in parts[0].keys() & parts[1].keys() - {"other"}:
        pairs[parts[0][kind]] = parts[1][kind]
    every = [word for part in parts for value in part.values() for word in value.split("\n")]
    taken = [word for pair in pairs.items() for word in pair]
    clash = {word for word in taken if taken.count(word) > 1 or word in whole}
    unambiguous = {a: b for a, b in pairs.items() if a not in clash and b not in clash}
    alone = (set(every) | clash) - set(unambiguous) - set(unambiguous.values()) - set(whole)
    return SwitchedNames((whole, *sorted(unambiguous.items())), frozenset(alone))


def _parts(core: str) -> dict[str, str]:
    """The parts by which a later mention may refer to a phrase: by kind, the rest as "other"."""
    words = core.split()
    if len(words) < 2:
        return {}
    link = next((at for at, word in enumerate(words) if _links(word)), None)
    if not words[-1][:1].isupper() or not words[0][:1].isupper():
        if words[-1][:1].isupper() and link is None:
            words = _run(words)
            return _of_name(words) if len(words) > 1 else {"last": words[0]}
        return {"head": words[link - 1 if link else -1]}
    if link is not None:
        return {"other": "\n".join(word for word in words if word[:1].isupper())}
    run = [word for word in _run(words) if not is_capitalised_title(word)]
    return _of_name(run) if len(run) > 1 else {"last": words[-1]}


def _head(core: str) -> str:
    """The last word of a phrase in lower case: "the Green Knight ... the knight"."""
    return core.split()[-1].lower()


def _of_name(run: list[str]) -> dict[str, str]:
    parts = {"first": run[0], "last": run[-1]}
    return parts if len(run) == 2 else {**parts, "other": "\n".join(run[1:-1])}


def _run(words: list[str]) -> list[str]:
    """The capitalised words at the end of a phrase."""
    start = len(words)
    while start and words[start - 1][:1].isupper():
        start -= 1
    return words[start:]


def _links(word: str) -> bool:
    return word.lower() in COORDINATORS or word_class(word) == "preposition"


_BEFORE = re.compile(r"(?<![\w'’-])([\w'’-]+\.?)\s+\Z")
_AFTER = re.compile(r"\s+(\w[\w-]*)")
_START = re.compile(r"(?:\A|[.!?:]|``|[\"“‘(\[])[\s\"'“”‘’`)\]]*\Z")
_OPENED = re.compile(r"(?:\A|[\s(])['‘](?=\w)")
_POSSESSIVE = re.compile(r"\s?['’](?:s(?!\w)|(?=\s|[.,;:!?]|\Z))")
_NEAR = 60  # characters searched for the preceding word


class UnsafeSwitch(Exception):
    """A problem cannot be switched; the message is the reason."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Some characters of the old text and their replacement."""

    start: int
    end: int
    new: str
    main: bool = False


@dataclass(frozen=True, slots=True)
class TextEdits:
    """All edits of a text in order, and the text after them."""

    edits: tuple[TextEdit, ...]
    text: str
    bare: bool

    def image(self, chars: Chars) -> Chars:
        """The new offsets of a range whose start and end are not inside an edit."""
        start = chars.start + self._growth(chars.start)
        return Chars(start, max(start, chars.end + self._growth(chars.end)))

    def _growth(self, at: int) -> int:
        return sum(len(e.new) - (e.end - e.start) for e in self.edits if e.end <= at)

    def touches(self, chars: Chars) -> bool:
        """Whether an edit changes characters of a range."""
        return any(e.start < chars.end and chars.start < e.end for e in self.edits)

    def slot_in(self, chars: Chars) -> TextEdit:
        """The one exchanged candidate in a range."""
        slots = [e for e in self.edits if e.main and e.start < chars.end and chars.start < e.end]
        if len(slots) != 1:
            raise UnsafeSwitch("a candidate's place is not that of its words")
        return slots[0]


def switch_edits(text: str, names: SwitchedNames, *, bare: bool) -> TextEdits:
    """The edits of a text that exchange the pairs of names."""
    names = _with_titles(text, names)
    others = dict([*names.pairs, *((b, a) for a, b in names.pairs)])
    slots = [(match, _key(match[0], others)) for match in _finder(others).finditer(text)]
    _check_alone(text, names, [match for match, _ in slots])
    possessives = [(slot[1], _POSSESSIVE.match(text, slot[0].end())) for slot in slots]
    style = bare or any(mark and _is_bare(name, mark) for name, mark in possessives)
    edits: list[TextEdit] = []
    for (match, name), (_, mark) in zip(slots, possessives, strict=True):
        _check_neighbours(text, match)
        new = _with_capital(text, match, name, others[name])
        edits += _article(text, match, new)
        edits.append(TextEdit(match.start(), match.end(), new, name in names.pairs[0]))
        if style and mark:
            edits += _possessive(text, mark, name, others[name])
    return apply_edits(text, edits, style)


def apply_edits(text: str, edits: Sequence[TextEdit], bare: bool = False) -> TextEdits:
    """The text after some edits, which are in order and do not overlap."""
    parts, at = [], 0
    for edit in edits:
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return TextEdits(tuple(edits), "".join([*parts, text[at:]]), bare)


def begins_sentence(text: str, at: int) -> bool:
    """Whether a sentence or a quotation begins at an offset."""
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


def _key(match: str, names: dict[str, str]) -> str:
    return match if match in names else match[0].lower() + match[1:]


def _with_titles(text: str, names: SwitchedNames) -> SwitchedNames:
    """The names with the titles that precede all their occurrences."""
    one, other = (_titled(text, name, names) for name in names.pairs[0])
    return SwitchedNames(((one, other), *names.pairs[1:]), names.alone)


def _titled(text: str, name: str, names: SwitchedNames) -> str:
    occurrences = list(_finder({name: ""}).finditer(text))
    before = {_word_before(text, match.start()) for match in occurrences}
    titles = {word for word in before if is_capitalised_title(word)}
    if not titles or not name[0].isupper():
        return name
    if len(before) > 1:
        raise UnsafeSwitch("a candidate has a title in some places only")
    return f"{titles.pop()} {name}"


def _word_before(text: str, at: int) -> str:
    match = _BEFORE.search(text[max(0, at - _NEAR) : at])
    return match[1] if match else ""


def _check_alone(text: str, names: SwitchedNames, slots: list[re.Match[str]]) -> None:
    if not names.alone:
        return
    for match in _finder(dict.fromkeys(names.alone, "")).finditer(text):
        if not any(s.start() <= match.start() and match.end() <= s.end() for s in slots):
            raise UnsafeSwitch("a part of a candidate's name stands alone")


def _check_neighbours(text: str, match: re.Match[str]) -> None:
    """Reject a name next to another capitalised word: it is part of a longer name."""
    start, end = match.span()
    if re.search(r"\w[-‐/]\Z", text[:start][-2:]) or re.match(r"[-‐/]\w", text[end : end + 2]):
        raise UnsafeSwitch("a candidate is part of a longer word")
    if not match[0].split()[-1][0].isupper():
        return
    before = _word_before(text, start)
    after = _AFTER.match(text, end)
    if before and is_capitalised_title(before):
        raise UnsafeSwitch("a title stands before a part of a name")
    for word in (before, after[1] if after else ""):
        if word[:1].isupper() and not word.endswith(".") and word_class(word) is None:
            raise UnsafeSwitch("a candidate may be part of a longer name")


def _with_capital(text: str, match: re.Match[str], old: str, new: str) -> str:
    """The new name, capitalised if it begins a sentence or if the old one was capitalised."""
    raised = match[0] != old if _is_common(old) else begins_sentence(text, match.start())
    return new[0].upper() + new[1:] if raised and _is_common(new) else new


def _article(text: str, match: re.Match[str], new: str) -> list[TextEdit]:
    """The edit that makes the article before a name agree with the new one."""
    before = re.search(r"(?<![\w'’])([Aa]n?)\s+\Z", text[: match.start()][-_NEAR:])
    if not before:
        return []
    fits = indefinite_article(new)
    if indefinite_article(match[0]) != before[1].lower():
        raise UnsafeSwitch("the article a or an before a candidate is unusual")
    start = match.start() - len(before[0])
    word = before[1][0] + fits[1:]
    return [TextEdit(start, start + len(before[1]), word)] if word != before[1] else []


def _is_bare(name: str, mark: re.Match[str]) -> bool:
    """Whether a possessive is an apostrophe without s, as in "James' hat"."""
    if mark[0][-1] == "s" or not name.endswith("s"):
        return False
    if _OPENED.search(mark.string[: mark.start()]):
        raise UnsafeSwitch("an apostrophe may be a quotation mark")
    return True


def _possessive(text: str, mark: re.Match[str], old: str, new: str) -> list[TextEdit]:
    """The edit that makes the possessive after a name agree with the new one."""
    if _is_bare(old, mark) and not new.endswith("s"):
        return [TextEdit(mark.end(), mark.end(), "s")]
    if mark[0][-1] == "s" and new.endswith("s") and not old.endswith("s"):
        return [TextEdit(mark.end() - 1, mark.end(), "")]
    return []
