"""What is kept between calls has a limit, and nothing depends on it but time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import quizbowl_samples as samples
from coindex.errors import InvalidValue
from coindex.models.mention_pair.feature_store import FeatureStore, LruCache
from coindex.models.mention_pair.train import Learner
from coindex.text.parsing.parse import Parse

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")


class CountingParser(samples.WordParser):
    """Counts the texts that it parses."""

    asked: list[str]

    def batch(self, texts: Sequence[str]) -> list[Parse]:
        self.asked.extend(texts)
        return super().batch(texts)


def store(words: int) -> tuple[FeatureStore, list[str]]:
    parser = CountingParser()
    object.__setattr__(parser, "asked", [])
    return FeatureStore(parser, samples.CONFIG, words=words), parser.asked


def test_the_least_recently_used_goes_first() -> None:
    kept: LruCache[str] = LruCache(10)
    for key, size in (("a", 4), ("b", 4)):
        assert kept.get(key, size, key.upper) == key.upper()
    kept.get("a", 4, lambda: "not made again")
    kept.get("c", 4, lambda: "C")
    assert ("a" in kept, "b" in kept, "c" in kept) == (True, False, True)
    assert (kept.total, len(kept)) == (8, 2)
    assert kept.get("a", 4, lambda: "not made again") == "A"


def test_the_newest_is_kept_however_large() -> None:
    kept: LruCache[int] = LruCache(10)
    kept.get("small", 1, lambda: 1)
    kept.get("large", 99, lambda: 2)
    assert ("small" in kept, "large" in kept, kept.total) == (False, True, 99)
    kept.get("small", 1, lambda: 3)
    assert ("large" in kept, kept.total) == (False, 1)
    kept.clear()
    assert (len(kept), kept.total) == (0, 0)


def test_a_store_forgets_what_was_not_asked_for() -> None:
    documents = samples.stories(12)
    limit = 3 * max(map(len, documents))
    small, asked = store(limit)
    for document in documents:
        small.features([document])
    assert len(asked) == 12
    assert small._texts.total <= limit
    assert small._documents.total <= limit
    small.features(documents[-1:])
    assert len(asked) == 12, "the last one is still here"
    small.features(documents[:1])
    assert len(asked) == 13, "the first one was forgotten"


def test_many_annotations_of_one_text_do_not_add_up() -> None:
    from dataclasses import replace

    document = samples.story(3)
    small, asked = store(4 * len(document))
    for count in range(len(document.entities) + 1):
        small.features([replace(document, entities=document.entities[:count])])
    assert len(asked) == 1, "the text is parsed once"
    assert small._documents.total <= 4 * len(document)


def test_more_documents_at_once_than_are_kept() -> None:
    small, _ = store(1)
    documents = samples.stories(5)
    found = small.features([*documents, documents[0]])
    assert [part.document for part in found] == [*documents, documents[0]]
    assert len(small._texts) == 1


def test_answers_do_not_depend_on_what_is_kept() -> None:
    answers = []
    for words in (1, 60, 10**6):
        small, _ = store(words)
        trained = Learner(small, samples.CONFIG).train(samples.stories(8))
        unseen = samples.stories(4, 50)
        answers.append(
            (trained.digest, list(trained.resolve(unseen)), trained.uncertainties(unseen))
        )
        assert trained._predictions.total <= max(words, max(map(len, unseen)))
    assert answers[0] == answers[1] == answers[2]


def test_a_store_keeps_something() -> None:
    with pytest.raises(InvalidValue, match="words"):
        store(0)
