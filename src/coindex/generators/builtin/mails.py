"""Mails: headers, salutations, signatures and quotations in other forms, and other names.

    From : heather.dunton@enron.com            From : Noreen Okafor
    X - From : Dunton , Heather                To : Dirk A. Bell
    X - To : Allen , Phillip K.                Subject : RE : West Position
    Subject : RE : West Position               Hi Dirk ,
    Please let me know ...                     Please let me know ...
                                               Best , Noreen

The source is a document of mail lines as the corpus `email` has them: header fields, bodies, and
older mails after a line `Original Message`. Forms are drawn for a whole document:

    headers     as they are; without addresses (`names`); without the fields that nobody reads
                (`short`); or an older mail's header as `On DATE , NAME wrote :` (`wrote`)
    salutation  added where a mail to one person has none, or with `Hi`, `Dear`
    signature   added where a mail has none
    quotes      `>` before the lines of older mails

What is added is a mention of the entity of the sender or of the person written to, who are the
entities mentioned in `From` and `To`. Persons get new names, in addresses too: see `people`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from coindex.generators.people import PersonName, draw_names, find_people, name_edits, split_name
from coindex.generators.protocol import Generated, Make, Variant
from coindex.transform.edit import TokenEdit, replace_tokens
from coindex.types.document import Document
from coindex.types.mention import Mention
from coindex.types.span import Span

UNIT = "mails"
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "headers": ("any", "names", "short", "wrote", "keep"), "names": ("change", "keep"),
}  # fmt: skip

_FIELDS = (
    "date",
    "from",
    "to",
    "subject",
    "cc",
    "bcc",
    "sent",
    "x - from",
    "x - to",
    "x - cc",
    "x - bcc",
)
_UNREAD = frozenset({"x - cc", "x - bcc", "bcc"})
_ADDRESSES = frozenset({"from", "to", "cc", "bcc", "date"})
_GREETINGS = (("Hi",), ("Dear",), ("Hello",), ("Good", "morning"), ())
_CLOSINGS = (("Thanks", ","), ("Best", ","), ("Regards", ","), ("Cheers", ","), ())
_LETTERS = re.compile(r"[a-z]+(?:'[a-z]+)*", re.IGNORECASE)


@dataclass(slots=True)
class Mail:
    """One mail of a thread: its lines, by fields and body.

    first    the line `Original Message` before an older mail
    """

    first: Span | None = None
    fields: dict[str, Span] = field(default_factory=dict)
    body: list[Span] = field(default_factory=list)


def generator(documents: Sequence[Document], headers: str = "any", names: str = "change") -> Make:
    """Gives the mails of a thread other forms."""

    def make(document: Document, rng: random.Random) -> Generated:
        mails = list(find_mails(document))
        if not any("from" in mail.fields for mail in mails):
            return Generated.none("no header of a mail")
        form = rng.choice(OPTIONS["headers"][1:]) if headers == "any" else headers
        drawn = draw_names(document, find_people(document), rng) if names == "change" else None
        mapping = drawn.mapping if drawn is not None else {}
        thread = _Thread(document, mapping, form, rng)
        edits = [edit for number, mail in enumerate(mails) for edit in thread.edits(mail, number)]
        done = {token for edit in edits for token in range(edit.start, edit.end)}
        edits += [e for e in _renamed(document, mapping) if e.start not in done]
        changed = _one_line(replace_tokens(document, edits))
        change = f"headers {form}, quotes {thread.quoted}"
        return Generated([Variant(_with_speakers(changed, mapping), change, len(mails))])

    return make


def find_mails(document: Document) -> Iterator[Mail]:
    """The mails of a thread, the newest first."""
    mail = Mail()
    for line in document.sentence_spans():
        name = _field(document, line)
        if _is_separator(document, line):
            yield mail
            mail = Mail(line)
        elif name and not mail.body:
            mail.fields.setdefault(name, line)
        elif name == "from":
            yield mail
            mail = Mail(None, {name: line})
        else:
            mail.body.append(line)
    yield mail


def _is_separator(document: Document, line: Span) -> bool:
    return document.tokens[line.start : line.end] == ("Original", "Message")


def _field(document: Document, line: Span) -> str:
    """The name of the header field that a line is, in lower case; empty if it is none."""
    tokens = [
        token.lower() for token in document.tokens[line.start : min(line.end, line.start + 4)]
    ]
    if ":" not in tokens:
        return ""
    name = " ".join(tokens[: tokens.index(":")])
    return name if name in _FIELDS else ""


def _renamed(document: Document, mapping: Mapping[str, str]) -> Iterator[TokenEdit]:
    """The edits that exchange names, in mail addresses too."""
    yield from name_edits(document, mapping)
    low = {old.lower(): new.lower() for old, new in mapping.items()}
    for index, token in enumerate(document.tokens):
        if "@" in token and token not in mapping:
            user, _, host = token.partition("@")
            new = _LETTERS.sub(lambda match: low.get(match[0].lower(), match[0]), user)
            if new != user:
                yield TokenEdit(index, index + 1, (f"{new}@{host}",))


@dataclass(slots=True)
class _Thread:
    """The forms that were drawn for a thread, and the edits that they make."""

    document: Document
    mapping: Mapping[str, str]
    form: str
    rng: random.Random
    quoted: bool = False
    turned: bool = False
    greeting: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.quoted = self.rng.random() < 0.3
        self.turned = self.form != "keep" and self.rng.random() < 0.7
        self.greeting = self.rng.choice(_GREETINGS)
        self.closing = self.rng.choice(_CLOSINGS)

    def edits(self, mail: Mail, number: int) -> Iterator[TokenEdit]:
        """The edits of one mail."""
        dropped = set(self._dropped(mail, number))
        yield from self._headers(mail, number, dropped)
        mark = (">",) if self.quoted and number else ()
        greeting = yield from self._salutation(mail, mark)
        for index, line in enumerate(mail.body):
            words = (*mark, *(greeting if not index else ()))
            if words:
                yield TokenEdit(line.start, line.start, words)
        yield from self._signature(mail, mark)
        for name in mail.fields if self.turned else ():
            if name not in dropped:
                yield from self._turned_names(mail.fields[name])

    def _dropped(self, mail: Mail, number: int) -> Iterator[str]:
        """The fields of a mail that are left out."""
        for name in mail.fields:
            shown = f"x - {name}" in mail.fields
            if self.form == "wrote" and number and self._says(mail):
                if name != "from":
                    yield name
            elif (
                (self.form != "keep" and name in _UNREAD)
                or (
                    self.form in ("names", "wrote")
                    and (name == "date" or (name in _ADDRESSES and shown))
                )
                or (self.form == "short" and name in ("date", "x - from", "x - to"))
            ):
                yield name

    def _says(self, mail: Mail) -> bool:
        """Whether an older mail names its sender and its date."""
        return mail.first is not None and {"from", "sent"} <= set(mail.fields)

    def _headers(self, mail: Mail, number: int, dropped: set[str]) -> Iterator[TokenEdit]:
        wrote = self.form == "wrote" and number and self._says(mail)
        last: tuple[str, ...] = ("wrote", ":") if wrote else ()
        for name, line in mail.fields.items():
            if name in dropped:
                yield TokenEdit(line.start, line.end, last)
                last = ()
            elif wrote:
                sent = mail.fields["sent"]
                date = self.document.tokens[sent.start + 2 : min(sent.end, sent.start + 8)]
                yield TokenEdit(line.start, line.start + 2, ("On", *date, ","))
            elif self.form != "keep" and name.startswith("x - "):
                yield TokenEdit(line.start, line.start + 2, ())
        if wrote and mail.first is not None:
            yield TokenEdit(mail.first.start, mail.first.end, ())

    def _turned_names(self, line: Span) -> Iterator[TokenEdit]:
        """`Dunton , Heather` as `Heather Dunton`."""
        for mention in _whole_mentions(self.document, line):
            tokens = self.document.tokens[mention.start : mention.end]
            if len(tokens) in (3, 4) and tokens[1] == "," and split_name(tokens):
                turned = tuple(self.mapping.get(word, word) for word in (*tokens[2:], tokens[0]))
                yield TokenEdit(mention.start, mention.end, turned)

    def _person(self, mail: Mail, *names: str) -> tuple[int, PersonName] | None:
        """The only entity of some header fields, and its name."""
        for name in names:
            line = mail.fields.get(name)
            entities = self._named_in(line) if line is not None else {}
            if len(entities) == 1:
                return next(iter(entities.items()))
            if entities:
                return None
        return None

    def _named_in(self, line: Span) -> dict[int, PersonName]:
        """The entities with a person's name on a line; all entities must have one."""
        found: dict[int, PersonName | None] = {}
        for number, entity in enumerate(self.document.entities):
            for mention in entity.mentions:
                if line.start <= mention.start and mention.end <= line.end:
                    tokens = self.document.tokens[mention.start : mention.end]
                    name = split_name(tokens) if "@" not in tokens[0] else None
                    found[number] = found.get(number) or (name if name and name.given else None)
        named = {number: name for number, name in found.items() if name is not None}
        return named if len(named) == len(found) else {}

    def _new(self, words: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.mapping.get(word, word) for word in words)

    def _salutation(
        self, mail: Mail, mark: tuple[str, ...]
    ) -> Generator[TokenEdit, None, tuple[str, ...]]:
        """A new salutation; returns what is put before the one that there is."""
        person = self._person(mail, "x - to", "to")
        if person is None or not mail.body:
            return ()
        number, name = person
        first = mail.body[0]
        tokens = self.document.tokens[first.start : first.end]
        given = self._new(name.given[:1])
        if name.given[0] in tokens[:3]:
            alone = len(tokens) <= 3 and tokens[0] == name.given[0]
            return self.greeting if alone else ()
        if len(tokens) > 3 and tokens[0].lower() not in ("hi", "hello", "dear", "all", "hey"):
            words = (*mark, *self.greeting, *given, ",")
            place = (len(words) - 2, len(words) - 1, number)
            yield TokenEdit(first.start, first.start, words, (place,), True)
        return ()

    def _signature(self, mail: Mail, mark: tuple[str, ...]) -> Iterator[TokenEdit]:
        person = self._person(mail, "x - from", "from")
        if person is None or not mail.body:
            return
        number, name = person
        end = [t for line in mail.body[-6:] for t in self.document.tokens[line.start : line.end]]
        if {*name.given, *name.last} & set(end) or len(mail.body[-1]) < 4:
            return
        full = self.rng.random() < 0.4
        words = (*mark, *self._new((*name.given[:1], *(name.last if full else ()))))
        at = mail.body[-1].end
        speaker = self.document.speakers[at - 1] if self.document.speakers else None
        if self.closing:
            yield TokenEdit(at, at, (*mark, *self.closing), (), True, speaker)
        place = (len(mark), len(words), number)
        yield TokenEdit(at, at, words, (place,), True, speaker)


def _whole_mentions(document: Document, line: Span) -> Iterator[Mention]:
    return (m for m in document.mentions if line.start <= m.start and m.end <= line.end)


def _one_line(document: Document) -> Document:
    """The document with `wrote :` in the sentence of the name before it."""
    kept = tuple(
        first for first in document.sentences
        if not first or document.tokens[first : first + 2] != ("wrote", ":")
    )  # fmt: skip
    return replace(document, sentences=kept)


def _with_speakers(document: Document, mapping: Mapping[str, str]) -> Document:
    if document.speakers is None:
        return document
    return replace(document, speakers=tuple(mapping.get(s, s) for s in document.speakers))
