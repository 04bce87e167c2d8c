"""Speech tags: who says what stands in quotation marks (`said Ann`, `she whispered to Ben`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from coindex.text.speakers.labels import clean_label, is_given_name, speaks
from coindex.text.word_lists import labels, words
from coindex.types.span import Chars

_REACH = 160
"""How far from a quotation its tag may lie, in characters."""

_PRONOUNS = frozenset({"i", "he", "she", "they", "we", "it", "you", "xe", "ze", "fae", "who"})
_ARTICLES = frozenset(
    {"the", "a", "an", "his", "her", "their", "my", "our", "its", "your", "another", "one"}
)
_WORD = re.compile(
    r"(?:[A-Z]|[Mm]rs?|[Mm]s|[Dd]r|[Ss]t|[Pp]rof|[Cc]apt|[Ss]gt|[Ll]t|[Gg]en|[Ss]en|[Rr]ev)\.(?!\w)"
    r"|[^\W_]+(?:['’.-][^\W_]+)*|[^\w\s]"
)
_NO_NAMES = frozenset({"there", "this", "that", "then", "but", "and", "when", "as", "so", "what",
                       "after", "before", "while", "if", "in", "on", "at", "it", "yes", "no"})  # fmt: skip
_BETWEEN = frozenset({"then", "had", "has", "also", "only", "just", "finally", "once", "again",
                      "now", "always", "often", "later", "even", "quickly", "softly", "at", "last",
                      "would", "could", "will", "have", "suddenly", "never", "still"})  # fmt: skip
_INDIRECT = frozenset({"that", "how", "why", "what", "nothing", "whether", "if"})
_ENDS = frozenset(",?!…—–-.")
_ONESELF = frozenset({"I", "I'", "I’", "I,", "I."})
_STOPS = frozenset('.!?…;"“”')
_DASHES = frozenset("—–-")


@dataclass(frozen=True, slots=True)
class Tag:
    """The subject of a speech tag, its characters, and who is spoken to."""

    subject: str
    chars: Chars
    pronoun: bool
    addressee: str = ""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int

    @property
    def low(self) -> str:
        return self.text.lower()

    @property
    def named(self) -> bool:
        """Whether it may be part of a name."""
        return self.text[0].isupper() and self.low not in _NO_NAMES and self.low not in _PRONOUNS

    @property
    def owner(self) -> bool:
        """Whether it is a possessive: `Ann's`."""
        return self.low.endswith(("'s", "’s"))


def tag_after(text: str, start: int, stop: int, said: Chars) -> Tag | None:
    """The tag right after a quotation, before the offset `stop`."""
    row = _words(text, start, min(stop, start + _REACH))
    ends = said.of(text).rstrip(" \n'’\"”")[-1:] in _ENDS
    if row and row[0].text in (",", *_DASHES):
        ends, row = True, row[1:]
    if not row or not ends:
        return None
    finished = said.of(text).rstrip()[-1:] == "." or "\n" in text[start : row[0].start]
    if row[0].low in _verbs() and row[0].text[0].islower():
        return _inverted(text, row)
    if [word.text for word in row[:2]] == ["according", "to"]:
        return _tag(text, row, _phrase(row, 2), len(row), 2)
    if finished and not row[0].text[0].islower():
        return None
    end = _phrase(row, 0)
    if not end:
        return None
    verb = _verb_after(row, end)
    if verb is None or (row[verb + 1 : verb + 2] and row[verb + 1].low in _INDIRECT):
        return None
    return _tag(text, row[: verb + 8], end, verb)


def _inverted(text: str, row: list[_Word]) -> Tag | None:
    """`said Ann to Ben`; `asked` and `told` before a pronoun in another case are none."""
    first = 1
    while first < len(row) and row[first].low.endswith("ly") and not row[first].named:
        first += 1
    if row[0].low in ("told", "tells", "tell"):
        return None
    end = _phrase(row, first)
    return _tag(text, row, end, end - 1, first) if end else None


def tag_before(text: str, low: int, start: int, said: Chars) -> Tag | None:
    """The tag that introduces the quotation at an offset: `Ann turned to Ben and said, “`.

    Without a comma or colon the quotation must be a sentence, or have the first or second person.
    """
    low = max(low, start - _REACH)
    row = _words(text, low, start)
    last = max((at for at, word in enumerate(row) if word.text in _STOPS), default=-1)
    row = row[last + 1 :]
    if row and row[-1].text in (",", ":", *_DASHES):
        closed, row = True, row[:-1]
    else:
        closed = False
    verbs = [at for at, word in enumerate(row) if word.low in _verbs() and at]
    if not verbs or not row:
        return None
    verb = verbs[-1]
    if len(row) - verb > (9 if closed else 4) or not (closed or _is_sentence(said.of(text))):
        return None
    first, end = _subject_before(row, verb)
    return _tag(text, row, end, verb, first) if end else None


def _is_sentence(said: str) -> bool:
    whole = said.strip()
    if is_title_case(whole):
        return False
    return speaks(whole) or (whole[:1].isupper() and whole[-1:] in ".!?…" and " " in whole)


def is_title_case(said: str) -> bool:
    """Whether words are written as in a title: several, and all longer ones with a capital."""
    parts = said.split()
    longer = [part for part in parts if len(part) > 3]
    capitals = sum(part[0].isupper() and part[:2] not in _ONESELF for part in parts)
    return capitals > 1 and bool(longer) and all(not part[0].islower() for part in longer)


def _subject_before(row: list[_Word], verb: int) -> tuple[int, int]:
    """The words of a verb's subject: those before it, or the first of the sentence."""
    end = verb
    while end and (row[end - 1].low in _BETWEEN or row[end - 1].low.endswith("ly")):
        end -= 1
    if not end or row[end - 1].low in ("to", "not", "be"):
        return 0, 0
    if row[end - 1].low in _PRONOUNS:
        return end - 1, end
    if row[end - 1].text == "," or row[end - 1].low in ("and", "who"):
        first = 1 if row[0].low in ("and", "but", "then", "so") else 0
        return first, _phrase(row, first)
    return _phrase_before(row, end)


def _phrase_before(row: list[_Word], end: int) -> tuple[int, int]:
    """The name or the noun phrase that ends before a word."""
    first = end - 1
    if not row[first].text[0].isalpha() or row[first].low in labels("function_words"):
        return 0, 0
    if row[first].named:
        while first and (row[first - 1].named or row[first - 1].low in words("name_particles")):
            first -= 1
        return first, end
    for at in range(end - 2, max(-1, end - 6), -1):
        if row[at].low in _ARTICLES or row[at].owner:
            return at, end
        if not row[at].text[0].isalpha() or row[at].low in labels("function_words"):
            break
    return 0, 0


def _phrase(row: list[_Word], first: int) -> int:
    """The end of the noun phrase that begins with a word; 0 if there is none."""
    end = _phrase_end(row, first)
    owns = row[end : end + 1] and row[end].text in ("'", "’") and row[end + 1 : end + 2]
    return 0 if owns and row[end + 1].low == "s" else end


def _phrase_end(row: list[_Word], first: int) -> int:
    if first >= len(row):
        return 0
    word = row[first]
    if word.low in _PRONOUNS:
        return first + 1
    if word.named and word.low not in _ARTICLES:
        end = first + 1
        particles = words("name_particles")
        while (
            end < len(row)
            and end < first + 5
            and (
                row[end].named
                or (row[end].low in particles and row[end + 1 : end + 2] and row[end + 1].named)
            )
        ):
            end += 1
        return _noun_phrase(row, end - 1) if row[end - 1].owner else end
    return _noun_phrase(row, first) if word.low in _ARTICLES else 0


def _noun_phrase(row: list[_Word], first: int) -> int:
    end = first + 1
    while end < len(row) and end < first + 5 and row[end].text[0].isalpha():
        word = row[end].low
        if word in _verbs() or (word in labels("function_words") and end > first + 1):
            break
        if end > first + 1 and (word.endswith(("ly", "ing")) or _is_verb(row, end)):
            break
        end += 1
    return end if end > first + 1 else 0


def _is_verb(row: list[_Word], at: int) -> bool:
    """Whether a word after a noun is rather a verb: `the old man turned to her`."""
    word, after = row[at].low, row[at + 1].low if at + 1 < len(row) else "."
    goes_on = after[0].isalpha() and after not in labels("function_words")
    return word in words("heading_stops") or (word.endswith("ed") and not goes_on)


def _verb_after(row: list[_Word], end: int) -> int | None:
    """The index of the speech verb after a subject: an adverb or an apposition may precede it."""
    at = end
    if at < len(row) and row[at].text == ",":
        closing = next(
            (n for n in range(at + 1, min(at + 12, len(row))) if row[n].text == ","), None
        )
        if closing is None:
            return None
        at = closing + 1
    while (
        at < len(row)
        and at < end + 15
        and (
            row[at].low in _BETWEEN or (row[at].low.endswith("ly") and row[at].low not in _verbs())
        )
    ):
        at += 1
    return at if at < len(row) and row[at].low in _verbs() else None


def _tag(text: str, row: list[_Word], end: int, verb: int, first: int = 0) -> Tag | None:
    if not end:
        return None
    chars = Chars(row[first].start, row[end - 1].end)
    subject = " ".join(chars.of(text).split())
    pronoun = end == first + 1 and row[first].low in _PRONOUNS
    if row[first].low in ("a", "an", "another", "one", "your"):
        return Tag("they", chars, True)
    if not pronoun:
        subject = clean_label(_apposed(row[first:end]) or subject)
        subject = (
            subject[0].lower() + subject[1:] if subject.split()[0].lower() in _ARTICLES else subject
        )
    return Tag(subject, chars, pronoun, _addressee(row, verb)) if subject else None


def _apposed(phrase: list[_Word]) -> str:
    """The name that ends a noun phrase: `François` in `her brother François`."""
    first = len(phrase)
    while first and phrase[first - 1].named and not phrase[first - 1].owner:
        first -= 1
    if not first or first == len(phrase) or not is_given_name(phrase[first].text):
        return ""
    return " ".join(word.text for word in phrase[first:])


def _addressee(row: list[_Word], verb: int) -> str:
    """The name after `to`, or the object of a verb such as `told`."""
    if not 0 <= verb < len(row):
        return ""
    at = verb + 1
    takes_object = labels("speech_verbs").get(row[verb].low) == "object"
    while at < len(row) and row[at].low.endswith("ly") and not row[at].named:
        at += 1
    if at < len(row) and row[at].low == "to":
        at += 1
    elif not takes_object:
        return ""
    if at >= len(row) or not row[at].named:
        return ""
    end = _phrase(row, at)
    return clean_label(" ".join(word.text for word in row[at:end]))


@cache
def _verbs() -> frozenset[str]:
    return words("speech_verbs")


def _words(text: str, start: int, end: int) -> list[_Word]:
    """The words and signs of a range, up to the end of its paragraph."""
    return [_Word(m[0], *m.span()) for m in _WORD.finditer(text, start, max(start, end))]
