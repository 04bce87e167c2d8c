"""Counterfactual copies of the user's own texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from audit_samples import HE, SHE
from coindex.audit.own_texts import WORDS, changed_texts, own_passages
from coindex.audit.run import AuditOptions, run_audit
from coindex.audit.subject import ResolverSubject
from coindex.errors import UsageError
from coindex.text.tokenizer import token_offsets
from coindex.transform.edit import retokenize
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.progress import OnProgress, ignore_progress
from plugin_fixtures import Add

STORY = "John Miller lost his hat . He was sad . Mary Wilson found it , and she kept it ."
OWN = ("gender-exchange", "name-exchange", "pronoun-exchange")


class ByGender:
    """Joins he with the first name and she with the second, by their places; `biased`: ignores she."""

    def __init__(self, biased: bool = False) -> None:
        self.signature = "by gender"
        self.biased = biased

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        for each in documents:
            document = each if each.tokens else retokenize(each, ())
            yield Document(
                document.id, document.text, document.tokens, document.starts, document.ends,
                document.sentences, tuple(self.entities(document)),
            )  # fmt: skip

    def entities(self, document: Document) -> Iterator[Entity]:
        for first, others in ((0, (3, 6)), (10, (16,))):
            mentions = [Mention.at(first, first + 2)]
            for at in others:
                known = document.tokens[at].lower() in (
                    HE if self.biased else HE | SHE | {"they", "their"}
                )
                mentions += [Mention.at(at, at + 1)] if known else []
            if len(mentions) > 1:
                yield Entity(tuple(mentions))


def audit_of(add: Add, resolver: ByGender, texts: list[str]) -> dict[str, dict[str, float | None]]:
    add("resolvers", "mine", load=lambda settings: resolver, CONTEXT="snippet", ABOUT="mine")
    documents = tuple(Document(f"t{n}", text) for n, text in enumerate(texts))
    options = AuditOptions(only=OWN, texts=documents, resamples=200)
    audit = run_audit(ResolverSubject("mine"), options)
    assert audit.own_texts == len(texts)
    return {
        entry.name: {figure.name: figure.value for figure in entry.measured.figures}
        for entry in audit.entries
    }


def test_a_resolver_that_ignores_gender_changes_nothing(add: Add) -> None:
    found = audit_of(add, ByGender(), [STORY])
    assert found["gender-exchange"] == {"changed": 0}
    assert found["name-exchange"] == {"changed": 0}
    assert found["pronoun-exchange"]["they"] == 0
    assert found["pronoun-exchange"]["neopronouns"] > 0, "it does not know them"  # type: ignore[operator]


def test_a_resolver_that_ignores_women_changes_everything(add: Add) -> None:
    found = audit_of(add, ByGender(biased=True), [STORY])
    assert found["gender-exchange"] == {"changed": 100}
    assert found["name-exchange"] == {"changed": 0}


def resolved() -> Document:
    (document,) = ByGender().resolve([Document("t", STORY)])
    return document


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("genders", ("She was sad", "and he kept", "her hat")),
        ("they", ("They were sad", "their hat", "and she kept")),
        ("neo", ("was sad", "and she kept")),
        ("names", ("He was sad", "and she kept")),
    ],
)
def test_changes(change: str, words: tuple[str, ...]) -> None:
    (passage,) = own_passages([Document("t", STORY)])
    made = changed_texts([passage], [resolved()], change, "x")
    ((before, after),) = made.pairs
    assert before.text == STORY
    assert after.id == "t-1/x"
    assert after.text != STORY
    for each in words:
        assert each in after.text
    if change == "names":
        assert "Miller" not in after.text
        assert "Mary" not in after.text


def test_what_cannot_be_changed_is_counted() -> None:
    passages = own_passages([Document("a", "It rained ."), Document("b", "Snow fell .")])
    documents = [retokenize(Document("a", "It rained ."), ()), None]
    made = changed_texts(passages, documents, "genders", "x")
    assert made.pairs == ()
    assert made.refused == {"nobody with a pronoun of one gender": 1, "no clusters": 1}


def test_long_texts_are_divided_at_sentences() -> None:
    text = "Ann saw the old man by the river again . " * 50
    passages = own_passages([Document("t", text)])
    assert len(passages) > 2
    assert " ".join(each.text for each in passages) == text.strip()
    sizes = [len(list(token_offsets(each.text))) for each in passages]
    assert all(WORDS <= size < WORDS + 10 for size in sizes[:-1])
    assert all(each.text.endswith(".") for each in passages)
    assert own_passages([Document("t", " ")]) == ()


def test_texts_without_words_are_an_error(add: Add) -> None:
    add("resolvers", "mine", load=lambda settings: ByGender(), CONTEXT="snippet", ABOUT="mine")
    options = AuditOptions(only=OWN, texts=(Document("t", " "),))
    with pytest.raises(UsageError, match="expected texts with words"):
        run_audit(ResolverSubject("mine"), options)
