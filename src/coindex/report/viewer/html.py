"""Annotated texts as one HTML page that needs no other file and no network.

Style and script are inlined, and the page's content security policy allows only these two, by
their hashes: a script inside a text could neither run nor send anything. The text is written
with its markup here, so that the script never counts characters. Each text is an `article`,
followed by its data.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache

from coindex import io
from coindex.report.html import csp_hash
from coindex.report.viewer.annotated_text import ZERO, AnnotatedText, EntityGroup, Mark
from coindex.report.viewer.markup_events import Break, Close, Open, Said, Text, Zero

COLOURS = 9
PATTERNS = 4
LEVELS = 12
"""The number of each in the stylesheet; colours and patterns repeat, levels do not."""

CONFIDENCES = ("confidence", "link")
"""The attributes that hold the confidence of a resolver."""

_UNSAFE = re.compile("[\x00\ud800-\udfff]")
_SLOT = re.compile(r"\{\{([a-z-]+)\}\}")


def page(texts: Iterable[AnnotatedText], title: str = "coindex") -> Iterator[str]:
    """The page, in parts."""
    style, script = _inlined()
    style_hash, script_hash = page_hashes()
    slots = {
        "title": _escape(title),
        "style": style,
        "script": script,
        "style-hash": style_hash,
        "script-hash": script_hash,
    }
    before, after = _asset("page.html").split("{{articles}}")
    yield _SLOT.sub(lambda slot: slots[slot[1]], before)
    for number, text in enumerate(texts):
        yield from article(text, number)
    yield _SLOT.sub(lambda slot: slots[slot[1]], after)


def page_hashes() -> tuple[str, str]:
    """The hashes by which a content security policy allows the page's style and its script."""
    style, script = _inlined()
    return csp_hash(style), csp_hash(script)


def _inlined() -> tuple[str, str]:
    """The style and the script of the page."""
    return _asset("page.css"), _asset("build.js") + _asset("page.js")


def article(text: AnnotatedText, number: int) -> Iterator[str]:
    """One text and its data; all texts but the first are hidden."""
    hidden = " hidden" if number else ""
    yield f'<article class="{text.kind}" aria-labelledby="t{number}"{hidden}>\n'
    yield f'<h2 id="t{number}" dir="auto">{_escape(text.id)}</h2>\n<p class="sum">{text.summary}</p>\n'
    if text.note:
        yield f'<p class="note" dir="auto">{_escape(text.note)}</p>\n'
    if text.metadata:
        rows = "".join(f"<dt>{_escape(k)}</dt><dd>{_escape(v)}</dd>" for k, v in text.metadata)
        yield f'<details class="facts"><summary>About this text</summary><dl>{rows}</dl></details>\n'
    yield '<div class="text">\n<div class="line" dir="auto">'
    yield from _lines(text)
    yield "</div>\n</div>\n</article>\n"
    yield f'<script type="application/json">{_data(text)}</script>\n'


def _lines(text: AnnotatedText) -> Iterator[str]:
    empty = True
    nth = {
        (mark, group.number): at for group in text.groups for at, mark in enumerate(group.marks, 1)
    }
    for event in text.events:
        if isinstance(event, Break):
            yield ("<br>" if empty else "") + '</div>\n<div class="line" dir="auto">'
            empty = True
            continue
        empty = False
        if isinstance(event, Text):
            yield _escape(event.text)
        elif isinstance(event, Zero):
            yield f'<i class="zero" title="a word left out">{ZERO}</i>'
        elif isinstance(event, Open):
            yield _opening(text, event)
        elif isinstance(event, Said):
            yield _speaker(event)
        else:
            yield (_badge(text, event, nth) if event.real else "") + "</span>"


def _speaker(event: Said) -> str:
    """Who speaks from here on: shown by the stylesheet, so that the text stays as it is."""
    name = _escape(_short(event.speaker))
    to = f" to {_escape(_short(event.addressee))}" if event.addressee else ""
    return f'<span class="who" role="note" data-who="{name}" title="{name} speaks{to}"></span>'


def _opening(text: AnnotatedText, event: Open) -> str:
    mark = text.marks[event.mark]
    classes = _classes(text.groups[mark.entities[0] - 1]) if mark.entities else "q"
    if any(not text.groups[number - 1].singleton for number in mark.entities[1:]):
        classes = classes.replace(" s", "")
    names = ["m", classes, f"l{min(mark.level, LEVELS - 1)}"]
    names += [mark.role] * (mark.role != "mention")
    names += ["first"] * event.real
    return f'<span class="{" ".join(names)}" data-m="{event.mark}">'


def _classes(group: EntityGroup) -> str:
    """The CSS classes for the colour and line of an entity; singletons have an extra class."""
    at = group.number - 1
    return f"c{at % COLOURS} p{at % PATTERNS}" + " s" * group.singleton


def _badge(text: AnnotatedText, event: Close, nth: dict[tuple[int, int], int]) -> str:
    """The numbers of the entities of a mark, as a button after its last word."""
    mark = text.marks[event.mark]
    groups = [text.groups[number - 1] for number in mark.entities]
    numbers = "".join(f'<b class="{_classes(group)}">{group.number}</b>' for group in groups)
    positions = "; ".join(
        f"{group.number}, {group.name}, {nth[event.mark, group.number]} of {len(group.marks)}"
        for group in groups
    )
    label = (
        f"{_short(mark.text)}: {'; '.join([positions or 'no known entity', *_confidences(mark)])}"
    )
    numbers = numbers or '<b class="q">?</b>'
    if event.part + 1 < len(mark.chars):  # a part that is not the last: one button is enough
        return f'<span class="b" aria-hidden="true">{numbers}<b class="more">…</b></span>'
    return (
        f'<span class="b" role="button" tabindex="0" aria-label="{_escape(label)}">{numbers}</span>'
    )


def _confidences(mark: Mark) -> Iterator[str]:
    """The confidence of a resolver, for screen readers: `link 85 %`."""
    for name, value in mark.attrs:
        if name in CONFIDENCES:
            yield f"{name} {percent(value)}"


def percent(value: str) -> str:
    """A number from 0 to 1 as `98.5 %`; anything else as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    return f"{round(100 * number, 1):g} %" if 0 <= number <= 1 else value


def _short(text: str, limit: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _data(text: AnnotatedText) -> str:
    """The data for the script, without characters that could end its element."""
    data = {**text.as_json(), "text": None, "length": len(text.text)}
    for mention, mark in zip(data["mentions"], text.marks, strict=True):
        mention["attrs"] = tuple(  # a name may occur twice
            (name, percent(value) if name in CONFIDENCES else value) for name, value in mark.attrs
        )
        mention["text"] = _short(mark.text, 240)
        for name in [name for name, value in mention.items() if value in (None, (), "mention")]:
            del mention[name]  # the script knows these as the defaults
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        packed = packed.replace(char, f"\\u{ord(char):04x}")
    return _UNSAFE.sub("\ufffd", packed)


def _escape(text: str) -> str:
    return _UNSAFE.sub("\ufffd", html.escape(text))


@cache
def _asset(name: str) -> str:
    return io.package_text("coindex.report.viewer", "assets", name)
