"""Mails and letters: who writes, and to whom.

A block of header lines (From, To, Date, Subject) begins a mail, and so do `On … wrote:`,
`-----Original Message-----` and a deeper level of `>`. Its speaker is the person after From,
else the one who signs; its addressee the only person after To, else the one in the salutation.
Quoted lines belong to the mail that they are quoted from. Without headers a salutation
(`Dear Ann,`) or a signature makes a text a letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from coindex.text.speakers.labels import Line, Turn, first_person, speaks
from coindex.text.speakers.mail_parts import Named, parties, party, salutation, signature
from coindex.text.word_lists import labels
from coindex.types.span import Chars

_HEADER = re.compile(
    r"[ \t]*[*_]{0,2}(?P<key>[A-Za-z][A-Za-z-]{1,24}|Sent by)[*_]{0,2}[ \t]*:[*_]{0,2}"
)
_QUOTED = re.compile(r"(?:[ \t]?>)+[ \t]?")
_SEPARATOR = re.compile(
    r"[ \t]*(?:[-_=]{3,}[ \t]*(?:Original|Forwarded|Begin|Reply|Inline).{0,60}"
    r"|Begin forwarded message:|[_-]{10,})$",
    re.IGNORECASE,
)
_WROTE = re.compile(
    r"[ \t]*(?P<on>On[ ])?(?P<name>[^\W_][^\n<>:;!?]{0,20}(?:[^\n<>;!?]{0,80}))[ ]*"
    r"(?P<mail>[<\[(][^\n<>\[\]()]{0,80}[>\])])?[ ]*(?:wrote|writes|said)[ ]*:$"
)
_DATE = re.compile(
    r"^.*\d(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?(?:,?[ ]+[+-]\d{4})?(?:[ ]\([A-Z]+\))?,?[ ]+(?=[^\W\d])"
)
_DAY = re.compile(r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?[ ]+(?=[^\W\d])")
_DATE_LINE = re.compile(r"[ \t]*\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}[ ]")
_TOP = 12
"""How many lines may stand above the salutation of a letter: addresses and a date."""


@dataclass(slots=True)
class _Mail:
    """A mail in the making: its parties, where they are named, and the lines of its body.

    headed   whether it has header lines or an attribution
    reply    the mail that quotes it
    answers  whether its subject begins with `Re:`
    """

    speaker: str = ""
    addressee: str = ""
    label: Chars | None = None
    names: list[Named] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    headed: bool = False
    reply: _Mail | None = None
    answers: bool = False


def mail_turns(text: str, lines: Sequence[Line]) -> list[Turn]:
    """The mails of a text, or its letters; nothing without headers, salutation and signature."""
    mails = _Splitter([_unquoted(line) for line in lines]).split()
    quoting = len(mails) > 1 and any(any(_greetings(_shown(mail)[:1])) for mail in mails)
    if not quoting and not any(mail.headed for mail in mails):
        return _letters(text, lines)
    turns: list[Turn] = []
    for mail in mails:
        turns += _turns(mail)
    return sorted(turns, key=lambda turn: (turn.chars.start, -turn.chars.end))


def _shown(mail: _Mail) -> list[Line]:
    return [line for line in mail.lines if not line.blank]


def _unquoted(line: Line) -> Line:
    match = _QUOTED.match(line.text)
    if match is None:
        return line
    end = match.end()
    return Line(line.start + end, line.text[end:], match[0].count(">"), line.number)


class _Splitter:
    """Assigns each line to its mail, by headers, attributions and levels of quotation."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.mails = [_Mail()]
        self.levels = {0: self.mails[0]}
        self.tried = 0

    def split(self) -> list[_Mail]:
        """The mails in the order in which they begin."""
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            begun = self._begun(at)
            if begun is None:
                self._level(line.depth).lines.append(line)
                at += 1
                continue
            mail, at = begun
            self._start(mail, line.depth, at)
        return self.mails

    def _level(self, depth: int) -> _Mail:
        """The mail that lines of a depth belong to; who is quoted unnamed wrote what is answered."""
        if depth not in self.levels:
            below = max(level for level in self.levels if level < depth)
            self.levels[depth] = _Mail(reply=self.levels[below] if below == depth - 1 else None)
            self.mails.append(self.levels[depth])
        return self.levels[depth]

    def _start(self, mail: _Mail, depth: int, after: int) -> None:
        """A mail begins: its lines are those of a deeper level, or all that follow."""
        self.mails.append(mail)
        following = next((line for line in self.lines[after : after + 4] if not line.blank), None)
        if following is not None and following.depth > depth:
            depth = following.depth
        self.levels[depth] = mail
        for level in [level for level in self.levels if level > depth]:
            del self.levels[level]

    def _begun(self, at: int) -> tuple[_Mail, int] | None:
        """The mail whose header or attribution begins at a line, and the index after that."""
        line = self.lines[at]
        attributes = line.text[-1:] == ":" or line.text.lstrip().startswith("On ")
        if attributes and (found := self._attributed(at)) is not None:
            return found
        if _SEPARATOR.match(line.text):
            after = at + 1
            while after < len(self.lines) and after < at + 4 and self.lines[after].blank:
                after += 1
            return self._header(after)
        return self._header(at) if ":" in line.text[:30] else None

    def _attributed(self, at: int) -> tuple[_Mail, int] | None:
        """The mail after `On Monday at 12:03 Ann Lee wrote:`, which may take three lines."""
        part: list[Line] = []
        for line in self.lines[at : at + 3]:
            part.append(line)
            joined = " ".join(each.text.strip() for each in part)
            if line.blank or len(joined) > 250:
                return None
            if joined.endswith(":") and (match := _WROTE.match(joined)):
                return self._attribution(part, match, at + len(part))
        return None

    def _attribution(
        self, part: Sequence[Line], match: re.Match[str], after: int
    ) -> tuple[_Mail, int] | None:
        written = match["name"].strip(" ,")
        dated = (_DATE.match(written) or _DAY.match(written)) if match["on"] else None
        name = written[dated.end() :] if dated else "" if match["on"] else written
        name = name.split(" <")[0].strip(" ,\"'")
        person = party(name or match["mail"] or "")
        quoted = next((line.depth for line in self.lines[after : after + 3] if not line.blank), 0)
        if not _is_person(person) or (quoted <= part[0].depth and dated is None):
            return None
        starts = [(line, line.text.find(name)) for line in part] if name else []
        chars = next(
            (Chars(o.start + n, o.start + n + len(name)) for o, n in starts if n >= 0), None
        )
        outer = self._level(part[0].depth)
        if outer.reply is not None and not outer.headed and not _shown(outer):
            outer = outer.reply  # the attribution is quoted with what it introduces
        if outer.headed is False and not outer.addressee:
            outer.addressee = person
        return _Mail(person, "", chars, headed=True, reply=outer), after

    def _header(self, at: int) -> tuple[_Mail, int] | None:
        """The mail whose block of header lines begins at an index."""
        if at < self.tried:
            return None
        fields: dict[str, list[Line]] = {}
        key, after = "", at
        for line in self.lines[at : at + 60]:
            match = _HEADER.match(line.text)
            name = match["key"].lower() if match is not None else ""
            if match is not None and (_is_header(name) or (fields and name.startswith("x-"))):
                key = name
                rest = Line(line.start + match.end(), line.text[match.end() :])
                fields.setdefault(key, []).append(rest)
            elif key and line.text[:1] in (" ", "\t") and not line.blank:
                fields[key].append(line)
            else:
                break
            after += 1
        if len(fields) < 2 or not ("from" in fields or {"to", "subject"} <= fields.keys()):
            self.tried = after
            return None
        return _headed(fields, None if "from" in fields else self._sender_above(at)), after

    def _sender_above(self, at: int) -> Line | None:
        """The line with the sender's name above a header block without From, perhaps with a date."""
        above = [line for line in self.lines[max(0, at - 3) : at] if not line.blank]
        if above and _DATE_LINE.match(above[-1].text):
            above.pop()
        if above and len(above[-1].text) < 60 and _is_person(party(above[-1].text)):
            return above[-1]
        return None


def _is_header(name: str) -> bool:
    return labels("mail_words").get(name) == "header"


def _is_person(name: str) -> bool:
    parts = name.split()
    return 0 < len(parts) <= 4 and all(not part[0].islower() for part in parts)


def _headed(fields: dict[str, list[Line]], above: Line | None) -> _Mail:
    """The mail with a header."""
    senders = parties(fields.get("from", [])) or (parties([above]) if above else [])
    recipients = parties(fields.get("to", []))
    mail = _Mail(headed=True, names=recipients + parties(fields.get("cc", [])))
    if senders:
        mail.label, mail.speaker = senders[0]
    if len(recipients) == 1:
        mail.addressee = recipients[0][1]
    subject = "".join(line.text for line in fields.get("subject", []))
    mail.answers = subject.strip().lower().startswith("re")
    return mail


def _turns(mail: _Mail) -> Iterator[Turn]:
    """The turns of a mail: runs of its lines, without its signature."""
    if mail.reply is not None:
        mail.addressee = mail.addressee or mail.reply.speaker
        if mail.reply.answers and not mail.headed:
            mail.speaker = mail.reply.addressee
    spoken: list[Sequence[Line]] = []
    for number, run in enumerate(_runs(mail.lines)):
        if not number and (greeted := salutation(run[0])) is not None:
            _greet(mail, greeted)
        end, signed, rest = signature(run, mail.speaker, mail=True)
        if signed is not None:
            mail.speaker = mail.speaker or signed[1]
            mail.names.append((signed[0], mail.speaker))
        spoken += [part for part in (run[:end], rest) if part]
    yield from _mail_turns(mail, spoken)


def _greet(mail: _Mail, greeted: Named) -> None:
    chars, name = greeted
    if not name:
        return
    mail.addressee = mail.addressee or name
    if name.split()[0].lower() in mail.addressee.lower().split():
        mail.names.append((chars, mail.addressee))


def _mail_turns(mail: _Mail, spoken: Sequence[Sequence[Line]]) -> Iterator[Turn]:
    """A turn for each part; the first holds where the parties are named."""
    if not (mail.speaker or mail.addressee):
        return
    named: tuple[Named, ...] = tuple(mail.names)
    label = mail.label
    if not spoken and (label or named):
        at = (label or named[0][0]).end
        spoken = [[Line(at, "")]]
    for part in spoken:
        text = part[0].text
        start = part[0].start + len(text) - len(text.lstrip())
        chars = Chars(start, max(start, part[-1].end))
        yield Turn(chars, mail.speaker, mail.addressee, label, "mail", named)
        label, named = None, ()


def _runs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines that follow each other in the text, without blank lines at both ends."""
    run: list[Line] = []
    for line in lines:
        if run and line.number != run[-1].number + 1:
            yield from _trimmed(run)
            run = []
        run.append(line)
    yield from _trimmed(run)


def _trimmed(run: Sequence[Line]) -> Iterator[list[Line]]:
    full = [at for at, line in enumerate(run) if not line.blank]
    if full:
        yield list(run[full[0] : full[-1] + 1])


def _letters(text: str, lines: Sequence[Line]) -> list[Turn]:
    """Letters: from a salutation to a signature, or the whole text if it has one of them."""
    greeted = [(at, found) for at, found in _greetings(lines)]
    if not greeted:
        run = next(_runs(lines), [])
        end, signed, rest = signature(run, "")
        if signed is None or not first_person(text, 0, signed[0].start) or end < 1:
            return []
        if not _closed(run, end):
            return []
        return list(
            _mail_turns(_Mail(signed[1], names=[signed]), [p for p in (run[:end], rest) if p])
        )
    turns: list[Turn] = []
    stops = [at for at, _ in greeted[1:]] + [len(lines)]
    for (at, named), stop in zip(greeted, stops, strict=True):
        turns += _letter(lines, at, stop, named, len(greeted) == 1)
    return turns


def _closed(run: Sequence[Line], end: int) -> bool:
    """Whether a closing stands before a name that ends a text without salutation."""
    text = run[end].text.strip(" ,.!").lower()
    return labels("mail_words").get(text.split(",")[0]) == "closing"


def _greetings(lines: Sequence[Line]) -> Iterator[tuple[int, Named]]:
    """The lines that greet somebody: `Dear` anywhere, others at the top."""
    shown = 0
    for at, line in enumerate(lines):
        if line.blank:
            continue
        shown += 1
        dear = "dear" in line.text[:12].lower()
        if (dear or shown <= 3) and (found := salutation(line, greeting=True)) is not None:
            rest = line.text[found[0].end - line.start :].strip()
            if rest and (len(rest) == 1 or shown == 1):
                yield at, found


def _letter(
    lines: Sequence[Line], at: int, stop: int, greeted: Named, only: bool
) -> Iterator[Turn]:
    run = next(_trimmed(lines[at:stop]), [])
    end, signed, rest = signature(run, "", mail=True)
    if signed is None:
        top = only and sum(not line.blank for line in lines[:at]) <= _TOP
        if not top or not any(speaks(line.text) for line in run[:end]):
            return
    mail = _Mail(signed[1] if signed else "", greeted[1], names=[greeted] if greeted[1] else [])
    mail.names += [signed] if signed else []
    yield from _mail_turns(mail, [part for part in (run[:end], rest) if part])
