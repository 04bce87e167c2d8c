"""Documents and problems as examples: what is kept, what is left out, and odd input."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import training_samples as samples
from coindex.errors import InputError
from coindex.models.coref.recipe import Corpus, Recipe
from coindex.models.coref.train.batch import batches
from coindex.models.coref.train.clues import Clue
from coindex.models.coref.train.corpora import CorpusItems, TrainingCorpus, build_corpus
from coindex.models.coref.train.examples import Example, ExampleBuilder, passage_of
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars, Span


@pytest.fixture(scope="module")
def maker(tiny: Path) -> ExampleBuilder:
    from coindex.models.common.subwords import SubwordTokenizer, load_tokenizer

    return ExampleBuilder(SubwordTokenizer(load_tokenizer(str(tiny))), size=64, overlap=16, width=4)


def at(text: str, phrase: str, number: int = 0) -> Chars:
    start = -1
    for _ in range(number + 1):
        start = text.index(phrase, start + 1)
    return Chars(start, start + len(phrase))


def problem(
    text: str, pronoun: Chars, names: list[Chars], answer: tuple[int, ...] | None
) -> Problem:
    candidates = tuple(Candidate(place.of(text) or "?", place) for place in names)
    return Problem("p", text, pronoun, candidates, answer)


def test_mentions_that_cannot_be_found_are_left_out(maker: ExampleBuilder) -> None:
    mentions = [
        Mention.at(0, 2), Mention.at(0, 5), Mention.at(4, 7),
        Mention((Span(0, 1), Span(2, 3))), Mention.at(2, 4), Mention.at(6, 7),
    ]  # fmt: skip
    document = Document.of(
        "d", [["a", "b", "c", "d", "e", "f"], ["g", "h"]],
        [Entity(tuple(mentions)), Entity((Mention.at(6, 7), Mention.at(7, 8)))],
    )  # fmt: skip
    made = maker.document(document, 0)
    assert made.spans.tolist() == [[0, 2], [2, 4], [6, 7], [7, 8]]
    assert made.entities.tolist() == [0, 0, 0, 1]  # the larger entity has the shared mention


def test_a_document_without_words_or_mentions(maker: ExampleBuilder) -> None:
    empty = maker.document(Document.of("d", []), 0)
    assert (len(empty), empty.windows, empty.spans.shape) == (0, (), (0, 2))
    plain = maker.document(Document.of("d", [["one"]]), 0)
    assert (len(plain), plain.spans.shape, plain.last.tolist()) == (1, (0, 2), [1])


def test_a_clue_counts_every_occurrence_of_a_name() -> None:
    text = "Ann met Bob. Ann said he knew Bob."
    found = passage_of(problem(text, at(text, "he"), [at(text, "Ann"), at(text, "Bob")], (1,)))
    assert found is not None
    document, clue = found
    assert document.tokens[clue.pronoun[0]] == "he"
    assert clue == Clue((6, 7), ((2, 3), (8, 9)), ((0, 1), (4, 5)), names=((2, 3),))


def test_a_name_within_the_other_candidates_name_is_not_that_name() -> None:
    text = "Ann Lee met Ann. Ann Lee and Ann said she slept."
    names = [at(text, "Ann Lee"), at(text, "Ann", 1)]
    found = passage_of(problem(text, at(text, "she"), names, (0,)))
    assert found is not None
    assert (found[1].right, found[1].wrong) == (((0, 2), (5, 7)), ((3, 4), (8, 9)))


def test_overlapping_candidates_count_where_they_were_marked() -> None:
    text = "Ann Lee 's mother slept when she came."
    names = [at(text, "Ann Lee"), at(text, "Ann Lee 's mother")]
    found = passage_of(problem(text, at(text, "she"), names, (1,)))
    assert found is not None
    assert (found[1].right, found[1].wrong) == (((0, 4),), ((0, 2),))


def test_two_candidates_of_one_name_tell_nothing() -> None:
    text = "Ann met Ann. She slept."
    names = [at(text, "Ann"), at(text, "Ann", 1)]
    assert passage_of(problem(text, at(text, "She"), names, (0,))) is None
    both = passage_of(problem(text, at(text, "She"), names, (0, 1)))
    assert both is not None
    assert both[1].right == ((0, 1), (2, 3))


@pytest.mark.parametrize(
    ("pronoun", "name", "answer"),
    [
        (Chars(9, 12), Chars(0, 3), None),  # nobody knows
        (Chars(3, 4), Chars(0, 3), (0,)),  # the pronoun is white space
        (Chars(9, 12), Chars(8, 9), (0,)),  # the candidate is
        (Chars(9, 12), Chars(19, 19), (0,)),  # a candidate without characters, at the end
    ],
)
def test_problems_of_no_use(pronoun: Chars, name: Chars, answer: tuple[int, ...] | None) -> None:
    text = "Ann ran. She slept."
    assert passage_of(problem(text, pronoun, [name], answer)) is None


def test_a_candidate_that_is_not_in_the_text() -> None:
    text = "Ann ran. She slept."
    made = Problem("p", text, Chars(9, 12), (Candidate("Eve"), Candidate("Ann", Chars(0, 3))), (1,))
    assert passage_of(made) is None


def test_phrases_wider_than_a_mention_are_left_out(maker: ExampleBuilder) -> None:
    text = "a b c d e met Ann . She slept . And f g h i j said so ."
    wide, ann = at(text, "a b c d e"), at(text, "Ann")
    (made,) = maker.pack([problem(text, at(text, "She"), [wide, ann], (1,))], 0)
    assert made.clues.each == (Clue((8, 9), ((6, 7),), (), names=((6, 7),)),)
    assert not list(maker.pack([problem(text, at(text, "She"), [wide], (0,))], 0))
    assert not list(maker.pack([problem(text, at(text, "f g h i j"), [ann], (0,))], 0))


def test_packed_passages_keep_their_places(maker: ExampleBuilder) -> None:
    problems = [samples.problem(number) for number in range(6)]
    whole = list(maker.pack(problems, 0, most=20))
    assert sum(len(example.clues) for example in whole) == 6
    for example in whole:
        words = [word for text, _ in example.texts for word in text]
        for clue in example.clues:
            assert words[clue.pronoun[0]] in ("She", "He")
            assert {example.parts[span[0]] for span in (*clue.right, *clue.wrong)} == {
                example.parts[clue.pronoun[0]]
            }
        assert [w.first for w in example.windows] == sorted(w.first for w in example.windows)
        again = maker.retokenized(example)
        assert [w.subwords.tolist() for w in again.windows] == [
            w.subwords.tolist() for w in example.windows
        ]
        assert [w.first for w in again.windows] == [w.first for w in example.windows]


def test_batches_hold_every_example_once(maker: ExampleBuilder) -> None:
    examples = [maker.document(document, 0) for document in samples.stories()]
    made = batches(examples, 70, random.Random(1))
    assert sorted(e.id for batch in made for e in batch) == sorted(e.id for e in examples)
    assert all(sum(map(len, batch)) <= 70 for batch in made)
    assert max(map(len, made)) > 1
    alone = batches(examples, 1, random.Random(1))
    assert [len(batch) for batch in alone] == [1] * 10
    assert batches([], 70, random.Random(1)) == []


def _side(
    maker: ExampleBuilder, documents: list[Document], *, split: bool = True, longest: int = 100
) -> TrainingCorpus:
    corpus = Corpus(("mine",))
    recipe = Recipe("e", (corpus,), longest=longest)
    return build_corpus(CorpusItems(corpus, tuple(documents), (), ()), recipe, maker, split=split)


def test_documents_and_examples_stay_side_by_side(maker: ExampleBuilder) -> None:
    documents = [Document.of("empty", []), *samples.stories(2)]
    for split in (True, False):
        made = _side(maker, documents, split=split)
        assert (
            [d.id for d in made.documents]
            == [e.id for e in made.examples]
            == ["story-00", "story-01"]
        )
        assert made.remarks[1:] == ("left out: 1 documents without words",)


def test_long_documents_are_cut_for_training_alone(maker: ExampleBuilder) -> None:
    long = Document.of("long", [["a"] * 60] * 5)
    assert len(_side(maker, [long]).examples) == 5
    assert len(_side(maker, [long], split=False).examples) == 1


def test_a_corpus_of_nothing_is_an_error(maker: ExampleBuilder) -> None:
    with pytest.raises(InputError, match="mine: expected examples to use, found none"):
        _side(maker, [Document.of("empty", [])])
    corpus = Corpus(("gaps",), partial=True)
    unknown = problem("Ann ran. She slept.", Chars(9, 12), [Chars(0, 3)], None)
    with pytest.raises(InputError, match="gaps: expected examples to use"):
        build_corpus(
            CorpusItems(corpus, (), (unknown,), ()),
            Recipe("e", (Corpus(("a",)),)),
            maker,
            split=True,
        )


def test_what_is_left_out_is_counted(maker: ExampleBuilder) -> None:
    wide = Document.of("d", [["a"] * 9], [Entity((Mention.at(0, 9), Mention.at(0, 1)))])
    made = _side(maker, [wide])
    assert made.remarks[1].startswith("left out: 1 mentions of more than 4 words")
    assert isinstance(made.examples[0], Example)


def test_a_part_of_a_longer_name_is_no_occurrence() -> None:
    text = "Ann Lee met Mr. Lee. Lee and Ann slept, then she left Lee."
    at = text.index("she")
    marked = text.index("Lee and")
    problem = Problem(
        "p", text, Chars(at, at + 3),
        (Candidate("Ann Lee", Chars(0, 7)), Candidate("Lee", Chars(marked, marked + 3))), (0,),
    )  # fmt: skip
    found = passage_of(problem)
    assert found is not None
    document, clue = found

    def words(spans: tuple[tuple[int, int], ...]) -> list[tuple[str, int]]:
        return [(" ".join(document.tokens[a:b]), a) for a, b in spans]

    assert words(clue.right) == [("Ann Lee", 0)] == words(clue.names)
    assert words(clue.wrong) == [("Lee", 6), ("Lee", 14)]
    assert words(clue.inner) == [("Ann", 0), ("Lee", 1)]
