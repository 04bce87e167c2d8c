"""What a text says about pairs of mentions: that they are the same, or cannot be.

Found from the words between and around mentions, without a parser:

    within       the possessor is not what it possesses: `her` and `her brother`
    coordinated  `Ann and Bo` are two
    binding      an object is not its own subject: `Mehmet did not believe him`
    object       neither is a noun phrase: `he had not known the victim`
    reflexive    but a reflexive is: `Ann hurt herself`
    contrast     `one ... the other`, `the former ... the latter`
    alias        `Hanna Lie ("the Artist")`, `Galerie Roux, also known as GR`
    former       `the former` and `the latter` of two coordinated mentions
    cataphora    `Although they had trained, the rowers ...`
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from coindex.models.coref.infer.object_binding import is_own_object
from coindex.text.noun_phrase import possessive_words
from coindex.text.word_classes import normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document

Pair = tuple[int, str]
"""The index of another mention, and the name of the relation."""

LONGEST = 60
"""The most tokens of a clause; what has no punctuation would cost its length for every pronoun."""

_OBJECTS = frozenset(
    {"him", "her", "them", "it", "me", "us", "you", "xem", "zir", "hir", "faer", "em"}
)
_SUBJECTS = frozenset({"he", "she", "they", "i", "we"})
_REFLEXIVE_ENDS = ("self", "selves")
_JOINING = frozenset({("and",), ("or",), ("&",), (",", "and"), ("nor",)})
_COORDINATORS = frozenset({"and", "or", "&", "nor"})
_RELATIVE = frozenset({"who", "which", "that", "whose", "whom"})
_MORE = _RELATIVE | {",", "("}
_LOOSE = frozenset({"to", "for", "from", "at", "about"})
_CERTAIN = frozenset({"of", "about"})
_OPENERS = frozenset({"(", "[", "-LRB-"})
_ALIAS_SIGNS = frozenset(
    {"known", "called", "nicknamed", "aka", "a.k.a.", "a.k.a", "alias", "hereinafter", "hereafter"}
)
_CALLING = frozenset({"called", "nicknamed"})
_QUOTES = frozenset({'"', "“", "”", "''", "``", "‘"})


@cache
def _noun_starts() -> frozenset[str]:
    """Words that begin a noun phrase: articles, possessives, quantifiers, pronouns as objects."""
    return _OBJECTS | words("mention_starts") | words("articles")


@dataclass(slots=True)
class Relations:
    """For each mention the earlier ones that it cannot be, and those that it is."""

    apart: defaultdict[int, list[Pair]] = field(default_factory=lambda: defaultdict(list))
    same: defaultdict[int, list[Pair]] = field(default_factory=lambda: defaultdict(list))


class RelationFinder:
    """Finds the relations between the mentions of a document, which are in reading order."""

    def __init__(self, document: Document, spans: Sequence[tuple[int, int]]) -> None:
        """Index the mentions by their first and last tokens."""
        self._tokens = [normalize(token) for token in document.tokens]
        self._document = document
        self._spans = spans
        self._starting: dict[int, list[int]] = {}
        self._ending: dict[int, list[int]] = {}
        for index, (start, end) in enumerate(spans):
            self._starting.setdefault(start, []).append(index)
            self._ending.setdefault(end, []).append(index)
        self._firsts = document.sentences

    def find(self) -> Relations:
        """All relations."""
        relations = Relations()
        pair: tuple[int, int] | None = None
        for index, (start, end) in enumerate(self._spans):
            relations.apart[index] += [(other, "within") for other in self._possessors(index)]
            for other in self._coordinated(index):
                relations.apart[index].append((other, "coordinated"))
                pair = other, index
            relations.same[index] += [(other, "alias") for other in self._aliases(index)]
            relations.same[index] += [(other, "apposition") for other in self._heads(index)]
            if (
                pair is not None
                and pair[1] < index
                and self._tokens[start:end]
                in (
                    ["the", "former"],
                    ["the", "latter"],
                )
            ):
                mine = pair[self._tokens[end - 1] == "latter"]
                relations.same[index].append((mine, "former"))
                relations.apart[index] += [(one, "contrast") for one in pair if one != mine]
            if end - start == 1:
                self._bind(index, relations)
            relations.apart[index] += [(other, "object") for other in self._subjects(index)]
            relations.same[index] += [(other, "cataphora") for other in self._fronted(index)]
        self._contrast(relations)
        return relations

    def _possessors(self, index: int) -> Iterator[int]:
        start, end = self._spans[index]
        for other in self._starting[start]:
            stop = self._spans[other][1]
            if stop < end - (self._tokens[end - 1] in ("'s", "'")) and (
                self._tokens[stop] in ("'s", "'")
                or (stop == start + 1 and self._tokens[start] in possessive_words())
            ):
                yield other

    def _heads(self, index: int) -> Iterator[int]:
        """The mention that a longer one says more about: `the mayor` of `the mayor, who left`."""
        start, end = self._spans[index]
        if not _COORDINATORS.isdisjoint(self._tokens[start:end]):
            return
        for other in self._starting[start]:
            stop = self._spans[other][1]
            if other < index and stop < end and self._tokens[stop] in _MORE:
                yield other

    def _coordinated(self, index: int) -> Iterator[int]:
        start = self._spans[index][0]
        for width in (1, 2):
            if start > width and tuple(self._tokens[start - width : start]) in _JOINING:
                for other in self._ending.get(start - width, ()):
                    if other < index:
                        yield other

    def _aliases(self, index: int) -> Iterator[int]:
        start, end = self._spans[index]
        at = start
        while at > 0 and start - at < 8 and self._tokens[at - 1] in words("alias_words"):
            at -= 1
        between = self._tokens[at:start]
        if not between or self._is_pronoun(start, end):
            return
        quoted = any(word in _QUOTES for word in between)
        opened = any(word in _OPENERS for word in between)
        signed = not _ALIAS_SIGNS.isdisjoint(between)
        closing = set(self._tokens[end : end + 2])
        if not (
            signed
            or (
                opened
                and (quoted or self._is_acronym(start, end))
                and closing & {")", "]", "-RRB-"}
            )
        ):
            return
        for stop in range(at, start):
            if self._tokens[stop] in words("alias_words") and stop in self._ending:
                calls = not quoted and not _CALLING.isdisjoint(between)
                for other in self._ending[stop]:
                    if other < index and (not calls or self._can_be_called(other)):
                        yield other
                return

    def _is_pronoun(self, start: int, end: int) -> bool:
        return end - start == 1 and self._tokens[start] in labels("pronouns")

    def _can_be_called(self, index: int) -> bool:
        """`a man called Bob`, `the firm, called Acme`; not `Ann called Bob` nor `Ann, who left, called Bob`."""
        start, end = self._spans[index]
        if self._tokens[start] in ("a", "an", "some", "another", "one"):
            return True
        return self._tokens[end] == "," and _RELATIVE.isdisjoint(self._tokens[start:end])

    def _is_acronym(self, start: int, end: int) -> bool:
        token = self._document.tokens[start]
        return end - start == 1 and len(token) > 1 and token.isupper()

    def _clause_start(self, at: int) -> int:
        """The first token of the clause that a token is in, not farther than `LONGEST` away."""
        first = max(self._firsts[bisect_right(self._firsts, at) - 1], at - LONGEST)
        while at > first and not self._breaks(at - 1):
            at -= 1
        return at

    def _breaks(self, at: int) -> bool:
        """Whether a clause ends with a token; `to` before a noun phrase is within one."""
        word = self._tokens[at]
        if word != "to":
            return word in words("clause_breaks")
        after = self._document.tokens[at + 1 : at + 2]
        return not (after and (after[0][:1].isupper() or normalize(after[0]) in _noun_starts()))

    def _bind(self, index: int, relations: Relations) -> None:
        """An object and the mentions of its clause."""
        at = self._spans[index][0]
        word = self._tokens[at]
        if word.endswith(_REFLEXIVE_ENDS) and len(word) > 5:
            others = list(self._arguments(self._clause_start(at), at))
            relations.same[index] += [(other, "reflexive") for other in others[:1]]
            return
        if word not in _OBJECTS or at == 0 or (word == "her" and len(self._starting[at]) > 1):
            return
        before = self._tokens[at - 1]
        rule = "binding"
        stop = at
        if labels("function_words").get(before) == "preposition":
            if not self._is_loose(at - 1):
                return
            rule, stop = "loose-binding", at - 1
        certain = rule == "binding" or before in _CERTAIN
        for other in self._disjoint(stop):
            if self._spans[other][1] < at:
                relations.apart[index].append((other, rule))
                if certain and self._is_subject_pronoun(other):
                    relations.apart[index].append((other, "pronoun-binding"))

    def _subjects(self, index: int) -> Iterator[int]:
        """The subject of the clause whose object a noun phrase is."""
        start, end = self._spans[index]
        if self._is_pronoun(start, end):
            return
        first = self._clause_start(start)
        for other in self._arguments(first, start):
            if self._spans[other][0] == first and is_own_object(
                self._tokens, self._spans[other][1], start, end
            ):
                yield other

    def _is_subject_pronoun(self, index: int) -> bool:
        start, end = self._spans[index]
        return end - start == 1 and self._tokens[start] in _SUBJECTS

    def _is_loose(self, at: int) -> bool:
        """Whether a preposition marks an argument of the verb: `spoke of him`, no `a picture of him`."""
        word = self._tokens[at]
        return word in _LOOSE or (word == "of" and self._tokens[at - 1] in words("of_complements"))

    def _disjoint(self, stop: int) -> Iterator[int]:
        """The arguments of the clause before a token; of an infinitive its subject: `he wants to`."""
        start = self._clause_start(stop)
        found = list(self._arguments(start, stop))
        if not found and start and self._tokens[start - 1] == "to":
            found = self._controller(start - 1)
        yield from found

    def _controller(self, at: int) -> list[int]:
        """The subject of a clause that has nothing else before `to`, if it is not a relative clause."""
        start = self._clause_start(at)
        found = list(self._arguments(start, at))
        relative = start > 0 and self._tokens[start - 1] in _RELATIVE
        starts = [self._spans[index][0] for index in found]
        return found if starts == [start] and not relative else []

    def _arguments(self, start: int, stop: int) -> Iterator[int]:
        """The outermost mentions within some tokens."""
        reach = -1
        for at in range(start, stop):
            for index in reversed(self._starting.get(at, ())):
                end = self._spans[index][1]
                if end <= stop and at >= reach:
                    reach = max(reach, end)
                    yield index
                    break

    def _fronted(self, index: int) -> Iterator[int]:
        """The pronouns of a fronted clause, for the mention that follows its comma."""
        start = self._spans[index][0]
        if start < 3 or self._tokens[start - 1] != ",":
            return
        first = self._firsts[bisect_right(self._firsts, start) - 1]
        if (
            start - first > LONGEST
            or self._tokens[first] not in words("fronted_openers")
            or "," in self._tokens[first : start - 1]
        ):
            return
        low = bisect_left(self._spans, (first, 0))
        for other in range(low, index):
            begin, end = self._spans[other]
            if end - begin == 1 and self._tokens[begin] in _SUBJECTS | possessive_words():
                yield other

    def _contrast(self, relations: Relations) -> None:
        """`one` and `the other` in one sentence or in neighbouring ones."""
        last: int | None = None
        for index, (start, end) in enumerate(self._spans):
            tokens = self._tokens[start:end]
            if tokens in (["one"], ["some"]) or tokens[:2] == ["one", "of"]:
                last = index
            elif last is None or start - self._spans[last][0] > 60:
                continue
            elif tokens[:2] in (["the", "other"], ["the", "others"], ["another"]):
                relations.apart[index].append((last, "contrast"))
