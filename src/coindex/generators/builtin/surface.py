"""Surface forms: lower case, capitals, no punctuation, dropped articles; the mentions stay.

    Ann Lee met the mayor . He smiled .
    lower      ann lee met the mayor . he smiled .
    upper      ANN LEE MET THE MAYOR . HE SMILED .
    title      Ann Lee Met The Mayor . He Smiled .
    bare       ann lee met the mayor he smiled
    telegraph  Ann Lee met mayor . He smiled .
    noise      single words lose their capitals, single commas are left out

Where the marks that end sentences are left out, several sentences become one, as a tokenizer
would see them. A token is never dropped if it is a mention, or if two mentions would become one.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from coindex.generators.protocol import Generated, Make, Variant
from coindex.text.word_classes import ARTICLES, normalize
from coindex.transform.edit import TokenEdit, replace_tokens
from coindex.types.document import Document

UNIT = "tokens"
FORMS = ("lower", "upper", "title", "bare", "telegraph", "noise")
OPTIONS: Mapping[str, tuple[str, ...]] = {"form": ("any", *FORMS)}

_NOISE = 0.15
_JOINED = (2, 5)
"""How few and how many sentences become one."""
_CASES: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower, "bare": str.lower, "upper": str.upper,
    "title": lambda token: token if token.isupper() else token[:1].upper() + token[1:],
}  # fmt: skip


def generator(documents: Sequence[Document], form: str = "any") -> Make:
    """Gives a document another surface form."""

    def make(document: Document, rng: random.Random) -> Generated:
        chosen = rng.choice(FORMS) if form == "any" else form
        refused: Counter[str] = Counter()
        edits = list(_edits(document, chosen, rng, refused))
        if not edits:
            return Generated([], refused, "" if refused else "nothing to change")
        changed = replace_tokens(document, edits)
        if chosen == "bare":
            changed = replace(changed, sentences=tuple(_joined(changed, rng)))
        return Generated([Variant(changed, f"surface form {chosen}", len(edits))], refused)

    return make


def _edits(
    document: Document, form: str, rng: random.Random, refused: Counter[str]
) -> Iterator[TokenEdit]:
    borders = _Borders(document)
    for index, token in enumerate(document.tokens):
        if _is_dropped(token, form, rng):
            if borders.may_drop(index):
                yield TokenEdit(index, index + 1, ())
            else:
                refused["a token that is all of a mention"] += 1
            continue
        new = _CASES.get(form, str)(token)
        if form == "noise" and token[0].isupper() and rng.random() < _NOISE:
            new = token.lower()
        if new != token:
            yield TokenEdit(index, index + 1, (new,))


def _is_dropped(token: str, form: str, rng: random.Random) -> bool:
    if form == "bare":
        mark = not any(char.isalnum() for char in token)
        return mark and token not in ("'", "’", "$", "%", "&", "+", "/", "@")
    if form == "telegraph":
        return normalize(token) in ARTICLES
    return form == "noise" and token in (",", ";") and rng.random() < 2 * _NOISE


class _Borders:
    """Which tokens can be dropped without a mention, or the difference of two, being lost."""

    def __init__(self, document: Document) -> None:
        self.left = [m for m in document.mentions]
        self.spans = {tuple(m.tokens) for m in self.left}
        self.by_token: dict[int, list[tuple[int, ...]]] = {}
        for span in self.spans:
            for token in span:
                self.by_token.setdefault(token, []).append(span)

    def may_drop(self, token: int) -> bool:
        """Whether a token can be dropped; if so, it counts as dropped from now on."""
        old = self.by_token.get(token, [])
        new = [tuple(each for each in span if each != token) for span in old]
        others = self.spans.difference(old)
        if not all(new) or len(set(new)) < len(new) or others.intersection(new):
            return False
        self.spans = others.union(new)
        for before, span in zip(old, new, strict=True):
            for each in span:
                self.by_token[each] = [s for s in self.by_token[each] if s != before] + [span]
        self.by_token.pop(token, None)
        return True


def _joined(document: Document, rng: random.Random) -> Iterator[int]:
    """The starts of some sentences: of every few, and of those with another speaker."""
    left, last = 0, ""
    for first in document.sentences:
        speaker = document.speakers[first] if document.speakers is not None else ""
        if not left or speaker != last:
            yield first
            left, last = rng.randint(*_JOINED), speaker
        left -= 1
