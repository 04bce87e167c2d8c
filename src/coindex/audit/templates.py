"""Texts with slots for names and pronouns, and the expected mentions of what they give.

A file holds the passages of one class:

    # One line that says what the class is about.

    == one-person-01 A=f
    <The jury praised {A} for [B:a film].||{A} was praised by the jury for [B:a film].> {+}{A.They}
    {A.was|were} proud of [B:it].

`A=f` is a person, with the gender that is written without a change; `-` is a person without pronouns. Slots:

    {A} {A.first} {A.last}         the name
    {A.they} {A.Them} {A.their}    a pronoun; also theirs, themself
    {A.was|were}                   a verb: with `he` and `xe`, and with `they`
    [B:a film]                     a mention in these words, which may hold slots
    <one||other>                   a clause, and the same in the passive
    {+}                            where sentences can be inserted
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from coindex import io
from coindex.benchmarks.probe_format import ExpectedMention
from coindex.text.word_lists import labels
from coindex.types.source import Source
from coindex.types.span import Chars

CLASSES = ("one-person", "two-people", "roles")
GENDERS = {"f": "feminine", "m": "masculine"}
PRONOUNS = {"feminine": "she", "masculine": "he"}

_HEADER = re.compile(r"== (?P<id>(?P<group>[a-z-]+)-\d\d)(?P<people>(?: [A-Z]=[fm-])+)")
_SLOT = re.compile(
    r"\{(?P<entity>[A-Z])(?:\.(?P<form>[^{}]+))?\}|(?P<filler>\{\+\})"
    r"|\[(?P<open>[A-Z]):|(?P<close>\])|(?P<active>[<])|(?P<passive>\|\|)|(?P<end>>)"
)
_FORMS = ("they", "them", "their", "theirs", "themself")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with slots.

    group   its class
    people  the persons with the gender that they have without a change; "" for one without pronouns
    """

    id: str
    group: str
    people: Mapping[str, str]
    text: str

    @property
    def named(self) -> tuple[str, ...]:
        """The persons that have a name."""
        return tuple(
            each
            for each in self.people
            if re.search(rf"\{{{each}(?:\.first|\.last)?\}}", self.text)
        )

    @property
    def with_pronouns(self) -> tuple[str, ...]:
        """The persons that have pronouns."""
        return tuple(each for each in self.people if re.search(rf"\{{{each}\.[Tt]he", self.text))

    @property
    def has_passive(self) -> bool:
        """Whether a clause can be put into the passive."""
        return "||" in self.text


@dataclass(frozen=True, slots=True)
class Filling:
    """What the slots of a template become.

    names      given name and last name of each person with a name
    pronouns   the name of a set of `pronoun_sets` for each person
    passive    whether clauses are in the passive
    inserted   sentences to insert
    """

    names: Mapping[str, tuple[str, str]]
    pronouns: Mapping[str, str]
    passive: bool = False
    inserted: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A mention after the first of its entity: which entity does a resolver join it with?

    key   entity and number of the mention, the same in all texts of a template
    """

    key: tuple[str, int]
    mention: ExpectedMention


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with its expected mentions, in reading order.

    kinds   for each mention whether it is a "name", a "noun" or a "pronoun"
    """

    id: str
    group: str
    text: str
    mentions: tuple[ExpectedMention, ...]
    kinds: tuple[str, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        """All mentions but the first of each entity."""
        seen: dict[str, int] = {}
        result = []
        for mention in self.mentions:
            number = seen[mention.entity] = seen.get(mention.entity, 0) + 1
            if number > 1:
                result.append(Question((mention.entity, number), mention))
        return tuple(result)


@cache
def templates() -> tuple[Template, ...]:
    """All texts of the package, class by class."""
    return tuple(
        each
        for group in CLASSES
        for each in read_templates(
            io.package_text("coindex.audit", "texts", f"{group}.txt"), Source(f"{group}.txt")
        )
    )


@cache
def fillers() -> tuple[str, ...]:
    """Sentences about nobody, to be inserted."""
    return tuple(io.package_text("coindex.audit", "fillers.txt").split("\n")[:-1])


def read_templates(text: str, source: Source) -> Iterator[Template]:
    """The templates of a file."""
    for number, line in enumerate(lines := text.split("\n"), 1):
        if not line.startswith("== "):
            continue
        match = _HEADER.fullmatch(line)
        if match is None:
            raise source.error(
                number, f"expected a header such as '== roles-01 A=f', found {line!r}"
            )
        people = dict(each.split("=") for each in match["people"].split())
        body = []
        for following in lines[number:]:
            if following.startswith("== "):
                break
            body.append(following)
        yield Template(
            match["id"],
            match["group"],
            {name: GENDERS.get(gender, "") for name, gender in people.items()},
            "\n".join(body).strip(),
        )


def fill(template: Template, filling: Filling) -> Passage:
    """The text of a template, with its mentions."""
    writer = _Writer(template, filling)
    done = 0
    for match in _SLOT.finditer(template.text):
        writer.add(template.text[done : match.start()])
        writer.slot(match)
        done = match.end()
    writer.add(template.text[done:])
    pairs = sorted(writer.mentions, key=lambda each: (each[0].chars.start, -each[0].chars.end))
    return Passage(
        template.id,
        template.group,
        "".join(writer.parts),
        tuple(mention for mention, _ in pairs),
        tuple(kind for _, kind in pairs),
    )


@dataclass(slots=True)
class _Writer:
    """The text so far, and what is open in it."""

    template: Template
    filling: Filling
    parts: list[str] = field(default_factory=list)
    size: int = 0
    mentions: list[tuple[ExpectedMention, str]] = field(default_factory=list)
    begun: list[tuple[str, int]] = field(default_factory=list)
    skipping: bool = False

    def add(self, text: str) -> None:
        """Write words, unless they are of the voice that is not wanted."""
        if not self.skipping:
            self.parts.append(text)
            self.size += len(text)

    def slot(self, match: re.Match[str]) -> None:
        """Write what a slot becomes."""
        if match["active"] or match["passive"] or match["end"]:
            wanted = "passive" if self.filling.passive else "active"
            self.skipping = not match["end"] and match[wanted] is None
        elif self.skipping:
            return
        elif match["open"]:
            self.begun.append((match["open"], self.size))
        elif match["close"]:
            entity, start = self.begun.pop()
            words = "".join(self.parts)[start:]
            self._mark(entity, start, "pronoun" if words.lower() in ("it", "its") else "noun")
        elif match["filler"]:
            self.add("".join(f"{sentence} " for sentence in self.filling.inserted))
        else:
            self._person(match["entity"], match["form"] or "")

    def _person(self, entity: str, form: str) -> None:
        start = self.size
        low = form.lower()
        chosen = self.filling.pronouns.get(entity, "")
        if "|" in form:
            self.add(form.split("|")[chosen == "they"])
        elif low in _FORMS:
            word = labels("pronoun_sets")[chosen].split()[_FORMS.index(low)]
            self.add(word.capitalize() if form[0].isupper() else word)
            self._mark(entity, start, "pronoun")
        else:
            given, last = self.filling.names[entity]
            self.add({"": f"{given} {last}", "first": given, "last": last}[form])
            self._mark(entity, start, "name")

    def _mark(self, entity: str, start: int, kind: str) -> None:
        self.mentions.append((ExpectedMention(Chars(start, self.size), entity), kind))
