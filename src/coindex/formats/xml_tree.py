"""XML files as trees of elements, each with the line that it begins on.

A document type without declarations is read over, as MMAX2 writes one; entities are never
declared or expanded, and no other file is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from coindex.types.source import Source

_DEPTH = 50
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;",
    "\t": "&#9;",
}  # fmt: skip
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPES)))


@dataclass(slots=True)
class XmlElement:
    """An element with its attributes, its child elements and its text.

    name  with the namespace before it, if there is one: `http:///uima/cas.ecore Sofa`
    """

    name: str
    line: int
    attributes: dict[str, str]
    children: list[XmlElement] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text, without that of child elements."""
        return "".join(self.parts)

    @property
    def local(self) -> str:
        """The name without its namespace."""
        return self.name.rpartition(" ")[2]

    def get(self, name: str) -> str:
        """An attribute, or an empty string."""
        return self.attributes.get(name, "")

    def named(self, *names: str) -> Iterator[XmlElement]:
        """The elements of these local names at any depth, in the order of the file."""
        for child in self.children:
            if child.local in names:
                yield child
            yield from child.named(*names)


class _TreeBuilder:
    """Handlers that build the tree."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root: XmlElement | None = None
        self._open: list[XmlElement] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._declaration
        self.parser.SkippedEntityHandler = self._entity
        self.parser.StartDoctypeDeclHandler = self._doctype

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def _doctype(self, name: str, system: str | None, public: str | None, inner: int) -> None:
        if inner:
            self._declaration()

    def _declaration(self, *_: object) -> None:
        raise self.source.error(self.line, "expected no declarations in the document type")

    def _entity(self, name: str, *_: object) -> None:
        raise self.source.error(self.line, f"expected no entities, found &{name};")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) > _DEPTH:
            raise self.source.error(self.line, f"expected {_DEPTH} levels at most, found more")
        element = XmlElement(name, self.line, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _characters(self, text: str) -> None:
        self._open[-1].parts.append(text)


def parse_xml(lines: Iterable[str], source: Source) -> XmlElement:
    """The root element of a file."""
    builder = _TreeBuilder(source)
    try:
        for line in lines:
            builder.parser.Parse(line, False)
        builder.parser.Parse("", True)
    except expat.ExpatError as error:
        message = f"expected well-formed XML: {expat.ErrorString(error.code)}"
        raise source.error(error.lineno, message) from error
    except ValueError as error:
        raise source.error(builder.line, "expected well-formed XML: half a character") from error
    if builder.root is None:
        raise source.error(1, "expected an XML element, found none")
    return builder.root


def root_name(head: Sequence[str]) -> str:
    """The name of the first element among the first lines, with its prefix; empty if none."""
    text = re.sub(r"<\?.*?\?>|<!--.*?-->|<![^>]*>", " ", "".join(head), flags=re.DOTALL)
    match = re.match(r"\s*<([A-Za-z_][\w.:-]*)", text)
    return match[1] if match else ""


def whole_number(value: str) -> int | None:
    """A number that is written in at most nine digits, or None."""
    return int(value) if re.fullmatch("[0-9]{1,9}", value) else None


def escape(text: str) -> str:
    """A text for an attribute or an element; characters that XML cannot store become U+FFFD."""
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], _NOT_XML.sub("\ufffd", text))


def tag(name: str, attributes: dict[str, object], content: str | None = None) -> str:
    """An element; empty without content."""
    shown = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{shown}/>" if content is None else f"<{name}{shown}>{content}</{name}>"


def count_replaced(text: str) -> int:
    """How many characters XML cannot store."""
    return len(_NOT_XML.findall(text))
