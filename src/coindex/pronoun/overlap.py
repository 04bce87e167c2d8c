"""What is learnt from and is in a test set: it is removed, and counted.

Two items overlap if they have the same text, or if their pronouns stand in the same
sentence (of `FEWEST` words or more: "He laughed." is in many texts). Texts are compared
as words, in lower case, without punctuation, and with the pronoun or gap left out,
since the same schema has a pronoun in one set, a mask in another and `_` in a third.
A candidate in the pronoun's place is a difference. So DPR's items that are in WSC go,
and the premises of WNLI, which are WSC's schemas.

Plain text has no pronoun that is asked about, but GAP's passages are from Wikipedia: a
page goes if one of its sentences, of `FEWEST_OF_TEXT` words or more, stands in a test set's
text. Sentences are cut by marks alone, which is fast and does not depend on what is around.

Test sets that are not on this machine cannot be compared with: they are listed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from coindex import data, formats
from coindex.core.problem import Problem
from coindex.core.tokenize import sentences, tokens

FEWEST = 6
FEWEST_OF_TEXT = 8
_END = re.compile(r"""[.!?]["'”’)\]]*\s|\n""")

TESTS: dict[str, tuple[tuple[str, str], ...]] = {
    "gap": (("gap", "test"),),
    "knowref": (("knowref", "test"),),
    "dpr": (("blocks", "dpr-test"),),
    "wsc": (("wsc", "wsc-2016"), ("wsc", "wsc-2017"), ("wsc", "wsc")),
    "pdp": (("wsc", "pdp"),),
    "wnli": (("wnli", "dev"), ("wnli", "test")),
    "winogender": (("winogender", "sentences"), ("blocks", "winogender")),
    "winobias": tuple(
        ("winobias", f"type{kind}-{side}-test") for kind in (1, 2) for side in ("pro", "anti")
    ),
}
"""The test sets: for each the corpus and the files in it, as `coindex.data` knows them."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The sentences of test sets, by what they are compared by, with the name of the set.

    keys    of problems; texts: of plain text
    absent  the sets that are not on this machine
    """

    keys: dict[str, str]
    absent: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)

    def of(self, problem: Problem) -> str | None:
        """The test set that a problem is in, or None.

        A sentence of a test set may also stand in the problem's text as plain text: about
        another pronoun, or with a name where this problem has its gap.
        """
        same = next((self.keys[key] for key in keys(problem) if key in self.keys), None)
        if same is not None:
            return same
        texts = (self.of_text(text) for text in written(problem))
        return next((name for name in texts if name is not None), None)

    def of_text(self, text: str) -> str | None:
        """The test set that has a sentence of a text, or None."""
        return next((self.texts[key] for key in text_keys(text) if key in self.texts), None)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The problems that are in no test set, and how many were in which."""

    problems: tuple[Problem, ...]
    removed: tuple[tuple[str, int], ...]


def clean(problems: Iterable[Problem], tests: HeldOut) -> Cleaned:
    """Problems without those that are in a test set."""
    kept, counts = [], Counter[str]()
    for problem in problems:
        name = tests.of(problem)
        if name is None:
            kept.append(problem)
        else:
            counts[name] += 1
    return Cleaned(tuple(kept), tuple(sorted(counts.items())))


def held_out(also: Iterable[tuple[str, Iterable[Problem]]] = ()) -> HeldOut:
    """The sentences of every test set, and of others by name, such as dev."""
    found = HeldOut({})
    absent = []
    for name, files in TESTS.items():
        try:
            items = [item for corpus, which in files for item in _read(corpus, which)]
        except data.NotHere:
            absent.append(name)
            continue
        _add(found, name, items)
    for name, others in also:
        _add(found, name, others)
    return replace(found, absent=tuple(absent))


def keys(problem: Problem) -> Iterator[str]:
    """What a problem is compared by: its text, and its pronoun's sentence if it is long."""
    text, target = problem.text, problem.target
    yield normal(text[: target.start] + " " + text[target.end :])
    words = list(tokens(text))
    starts = [words[at][0] for at in sentences(text, words)]
    start = max((at for at in starts if at <= target.start), default=0)
    end = min((at for at in starts if at > target.start), default=len(text))
    sentence = normal(text[start : target.start] + " " + text[target.end : max(end, target.end)])
    if len(sentence.split()) >= FEWEST:
        yield sentence


def written(problem: Problem) -> Iterator[str]:
    """A problem's text as it is, and with each of its candidates in the pronoun's place."""
    text, target = problem.text, problem.target
    yield text
    for candidate in problem.candidates:
        yield f"{text[: target.start]}{candidate.text}{text[target.end :]}"


def text_keys(text: str) -> Iterator[str]:
    """What plain text is compared by: its longer sentences."""
    for part in _END.split(text):
        if part.count(" ") >= FEWEST_OF_TEXT - 1:
            sentence = normal(part)
            if sentence.count(" ") >= FEWEST_OF_TEXT - 1:
                yield sentence


def normal(text: str) -> str:
    """The words of a text: lower case, no accents, no punctuation, single spaces."""
    plain = text.casefold()
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text).casefold()
        plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"['’`]", "", plain)
    return " ".join(re.findall(r"[^\W_]+", plain))


def _add(found: HeldOut, name: str, items: Iterable[Problem]) -> None:
    for item in items:
        for key in keys(item):
            found.keys.setdefault(key, name)
        for key in text_keys(item.text):
            found.texts.setdefault(key, name)


def _read(corpus: str, which: str) -> Iterator[Problem]:
    for item in formats.read(data.path(corpus, which)):
        if isinstance(item, Problem):
            yield item
