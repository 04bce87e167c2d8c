"""CorefUD's `Entity=` in the MISC column: reading and writing its brackets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coindex.core.document import Document
from coindex.core.mention import Entity, Mention
from coindex.core.source import Source
from coindex.core.span import Span
from coindex.errors import InvalidValue
from coindex.formats._brackets import count_renamed, entity_ids

DEFAULT_SPEC = "eid-etype-head-other"
FORBIDDEN = "()|-[]="

_PIECE = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_EID = re.compile(r"([^\[\]-]+)(?:\[(\d+)/(\d+)\])?(?:-(.*))?", re.DOTALL)

Facts = tuple[str, ...]


@dataclass
class _Pending:
    """A discontinuous mention whose later pieces have not been met yet."""

    spans: list[Span]
    facts: Facts


class EntityReader:
    """Collects the entities of a document from its tokens' MISC, one after the other."""

    def __init__(self, source: Source, spec: str) -> None:
        self.source = source
        self.names = spec.split("-")[1:]
        self._open: defaultdict[str, list[tuple[int, Facts]]] = defaultdict(list)
        self._pieces: defaultdict[str, list[_Pending]] = defaultdict(list)
        self._found: dict[str, dict[tuple[Span, ...], Mention]] = {}

    def token(self, token: int, misc: str) -> str:
        """Take a token's `Entity`; what is left of MISC, with its place marked."""
        if "Entity=" not in misc:
            return misc
        kept = []
        for item in misc.split("|"):
            if item.startswith("Entity="):
                self._value(token, item[len("Entity=") :])
                kept.append("Entity")
            else:
                kept.append(item)
        return "|".join(kept)

    def _value(self, token: int, value: str) -> None:
        at = 0
        for match in _PIECE.finditer(value):
            if match.start() != at:
                break
            at = match.end()
            eid = _EID.fullmatch(match[1] or match[3])
            if not eid:
                break
            key = eid[1] if eid[2] is None else f"{eid[1]}[{eid[2]}/{eid[3]}]"
            if match[1]:
                self._open[key].append((token, self._facts(eid[4])))
            if match[2] or match[3]:
                self._close(token, key, eid)
        else:
            if at == len(value) and value:
                return
        message = f"expected brackets such as '(e1-person-1-' or 'e1)', found {value!r}"
        self.source.mistake(self.source.line_of(token), "brackets", message)

    def _facts(self, text: str | None) -> Facts:
        if text is None:
            return ()
        return tuple(text.split("-", max(len(self.names) - 1, 0)))

    def _close(self, token: int, key: str, eid: re.Match[str]) -> None:
        if not self._open[key]:
            message = f"')' closes entity {key}, which is not open"
            self.source.mistake(self.source.line_of(token), "unbalanced", message)
            return
        start, facts = self._open[key].pop()
        span = Span(start, token + 1)
        if eid[2] is None:
            self._mention(eid[1], (span,), facts)
        else:
            self._piece(eid[1], int(eid[2][:9]), int(eid[3][:9]), span, facts)

    def _piece(self, id: str, number: int, total: int, span: Span, facts: Facts) -> None:
        waiting = self._pieces[f"{id}/{total}"]
        if number == 1:
            waiting.append(_Pending([span], facts))
        else:
            ready = [pending for pending in waiting if len(pending.spans) == number - 1]
            if not ready:
                line = self.source.line_of(span.start)
                message = f"expected piece {number - 1} of {total} of entity {id} before this one"
                self.source.mistake(line, "unbalanced", message)
                return
            ready[0].spans.append(span)
            if any(facts) and facts != ready[0].facts:
                line = self.source.line_of(span.start)
                message = f"piece {number} of entity {id} says more than the first; left out"
                self.source.note(line, "span", message)
        done = [pending for pending in waiting if len(pending.spans) >= total]
        for pending in done:
            waiting.remove(pending)
            self._mention(id, tuple(pending.spans), pending.facts)

    def _mention(self, id: str, spans: tuple[Span, ...], facts: Facts) -> None:
        line = self.source.line_of(spans[-1].end - 1)
        named = dict(zip(self.names, facts, strict=False))
        kind = named.pop("etype", None) or None
        tokens = [token for span in spans for token in range(span.start, span.end)]
        head = named.get("head", "")
        place = int(head) if head.isascii() and head.isdigit() and len(head) < 10 else 0
        if 1 <= place <= len(tokens):
            del named["head"]
        try:
            at = tokens[place - 1] if 1 <= place <= len(tokens) else None
            mention = Mention(spans, at, kind, None, tuple(named.items()))
        except InvalidValue as error:
            self.source.mistake(line, "span", str(error))
            return
        mentions = self._found.setdefault(id, {})
        if spans in mentions:
            message = f"entity {id} holds the mention {_shown(spans)} twice; kept once"
            self.source.note(line, "repeated", message)
            return
        mentions[spans] = mention

    def entities(self) -> tuple[Entity, ...]:
        """The entities, when every token has been taken."""
        left = [(at, key) for key, rows in self._open.items() for at, _ in rows]
        for pieces in self._pieces.items():
            left += [(pending.spans[0].start, pieces[0]) for pending in pieces[1]]
        for at, key in sorted(left):
            message = f"'({key}' opens entity {key}, which is never closed"
            self.source.mistake(self.source.line_of(at), "unbalanced", message)
        return tuple(Entity(tuple(rows.values()), id) for id, rows in self._found.items())


def _shown(spans: tuple[Span, ...]) -> str:
    return ", ".join(f"{span.start}-{span.end - 1}" for span in spans)


def count_unwritable(document: Document) -> int:
    """How many entities have an id that CorefUD cannot hold."""
    return count_renamed(document, FORBIDDEN)


def entity_column(document: Document, spec: str, misc: Sequence[str]) -> list[str]:
    """The MISC column of a document, with the brackets put in their place."""
    values = list(_values(document, spec.split("-")[1:]))
    return [_with_entity(rest, value) for rest, value in zip(misc, values, strict=True)]


def _with_entity(misc: str, value: str) -> str:
    items = [] if misc in ("_", "") else misc.split("|")
    entity = [f"Entity={value}"] if value else []
    if "Entity" in items:
        at = items.index("Entity")
        items[at : at + 1] = entity
    else:
        at = next((i for i, item in enumerate(items) if item > "Entity"), len(items))
        items[at:at] = entity
    return "|".join(items) or "_"


def _values(document: Document, names: list[str]) -> Iterator[str]:
    """The brackets of each token: outer ones open first and close last.

    Where a mention opens and stays open, brackets that close come first, for
    `(10)` would be read as a mention of entity 10.
    """
    opening: list[list[tuple[int, str]]] = [[] for _ in document.tokens]
    closing: list[list[tuple[int, str]]] = [[] for _ in document.tokens]
    ids = entity_ids(document.entities, FORBIDDEN)
    for id, entity in zip(ids, document.entities, strict=True):
        for mention in entity.mentions:
            total = len(mention.spans)
            for number, span in enumerate(mention.spans, 1):
                key = id if total == 1 else f"{id}[{number}/{total}]"
                text = f"({key}{_fact_text(mention, names) if number == 1 else ''}"
                if len(span) == 1:
                    opening[span.start].append((0, f"{text})"))
                else:
                    opening[span.start].append((span.start - span.end, text))
                    closing[span.end - 1].append((-span.start, f"{key})"))
    for opens, closes in zip(opening, closing, strict=True):
        first, last = [text for _, text in sorted(opens)], [text for _, text in sorted(closes)]
        stays = any(size for size, _ in opens)
        yield "".join(last + first if stays else first + last)


def _fact_text(mention: Mention, names: list[str]) -> str:
    named: dict[str, str] = dict(mention.attrs)
    if mention.kind is not None:
        named["etype"] = mention.kind
    if mention.head is not None:
        named["head"] = str(mention.tokens.index(mention.head) + 1)
    last = max((names.index(name) for name in named if name in names), default=-1)
    final = len(names) - 1
    values = [_safe(named.get(name, ""), at == final) for at, name in enumerate(names[: last + 1])]
    return "".join(f"-{value}" for value in values)


_UNSAFE = re.compile(r"[-()|=\s]")
_UNSAFE_LAST = re.compile(r"[()|\s]")


def _safe(value: str, last: bool) -> str:
    """A fact without the characters that would end it; they become `%2D` and so on."""
    pattern = _UNSAFE_LAST if last else _UNSAFE
    return pattern.sub(lambda match: f"%{ord(match[0]):02X}", value)


def count_facts(document: Document, spec: str) -> tuple[int, int]:
    """How many facts must be escaped, and how many the document's spec does not name."""
    names = spec.split("-")[1:]
    escaped = unnamed = 0
    for mention in document.mentions:
        facts = [*mention.attrs, *([("etype", mention.kind)] if mention.kind else [])]
        unnamed += sum(name not in names for name, _ in facts)
        escaped += sum(
            _safe(value, name == names[-1]) != value for name, value in facts if name in names
        )
    return escaped, unnamed
