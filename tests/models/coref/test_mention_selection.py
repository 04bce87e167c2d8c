"""Which spans become mentions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coindex.models.coref.features import SpanFeaturizer, word_features
from coindex.models.coref.infer.engine import without_doubles
from coindex.models.coref.infer.mention_detection import DetectedMentions
from coindex.models.coref.infer.mention_selection import SelectionRules, select_mentions
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention


def selected(
    document: Document, logits: dict[tuple[int, int], float], rules: SelectionRules | None = None
) -> list[tuple[int, int]]:
    places = sorted(logits)
    starts, ends = (np.array(column, dtype=np.int64) for column in zip(*places, strict=True))
    spans = SpanFeaturizer(word_features(document)).spans(starts, ends)
    values = np.array([logits[place] for place in places], dtype=np.float32)
    detected = DetectedMentions(spans, values, np.zeros((len(places), 4), dtype=np.float32))
    chosen = select_mentions(document, detected, 0.0, rules or SelectionRules()).spans
    return list(zip(chosen.starts.tolist(), chosen.ends.tolist(), strict=True))


def test_a_name_that_recurs_is_found_again_unless_it_is_part_of_a_longer_one() -> None:
    document = Document.of(
        "d", [["we", "left", "Boston", "for", "the", "Boston", "Globe", "in", "Boston", "."]]
    )
    logits = {(2, 3): 3.0, (5, 6): -2.0, (8, 9): -2.0}
    assert selected(document, logits) == [(2, 3), (8, 9)]
    assert selected(document, logits, SelectionRules(repeats=False)) == [(2, 3)]


def test_neopronouns_need_two_forms_of_their_set() -> None:
    logits = {(1, 2): -3.0}
    assert selected(Document.of("d", [["when", "xe", "gave", "xyr", "talk"]]), logits) == [(1, 2)]
    assert selected(Document.of("d", [["saw", "em", "all", "today"]]), logits) == []


def test_verbs_are_mentions_only_where_events_are_asked_for() -> None:
    document = Document.of("d", [["they", "will", "resign", "today"]])
    logits = {(0, 1): 2.0, (2, 3): 2.0}
    assert selected(document, logits) == [(0, 1)]
    assert selected(document, logits, SelectionRules(events=True)) == [(0, 1), (2, 3)]


def test_a_whole_name_is_preferred_to_its_first_word() -> None:
    document = Document.of("d", [["we", "met", "Bashir", "Nouri", "there"]])
    assert selected(document, {(2, 3): 1.0, (2, 4): -0.5}) == [(2, 4)]
    assert selected(document, {(2, 3): 5.0, (2, 4): -0.5}) == [(2, 3)]


def test_doubles_are_removed_and_other_nested_mentions_stay() -> None:
    document = Document.of(
        "d", [["Dr.", "Ann", "'s", "friend", "saw", "Ann", "'s", "own", "mother"]]
    )
    places = [(0, 2), (1, 2), (0, 3), (5, 6), (5, 7)]
    entity = Entity(tuple(Mention.at(*place) for place in places))
    other = Entity((Mention.at(0, 4), Mention.at(5, 9)))
    result = without_doubles(replace(document, entities=(entity, other)), singletons=False)
    kept = [[(m.start, m.end) for m in each.mentions] for each in result.entities]
    assert sorted(map(sorted, kept)) == [[(0, 2), (5, 6)], [(0, 4), (5, 9)]]
