"""The text of an explained document on a web page: brackets around mentions, with their entities.

Mentions of key and response may cross, so each bracket is an element of its own.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from coindex import io
from coindex.report.html_text import escape
from coindex.scoring.explanation import ExplainedMention, Explanation

_KINDS = {
    "matched": "in the key and in the response",
    "missing": "in the key only",
    "extra": "in the response only",
}


def text_html(found: Explanation) -> str:
    """The sentences of a document, a paragraph each, below a legend."""
    opening: defaultdict[int, list[str]] = defaultdict(list)
    closing: defaultdict[int, list[str]] = defaultdict(list)
    for mention in sorted(found.mentions, key=_size, reverse=True):
        for start, end in mention.spans:
            opening[start].append(_open(mention))
            closing[end - 1].insert(0, _close(mention, found))
    lines = [_legend(), '<div class="explained" dir="auto">']
    for span in found.document.sentence_spans():
        words = (
            "".join([*opening[at], escape(found.document.tokens[at]), *closing[at]])
            for at in range(span.start, span.end)
        )
        lines.append(f"<p>{' '.join(words)}</p>")
    return "\n".join([*lines, "</div>"])


def _size(mention: ExplainedMention) -> int:
    return mention.spans[-1][1] - mention.spans[0][0]


def _status(mention: ExplainedMention) -> str:
    if mention.key is None:
        return "extra"
    return "matched" if mention.response is not None else "missing"


def _open(mention: ExplainedMention) -> str:
    return f'<b class="{_status(mention)}">[</b>'


def _close(mention: ExplainedMention, found: Explanation) -> str:
    """The closing bracket with the entities; a title says what they are called."""
    names, titles = [], [_KINDS[_status(mention)]]
    for letter, entity, known in (
        ("K", mention.key, found.key),
        ("R", mention.response, found.response),
    ):
        if entity is not None:
            names.append(f"{letter}{entity + 1}")
            titles.append(f"{letter}{entity + 1}: {known[entity]}")
    title = escape("; ".join(titles))
    label = "·".join(names)
    return f'<b class="{_status(mention)}" title="{title}">]<sub>{label}</sub></b>'


def _legend() -> str:
    items = "".join(
        f'<li><b class="{status}">[ ]</b> {status}: {what}</li>' for status, what in _KINDS.items()
    )
    return f'<ul class="legend">{items}</ul>'


@cache
def style() -> str:
    """The style of the text, which only pages with an explanation have."""
    return io.package_text("coindex.report", "assets", "explanation.css")
