"""Labels of speakers: what may be one, and one spelling for each person.

`ANN`, `Ann`, `Ann (whispering)` and `ANN (CONT'D)` are one speaker, `Ann`. A part of a longer
label (`Lee` beside `Ann Lee`) is the same speaker if only one longer label fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from coindex.text.person_names import first_name_gender, is_title, title_gender
from coindex.text.word_lists import labels, words
from coindex.types.span import Chars

NARRATOR = "narrator"
"""The label of whoever says `I` in a story, if nothing else names him."""

_NOTE = re.compile(r"\([^()]*\)?|\[[^\[\]]*\]?")
_EDGES = " \t\r\f\v\u00a0*_:;,.<>@#-–—\"'“”‘’`~"
_PARTY = re.compile(r"\b(?:I|me|my|mine|myself|you|your|yours|we|us|our|u)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b")
_CAMEL = re.compile(r"[A-Z][a-z]+(?=[A-Z])")
_DIGITS = re.compile(r"[\s#_-]*\d+[.)]?$")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one person says, or writes, in one go.

    chars      the range of what is said, without label and quotation marks
    speaker    the speaker's label; "" if unknown
    addressee  the label of who is spoken to; "" if unknown
    label      the range of the speaker's label in the text, if it has one
    kind       "turn", "script", "question", "answer", "mail", "byline", "quotation", "narration"
    names      other ranges that name a party (recipient, salutation, signature), with the label
    number     the number of a quotation, from 1; the parts of one that a tag divides share it
    """

    chars: Chars
    speaker: str
    addressee: str = ""
    label: Chars | None = None
    kind: str = "turn"
    names: tuple[tuple[Chars, str], ...] = ()
    number: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text, without white space at its end.

    depth   how many marks of quoted mail stood before it; they are no part of it
    number  from 0
    """

    start: int
    text: str
    depth: int = 0
    number: int = 0

    @property
    def end(self) -> int:
        """One past the last character that is not white space."""
        return self.start + len(self.text)

    @property
    def blank(self) -> bool:
        """Whether there is nothing but white space."""
        return not self.text or self.text.isspace()


def split_lines(text: str) -> list[Line]:
    """The lines of a text, without white space at their ends."""
    lines: list[Line] = []
    at = 0
    for raw in text.split("\n"):
        lines.append(Line(at, raw.rstrip(), 0, len(lines)))
        at += len(raw) + 1
    return lines


def speaks(text: str) -> bool:
    """Whether a text has the first or second person, or asks something."""
    return "?" in text or _PARTY.search(text) is not None


def first_person(text: str, start: int, end: int) -> bool:
    """Whether a range of a text has the first person singular."""
    return _FIRST.search(text, start, end) is not None


def names_person(label: str) -> bool:
    """Whether a label can stand for its person in a sentence, unlike `Q` and `Speaker 2`."""
    return label != NARRATOR and len(label) > 1 and not any(map(str.isdigit, label))


def clean_label(label: str) -> str:
    """A label without remarks in brackets, marks and doubled spaces."""
    return " ".join(_NOTE.sub(" ", label).split()).strip(_EDGES)


@lru_cache(maxsize=1 << 12)
def is_given_name(word: str) -> bool:
    """Whether a word is a known given name."""
    return word.lower() in labels("first_names") or word.capitalize() in labels("wiki_given_names")


def kind_of_label(label: str) -> str:
    """How a cleaned label looks: "name", "role", "capitals", "lower", "other" or ""."""
    parts = label.split()
    if not 0 < len(parts) <= 5 or len(label) > 40 or not label[0].isalnum():
        return ""
    if not all(map(_is_label_word, parts)):
        return ""
    bare = _DIGITS.sub("", label).lower()
    if not bare:
        return ""
    listed = bare in words("non_speakers") or bare.split()[-1] in words("non_speakers")
    kind = _person_kind(parts, bare)
    if listed:
        return "other" if kind in ("name", "role") else ""
    return kind


def _person_kind(parts: list[str], bare: str) -> str:
    tail = bare.split()[-1]
    if tail in _roles() or bare in _roles() or bare.split()[0] == "speaker":
        return "role"
    if len(parts) > 1 and is_title(parts[0]) and parts[1][0].isupper():
        return "name"
    capitals = all(part[0].isupper() or part.lower() in _small() for part in parts)
    given = _CAMEL.match(parts[0])
    if is_given_name(given[0] if given else parts[0]) and (capitals or len(parts) == 1):
        return "name"
    if capitals and len(parts) > 1 and parts[-1].lower() in words("wiki_surnames"):
        return "name"
    if capitals:
        return "capitals"
    return "lower" if len(parts) == 1 and parts[0][0].islower() else ""


@cache
def _roles() -> frozenset[str]:
    return words("label_roles") | words("occupations") | words("titles")


@cache
def _small() -> frozenset[str]:
    return words("name_particles") | {"of", "the", "and", "&", "1", "2", "3", "4", "5", "6", "7"}


def _is_label_word(word: str) -> bool:
    return word == "&" or not any(sign in '?!"“”;/\\=|{}<>$%+,()[]' for sign in word)


def canonical_labels(found: Iterable[str]) -> dict[str, str]:
    """For each cleaned label the spelling that stands for the person."""
    spellings: dict[str, str] = {}
    for label in found:
        key = label.casefold()
        if key and (key not in spellings or _worth(label) > _worth(spellings[key])):
            spellings[key] = label
    shown = {key: _displayed(label) for key, label in spellings.items()}
    whole = _whole_names(list(shown.values()))
    return {key: whole.get(name, name) for key, name in shown.items()}


def _worth(label: str) -> int:
    """Mixed case is preferred to lower case, and that to capitals."""
    return 0 if label.isupper() else 1 if label.islower() else 2


def _displayed(label: str) -> str:
    if not label.isupper():
        return label
    parts = label.split()
    return " ".join(_title_case(part, len(parts) > 1) for part in parts)


def _title_case(word: str, part: bool) -> str:
    """A word in capitals as in a name; initials stay as they are."""
    bare = word.strip(".")
    if bare.lower() in words("function_words"):
        return word.capitalize()
    if len(bare) <= 2 and not is_title(bare):
        return word
    if len(bare) == 3 and not (
        part or is_given_name(bare) or is_title(bare) or bare.lower() in _roles()
    ):
        return word
    return re.sub(r"[^\W\d_]+(?:['’](?=S\b)S)?", lambda part: part[0].capitalize(), word)


def _whole_names(names: list[str]) -> dict[str, str]:
    """For the names that are part of exactly one longer name: that name."""
    longer: dict[str, set[str]] = {}
    titles: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        parts = _name_words(name)
        if len(parts) == 1 and " " in name:
            titles.setdefault(parts[0].casefold(), []).append(name)
        if len(parts) > 1 and all(part[0].isupper() for part in parts):
            for part in {parts[0], parts[-1]}:
                longer.setdefault(part.casefold(), set()).add(name)
    whole = {}
    for name in names:
        parts = _name_words(name)
        fits = longer.get(parts[0].casefold(), set()) - {name} if len(parts) == 1 else set()
        if len(fits) == 1 and _agree(name, other := next(iter(fits))):
            whole[name] = other
        elif not fits and len(titled := titles.get(name.casefold(), [])) == 1:
            whole[name] = titled[0]
    return whole


def _name_words(name: str) -> list[str]:
    parts = [part for part in name.split() if not is_title(part)]
    return [] if any(map(str.isdigit, name)) else parts


def _agree(short: str, whole: str) -> bool:
    title = title_gender(short.split()[0]) if " " in short else None
    return title is None or label_gender(whole) in (None, title)


@lru_cache(maxsize=1 << 12)
def label_gender(label: str) -> str | None:
    """The gender that a label tells: by title, given name, or noun (`the old man`)."""
    parts = label.split()
    if not parts:
        return None
    noun = _NOUNS.get(parts[-1].lower())
    if noun is not None:
        return noun
    if len(parts) > 1 and (by_title := title_gender(parts[0])) is not None:
        return by_title
    if is_title(parts[0]):
        return None
    return labels("wiki_given_names").get(parts[0].capitalize()) or first_name_gender(parts[0])


_NOUNS = dict.fromkeys(
    [
        "man",
        "boy",
        "gentleman",
        "father",
        "dad",
        "brother",
        "son",
        "husband",
        "uncle",
        "king",
        "prince",
        "grandfather",
        "lord",
    ],
    "masculine",
) | dict.fromkeys(
    [
        "woman",
        "girl",
        "lady",
        "mother",
        "mom",
        "mum",
        "sister",
        "daughter",
        "wife",
        "aunt",
        "queen",
        "princess",
        "grandmother",
        "widow",
    ],
    "feminine",
)
