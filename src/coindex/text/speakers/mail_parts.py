"""The parts of mails and letters that name somebody: addresses, salutations, signatures, bylines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from coindex.text.person_names import is_title
from coindex.text.speakers.labels import Line, clean_label, is_given_name
from coindex.text.word_lists import labels, words
from coindex.types.span import Chars

Named = tuple[Chars, str]
"""Where somebody is named, and the label."""

_ADDRESS = re.compile(r"[<\[(]?(?:mailto:)?([\w.+'-]{1,64})@[\w.-]+[>\])]?")
_WHEN = re.compile(r",?\s+(?:on\s+)?\d[\d/:.-]*\b.*$")
_NAME_LINE = re.compile(
    r"[ \t]*(?P<dash>[-–—~*_]{1,2}[ \t]*)?"
    r"(?P<name>[^\W\d_][\w.'’-]*(?:[ ][^\W\d_][\w.'’-]*){0,3})"
    r"(?P<rest>,[ ].{1,50})?[ \t*_,.!]*$"
)
_BYLINE = re.compile(
    r"[ \t]*[*_]{0,2}(?:[Bb]y|BY|Written by|Words by)[: ]+"
    r"(?P<name>[^\W\d_][\w.'’-]*(?:[ ][^\W\d_][\w.'’-]*){1,3})[*_]{0,2}(?:[ \t]*[,|•·–—].{0,60})?$"
)
_POSTSCRIPT = re.compile(r"[ \t]*P\.?[ ]?(?:P\.?[ ]?)?S\b", re.IGNORECASE)
_SIGNED = 15
"""How many of the last lines a signature is looked for in."""


def party(value: str) -> str:
    """The person of an address: `Ann Lee` for `"Lee, Ann" <ann@example.org>`, `ann.lee@…`."""
    address = _ADDRESS.search(value)
    name = _ADDRESS.sub(" ", value).split("/")[0].split("@")[0].strip(" \t\"'<>")
    name = _WHEN.sub("", name)
    last, comma, first = name.partition(",")
    if comma and first.strip() and len(last.split()) < 3:
        name = f"{first.strip()} {last.strip()}"
    if clean_label(name) or address is None:
        return clean_label(name)
    parts = re.split(r"[._+-]", address[1])
    return " ".join(part.capitalize() for part in parts if part.isalpha())


def parties(values: Sequence[Line]) -> list[Named]:
    """The persons of a header's lines, with where they are named."""
    found = []
    for line in values:
        separator = ";" if ";" in line.text else ","
        parts = line.text.split(separator)
        if separator == "," and len(parts) == 2 and not {"@", "/"} & set(parts[0]):
            parts = [line.text]  # Lee, Ann
        start = line.start
        for part in parts:
            lead = len(part) - len(part.lstrip(" \t\"'<"))
            if person := party(part):
                end = start + lead + _name_length(part[lead:])
                found.append((Chars(start + lead, end), person))
            start += len(part) + 1
    return found


def _name_length(part: str) -> int:
    """The number of characters of the name that an address begins with."""
    name = re.split(r"[<\[(\"/@;]|,?[ ]+\d", part, maxsplit=1)[0].rstrip(" \t\"',")
    return len(name) or len(part.rstrip())


@cache
def _salutations() -> re.Pattern[str]:
    greetings = [word for word, label in labels("mail_words").items() if label == "salutation"]
    first = "|".join(sorted(greetings, key=len, reverse=True))
    return re.compile(
        rf"[ \t]*(?:(?P<greeting>{first})[ ,]+)?"
        r"(?P<name>(?:[^\W\d_]{2,5}\.[ ])?[^\W\d_][\w'’-]*(?:[ ][^\W\d_][\w.'’-]*){0,2}?)"
        r"[ ]*(?P<end>[,:!–—]|-+(?=\s|$)|\.?$)(?P<rest>.*)$",
        re.IGNORECASE,
    )


def salutation(line: Line, greeting: bool = False) -> Named | None:
    """The person whom a line greets; "" for a group (`Dear colleagues,`).

    greeting  whether a bare name (`Ann,`) is too little
    """
    match = _salutations().match(line.text[:200])
    if match is None:
        return None
    name, rest = match["name"], match["rest"].strip()
    start, end = match.span("name")
    chars = Chars(line.start + start, line.start + end)
    listed = labels("mail_words").get(name.lower())
    if listed == "group" and match["greeting"] is not None:
        return chars, ""
    if listed or not _is_name(name):
        return None
    if match["greeting"] is None:
        if greeting or rest or not match["end"] or not is_given_name(name.split()[0]):
            return None
    elif match["greeting"].lower().startswith("thank") and not rest and match["end"] != ",":
        return None
    return chars, clean_label(name)


def _is_name(name: str) -> bool:
    parts = name.split()
    if len(parts) == 1 and is_given_name(name):
        return True
    small = words("name_particles")
    return all(part[0].isupper() or (part in small and at) for at, part in enumerate(parts))


def signature(
    run: Sequence[Line], speaker: str, mail: bool = False
) -> tuple[int, Named | None, list[Line]]:
    """The number of lines before a signature, the name in it, and the lines of a postscript.

    mail  whether this is surely a mail or letter, so that a name at its end needs no closing
    """
    low = max(0, len(run) - _SIGNED)
    for at in range(len(run) - 1, low - 1, -1):
        found = _closing(run, at, speaker)
        if found is not None:
            return found[0], found[1], _postscript(run[found[2] :])
    last = len(run) - 1
    first = last
    while first > low and not run[first - 1].blank:
        first -= 1
    for at in (first, last):
        if at > 0 and last - at < 4 and (named := _unclosed(run, at, speaker, mail)) is not None:
            return at, named, []
    return len(run), None, []


def _unclosed(run: Sequence[Line], at: int, speaker: str, mail: bool) -> Named | None:
    """The name in a line at the end that no closing precedes."""
    named = _name_line(run[at], speaker, any_name=mail)
    if named is None or _same(named[1], speaker):
        return named
    if mail and any(part.lower() in words("vocabulary") for part in named[1].split()):
        return None
    ended = run[at - 1].text[-1:] in (".", "!", "?", ")")
    return named if run[at - 1].blank or (mail and ended) else None


def _closing(run: Sequence[Line], at: int, speaker: str) -> tuple[int, Named, int] | None:
    """A closing line with the name after it: its index, the name, the index after the name."""
    text = run[at].text.strip(" \t*_")
    if text == "--":
        named = _name_line(run[at + 1], speaker, any_name=True) if at + 1 < len(run) else None
        return (at, named, at + 2) if named is not None else None
    if not 1 < len(text) < 60:
        return None
    bare = text.rstrip(" ,.!;:-–—").lower()
    if labels("mail_words").get(bare) == "closing" or bare in ("best", "thanks", "love"):
        after = at + 1
        while after < len(run) and after < at + 4 and run[after].blank:
            after += 1
        named = _name_line(run[after], speaker, any_name=True) if after < len(run) else None
        return (at, named, after + 1) if named is not None else None
    words_, comma, name = text.rpartition(",")
    if comma and labels("mail_words").get(words_.strip().lower()) == "closing":
        start = run[at].text.index(name, len(words_)) if name else 0
        line = Line(run[at].start + start, name)
        named = _name_line(line, speaker, any_name=True)
        return (at, named, at + 1) if named is not None else None
    return None


def _name_line(line: Line, speaker: str, any_name: bool = False) -> Named | None:
    """The name that a line consists of.

    any_name  whether any capitalised words will do, because a closing stands before them
    """
    match = _NAME_LINE.match(line.text)
    if match is None or labels("mail_words").get(match["name"].lower()):
        return None
    if match["rest"] and not any_name:
        return None
    name = match["name"]
    plain = _is_name(name) and (
        any_name or (len(name.split()) < 3 and is_given_name(name.split()[0]))
    )
    if not (plain or _same(name, speaker)) or (
        not any_name and not speaker and not match["dash"] and not plain
    ):
        return None
    start, end = match.span("name")
    return Chars(line.start + start, line.start + end), clean_label(name)


def _same(name: str, speaker: str) -> bool:
    """Whether a name may be a short form of a speaker's: his given name, or initials."""
    parts, low = speaker.lower().split(), name.lower().replace(".", "")
    if not parts:
        return False
    return low in (parts[0], speaker.lower()) or low == "".join(part[0] for part in parts)


def _postscript(rest: Sequence[Line]) -> list[Line]:
    for at, line in enumerate(rest):
        if _POSTSCRIPT.match(line.text):
            return list(rest[at:])
    return []


def byline(lines: Sequence[Line]) -> Named | None:
    """The author in a line `By Ann Lee` among the first six lines that are not blank."""
    shown = [line for line in lines[:20] if not line.blank][:6]
    for line in shown:
        match = _BYLINE.match(line.text)
        if match is None or any(
            part.lower() in ("and", "the", "a") for part in match["name"].split()
        ):
            continue
        if all(part[0].isupper() or is_title(part) for part in match["name"].split()):
            start, end = match.span("name")
            return Chars(line.start + start, line.start + end), clean_label(match["name"])
    return None
