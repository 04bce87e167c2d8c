"""Which detected spans become mentions: more than one threshold decides.

repeated names   a name that is a mention elsewhere in the text is one wherever it recurs, also
                 below the threshold, unless it is part of a longer name (`Boston` of `Boston
                 Globe`); so is a name of several words that recurs
neopronouns      the forms of a set that the text uses (`xe`, `xem`)
expletives       the `it` of `it rained` is no mention; any other `it` is one
verbs            are mentions only where events are asked for
whole names      `Ann` gives way to `Ann Lee` where that is nearly as likely
borders          `Tim's` gives way to `Tim`, `Hi Priya` to `Priya`; spans with half a quotation
                 are no mentions
coordinations    `John and Mary` where `they` follows
speaker labels   are mentions of the speaker
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from coindex.models.coref.features import CLASSES, NAME, SpanFeatures
from coindex.models.coref.infer.mention_detection import DetectedMentions
from coindex.text.expletives import is_expletive
from coindex.text.name_variants import is_person_word
from coindex.text.word_classes import POSSESSIVE_MARKS, normalize
from coindex.text.word_lists import labels, words
from coindex.types.document import Document

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

LOWEST = -3.5
"""Spans with a lower logit are never mentions."""
LOWEST_OF_SEVERAL = -2.5
"""The same for names of several words that recur, none of which is above the threshold."""
NEARLY = 3.0
"""By how much the logit of a whole name may be lower than that of its part."""

SOON = 40
"""How many tokens after a coordination a plural pronoun must follow."""

_PLURALS = frozenset({"they", "them", "their", "theirs", "themselves", "both"})
_GREETINGS = frozenset({"hi", "hello", "hey", "dear"})
_NAMING_VERBS = frozenset({"called"})
_PAIRS = (("“", "”"), ("``", "''"), ("(", ")"), ("[", "]"), ("-LRB-", "-RRB-"))
_HALVES = frozenset({'"', "'", *(mark for pair in _PAIRS for mark in pair)})
_BEFORE_VERBS = frozenset(
    [
        "to",
        "will",
        "would",
        "can",
        "could",
        "may",
        "might",
        "must",
        "shall",
        "should",
        "do",
        "does",
        "did",
        "not",
        "n't",
        "never",
        "he",
        "she",
        "they",
        "i",
        "we",
        "you",
        "who",
        "let",
        "please",
        "'ll",
        "'d",
        "also",
    ]
)


@dataclass(frozen=True, slots=True)
class SelectionRules:
    """Which of the rules above are applied."""

    repeats: bool = True
    neopronouns: bool = True
    whole_names: bool = True
    events: bool = False


_HANDLE = re.compile(r"@[A-Za-z]\w+")
_TIMESTAMP = re.compile(r"\d{1,2}:\d\d:\d\d[.,]\d{1,3}")


def select_mentions(
    document: Document,
    mentions: DetectedMentions,
    threshold: float,
    rules: SelectionRules,
) -> DetectedMentions:
    """The spans that are mentions; `mentions` has all with a logit above `LOWEST`."""
    spans = mentions.spans
    chosen = mentions.logits > threshold
    if rules.repeats:
        chosen |= _repeated_names(document, mentions, threshold)
    if rules.neopronouns:
        _choose_neopronouns(document, spans, chosen)
    if not rules.events:
        chosen &= ~_verbs(document, spans)
    chosen &= ~_timestamps(document, spans)
    chosen &= ~_clauses(document, spans)
    if rules.whole_names:
        _prefer_whole_names(document, mentions, chosen)
    _choose_it(document, spans, chosen)
    chosen |= _places(spans, label_spans(document))
    _choose_coordinations(document, mentions, chosen)
    _trim(document, mentions, chosen)
    indices = np.nonzero(chosen)[0]
    return DetectedMentions(
        spans.take(indices), mentions.logits[indices], mentions.vectors[indices]
    )


def _repeated_names(document: Document, mentions: DetectedMentions, threshold: float) -> Mask:
    spans, logits = mentions.spans, mentions.logits
    names = spans.classes == NAME
    _, number = np.unique(spans.strings, return_inverse=True)
    count = np.bincount(number[names], minlength=len(spans))[number]
    best = np.full(len(spans), -np.inf, dtype=np.float32)
    np.maximum.at(best, number[names], logits[names])
    again: Mask = names & (logits <= threshold) & (count > 1)
    several = (spans.ends - spans.starts > 1) & (logits > LOWEST_OF_SEVERAL)
    again &= ((best[number] > threshold) & (logits > LOWEST)) | several
    firsts = frozenset(document.sentences)
    for index in np.nonzero(again)[0].tolist():
        again[index] = not _is_part(
            document, firsts, int(spans.starts[index]), int(spans.ends[index])
        )
    return again


def _is_part(document: Document, firsts: frozenset[int], start: int, end: int) -> bool:
    """Whether capitalised words continue a name on either side."""
    tokens = document.tokens
    if end < len(tokens) and end not in firsts and _capitalised(tokens[end]):
        return True
    before = start - 1
    return (
        before >= 0
        and start not in firsts
        and before not in firsts
        and _capitalised(tokens[before])
    )


def _capitalised(token: str) -> bool:
    return token[:1].isalpha() and token[:1].isupper()


def _choose_neopronouns(document: Document, spans: SpanFeatures, chosen: Mask) -> None:
    """Choose the words of sets of neopronouns that the text uses.

    It uses a set if it has two forms of it, or one that is no other word.
    """
    listed = labels("neopronouns")
    forms = {normalize(token) for token in document.tokens} & listed.keys()
    sets = {name for name, count in Counter(listed[form] for form in forms).items() if count > 1}
    sets |= {listed[form] for form in forms - words("common_word_neopronouns")}
    if sets:
        single = np.nonzero(spans.ends - spans.starts == 1)[0]
        for index in single.tolist():
            at = int(spans.starts[index])
            word = normalize(document.tokens[at])
            if listed.get(word) in sets:
                chosen[index] = not _is_cited(document.tokens, at)


def _is_cited(tokens: Sequence[str], at: int) -> bool:
    """Whether a neopronoun is one of a list of forms: `xe/xem`, `ve, ver and vis`."""
    listed = words("neopronouns")
    near = [normalize(token) for token in tokens[max(0, at - 3) : at + 4]]
    own = min(at, 3)
    before, after = near[:own], near[own + 1 :]
    joins = ({"/"}, {","}, {"and"}, {"or"}, {",", "and"})
    return any(
        len(side) > width and side[width] in listed and set(side[:width]) in joins
        for side in (before[::-1], after)
        for width in (1, 2)
    )


def _verbs(document: Document, spans: SpanFeatures) -> Mask:
    """Single words in lower case that follow a subject, an auxiliary or `to`."""
    verbs = np.zeros(len(spans), dtype=bool)
    bare = (spans.classes == CLASSES.index("bare")) & (spans.ends - spans.starts == 1)
    for index in np.nonzero(bare)[0].tolist():
        at = int(spans.starts[index])
        token = document.tokens[at]
        if token.islower() and token not in words("neopronouns"):
            before = normalize(document.tokens[at - 1]) if at else ""
            verbs[index] = before in _BEFORE_VERBS and not (before == "to" and _is_person(token))
    return verbs


def _timestamps(document: Document, spans: SpanFeatures) -> Mask:
    """Spans within the times of subtitles: `00:12:05,000 --> 00:12:08,700`."""
    marks = [_TIMESTAMP.fullmatch(token) is not None for token in document.tokens]
    before = np.concatenate([[0], np.cumsum(marks, dtype=np.int64)])
    found: Mask = before[spans.ends] > before[spans.starts]
    return found


def _clauses(document: Document, spans: SpanFeatures) -> Mask:
    """Spans of a name, a verb of speech and more: `Karen told Michael`."""
    speech = words("speech_verbs") - _NAMING_VERBS
    found = np.zeros(len(spans), dtype=bool)
    for index in np.nonzero(spans.ends - spans.starts > 2)[0].tolist():
        tokens = document.tokens[int(spans.starts[index]) : int(spans.ends[index])]
        verb = next((at for at, token in enumerate(tokens) if token in speech), 0)
        found[index] = verb > 0 and all(map(_capitalised, tokens[:verb]))
    return found


def _choose_it(document: Document, spans: SpanFeatures, chosen: Mask) -> None:
    """Choose each `it` that refers to something, and no other."""
    single = (spans.classes == CLASSES.index("neuter")) & (spans.ends - spans.starts == 1)
    for index in np.nonzero(single)[0].tolist():
        at = int(spans.starts[index])
        if normalize(document.tokens[at]) == "it":
            chosen[index] = not is_expletive(document.tokens, at)


def _is_person(word: str) -> bool:
    """Whether a word in lower case can be a person: `sam`, `grandma`."""
    return is_person_word(word) or word in words("noun_genders") or word in words("person_nouns")


def label_spans(document: Document) -> frozenset[tuple[int, int]]:
    """The tokens that name somebody for certain.

    They are the labels of speakers who are known, `Ann` of `Ann: Hello`, and handles, `@ann_lee`.
    """
    labelled = document.layer("speaker-label") or ()
    spans, at = [], 0
    for label, group in groupby(labelled):
        end = at + len(list(group))
        if label and not label.startswith("?"):
            spans.append((at, end))
        at = end
    handles = (n for n, token in enumerate(document.tokens) if _HANDLE.fullmatch(token))
    return frozenset([*spans, *((at, at + 1) for at in handles)])


def _places(spans: SpanFeatures, wanted: frozenset[tuple[int, int]]) -> Mask:
    places = zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
    return np.fromiter((place in wanted for place in places), dtype=bool, count=len(spans))


def _choose_coordinations(document: Document, mentions: DetectedMentions, chosen: Mask) -> None:
    """Choose `John and Mary` if both are chosen and a plural pronoun follows soon."""
    spans = mentions.spans
    tokens = [normalize(token) for token in document.tokens]
    index_of = _index(spans)
    names = np.nonzero(chosen & (spans.classes == NAME))[0].tolist()
    ending = {int(spans.ends[index]): int(spans.starts[index]) for index in names}
    for index in names:
        at, end = int(spans.starts[index]), int(spans.ends[index])
        if at < 2 or tokens[at - 1] not in ("and", "&") or at - 1 not in ending:
            continue
        both = index_of.get((ending[at - 1], end))
        if both is not None and not _PLURALS.isdisjoint(tokens[end : end + SOON]):
            chosen[both] = True


def _trim(document: Document, mentions: DetectedMentions, chosen: Mask) -> None:
    """Exchange spans for their likely parts, and leave out those with half a quotation."""
    spans = mentions.spans
    index_of = _index(spans)
    tokens = document.tokens
    for index in np.nonzero(chosen)[0].tolist():
        start, end = int(spans.starts[index]), int(spans.ends[index])
        inner = (start + (normalize(tokens[start]) in _GREETINGS), end - _marks(tokens, end))
        if inner != (start, end) and inner[0] < inner[1]:
            part = index_of.get(inner)
            if part is not None:
                chosen[index], chosen[part] = False, True
        elif _HALVES & {*tokens[start:end]} and _is_half(tokens[start:end]):
            chosen[index] = False


def _marks(tokens: Sequence[str], end: int) -> int:
    """How many possessive marks stand at the end of a span."""
    return int(normalize(tokens[end - 1]) in POSSESSIVE_MARKS)


def _is_half(tokens: Sequence[str]) -> bool:
    """Whether quotation marks or brackets in a span are not paired."""
    same = sum(token in ('"', "'") for token in tokens)
    return same % 2 == 1 or any(
        tokens.count(opening) != tokens.count(closing) for opening, closing in _PAIRS
    )


def _index(spans: SpanFeatures) -> dict[tuple[int, int], int]:
    places = zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
    return {place: index for index, place in enumerate(places)}


def _prefer_whole_names(document: Document, mentions: DetectedMentions, chosen: Mask) -> None:
    """Exchange names that are part of a run of capitals for the whole run, where it is likely."""
    spans, logits = mentions.spans, mentions.logits
    index_of = _index(spans)
    firsts = frozenset(document.sentences)
    widest = int((spans.ends - spans.starts).max(initial=0))
    for index in np.nonzero(chosen & (spans.classes == NAME))[0].tolist():
        start, end = int(spans.starts[index]), int(spans.ends[index])
        stop = end
        while (
            stop < min(len(document.tokens), start + widest + 1)
            and stop not in firsts
            and _capitalised(document.tokens[stop])
        ):
            stop += 1
        whole = index_of.get((start, stop)) if stop > end else None
        if whole is not None and not chosen[whole] and logits[whole] > logits[index] - NEARLY:
            chosen[index], chosen[whole] = False, True
