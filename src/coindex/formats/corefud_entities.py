"""CorefUD's `Entity=` in the MISC column: reading and writing its brackets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coindex.errors import InvalidValue
from coindex.formats.conll import entity_ids
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.source import Source
from coindex.types.span import Span

DEFAULT_SPEC = "eid-etype-head-other"
FORBIDDEN = "()|-[]="

_BRACKET = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_EID = re.compile(r"([^\[\]-]+)(?:\[(\d+)/(\d+)\])?(?:-(.*))?", re.DOTALL)

Attributes = tuple[str, ...]


@dataclass
class _Pending:
    """A discontinuous mention whose later parts have not been read yet."""

    spans: list[Span]
    attributes: Attributes


class EntityReader:
    """Collects the entities of a document from the MISC column, token by token."""

    def __init__(self, source: Source, spec: str) -> None:
        self.source = source
        self.names = spec.split("-")[1:]
        self._open: defaultdict[str, list[tuple[int, Attributes]]] = defaultdict(list)
        self._parts: defaultdict[str, list[_Pending]] = defaultdict(list)
        self._mentions: dict[str, dict[tuple[Span, ...], Mention]] = {}

    def token(self, token: int, misc: str) -> str:
        """Read a token's `Entity`; returns the rest of MISC, with a bare `Entity` in its place."""
        if "Entity=" not in misc:
            return misc
        items = []
        for item in misc.split("|"):
            if item.startswith("Entity="):
                self._value(token, item[len("Entity=") :])
                items.append("Entity")
            else:
                items.append(item)
        return "|".join(items)

    def _value(self, token: int, value: str) -> None:
        at = 0
        for match in _BRACKET.finditer(value):
            if match.start() != at:
                break
            at = match.end()
            eid = _EID.fullmatch(match[1] or match[3])
            if not eid:
                break
            key = eid[1] if eid[2] is None else f"{eid[1]}[{eid[2]}/{eid[3]}]"
            if match[1]:
                self._open[key].append((token, self._attributes(eid[4])))
            if match[2] or match[3]:
                self._close(token, key, eid)
        else:
            if at == len(value) and value:
                return
        message = f"expected brackets such as '(e1-person-1-' or 'e1)', found {value!r}"
        self.source.mistake(self.source.line_of(token), "brackets", message)

    def _attributes(self, text: str | None) -> Attributes:
        if text is None:
            return ()
        return tuple(text.split("-", max(len(self.names) - 1, 0)))

    def _close(self, token: int, key: str, eid: re.Match[str]) -> None:
        if not self._open[key]:
            message = f"')' closes entity {key}, which is not open"
            self.source.mistake(self.source.line_of(token), "unbalanced", message)
            return
        start, attributes = self._open[key].pop()
        span = Span(start, token + 1)
        if eid[2] is None:
            self._mention(eid[1], (span,), attributes)
        else:
            self._part(eid[1], int(eid[2][:9]), int(eid[3][:9]), span, attributes)

    def _part(self, id: str, number: int, total: int, span: Span, attributes: Attributes) -> None:
        waiting = self._parts[f"{id}/{total}"]
        if number == 1:
            waiting.append(_Pending([span], attributes))
        else:
            ready = [pending for pending in waiting if len(pending.spans) == number - 1]
            if not ready:
                line = self.source.line_of(span.start)
                message = f"expected piece {number - 1} of {total} of entity {id} before this one"
                self.source.mistake(line, "unbalanced", message)
                return
            ready[0].spans.append(span)
            if any(attributes) and attributes != ready[0].attributes:
                line = self.source.line_of(span.start)
                message = f"piece {number} of entity {id} says more than the first; left out"
                self.source.note(line, "span", message)
        done = [pending for pending in waiting if len(pending.spans) >= total]
        for pending in done:
            waiting.remove(pending)
            self._mention(id, tuple(pending.spans), pending.attributes)

    def _mention(self, id: str, spans: tuple[Span, ...], attributes: Attributes) -> None:
        line = self.source.line_of(spans[-1].end - 1)
        named = dict(zip(self.names, attributes, strict=False))
        kind = named.pop("etype", None) or None
        tokens = [token for span in spans for token in range(span.start, span.end)]
        head = named.get("head", "")
        position = int(head) if head.isascii() and head.isdigit() and len(head) < 10 else 0
        if 1 <= position <= len(tokens):
            del named["head"]
        try:
            at = tokens[position - 1] if 1 <= position <= len(tokens) else None
            mention = Mention(spans, at, kind, None, tuple(named.items()))
        except InvalidValue as error:
            self.source.mistake(line, "span", str(error))
            return
        mentions = self._mentions.setdefault(id, {})
        if spans in mentions:
            shown = ", ".join(f"{span.start}-{span.end - 1}" for span in spans)
            message = f"entity {id} holds the mention {shown} twice; kept once"
            self.source.note(line, "repeated", message)
            return
        mentions[spans] = mention

    def entities(self) -> tuple[Entity, ...]:
        """The entities, once every token has been read."""
        left = [(at, key) for key, rows in self._open.items() for at, _ in rows]
        for key, waiting in self._parts.items():
            left += [(pending.spans[0].start, key) for pending in waiting]
        for at, key in sorted(left):
            message = f"'({key}' opens entity {key}, which is never closed"
            self.source.mistake(self.source.line_of(at), "unbalanced", message)
        return tuple(Entity(tuple(rows.values()), id) for id, rows in self._mentions.items())


def spec_of(document: Document) -> str:
    """The fields of a bracket: those that the document was read with, and heads if it has any."""
    spec = dict(document.meta).get("global.Entity", DEFAULT_SPEC)
    names = spec.split("-")
    if "head" in names or all(mention.head is None for mention in document.mentions):
        return spec
    at = names.index("etype") + 1 if "etype" in names else 1
    return "-".join([*names[:at], "head", *names[at:]])


def entity_column(document: Document, spec: str, misc: Sequence[str]) -> list[str]:
    """The MISC column of a document, with the brackets of its entities."""
    values = list(_values(document, spec.split("-")[1:]))
    rest = _with_valid_links(document, misc)[0]
    return [_with_entity(each, value) for each, value in zip(rest, values, strict=True)]


LINKS = ("Bridge=", "SplitAnte=")
"""What links entities in MISC: `ANTECEDENT<ANAPHOR:RELATION`, several by commas."""


def _with_valid_links(document: Document, misc: Sequence[str]) -> tuple[list[str], int]:
    """MISC without links of entities that are gone, and how many were left out.

    A link is written at the first token of the anaphor, so it is valid if the antecedent is an
    entity of the document and the anaphor has a mention that begins there.
    """
    if not any(link in items for items in misc for link in LINKS):
        return list(misc), 0
    ids = entity_ids(document.entities, FORBIDDEN)
    starts = {
        (id, mention.start)
        for id, entity in zip(ids, document.entities, strict=True)
        for mention in entity.mentions
    }
    known = frozenset(ids)
    column, left_out = [], 0
    for token, items in enumerate(misc):
        kept = []
        for item in items.split("|"):
            name, _, value = item.partition("=")
            links = value.split(",") if f"{name}=" in LINKS else []
            valid = [link for link in links if _is_valid(link, token, known, starts)]
            left_out += len(links) - len(valid)
            if valid or not links:
                kept.append(f"{name}={','.join(valid)}" if links else item)
        column.append("|".join(kept) or "_")
    return column, left_out


def _is_valid(link: str, token: int, known: frozenset[str], starts: set[tuple[str, int]]) -> bool:
    antecedent, _, rest = link.partition("<")
    return antecedent in known and (rest.partition(":")[0], token) in starts


def count_links_left_out(document: Document) -> int:
    """How many links of bridging and split antecedents have lost an entity."""
    return _with_valid_links(document, document.layer("misc") or ())[1]


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

    If a mention opens here and ends later, closing brackets come first, because
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
                text = f"({key}{_attribute_text(mention, names) if number == 1 else ''}"
                if len(span) == 1:
                    opening[span.start].append((0, f"{text})"))
                else:
                    opening[span.start].append((span.start - span.end, text))
                    closing[span.end - 1].append((-span.start, f"{key})"))
    for opens, closes in zip(opening, closing, strict=True):
        first, last = [text for _, text in sorted(opens)], [text for _, text in sorted(closes)]
        stays = any(size for size, _ in opens)
        yield "".join(last + first if stays else first + last)


def _attribute_text(mention: Mention, names: list[str]) -> str:
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
    """An attribute with the characters that would end it escaped: `%2D` and so on."""
    pattern = _UNSAFE_LAST if last else _UNSAFE
    return pattern.sub(lambda match: f"%{ord(match[0]):02X}", value)


def count_attribute_losses(document: Document, spec: str) -> tuple[int, int]:
    """How many attributes must be escaped, and how many the document's spec does not name."""
    names = spec.split("-")[1:]
    escaped = unnamed = 0
    for mention in document.mentions:
        attributes = [*mention.attrs, *([("etype", mention.kind)] if mention.kind else [])]
        unnamed += sum(name not in names for name, _ in attributes)
        escaped += sum(
            _safe(value, name == names[-1]) != value for name, value in attributes if name in names
        )
    return escaped, unnamed
