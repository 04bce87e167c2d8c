"""Probe texts: short texts with the clusters that any careful reader would agree on.

A file holds the probes of one class, which is named like the file:

    # One line that says what this class tests.

    == chat-01 dev
    ⟦1?:Ann⟧: did ⟦2:you⟧ see ⟦1:my⟧ keys?
    ⟦2?:Bob⟧: No, ⟦2:I⟧ did not.

`⟦1:words⟧` is a required mention of the entity 1, `⟦1?:words⟧` an optional one; marks may be nested.
A probe ends at the next line that begins with `== `; blank lines around its text do not count. The
text is what is left without the marks, and offsets count its code points. An entity with two
required mentions or more is an expected cluster; one with a single mention is a distractor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from coindex import io
from coindex.types.source import Source
from coindex.types.span import Chars

HALVES = ("dev", "test")

_FOLDER = "coindex.benchmarks.probes"
_HEADER = re.compile(r"== (?P<id>(?P<group>[a-z0-9]+(?:-[a-z0-9]+)*)-\d\d) (?P<half>\w+)\s*")
_MARK = re.compile(r"⟦(?P<id>[A-Za-z0-9]+)(?P<optional>\??):|⟦|⟧")
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ExpectedMention:
    """A marked phrase: its characters, its entity, and whether it must be found."""

    chars: Chars
    entity: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Probe:
    """One text with its expected mentions, in reading order; `group` is its class."""

    id: str
    group: str
    half: str
    text: str
    mentions: tuple[ExpectedMention, ...]

    @property
    def entities(self) -> dict[str, tuple[ExpectedMention, ...]]:
        """The mentions of every marked entity, distractors included."""
        result: dict[str, list[ExpectedMention]] = {}
        for mention in self.mentions:
            result.setdefault(mention.entity, []).append(mention)
        return {entity: tuple(mentions) for entity, mentions in result.items()}

    @property
    def clusters(self) -> dict[str, tuple[ExpectedMention, ...]]:
        """The required mentions of the entities that have several of them."""
        required = {
            entity: tuple(each for each in mentions if each.required)
            for entity, mentions in self.entities.items()
        }
        return {entity: mentions for entity, mentions in required.items() if len(mentions) > 1}


@dataclass(frozen=True, slots=True)
class ProbeFile:
    """The probes of one class, and the line that says what they test."""

    about: str
    probes: tuple[Probe, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    """A header with its line number, and the lines that follow it."""

    header: str
    number: int
    lines: tuple[str, ...]


@cache
def probe_files() -> dict[str, ProbeFile]:
    """The files of the package, by class, in alphabetical order."""
    names = sorted(each.name for each in files(_FOLDER).iterdir() if each.name.endswith(".txt"))
    result = {}
    for name in names:
        lines = io.package_text(_FOLDER, name).split("\n")
        group = name.removesuffix(".txt")
        result[group] = read_probe_file(lines, Source(f"probes/{name}"), group)
    return result


def read_probe_file(lines: Iterable[str], source: Source, group: str | None = None) -> ProbeFile:
    """The probes of one file; `group` is the class that all of them must have."""
    rows = [line.rstrip("\r\n") for line in lines]
    first = next((at for at, row in enumerate(rows) if row.startswith("== ")), len(rows))
    about = [(at, row) for at, row in enumerate(rows[:first], 1) if row.strip()]
    if not about or not all(row.startswith("# ") for _, row in about):
        number, found = next(((n, r) for n, r in about if not r.startswith("# ")), (1, ""))
        raise source.error(
            number, f"expected a line '# what this class tests', found {_shown(found)}"
        )
    probes: dict[str, Probe] = {}
    for block in _blocks(rows, first):
        probe = _probe(block, source, group)
        if probe.id in probes:
            raise source.error(block.number, f"expected a new id, found {probe.id} again")
        probes[probe.id] = probe
    if not probes:
        raise source.error(None, "expected probes such as '== chat-01 dev', found none")
    return ProbeFile(" ".join(row.removeprefix("# ") for _, row in about), tuple(probes.values()))


def _blocks(rows: list[str], first: int) -> Iterator[_Block]:
    starts = [at for at in range(first, len(rows)) if rows[at].startswith("== ")]
    for start, end in pairwise([*starts, len(rows)]):
        yield _Block(rows[start], start + 1, tuple(rows[start + 1 : end]))


def _probe(block: _Block, source: Source, group: str | None) -> Probe:
    match = _HEADER.fullmatch(block.header)
    if match is None:
        message = "expected a header such as '== chat-01 dev', found"
        raise source.error(block.number, f"{message} {_shown(block.header)}")
    if match["half"] not in HALVES:
        known = " or ".join(HALVES)
        raise source.error(block.number, f"expected the half {known}, found {match['half']!r}")
    if group is not None and match["group"] != group:
        raise source.error(block.number, f"expected the class {group}, found {match['group']}")
    filled = [at for at, line in enumerate(block.lines) if line.strip()]
    if not filled:
        raise source.error(block.number, f"expected a text of {match['id']}, found none")
    lines = block.lines[filled[0] : filled[-1] + 1]
    text, mentions = read_marked_text("\n".join(lines), source, block.number + 1 + filled[0])
    return Probe(match["id"], match["group"], match["half"], text, mentions)


def read_marked_text(
    marked: str, source: Source, line: int = 1
) -> tuple[str, tuple[ExpectedMention, ...]]:
    """A text without its marks, and the mentions that they mark; `line` is that of its start."""
    parts: list[str] = []
    done = length = 0
    begun: list[tuple[int, re.Match[str]]] = []
    mentions: dict[tuple[Chars, str], ExpectedMention] = {}

    def error(at: int, message: str) -> Exception:
        return source.error(line + marked.count("\n", 0, at), message)

    for match in _MARK.finditer(marked):
        parts.append(marked[done : match.start()])
        length += len(parts[-1])
        done = match.end()
        if match["id"]:
            begun.append((length, match))
        elif match[0] == "⟦":
            found = _shown(marked[match.start() :].partition("\n")[0])
            raise error(match.start(), f"expected a mark such as ⟦1:words⟧, found {found}")
        elif not begun:
            raise error(match.start(), "expected ⟦ before ⟧, found none")
        else:
            start, opening = begun.pop()
            chars = Chars(start, length)
            words = "".join(parts)[start:length]
            if not words or words != words.strip():
                message = f"expected a mark around words without white space, found {words!r}"
                raise error(opening.start(), message)
            key = chars, opening["id"]
            if key in mentions:
                raise error(
                    opening.start(), f"expected a mention once, found entity {key[1]} twice"
                )
            mentions[key] = ExpectedMention(chars, opening["id"], not opening["optional"])
    if begun:
        opening = begun[-1][1]
        raise error(opening.start(), f"expected ⟧ after {opening[0]}, found the end of the text")
    ordered = sorted(mentions.values(), key=lambda each: (each.chars.start, -each.chars.end))
    return "".join([*parts, marked[done:]]), tuple(ordered)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}...")
