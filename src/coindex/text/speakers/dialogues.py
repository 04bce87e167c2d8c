"""Turns that begin with a label: transcripts, chats, scripts, question and answer, subtitles.

    Ann: Hi!                 [12:03] ann: hi          ANN                 Q: Who are you?
    Ben (laughs): Hello.     12:04 <ben> hello            (softly)        A: I am Ann.
                             ann (12:03 PM): hi       Hi!

One line with a colon is no dialogue: keys of records, headings and recipes look alike. Labels
count if they name people (`label_roles`, given names) or recur, and if somebody says `I` or
`you` or asks something. What follows a turn without a label belongs to it only if it is
the same paragraph, or clearly speech.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from coindex.text.person_names import is_title
from coindex.text.speakers.labels import (
    Line,
    Turn,
    clean_label,
    kind_of_label,
    speaks,
)
from coindex.text.word_lists import words
from coindex.types.span import Chars

_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f]?[AaPp]\.?[Mm]\b\.?)?"
_STAMP = rf"(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}},?[ ]+)?{_TIME}"
_MARKS = r"(?:\*\*|__|\*|_)?"
_STAMPED = re.compile(
    rf"[ \t]*(?:\[{_STAMP}\]|\({_STAMP}\)|{_STAMP})[ \t]*(?:[-–—][ \t]+)?"
    r"(?:<[@+%~&]?(?P<nick>[^<>\n]{1,40})>:?|(?P<name>[^:\n<>\[\]]{1,40}):(?=\s|$))"
)
_NICK = re.compile(r"[ \t]*<[@+%~&]?(?P<name>[^<>\n/=\"]{1,30})>:?[ \t]+(?=\S)")
_AFTER = re.compile(rf"[ \t]*(?P<name>[^:\n()\[\]]{{1,40}}?)[ \t]*[\[(]{_STAMP}[\])][ \t]*:")
_HEAD = re.compile(
    rf"[ \t]*(?P<name>[^\W\d_][^:\n\[\]()]{{0,39}}?)(?:[ \t]+|,[ \t]*)[\[(]?{_STAMP}[\])]?$"
)
_LABEL = re.compile(
    rf"[ \t]*(?:[-–—][ \t]+)?{_MARKS}(?P<name>@?[^\W_][^:\n()\[\]*]{{0,39}}?){_MARKS}[ \t]*"
    rf"(?P<note>\([^()\n]{{0,40}}\)|\[[^\[\]\n]{{0,40}}\])?{_MARKS}:{_MARKS}(?=\s|$)"
)
_QUESTION = re.compile(
    rf"[ \t]*{_MARKS}(?P<name>Q|A|Question|Answer)(?:[ ]?\d+)?{_MARKS}[:.]{_MARKS}[ \t]+"
)
_DASH = re.compile(r"[ \t]*(?:[-–—]|>>)[ \t]*(?=[^\s>-])")
_CHEVRON = re.compile(r"\s*>>[ ]")
_CUE = re.compile(
    r"[ \t]*(?P<name>[^\W\d_a-z][^\Wa-z_]*(?:[ .'’#-]{1,2}[^\Wa-z_]+){0,4})\.?"
    r"[ \t]*(?P<note>(?:\([^()\n]{0,40}\)[ \t]*){0,2})$"
)
_INLINE_CUE = re.compile(
    r"[ \t]*(?P<name>[^\W\d_a-z][^\Wa-z_]+(?:[ ][^\Wa-z_]+){0,2})\.[ \t]+(?=[\[(“‘\"]?[A-Z])"
)
_SCENE = re.compile(r"[ \t]*(?:\d+[. ]+)?(?:INT|EXT|INT\.?/EXT|I/E|SCENE|ACT)[. ]")
_DIRECTION = re.compile(r"[ \t]*(?:\([^()]*\)|\[[^\[\]]*\]|\*[^*]*\*)[ \t.]*$")
_SUBTITLE = re.compile(r"[ \t]*(?:\d+|[\d:,.]+[ ]-->[ ].*)$")
_SYSTEM = re.compile(rf"[ \t]*[\[(]?(?:{_STAMP})?[\])]?[ \t]*(?:\*{{1,3}}|-!-|-->|<--|==)[ ]")
_TO = re.compile(r"[ \t]*[(\[](?:[a-z]+,? )?to ([^()\[\]]{1,30})[)\]]", re.IGNORECASE)
_PARTIES = re.compile(r"\b(?:I|me|[Mm]y|[Yy]our?)\b")
_WRAPPED = 55
"""A line of so many characters may be continued on the next one."""

_LONGEST = 100
"""A text with a longer line is not wrapped: each of its lines is a paragraph."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the turns of a text are written.

    gaps      whether blank lines separate them
    wrapped   whether lines are of limited length
    narrated  whether there is much between the turns that has no label
    """

    gaps: bool
    wrapped: bool
    narrated: bool


@dataclass(frozen=True, slots=True)
class _Cue:
    """A label in a line: where it is, where speech begins, and how the label is marked."""

    line: int
    chars: Chars
    name: str
    speech: int
    form: str
    note: str = ""


def dialogue_turns(text: str, lines: Sequence[Line]) -> list[Turn]:
    """The turns of a dialogue, if the lines are one."""
    for find in (_stamped, _questions, _labelled, _script):
        cues = find(lines)
        if cues:
            return _turns(text, lines, cues)
    return _dashes(text, lines)


def _cue(number: int, line: Line, match: re.Match[str], form: str, group: str = "name") -> _Cue:
    start, end = match.span(group)
    note = match.groupdict().get("note") or ""
    chars = Chars(line.start + start, line.start + end)
    return _Cue(number, chars, clean_label(match[group]), line.start + match.end(), form, note)


def _stamped(lines: Sequence[Line]) -> list[_Cue]:
    """Cues with a time or a nick in angle brackets."""
    cues, nicks = [], 0
    for number, line in enumerate(lines):
        text = line.text
        if not text or (":" not in text and "<" not in text and "." not in text):
            continue
        if match := _STAMPED.match(text):
            group = "nick" if match["nick"] else "name"
            cues.append(_cue(number, line, match, "stamped", group))
        elif (match := _NICK.match(text)) and "</" not in text:
            cues.append(_cue(number, line, match, "nick"))
            nicks += 1
        elif match := _AFTER.match(text):
            cues.append(_cue(number, line, match, "stamped"))
        elif (match := _HEAD.match(text)) and kind_of_label(clean_label(match["name"])) == "name":
            cues.append(_cue(number, line, match, "head"))
    cues = [cue for cue in cues if kind_of_label(cue.name) or (cue.form == "nick" and cue.name)]
    heads = [cue for cue in cues if cue.form == "head"]
    if len(heads) == 1:
        cues.remove(heads[0])
    several = len({cue.name.casefold() for cue in cues}) > 1 or nicks > 1
    spoken = several and any(speaks(_first_words(lines, cue)) for cue in cues)
    return cues if len(cues) > 1 and (spoken or _is_dialogue(lines, cues)) else []


def _questions(lines: Sequence[Line]) -> list[_Cue]:
    cues = [
        _cue(number, line, match, {"Q": "question", "A": "answer"}[match["name"][0]])
        for number, line in enumerate(lines)
        if (match := _QUESTION.match(line.text))
    ]
    forms = [cue.form for cue in cues]
    if "answer" not in forms or "question" not in forms[:1]:
        return []
    others = _labelled(lines)
    return cues if len(others) <= len(cues) else []


def _labelled(lines: Sequence[Line]) -> list[_Cue]:
    """Cues with a colon."""
    cues = []
    for number, line in enumerate(lines):
        if ":" in line.text[:90] and (match := _LABEL.match(line.text)):
            cue = _cue(number, line, match, "turn")
            if kind_of_label(cue.name):
                cues.append(cue)
    return _plausible(lines, cues)


def _plausible(lines: Sequence[Line], cues: list[_Cue]) -> list[_Cue]:
    """The cues whose labels are speakers, if together they make a dialogue."""
    counts = Counter(cue.name.casefold() for cue in cues)
    several = len(counts) > 1

    def accepted(cue: _Cue) -> bool:
        kind, count = kind_of_label(cue.name), counts[cue.name.casefold()]
        if kind == "other":
            return count > 1 and several
        return kind in ("name", "role", "capitals") or count > 1

    cues = [cue for cue in cues if accepted(cue)]
    if not cues or not _is_dialogue(lines, cues):
        return []
    return cues


def _is_dialogue(lines: Sequence[Line], cues: Sequence[_Cue]) -> bool:
    counts = Counter(cue.name.casefold() for cue in cues)
    persons = {cue.name.casefold() for cue in cues if kind_of_label(cue.name) in ("name", "role")}
    spoken = sum(map(speaks, (_first_words(lines, cue) for cue in cues)))
    recurs = max(counts.values()) > 1
    if len(cues) == 1:
        return spoken > 0 and _is_only_speaker(lines, cues[0])
    if not recurs or any(_DASH.match(lines[cue.line].text) for cue in cues):
        return len(persons) > 1 and 2 * spoken >= len(cues)  # else a list of tasks or of people
    if persons:
        return 6 * spoken >= len(cues)
    return len(counts) > 1 and 4 * spoken >= len(cues)


def _is_only_speaker(lines: Sequence[Line], cue: _Cue) -> bool:
    """Whether the only label of a text is a person's: a given name, or no word of the language."""
    kind = kind_of_label(cue.name)
    if _PARTIES.search(_first_words(lines, cue)) is None:
        return False
    if kind != "capitals" or any(not line.blank for line in lines[: cue.line]):
        return kind == "name"
    return not any(part.lower() in words("vocabulary") for part in cue.name.split())


def _first_words(lines: Sequence[Line], cue: _Cue) -> str:
    line = lines[cue.line]
    rest = line.text[cue.speech - line.start :]
    if rest.strip() or cue.line + 1 == len(lines):
        return rest
    return lines[cue.line + 1].text


def _script(lines: Sequence[Line]) -> list[_Cue]:
    """Names in capitals on a line of their own, or before a full stop, followed by speech."""
    cues = []
    for number, line in enumerate(lines):
        text = line.text
        if not text or _SCENE.match(text):
            continue
        match = _CUE.match(text)
        if match is None or not _speech_follows(lines, number):
            match = _INLINE_CUE.match(text)
        if match is None or is_title(match["name"]):
            continue
        cue = _cue(number, line, match, "script")
        if kind_of_label(cue.name) not in ("", "lower", "other") and len(cue.name) > 1:
            cues.append(cue)
    counts = Counter(cue.name.casefold() for cue in cues)
    if any(_SCENE.match(line.text) for line in lines):
        return cues if any(speaks(_first_words(lines, cue)) for cue in cues) else []
    enough = len(counts) > 1 and (max(counts.values()) > 1 or len(cues) < 4)
    return cues if enough and _is_dialogue(lines, cues) else []


def _speech_follows(lines: Sequence[Line], number: int) -> bool:
    if number + 1 >= len(lines) or lines[number + 1].blank:
        return False
    text = lines[number + 1].text
    return not text.isupper() or len(text.split()) > 4 or text.rstrip()[-1] in ".!?"


def _turns(text: str, lines: Sequence[Line], cues: Sequence[_Cue]) -> list[Turn]:
    turns = []
    layout = _layout(lines, cues)
    for at, cue in enumerate(cues):
        last = at + 1 == len(cues)
        stop = len(lines) if last else cues[at + 1].line
        end = _last_line(lines, cue, stop, replace(layout, gaps=False) if last else layout)
        turns.append(_turn(text, lines, cue, end))
    return [turn for turn in turns if len(turn.chars)]


def _turn(text: str, lines: Sequence[Line], cue: _Cue, last: int) -> Turn:
    start, end = cue.speech, max(cue.speech, lines[last].end)
    while start < end and text[start].isspace():
        start += 1
    to = _TO.match(cue.note) or _TO.match(text[start : start + 60])
    name = {"question": "Q", "answer": "A"}.get(cue.form, cue.name)
    kind = cue.form if cue.form in ("question", "answer", "script") else "turn"
    return Turn(Chars(start, end), name, clean_label(to[1]) if to else "", cue.chars, kind)


def _layout(lines: Sequence[Line], cues: Sequence[_Cue]) -> _Layout:
    """How the turns of a text are written."""
    before = [cue.line > 0 and lines[cue.line - 1].blank for cue in cues[1:]]
    shown = [len(line.text) for line in lines if not line.blank]
    return _Layout(
        gaps=sum(before) * 2 > len(before),
        wrapped=max(shown) <= _LONGEST,
        narrated=2 * (len(shown) - len(cues)) > len(cues),
    )


def _last_line(lines: Sequence[Line], cue: _Cue, stop: int, layout: _Layout) -> int:
    """The last line of a turn before the line `stop`."""
    last, gap = cue.line, False
    begun = lines[cue.line].end > cue.speech
    for at in range(cue.line + 1, stop):
        line = lines[at]
        if line.blank or _SUBTITLE.match(line.text):
            gap = True
            continue
        if (
            _SCENE.match(line.text)
            or _SYSTEM.match(line.text)
            or (gap and _DIRECTION.match(line.text))
        ):
            break
        if begun and not _continues(lines[at - 1], line, cue, gap, layout):
            break
        last, gap, begun = at, False, True
    return last


def _continues(before: Line, line: Line, cue: _Cue, gap: bool, layout: _Layout) -> bool:
    """Whether a line without a label belongs to the turn before it."""
    if gap:
        return layout.gaps and cue.form != "script" and speaks(line.text)
    if cue.form in ("script", "head") or line.text.lstrip()[:1].islower():
        return True
    if layout.wrapped and (len(before.text) >= _WRAPPED or before.text[-1] not in '.!?…"”)'):
        return True
    return speaks(line.text) and not layout.narrated


def _dashes(text: str, lines: Sequence[Line]) -> list[Turn]:
    """Lines that begin with a dash: two speakers in turn, if they ask and answer each other."""
    turns: list[Turn] = []
    run: list[Chars] = []
    block = 0
    for line in (*lines, Line(len(text), "end")):
        if match := _DASH.match(line.text):
            run.append(Chars(line.start + match.end(), line.end))
            block += 1
        elif (line.blank or _SUBTITLE.match(line.text)) and (block != 1 or _CHEVRON.match(text)):
            block = 0  # who answers in the next caption may be the first speaker again
        else:
            alone = block == 1 and len(run) > 2 and not _CHEVRON.match(text)
            turns += _dash_turns(text, run[:-1] if alone else run, len(turns))
            run, block = [], 0
    return turns


def _dash_turns(text: str, run: Sequence[Chars], before: int) -> list[Turn]:
    said = [chars.of(text) for chars in run]
    if len(said) < 2 or not all(line[-1] in '.?!…-—"”' for line in said):
        return []
    if not any("?" in line for line in said[:-1]) or sum(map(speaks, said)) * 2 < len(said):
        return []
    return [Turn(chars, f"Speaker {before + at % 2 + 1}") for at, chars in enumerate(run)]
