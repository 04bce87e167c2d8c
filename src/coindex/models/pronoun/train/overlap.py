"""Training items that overlap with a test set are removed, and counted.

Two items overlap if they have the same text, or if their pronouns are in the same sentence (of
`MIN_WORDS` words or more: "He laughed." is in many texts). Texts are compared as words, in lower
case, without punctuation, and without the pronoun or gap, since the same schema has a pronoun in
one set, a mask in another and `_` in a third. A candidate in the pronoun's place is a difference.
So DPR's items that are in WSC are removed, and the premises of WNLI, which are WSC's schemas.

Plain text has no target pronoun, but GAP's passages are from Wikipedia: a page is removed if one
of its sentences, of `MIN_WORDS_OF_TEXT` words or more, is in the text of a test set. Sentences
are split at punctuation alone, which is fast and does not depend on the context.

Test sets that are not on this machine cannot be compared with; they are reported.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from coindex import datasets, formats
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.types.problem import Problem

MIN_WORDS = 6
MIN_WORDS_OF_TEXT = 8
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
"""The test sets: for each the corpus and the files in it, as `coindex.datasets` knows them."""


@dataclass(frozen=True, slots=True)
class HeldOutSentences:
    """The sentences of test sets: normalised, with the name of the set.

    keys    of problems; texts: of plain text
    absent  the sets that are not on this machine
    """

    keys: dict[str, str]
    absent: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)

    def of(self, problem: Problem) -> str | None:
        """The test set that a problem is in, or None.

        A sentence of a test set may also be in the problem's text as plain text: about another
        pronoun, or with a name where this problem has its gap.
        """
        same = next((self.keys[key] for key in problem_keys(problem) if key in self.keys), None)
        if same is not None:
            return same
        texts = (self.of_text(text) for text in filled_texts(problem))
        return next((name for name in texts if name is not None), None)

    def of_text(self, text: str) -> str | None:
        """The test set that has a sentence of a text, or None."""
        return next((self.texts[key] for key in text_keys(text) if key in self.texts), None)


@dataclass(frozen=True, slots=True)
class WithoutTestItems:
    """The problems that are in no test set, and how many were removed for each set."""

    problems: tuple[Problem, ...]
    removed: tuple[tuple[str, int], ...]


def remove_test_items(problems: Iterable[Problem], tests: HeldOutSentences) -> WithoutTestItems:
    """Problems without those that are in a test set."""
    kept, counts = [], Counter[str]()
    for problem in problems:
        name = tests.of(problem)
        if name is None:
            kept.append(problem)
        else:
            counts[name] += 1
    return WithoutTestItems(tuple(kept), tuple(sorted(counts.items())))


def held_out_sentences(also: Iterable[tuple[str, Iterable[Problem]]] = ()) -> HeldOutSentences:
    """The sentences of every test set, and of others by name, such as dev."""
    result = HeldOutSentences({})
    absent = []
    for name, files in TESTS.items():
        try:
            paths = [datasets.path(corpus, which) for corpus, which in files]
        except datasets.CorpusNotFound:
            absent.append(name)
            continue
        every = (item for path in paths for item in formats.read(path))
        _add(result, name, (item for item in every if isinstance(item, Problem)))
    for name, others in also:
        _add(result, name, others)
    return replace(result, absent=tuple(absent))


def problem_keys(problem: Problem) -> Iterator[str]:
    """The normalised text of a problem, and its pronoun's sentence if it is long."""
    text, target = problem.text, problem.target
    yield normalise(text[: target.start] + " " + text[target.end :])
    words = list(token_offsets(text))
    starts = [words[at][0] for at in sentence_starts(text, words)]
    start = max((at for at in starts if at <= target.start), default=0)
    end = min((at for at in starts if at > target.start), default=len(text))
    sentence = normalise(text[start : target.start] + " " + text[target.end : max(end, target.end)])
    if len(sentence.split()) >= MIN_WORDS:
        yield sentence


def filled_texts(problem: Problem) -> Iterator[str]:
    """A problem's text as it is, and with each of its candidates in the pronoun's place."""
    text, target = problem.text, problem.target
    yield text
    for candidate in problem.candidates:
        yield f"{text[: target.start]}{candidate.text}{text[target.end :]}"


def text_keys(text: str) -> Iterator[str]:
    """The longer sentences of plain text, normalised."""
    for part in _END.split(text):
        if part.count(" ") >= MIN_WORDS_OF_TEXT - 1:
            sentence = normalise(part)
            if sentence.count(" ") >= MIN_WORDS_OF_TEXT - 1:
                yield sentence


def normalise(text: str) -> str:
    """The words of a text: lower case, no accents, no punctuation, single spaces."""
    plain = text.casefold()
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text).casefold()
        plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"['’`]", "", plain)
    return " ".join(re.findall(r"[^\W_]+", plain))


def _add(result: HeldOutSentences, name: str, items: Iterable[Problem]) -> None:
    for item in items:
        for key in problem_keys(item):
            result.keys.setdefault(key, name)
        for key in text_keys(item.text):
            result.texts.setdefault(key, name)
