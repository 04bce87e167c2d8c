"""`Sheet`: a text with marks in it and the entities they belong to.

This is all that a view needs to know of a document or a problem; the terminal,
the page and `--json` are three ways of writing it down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coindex.core.mention import Pairs
from coindex.core.span import Chars, Span
from coindex.view._weave import Step


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase to be marked in the text.

    chars     where it stands in the original text; several if it is discontinuous
    entities  the numbers of the entities it belongs to; none for a pronoun without answer
    level     0 next to the text; marks around it and across it have others
    outer     the index of the nearest mark around it
    role      "mention", "pronoun" or "candidate"
    crosses   whether it overlaps another mark without one being inside the other
    """

    text: str
    chars: tuple[Chars, ...]
    entities: tuple[int, ...]
    level: int = 0
    outer: int | None = None
    role: str = "mention"
    crosses: bool = False
    tokens: tuple[Span, ...] = ()
    head: str | None = None
    kind: str | None = None
    attrs: Pairs = ()


@dataclass(frozen=True, slots=True)
class Group:
    """An entity, or a candidate: a number, a name, and the indices of its marks."""

    number: int
    name: str
    marks: tuple[int, ...]
    singleton: bool = False
    id: str | None = None
    kind: str | None = None
    attrs: Pairs = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """One document or problem, ready to be shown; `note` is the answer of a problem."""

    id: str
    kind: str
    text: str
    steps: tuple[Step, ...]
    marks: tuple[Mark, ...]
    groups: tuple[Group, ...]
    tokens: int = 0
    note: str | None = None
    facts: Pairs = ()

    @property
    def summary(self) -> str:
        """How much there is of what, in words."""
        if self.kind == "problem":
            return count(len(self.groups), "candidate")
        single = sum(group.singleton for group in self.groups)
        counts = [count(self.tokens, "token"), count(len(self.marks), "mention")]
        counts.append(count(len(self.groups), "entity", "entities"))
        return ", ".join(counts) + (f" ({count(single, 'singleton')})" if single else "")

    def as_json(self) -> dict[str, Any]:
        """The sheet for machines: offsets count code points of `text`, ends excluded."""
        return {
            "id": self.id,
            "kind": self.kind,
            "text": self.text,
            "tokens": self.tokens,
            "note": self.note,
            "facts": dict(self.facts),
            "entities": [_group_json(group) for group in self.groups],
            "mentions": [_mark_json(mark) for mark in self.marks],
        }


def _group_json(group: Group) -> dict[str, Any]:
    return {
        "number": group.number,
        "name": group.name,
        "id": group.id,
        "kind": group.kind,
        "attrs": dict(group.attrs),
        "singleton": group.singleton,
        "mentions": list(group.marks),
    }


def _mark_json(mark: Mark) -> dict[str, Any]:
    return {
        "text": mark.text,
        "entities": list(mark.entities),
        "role": mark.role,
        "chars": [[chars.start, chars.end] for chars in mark.chars],
        "tokens": [[span.start, span.end] for span in mark.tokens],
        "head": mark.head,
        "kind": mark.kind,
        "attrs": dict(mark.attrs),
        "level": mark.level,
        "outer": mark.outer,
    }


def count(number: int, one: str, many: str = "") -> str:
    """A number of things: `1 mention`, `2,000 mentions`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
