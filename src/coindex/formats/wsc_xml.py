"""The elements of an XML collection, each with the line it begins on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from coindex.formats.problem_checks import shown
from coindex.types.source import Source

_SPACE = " \t\r\n"
_DEPTH = 8


@dataclass(slots=True)
class Element:
    """An element with its text and its child elements, in order."""

    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def raw(self) -> str:
        """Its text, unchanged."""
        return "".join(self.parts)

    @property
    def text(self) -> str:
        """Its text with single spaces."""
        return normal(self.raw)

    def child(self, name: str) -> Element | None:
        """The first child of this name."""
        return next((child for child in self.children if child.name == name), None)


def normal(text: str) -> str:
    """A text with single spaces, none at its ends; other kinds of space are unchanged."""
    for char in "\t\r\n":
        text = text.replace(char, " ")
    return " ".join(filter(None, text.split(" ")))


class _Reader:
    """Builds the elements within the root and collects those that are complete."""

    def __init__(self, root: str, source: Source) -> None:
        self.source = source
        self.done: list[Element] = []
        self._root = root
        self._open: list[Element] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, text: str, final: bool = False) -> list[Element]:
        """Parse more text; returns the elements that are now complete."""
        try:
            self._parser.Parse(text, final)
        except expat.ExpatError as error:
            message = expat.ErrorString(error.code)
            raise self.source.error(error.lineno, f"expected well-formed XML: {message}") from error
        except ValueError as error:
            raise self.source.error(
                self._line, "expected well-formed XML: half a character"
            ) from error
        done, self.done = self.done, []
        return done

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _doctype(self, *_: object) -> None:
        raise self.source.error(self._line, "expected no document type, found <!DOCTYPE>")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open and name != self._root:
            raise self.source.error(self._line, f"expected <{self._root}>, found {shown(name)}")
        if len(self._open) > _DEPTH:
            raise self.source.error(self._line, f"expected {_DEPTH} levels at most, found more")
        element = Element(name, self._line, attributes)
        if len(self._open) > 1:
            self._open[-1].children.append(element)
            if len(self._open[-1].children) == 1:  # text after it is checked as it comes
                self._between(self._open[-1].raw)
        self._open.append(element)

    def _end(self, name: str) -> None:
        element = self._open.pop()
        if len(self._open) == 1:
            self.done.append(element)

    def _characters(self, text: str) -> None:
        element = self._open[-1]
        element.parts.append(text)
        if element.children or len(self._open) == 1:
            self._between(text)

    def _between(self, text: str) -> None:
        bare = text.strip(_SPACE)
        if bare:
            message = f"expected nothing between elements, found {shown(bare)}"
            raise self.source.error(self._line, message)


def elements(lines: Iterable[str], root: str, source: Source) -> Iterator[Element]:
    """The elements within the root, one by one."""
    reader = _Reader(root, source)
    for line in lines:
        yield from reader.feed(line)
    yield from reader.feed("", final=True)
