"""Dialogues: the speakers of a document written into its text, as labels of their turns.

    label   Alan : I carried it around .
    script  ALAN                             (a line of its own)
    chat    [ 12:03 ] alan : I carried it around .
    irc     < alan > I carried it around .
    minutes AB : I carried it around .       (initials)
    qa      Q : Why did you go ?             (two speakers; no mentions)

A label is a mention of its speaker's entity: the one that holds the first-person pronouns of the
speaker's turns, or that has the speaker's name. Without either, the labels of a speaker are an
entity of their own. With `labels=first` only the first label of a speaker is a mention, with
`none` no label is. Speakers get new names, in the labels and wherever their names occur, unless
`names=keep`. In half of the documents the speakers are left out of the annotation, so that the
labels alone tell who speaks (`speakers=mixed`); otherwise a label has the speaker of its turn.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from coindex.generators.people import (
    given_name_gender,
    given_names,
    last_names,
    name_edits,
)
from coindex.generators.protocol import Generated, Make, Variant
from coindex.text.person_names import GENDERS
from coindex.text.word_classes import normalize
from coindex.text.word_lists import words
from coindex.transform.edit import TokenEdit, replace_tokens
from coindex.types.document import Document

UNIT = "turns"
FORMS = ("label", "script", "chat", "irc", "minutes", "qa")
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "form": ("any", *FORMS), "labels": ("all", "first", "none"),
    "speakers": ("mixed", "keep", "none"), "names": ("change", "keep"),
}  # fmt: skip

_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z]?[a-z'’-]+|[A-Z]+|\d+|[^\W\d_]+")
_MOST_NARRATION = 0.02
_MOST = 0.6


@dataclass(frozen=True, slots=True)
class _Turn:
    """The sentences of one speaker in a row, by the token they begin with."""

    start: int
    speaker: str


def generator(
    documents: Sequence[Document], form: str = "any", labels: str = "all",
    speakers: str = "mixed", names: str = "change",
) -> Make:  # fmt: skip
    """Writes the speakers of a document into its text."""

    def make(document: Document, rng: random.Random) -> Generated:
        turns = list(find_turns(document))
        named = [turn for turn in turns if turn.speaker]
        reason = _why_not(document, named)
        if reason:
            return Generated.none(reason)
        people = list(dict.fromkeys(turn.speaker for turn in named))
        forms = [each for each in FORMS if each != "qa" or len(people) == 2]
        chosen = rng.choice(forms) if form == "any" else form
        if chosen not in forms:
            return Generated.none("more than two speakers for questions and answers")
        entities = {name: speaker_entity(document, name) for name in people}
        unsure = [name for name, number in entities.items() if number is None]
        if unsure:
            return Generated.none("a speaker whose entity is not sure")
        shown, mapping = _new_names(document, people, rng, change=names == "change")
        marked = "none" if chosen == "qa" else labels
        lines = _Labels(chosen, shown, people, rng)
        known = {name: number for name, number in entities.items() if number is not None}
        edits = [*name_edits(document, mapping), *_label_edits(named, lines, known, marked)]
        changed = _without_single(replace_tokens(document, edits))
        keep = speakers == "keep" or (speakers == "mixed" and rng.random() < 0.5)
        column = tuple(shown.get(name, name) for name in changed.speakers or ())
        changed = replace(changed, speakers=column if keep else None)
        change = f"labels {chosen}, mentions {marked}, speakers {'kept' if keep else 'left out'}"
        return Generated([Variant(changed, change, len(named))])

    return make


def _why_not(document: Document, named: Sequence[_Turn]) -> str:
    if not named:
        return "no speakers"
    if len({turn.speaker for turn in named}) < 2:
        return "one speaker"
    said = (document.speakers or ())[named[0].start :]
    if sum(not name for name in said) > _MOST_NARRATION * len(said):
        return "narration between the turns"
    return "several speakers at once" if any("," in turn.speaker for turn in named) else ""


def find_turns(document: Document) -> Iterator[_Turn]:
    """The turns of a document: a turn begins where the speaker of a sentence changes."""
    last: str | None = None
    for first in document.sentences if document.speakers is not None else ():
        speaker = (document.speakers or ())[first]
        if speaker != last:
            yield _Turn(first, speaker)
        last = speaker


def _new_names(
    document: Document, people: Sequence[str], rng: random.Random, *, change: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """The name of each speaker as it is shown, and new words for the words of names."""
    taken = {token.lower() for token in document.tokens}
    shown: dict[str, str] = {}
    mapping: dict[str, str] = {}
    for speaker in people:
        parts = _CAMEL.findall(speaker) or [speaker]
        plain = not change or parts[0].lower() in words("speaker_roles")
        numbered = any(part.isdigit() for part in parts) or len(speaker) < 2
        if plain and not numbered:
            shown[speaker] = " ".join(parts)
            continue
        gender = given_name_gender(parts[0]) or _gender(document, speaker) or rng.choice(GENDERS)
        new = [_draw(given_names(gender), taken, rng)]
        if len(parts) > 1 and not numbered:
            new.append(_draw(last_names(), taken, rng))
            mapping.update({parts[-1]: new[-1]} if len(parts[-1]) > 2 else {})
        if not numbered and len(parts[0]) > 2:
            mapping[parts[0]] = new[0]
        shown[speaker] = " ".join(new)
    return shown, mapping


def _gender(document: Document, speaker: str) -> str | None:
    """The gender of a speaker by the pronouns of the others."""
    number = speaker_entity(document, speaker)
    if number is None or number >= len(document.entities):
        return None
    mentions = document.entities[number].mentions
    pronouns = {normalize(document.tokens[m.start]) for m in mentions}
    found = [bool(pronouns & {"he", "him", "his"}), bool(pronouns & {"she", "her", "hers"})]
    return GENDERS[found.index(True)] if sum(found) == 1 else None


def _draw(pool: Sequence[str], taken: set[str], rng: random.Random) -> str:
    name = rng.choice([each for each in pool if each.lower() not in taken])
    taken.add(name.lower())
    return name


def speaker_entity(document: Document, speaker: str) -> int | None:
    """The index of a speaker's entity: that of the first-person pronouns, or that of the name.

    A speaker without either has a new entity, whose index is that of the speaker after all
    entities. None if it is not sure which entity it is.
    """
    column = document.speakers or ()
    said: Counter[int] = Counter()
    called: set[int] = set()
    parts = _CAMEL.findall(speaker)
    names = {" ".join(parts), speaker, *(part for part in parts if len(part) > 2)}
    for number, entity in enumerate(document.entities):
        for mention in entity.mentions:
            single = mention.end - mention.start == 1
            own = column[mention.start] == speaker
            if single and own and normalize(document.tokens[mention.start]) in _FIRST_PERSON:
                said[number] += 1
            elif " ".join(document.tokens[mention.start : mention.end]) in names:
                called.add(number)
    best = said.most_common(1)
    if best and best[0][1] >= _MOST * said.total():
        return best[0][0]
    if said or len(called) > 1:
        return None
    speakers = sorted(set(column))
    return called.pop() if called else len(document.entities) + speakers.index(speaker)


def _without_single(document: Document) -> Document:
    """The document without the new entities of one label, if the scheme has no such entities."""
    single = any(entity.singleton for entity in document.entities if entity.id is not None)
    kept = tuple(e for e in document.entities if single or len(e) > 1 or e.id is not None)
    return replace(document, entities=kept)


@dataclass(slots=True)
class _Labels:
    """The labels of turns in one form."""

    form: str
    shown: Mapping[str, str]
    people: Sequence[str]
    rng: random.Random
    minute: int = 0

    def words(self, speaker: str) -> tuple[tuple[str, ...], int, int]:
        """The words of a label, and from which to which of them the name is."""
        name = self.shown[speaker].split()
        if self.form == "script":
            return tuple(word.upper() for word in name), 0, len(name)
        if self.form == "minutes":
            initials = "".join(word[0].upper() for word in name)
            return (initials, ":"), 0, 1
        if self.form == "qa":
            return ("QA"[self.people.index(speaker)], ":"), 0, 0
        if self.form == "irc":
            nick = (name[0].lower(),)
            return ("<", *nick, ">"), 1, 2
        if self.form == "chat":
            self.minute = self.minute or self.rng.randint(420, 1260)
            self.minute += self.rng.randint(0, 2)
            clock = f"{self.minute // 60 % 24}:{self.minute % 60:02}"
            return ("[", clock, "]", name[0].lower(), ":"), 3, 4
        return (*name, ":"), 0, len(name)


def _label_edits(
    turns: Sequence[_Turn], labels: _Labels, entities: Mapping[str, int], marked: str
) -> Iterator[TokenEdit]:
    """A label before each turn, as a mention of its speaker's entity."""
    seen: set[str] = set()
    for turn in turns:
        words, first, last = labels.words(turn.speaker)
        mention = marked == "all" or (marked == "first" and turn.speaker not in seen)
        mentions = ((first, last, entities[turn.speaker]),) if mention and first < last else ()
        seen.add(turn.speaker)
        yield TokenEdit(turn.start, turn.start, words, mentions, labels.form == "script")
