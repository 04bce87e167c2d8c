"""Persons in a parsed passage, and what else may be meant by a pronoun.

Sure names are the candidates: runs of proper nouns that begin with a known given name or end
in a word that ends a person's name on the page (`Zelotti`), and, where the name is credible
(`wiki_surnames.txt`), PERSON entities of two words, and one word or a run without a label as
subject, object or possessor. Not so what a thing is called (`was named Glen View`) or what
only tells its kind (`every Bond film`), nor, unless known, what stands where places do
(`in Kitami`, `from .. to ..`) or begins a quotation, as titles of works do.

What may come between as an intruder is more than that: other runs of proper nouns in a
person's place, gendered pronouns and gendered nouns are mentions too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from coindex.core.words import words
from coindex.corpora._gap_names import (
    after_article,
    barred,
    common,
    credible,
    evident,
    function_word,
    gender,
    numbered,
    quoted,
    shouts,
    within_quotes,
)
from coindex.corpora._gap_rules import Rules
from coindex.parsing.parse import Parse

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_PERSONAL = SUBJECTS | {"poss", "dobj", "dative", "agent", "conj", "pobj"}
_OTHERS = frozenset(
    {"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "QUANTITY", "PERCENT", "LANGUAGE", "LAW"}
    | {"EVENT", "GPE", "LOC", "FAC", "NORP", "WORK_OF_ART", "ORG", "PRODUCT"}
)
_ACTS = SUBJECTS | {"poss", "dobj", "dative"}
_PLACES = frozenset({"GPE", "LOC", "FAC", "NORP", "DATE"})
_THINGS = frozenset({"EVENT", "WORK_OF_ART", "FAC"})
_NEAR = 4  # tokens between `from` and `to`, a noun and its apposition
_SAME_AS = frozenset({"attr", "compound", "appos", "nmod", "oprd", "npadvmod"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase for one person: its tokens, its head, what gender it tells.

    sure   whether it is a name that an example may use
    known  whether a list or the page says so, and not the parser alone
    """

    start: int
    end: int
    head: int
    gender: str
    sure: bool = False
    known: bool = False


def word(text: str, parse: Parse, at: int) -> str:
    """A token's text."""
    return text[parse.starts[at] : parse.ends[at]]


def mentions(text: str, parse: Parse, rules: Rules, known: Mapping[str, str]) -> list[Mention]:
    """All mentions in order; names first where two share tokens."""
    names = _names(text, parse, rules, known)
    taken = {at for name in names for at in range(name.start, name.end)}
    rest = [
        other for at in range(len(parse)) if at not in taken
        for other in _other(text, parse, at, rules)
    ]  # fmt: skip
    return sorted((*names, *rest), key=lambda mention: mention.start)


def _other(text: str, parse: Parse, at: int, rules: Rules) -> Iterator[Mention]:
    """A pronoun, or a noun such as `mother` that is not said of a name beside it."""
    said = word(text, parse, at).lower()
    told = rules.pronouns.get(said) or rules.others.get(said)
    if told is None and said in rules.nouns and parse.tags[at] == "NN":
        apposed = any(
            parse.heads[child] == at and parse.deps[child] == "appos"
            for child in range(at, min(at + _NEAR, len(parse)))
        )
        told = rules.nouns[said] if parse.deps[at] not in _SAME_AS and not apposed else None
    if told is not None:
        yield Mention(at, at + 1, at, told)


def _names(text: str, parse: Parse, rules: Rules, known: Mapping[str, str]) -> list[Mention]:
    label = {at: kind for start, end, kind in parse.entities for at in range(start, end)}
    spans = [run for run in _runs(text, parse, known) if _possible(text, parse, run, rules)]
    found = []
    for run in spans:
        said = _words(text, parse, run)
        kind = label.get(run[1] - 1, "")
        begin, end = parse.starts[run[0]], parse.ends[run[1] - 1]
        known_one = evident(said, rules, known) and kind not in _THINGS
        if within_quotes(text, begin, end):
            continue
        if not known_one and (_place(text, parse, run) or quoted(text, begin)):
            continue
        acts = parse.deps[head(parse, *run)] in _ACTS
        if len(said) == 1 and kind in _PLACES and not acts:
            known_one = False
        told = _told(parse, run, kind) and credible(said, rules) and not common(said)
        sure = known_one or told
        if sure or _in_a_place(parse, run, label):
            core = head(parse, *run)
            found.append(Mention(*run, core, gender(said, rules, known), sure, known_one))
    return found


def _words(text: str, parse: Parse, run: tuple[int, int]) -> tuple[str, ...]:
    return tuple(word(text, parse, at) for at in range(*run))


def head(parse: Parse, start: int, end: int) -> int:
    """The token of a name that the rest of it depends on; of several, the last."""
    tops = [at for at in range(start, end) if not start <= parse.heads[at] < end]
    tops += [at for at in range(start, end) if parse.heads[at] == at]
    return max(tops)


def _runs(text: str, parse: Parse, known: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """The longest runs of capitalized proper nouns, with the particles and hyphens within."""
    at = 0
    while at < len(parse):
        end = at
        while end < len(parse) and (step := _step(text, parse, at, end, known)):
            end += step
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _step(text: str, parse: Parse, start: int, at: int, known: Mapping[str, str]) -> int:
    """How many tokens from `at` on belong to the run begun at `start`."""
    if parse.sentences[at] != parse.sentences[start]:
        return 0
    if _capital(text, parse, at, known):
        return 1
    glued = parse.ends[at - 1] == parse.starts[at] if at else False
    for more in range(1, 3):
        if at == start or at + more >= len(parse):
            return 0
        said = word(text, parse, at + more - 1)
        hyphen = said == "-" and glued and parse.ends[at] == parse.starts[at + 1]
        if said not in words("name_particles") and not hyphen:
            return 0
        if _capital(text, parse, at + more, known):
            return more + 1
    return 0


def _capital(text: str, parse: Parse, at: int, known: Mapping[str, str]) -> bool:
    """A proper noun; or a known name that was taken for something else."""
    if not text[parse.starts[at]].isupper():
        return False
    return parse.pos[at] == "PROPN" or word(text, parse, at).casefold() in known


def _place(text: str, parse: Parse, run: tuple[int, int]) -> bool:
    """Whether a run stands where places do: in, at or near it; from it to another."""
    start = run[0]
    if not start or start < 2:
        return False
    said = word(text, parse, start - 1).lower()
    before = {word(text, parse, at).lower() for at in range(max(0, start - _NEAR), start - 1)}
    after = {word(text, parse, at).lower() for at in range(run[1], min(len(parse), run[1] + _NEAR))}
    from_to = (said == "to" and "from" in before) or (said == "from" and "to" in after)
    return said in words("gap_where") or from_to


def _told(parse: Parse, run: tuple[int, int], kind: str) -> bool:
    """Whether the parser alone tells a person: by its label, one word also by its place."""
    acts = parse.deps[head(parse, *run)] in _ACTS
    return (kind == "PERSON" and (acts or run[1] - run[0] > 1)) or (not kind and acts)


def _possible(text: str, parse: Parse, run: tuple[int, int], rules: Rules) -> bool:
    """Whether a run is written as one person's name is."""
    start, end = run
    said = _words(text, parse, run)
    if parse.deps[head(parse, start, end)] in ("oprd", "compound"):
        return False  # `was named Glen View`, `every Bond film`
    if said[0].rstrip(".").casefold() in words("name_suffixes"):
        return False  # `Frank Sinatra, Jr. Keenan`
    if end - start > rules.longest_name or parse.tags[end - 1] == "NNPS":
        return False
    if start and after_article(word(text, parse, start - 1)):
        return False
    if text[: parse.starts[start]].endswith("-") or numbered(text, parse.ends[end - 1]):
        return False
    if shouts(said):
        return False
    if all(function_word(part) and part not in rules.given for part in said):
        return False
    if all(
        part.rstrip(".").casefold() in words("name_suffixes") | words("titles") for part in said
    ):
        return False  # `Mathay, Jr.`, `as President`
    written = "".join(said)
    if not any(map(str.islower, written)) or any(map(str.isdigit, written)):
        return False
    return not barred(said, rules)


def _in_a_place(parse: Parse, run: tuple[int, int], label: Mapping[int, str]) -> bool:
    """Whether a run of another kind stands where a person may: an intruder at most."""
    start, end = run
    return label.get(end - 1) not in _OTHERS and parse.deps[head(parse, start, end)] in _PERSONAL
