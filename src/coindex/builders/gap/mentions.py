"""Persons in a parsed passage, and what else a pronoun may refer to.

Candidates are runs of proper nouns that begin with a known given name or end in a word that ends
a person's name on the page (`Zelotti`), and, if the name is plausible (`wiki_surnames.txt`),
PERSON entities of two words, and one word or a run without a label as subject, object or
possessor. Excluded are the name of a thing (`was named Glen View`), a modifier (`every Bond
film`) and, unless it is known, a name where places are mentioned (`in Kitami`, `from .. to ..`)
or at the beginning of a quotation, as titles of works are.

More than candidates can be intruders: other runs of proper nouns in the position of a person,
gendered pronouns and gendered nouns are mentions too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from coindex.builders.gap.names import (
    after_quotation_mark,
    gap_gender,
    has_all_caps,
    has_common_word,
    has_excluded_word,
    is_article,
    is_before_number,
    is_function_word,
    is_known_person,
    is_plausible_person,
    within_quotes,
)
from coindex.builders.gap.rules import GapRules
from coindex.text.parsing.dependency_tree import SUBJECTS
from coindex.text.parsing.parse import Parse
from coindex.text.parsing.person_mentions import token_runs, top_tokens
from coindex.text.word_lists import words

_PERSONAL = SUBJECTS | {"poss", "dobj", "dative", "agent", "conj", "pobj"}
_NOT_PERSONS = frozenset(
    {"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "QUANTITY", "PERCENT", "LANGUAGE", "LAW"}
    | {"EVENT", "GPE", "LOC", "FAC", "NORP", "WORK_OF_ART", "ORG", "PRODUCT"}
)
_ARGUMENTS = SUBJECTS | {"poss", "dobj", "dative"}
_PLACES = frozenset({"GPE", "LOC", "FAC", "NORP", "DATE"})
_THINGS = frozenset({"EVENT", "WORK_OF_ART", "FAC"})
_NEAR = 4  # tokens between `from` and `to`, a noun and its apposition
_DESCRIBING = frozenset({"attr", "compound", "appos", "nmod", "oprd", "npadvmod"})


@dataclass(frozen=True, slots=True)
class PersonMention:
    """A phrase for one person: its tokens, its head, its gender or "".

    candidate  whether it is a name that an example may use
    known      whether a list or the page shows that it is a person, not only the parser
    """

    start: int
    end: int
    head: int
    gender: str
    candidate: bool = False
    known: bool = False


def token_text(text: str, parse: Parse, at: int) -> str:
    """The text of a token."""
    return text[parse.starts[at] : parse.ends[at]]


def person_mentions(
    text: str, parse: Parse, rules: GapRules, known: Mapping[str, str]
) -> list[PersonMention]:
    """All mentions in order; a mention that shares a token with a name is left out."""
    names = _names(text, parse, rules, known)
    taken = {at for name in names for at in range(name.start, name.end)}
    rest = [
        other for at in range(len(parse)) if at not in taken
        for other in _other(text, parse, at, rules)
    ]  # fmt: skip
    return sorted((*names, *rest), key=lambda mention: mention.start)


def _other(text: str, parse: Parse, at: int, rules: GapRules) -> Iterator[PersonMention]:
    """A pronoun, or a noun such as `mother` that does not describe an adjacent name."""
    word = token_text(text, parse, at).lower()
    gender = rules.pronouns.get(word) or rules.others.get(word)
    if gender is None and word in rules.nouns and parse.tags[at] == "NN":
        apposed = any(
            parse.heads[child] == at and parse.deps[child] == "appos"
            for child in range(at, min(at + _NEAR, len(parse)))
        )
        gender = rules.nouns[word] if parse.deps[at] not in _DESCRIBING and not apposed else None
    if gender is not None:
        yield PersonMention(at, at + 1, at, gender)


def _names(
    text: str, parse: Parse, rules: GapRules, known: Mapping[str, str]
) -> list[PersonMention]:
    label = {at: kind for start, end, kind in parse.entities for at in range(start, end)}
    spans = [
        run
        for run in token_runs(len(parse), partial(_step, text, parse, known))
        if _is_written_as_person(text, parse, run, rules)
    ]
    mentions = []
    for run in spans:
        name = _words(text, parse, run)
        kind = label.get(run[1] - 1, "")
        begin, end = parse.starts[run[0]], parse.ends[run[1] - 1]
        known_one = is_known_person(name, rules, known) and kind not in _THINGS
        if within_quotes(text, begin, end):
            continue
        if not known_one and (
            _where_places_are(text, parse, run) or after_quotation_mark(text, begin)
        ):
            continue
        core = top_tokens(parse, *run)[-1]
        acts = parse.deps[core] in _ARGUMENTS
        if len(name) == 1 and kind in _PLACES and not acts:
            known_one = False
        # whether the parser alone identifies a person: by the label, a single word by its role
        parsed = acts if not kind else kind == "PERSON" and (acts or len(name) > 1)
        plausible = parsed and is_plausible_person(name, rules) and not has_common_word(name)
        intrudes = kind not in _NOT_PERSONS and parse.deps[core] in _PERSONAL
        if known_one or plausible or intrudes:
            gender = gap_gender(name, rules, known)
            mentions.append(PersonMention(*run, core, gender, known_one or plausible, known_one))
    return mentions


def _words(text: str, parse: Parse, run: tuple[int, int]) -> tuple[str, ...]:
    return tuple(token_text(text, parse, at) for at in range(*run))


def _step(text: str, parse: Parse, known: Mapping[str, str], start: int, at: int) -> int:
    """How many tokens from `at` on belong to the run begun at `start`."""
    if parse.sentences[at] != parse.sentences[start]:
        return 0
    if _capital(text, parse, at, known):
        return 1
    glued = parse.ends[at - 1] == parse.starts[at] if at else False
    for more in range(1, 3):
        if at == start or at + more >= len(parse):
            return 0
        word = token_text(text, parse, at + more - 1)
        hyphen = word == "-" and glued and parse.ends[at] == parse.starts[at + 1]
        if word not in words("name_particles") and not hyphen:
            return 0
        if _capital(text, parse, at + more, known):
            return more + 1
    return 0


def _capital(text: str, parse: Parse, at: int, known: Mapping[str, str]) -> bool:
    """Whether a token is a capitalised proper noun, or a known name with another tag."""
    if not text[parse.starts[at]].isupper():
        return False
    return parse.pos[at] == "PROPN" or token_text(text, parse, at).casefold() in known


def _where_places_are(text: str, parse: Parse, run: tuple[int, int]) -> bool:
    """Whether a run is in a position of place names: after `in`, `at`, `near`; `from .. to ..`."""
    start = run[0]
    if not start or start < 2:
        return False
    preceding = token_text(text, parse, start - 1).lower()
    before = {token_text(text, parse, at).lower() for at in range(max(0, start - _NEAR), start - 1)}
    after = {
        token_text(text, parse, at).lower() for at in range(run[1], min(len(parse), run[1] + _NEAR))
    }
    from_to = (preceding == "to" and "from" in before) or (preceding == "from" and "to" in after)
    return preceding in words("gap_where") or from_to


def _is_written_as_person(text: str, parse: Parse, run: tuple[int, int], rules: GapRules) -> bool:
    """Whether a run is written like the name of one person."""
    start, end = run
    name = _words(text, parse, run)
    if parse.deps[top_tokens(parse, start, end)[-1]] in ("oprd", "compound"):
        return False  # `was named Glen View`, `every Bond film`
    if name[0].rstrip(".").casefold() in words("name_suffixes"):
        return False  # `Frank Sinatra, Jr. Keenan`
    if end - start > rules.longest_name or parse.tags[end - 1] == "NNPS":
        return False
    if start and is_article(token_text(text, parse, start - 1)):
        return False
    if text[: parse.starts[start]].endswith("-") or is_before_number(text, parse.ends[end - 1]):
        return False
    if has_all_caps(name):
        return False
    if all(is_function_word(part) and part not in rules.given for part in name):
        return False
    if all(
        part.rstrip(".").casefold() in words("name_suffixes") | words("titles") for part in name
    ):
        return False  # `Mathay, Jr.`, `as President`
    written = "".join(name)
    if not any(map(str.islower, written)) or any(map(str.isdigit, written)):
        return False
    return not has_excluded_word(name, rules)
