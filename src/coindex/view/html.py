"""Sheets as one HTML page that needs no other file and no network.

Style and script are inlined, and the page's own policy allows only these two, by
their hashes: a text that smuggles in a script could neither run it nor call out.
The text itself is written here, already cut into its marks, so that the script
never counts characters. Each sheet is an `article`, followed by its data.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from coindex.view._weave import Break, Close, Open, Text, Zero
from coindex.view.layout import ZERO
from coindex.view.sheet import Group, Mark, Sheet

COLOURS = 9
PATTERNS = 4
LEVELS = 12
"""How many of each the style knows; more than that start over, levels stop there."""

SURE = ("confidence", "link")
"""The attributes that say how sure a resolver was."""

_UNSAFE = re.compile("[\x00\ud800-\udfff]")
_SLOT = re.compile(r"\{\{([a-z-]+)\}\}")


def page(sheets: Iterable[Sheet], title: str = "coindex") -> Iterator[str]:
    """The page, piece by piece."""
    style, script = _asset("page.css"), _asset("build.js") + _asset("page.js")
    slots = {
        "title": _text(title),
        "style": style,
        "script": script,
        "style-hash": _hash(style),
        "script-hash": _hash(script),
    }
    before, after = _asset("page.html").split("{{articles}}")
    yield _SLOT.sub(lambda slot: slots[slot[1]], before)
    for number, sheet in enumerate(sheets):
        yield from article(sheet, number)
    yield _SLOT.sub(lambda slot: slots[slot[1]], after)


def article(sheet: Sheet, number: int) -> Iterator[str]:
    """One sheet, hidden unless it is the first, and its data."""
    hidden = " hidden" if number else ""
    yield f'<article class="{sheet.kind}" aria-labelledby="t{number}"{hidden}>\n'
    yield f'<h2 id="t{number}" dir="auto">{_text(sheet.id)}</h2>\n<p class="sum">{sheet.summary}</p>\n'
    if sheet.note:
        yield f'<p class="note" dir="auto">{_text(sheet.note)}</p>\n'
    if sheet.facts:
        rows = "".join(f"<dt>{_text(k)}</dt><dd>{_text(v)}</dd>" for k, v in sheet.facts)
        yield f'<details class="facts"><summary>About this text</summary><dl>{rows}</dl></details>\n'
    yield '<div class="text">\n<div class="line" dir="auto">'
    yield from _lines(sheet)
    yield "</div>\n</div>\n</article>\n"
    yield f'<script type="application/json">{_data(sheet)}</script>\n'


def _lines(sheet: Sheet) -> Iterator[str]:
    empty = True
    nth = {
        (mark, group.number): at for group in sheet.groups for at, mark in enumerate(group.marks, 1)
    }
    for step in sheet.steps:
        if isinstance(step, Break):
            yield (
                '<br></div>\n<div class="line" dir="auto">'
                if empty
                else ('</div>\n<div class="line" dir="auto">')
            )
            empty = True
            continue
        empty = False
        if isinstance(step, Text):
            yield _text(step.text)
        elif isinstance(step, Zero):
            yield f'<i class="zero" title="a word left out">{ZERO}</i>'
        elif isinstance(step, Open):
            yield _opening(sheet, step)
        else:
            yield (_badge(sheet, step, nth) if step.real else "") + "</span>"


def _opening(sheet: Sheet, step: Open) -> str:
    mark = sheet.marks[step.mark]
    look = _look(sheet.groups[mark.entities[0] - 1]) if mark.entities else "q"
    if any(not sheet.groups[number - 1].singleton for number in mark.entities[1:]):
        look = look.replace(" s", "")
    names = ["m", look, f"l{min(mark.level, LEVELS - 1)}"]
    names += [mark.role] * (mark.role != "mention")
    names += ["first"] * step.real
    return f'<span class="{" ".join(names)}" data-m="{step.mark}">'


def _look(group: Group) -> str:
    """Colour and line of an entity; a singleton is quiet."""
    at = group.number - 1
    return f"c{at % COLOURS} p{at % PATTERNS}" + " s" * group.singleton


def _badge(sheet: Sheet, step: Close, nth: dict[tuple[int, int], int]) -> str:
    """The numbers of a mark's entities, as a button after its last word."""
    mark = sheet.marks[step.mark]
    groups = [sheet.groups[number - 1] for number in mark.entities]
    numbers = "".join(f'<b class="{_look(group)}">{group.number}</b>' for group in groups)
    says = "; ".join(
        f"{group.number}, {group.name}, {nth[step.mark, group.number]} of {len(group.marks)}"
        for group in groups
    )
    label = f"{_short(mark.text)}: {'; '.join([says or 'no known entity', *_sure(mark)])}"
    numbers = numbers or '<b class="q">?</b>'
    if step.part + 1 < len(mark.chars):  # a part that is not the last: one button is enough
        return f'<span class="b" aria-hidden="true">{numbers}<b class="more">…</b></span>'
    return (
        f'<span class="b" role="button" tabindex="0" aria-label="{_text(label)}">{numbers}</span>'
    )


def _sure(mark: Mark) -> Iterator[str]:
    """How sure a resolver was, for those who hear the page: `link 85 %`."""
    for name, value in mark.attrs:
        if name in SURE:
            yield f"{name} {percent(value)}"


def _attr(name: str, value: str) -> tuple[str, str]:
    return name, percent(value) if name in SURE else value


def percent(value: str) -> str:
    """A share of 1 as the page shows it: `98.5 %`; anything else as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    return f"{round(100 * number, 1):g} %" if 0 <= number <= 1 else value


def _short(text: str, most: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def _data(sheet: Sheet) -> str:
    """What the script needs to know, with no character that could end its element."""
    data = {**sheet.as_json(), "text": None, "length": len(sheet.text)}
    for mention, mark in zip(data["mentions"], sheet.marks, strict=True):
        mention["attrs"] = tuple(_attr(*pair) for pair in mark.attrs)  # a name may occur twice
        mention["text"] = _short(mark.text, 240)
        for name in [name for name, value in mention.items() if value in (None, (), "mention")]:
            del mention[name]  # the script knows these as the defaults
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        packed = packed.replace(char, f"\\u{ord(char):04x}")
    return _UNSAFE.sub("\ufffd", packed)


def _text(text: str) -> str:
    return _UNSAFE.sub("\ufffd", html.escape(text))


@cache
def _asset(name: str) -> str:
    return (files("coindex.view") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
