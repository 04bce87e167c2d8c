"""Quotations in running text, with their speakers.

A quotation is speech if a speech tag names its speaker, if it makes up its
paragraph, or if somebody says `I` or `you` in it; titles and words in quotation marks are none.

The speaker is the subject of the speech tag. Other quotations of the same paragraph have the
same speaker, unless they have a tag of their own. Paragraphs without a tag between two known
speakers alternate, if that agrees with the next paragraph whose speaker is known. A pronoun in
a tag means the only speaker nearby whom it fits. Everybody else is unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from coindex.text.person_names import after_place_preposition
from coindex.text.speakers.labels import NARRATOR, Turn, label_gender, speaks
from coindex.text.speakers.quotation_marks import Quotation, quotations
from coindex.text.speakers.speech_tags import Tag, is_title_case, tag_after, tag_before
from coindex.text.word_lists import words
from coindex.types.span import Chars

_FAR = 6
"""How many paragraphs an untagged one may be from one whose speaker is known."""

_LEAD = 200
"""How much of a paragraph before a quotation is looked at, in characters."""

_SECOND = re.compile(r"\?|\byou(?:r|rs|rself)?\b", re.IGNORECASE)
_NAME = re.compile(r"(?:(?:Mr|Mrs|Ms|Dr)\.[ ])?[^\W\d_a-z][\w’'-]+(?:[ ][^\W\d_a-z][\w’'-]+)*")
_GENDERS = {"he": "masculine", "she": "feminine"}
_ANSWER = re.compile(
    r"(?:yes|no|yeah|nope|sure|of course|certainly|never|nothing)\b", re.IGNORECASE
)


@dataclass(slots=True)
class _Speech:
    """A quotation that is speech, with what is known of its speaker.

    lead  what stands before it in its paragraph
    """

    quotation: Quotation
    tag: Tag | None
    lead: str
    speaker: str = ""
    addressee: str = ""
    label: Chars | None = None
    number: int = 0


def quotation_turns(text: str, parents: Sequence[Turn] = (), paragraphs: bool = True) -> list[Turn]:
    """The quotations that are speech, as turns; the speaker is "" where it is unknown.

    parents  turns that may hold quotations: who says `I said` is the speaker of the turn
    """
    every, breaks = quotations(text, paragraphs)
    speeches = _speeches(text, every, breaks, parents)
    _name_tagged(text, speeches, parents)
    outer = [speech for speech in speeches if not speech.quotation.depth]
    groups = [list(group) for _, group in groupby(outer, lambda s: s.quotation.paragraph)]
    _same_paragraph(text, groups)
    if paragraphs:
        _name_actors(groups)
        _alternate(text, groups)
    _name_inner(speeches)
    return [
        Turn(s.quotation.chars, s.speaker, s.addressee, s.label, "quotation", number=s.number)
        for s in _numbered(speeches)
    ]


def _speeches(
    text: str, every: Sequence[Quotation], breaks: Sequence[int], parents: Sequence[Turn]
) -> list[_Speech]:
    """The quotations that are speech, each with its tag."""
    whole = {(turn.chars.start, turn.chars.end) for turn in parents}
    speeches: list[_Speech] = []
    borders = [(0, 0), *((q.outer.start, q.outer.end) for q in every), (len(text), len(text))]
    for at, quotation in enumerate(every, 1):
        outer = quotation.outer
        if (outer.start, outer.end) in whole or not quotation.chars.of(text).strip():
            continue
        edge = bisect_left(breaks, outer.start)
        first = breaks[edge - 1] if edge else 0
        edge = bisect_left(breaks, outer.end)
        last = breaks[edge] if edge < len(breaks) else len(text)
        low = max(
            first, max(end if end <= outer.start else start for start, end in borders[at - 1 : at])
        )
        high = min(
            last, next((start for start, _ in borders[at + 1 : at + 9] if start >= outer.end), last)
        )
        tag = tag_after(text, outer.end, high, quotation.chars) or tag_before(
            text, low, outer.start, quotation.chars
        )
        goes_on = bool(speeches) and speeches[-1].quotation.paragraph == quotation.paragraph
        if tag is not None or _is_speech(text, quotation, goes_on):
            lead = text[max(first, outer.start - _LEAD) : outer.start].strip()
            speeches.append(_Speech(quotation, tag, lead))
    return speeches


def _is_speech(text: str, quotation: Quotation, goes_on: bool) -> bool:
    """Whether a quotation without a speech tag is something that is said.

    goes_on  whether there is speech before it in its paragraph
    """
    said = quotation.chars.of(text).rstrip()
    if quotation.continues:
        return True
    parts = said.split()
    ended = said[-1] in ".!?…—-"
    if said[-1] not in ",!?" and is_title_case(said):
        return False
    before = text[max(0, quotation.outer.start - 3) : quotation.outer.start].rstrip(" \t")
    if ended and (not before or before[-1] in ("\n:.,!?;—–-" if goes_on else "\n:")):
        return True
    return (
        len(parts) > 2 and speaks(said) and (ended or said[-1] == "," or before[-1:] in (",", ":"))
    )


def _name_tagged(text: str, speeches: Sequence[_Speech], parents: Sequence[Turn]) -> None:
    """Set the speakers that speech tags name; pronouns mean the only one nearby who fits."""
    recent: list[tuple[int, str]] = []
    at = 0
    for speech in speeches:
        tag, outer = speech.tag, speech.quotation.outer
        if tag is None:
            continue
        while at < len(parents) and parents[at].chars.end < outer.start:
            at += 1
        inside = at < len(parents) and parents[at].chars.start <= outer.start
        speech.addressee = tag.addressee
        speech.label = tag.chars
        if not tag.pronoun:
            speech.speaker = tag.subject
        elif tag.subject.lower() == "i" and speech.quotation.depth:
            continue
        elif tag.subject.lower() == "i":
            speech.speaker = parents[at].speaker if inside else NARRATOR
            continue
        else:
            speech.speaker = _referent(text, speech, tag.subject.lower(), recent)
        if speech.speaker:
            recent.append((speech.quotation.paragraph, speech.speaker))


def _referent(text: str, speech: _Speech, pronoun: str, recent: Sequence[tuple[int, str]]) -> str:
    """Whom a pronoun in a speech tag means, if only one is possible.

    That is a speaker of the last paragraphs, or the subject of the sentence before, provided that
    no other name nearby has this gender or none that is known.
    """
    gender = _GENDERS.get(pronoun)
    if gender is None:
        return ""
    paragraph, start = speech.quotation.paragraph, speech.quotation.outer.start
    near = {name for number, name in recent[-4:] if paragraph - number < 4}
    around = _names_before(text, start)
    if around and around[-1][1]:
        near.add(around[-1][0])
    fitting = {name for name in near if label_gender(name) == gender}
    only = fitting.pop() if len(fitting) == 1 else ""
    others = near | {name for name, _ in around}
    rivals = (name for name in others if label_gender(name) in (gender, None))
    return only if all(set(name.split()) & set(only.split()) for name in rivals) else ""


def _names_before(text: str, start: int) -> list[tuple[str, bool]]:
    """The names in the 200 characters before an offset, and whether they begin a sentence."""
    names = []
    common = words("vocabulary") | words("function_words")
    for match in _NAME.finditer(text, max(0, start - 200), start):
        before = text[max(0, match.start() - 3) : match.start()].rstrip(" ")
        opens = not before or before[-1] in '.!?\n”"“’'
        name = match[0].removesuffix("'s").removesuffix("’s")
        if after_place_preposition(text, match.start()):
            continue
        if len(name) > 1 and not (opens and name.split()[0].lower() in common):
            names.append((name, opens and name == match[0]))
    return names


def _same_paragraph(text: str, groups: Sequence[list[_Speech]]) -> None:
    """Quotations without a tag have the speaker of their paragraph, if it has only one."""
    for at, group in enumerate(groups):
        first = group[0]
        if first.quotation.continues and first.tag is None and at:
            before = groups[at - 1][-1]
            first.speaker, first.addressee = before.speaker, before.addressee
        named = {speech.speaker for speech in group if speech.speaker}
        unclear = any(speech.tag is not None and not speech.speaker for speech in group)
        if len(named) == 1 and not unclear:
            _spread(text, group, named.pop())


def _spread(text: str, group: Sequence[_Speech], speaker: str) -> None:
    asked = False
    for speech in group:
        said = speech.quotation.chars.of(text)
        if speech.tag is None and not speech.speaker:
            if asked and _ANSWER.match(said):
                return
            speech.speaker = speaker
        asked = said.rstrip().endswith("?")


def _name_actors(groups: Sequence[list[_Speech]]) -> None:
    """Who acts in a paragraph before its quotation speaks it: `Ann sat down. “I am tired.”`."""
    known = {speech.speaker for group in groups for speech in group if speech.speaker}
    for group in groups:
        lead = group[0].lead
        if len(lead) == _LEAD or lead[-1:] != "." or any(s.tag or s.speaker for s in group):
            continue
        names = [name for name, _ in _names_before(lead, len(lead))]
        match = _NAME.match(lead)
        if match is None or set(names) != {match[0]} or not lead[match.end() + 1 :][:1].islower():
            continue
        if match[0] in known or label_gender(match[0]) is not None:
            for speech in group:
                speech.speaker = match[0]


def _alternate(text: str, groups: Sequence[list[_Speech]]) -> None:
    """Set the speakers of neighbouring paragraphs that two people speak in turn."""
    run: list[list[_Speech]] = []
    for group in groups:
        adjacent = run and run[-1][0].quotation.paragraph == group[0].quotation.paragraph - 1
        if not adjacent or not (group[0].speaker or not group[0].lead):
            _alternate_run(text, run)
            run = []
        run.append(group)
    _alternate_run(text, run)


def _alternate_run(text: str, run: Sequence[list[_Speech]]) -> None:
    """Fill in a run of adjacent paragraphs with speech between two people."""
    speakers = [_only({speech.speaker for speech in group}) for group in run]
    known = list(dict.fromkeys(filter(None, speakers)))
    if len(known) != 2 or not any(_addresses(text, group) for group in run):
        return
    offsets = {(at + known.index(name)) % 2 for at, name in enumerate(speakers) if name}
    filled = list(speakers)
    if len(offsets) == 1:
        offset = offsets.pop()
        filled = [known[(at + offset) % 2] for at in range(len(run))]
        if not all(map(_possible, run, filled)):
            filled = speakers
    for at, (group, name) in enumerate(zip(run, filled, strict=True)):
        if not name or not any(speakers[max(0, at - _FAR) : at + _FAR + 1]):
            continue
        for speech in group:
            if not any(each.speaker for each in group if each is not speech):
                speech.speaker = speech.speaker or name
            if speech.speaker == name and not speech.addressee:
                speech.addressee = known[1 - known.index(name)]


def _possible(group: Sequence[_Speech], speaker: str) -> bool:
    """Whether the tags of a paragraph allow a speaker."""
    genders = {_GENDERS.get(s.tag.subject.lower()) for s in group if s.tag and s.tag.pronoun}
    return not (genders - {None, label_gender(speaker)}) or label_gender(speaker) is None


def _addresses(text: str, group: Sequence[_Speech]) -> bool:
    return any(_SECOND.search(text, s.quotation.chars.start, s.quotation.chars.end) for s in group)


def _name_inner(speeches: Sequence[_Speech]) -> None:
    """Who says `I said` within a quotation is its speaker."""
    around: _Speech | None = None
    for speech in speeches:
        if not speech.quotation.depth:
            around = speech
        elif speech.tag is not None and speech.tag.subject == "I" and around is not None:
            inside = speech.quotation.chars.end <= around.quotation.chars.end
            speech.speaker = around.speaker if inside else ""


def _only(names: Iterable[str]) -> str:
    rest = [name for name in names if name]
    return rest[0] if len(rest) == 1 else ""


def _numbered(speeches: Sequence[_Speech]) -> Iterable[_Speech]:
    """The speeches with numbers; parts of one paragraph with a single tag share theirs."""
    tags: dict[int, set[Chars]] = {}
    for speech in speeches:
        if speech.tag is not None and not speech.quotation.depth:
            tags.setdefault(speech.quotation.paragraph, set()).add(speech.tag.chars)
    number, before = 0, None
    for speech in speeches:
        paragraph = speech.quotation.paragraph
        divided = paragraph == before and len(tags.get(paragraph, ())) == 1
        number += not ((divided and not speech.quotation.depth) or speech.quotation.continues)
        speech.number = max(1, number)
        before = paragraph if not speech.quotation.depth else before
        yield speech
