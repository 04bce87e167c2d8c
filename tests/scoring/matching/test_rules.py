"""Golden cases of the matching rules: the MINA paper's figures, Collins' heads, partial spans.

The figures' trees are pictures; their shapes are those the captions give, with
the words of Example 1 for Figure 7 and words of our own elsewhere.
"""

from __future__ import annotations

import pytest

from coindex import Document, Entity, Mention, Span, score
from coindex.errors import InvalidValue, UsageError
from coindex.scoring.matching.builtin import head, mina, mina_strict, partial
from coindex.text.heads import head_finder
from coindex.types.tree import Node, read_penn, subtree


def parsed(tree: str) -> Document:
    ((words, tags, bits),) = read_penn(tree)
    return Document.of("d", [words], pos=tuple(tags), parse=tuple(bits))


RULES = {"mina": mina.minimum_span, "mina-strict": mina_strict.minimum_span}


def minimum(tree: str, phrase: str | None = None, rule: str = "mina") -> str:
    """The minimum span of a phrase of the tree, or of the whole."""
    document = parsed(tree)
    words = phrase.split() if phrase else list(document.tokens)
    start = next(
        i for i in range(len(document)) if list(document.tokens[i : i + len(words)]) == words
    )
    found = RULES[rule](document, start, start + len(words))
    return " ".join(document.tokens[index] for index in found)


FIGURES = {
    "3: NP -> NP PP PP": (
        "(NP (NP (DT the) (NN bridge)) (PP (IN over) (NP (DT the) (NN river))) (PP (IN in) (NP (NNP Leeds))))",
        "the bridge",
    ),
    "4: nested": (
        "(NP (NP (NP (DT the) (NN roof)) (PP (IN of) (NP (DT the) (NN barn)))) (SBAR (WHNP (WDT that)) (S (VP (VBD fell)))))",
        "the roof",
    ),
    "5: apposition": (
        "(NP (NP (NNP Ann) (NNP Lee)) (, ,) (NP (DT the) (NN mayor)) (, ,))",
        "Ann Lee the mayor",
    ),
    "6: conjunction": (
        "(NP (NP (DT the) (NN cat)) (CC and) (NP (DT the) (NN dog)))",
        "the cat the dog",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("figure", FIGURES)
def test_figures_of_the_paper(figure: str, rule: str) -> None:
    tree, span = FIGURES[figure]
    assert minimum(tree, rule=rule) == span


EXAMPLE_1 = """
(S (NP (DT This) (NNP News) (NNP Corp.)) (VP (VBZ has) (NP (DT an) (JJ extensive) (NN presence))
 (, ,) (PP (IN of) (NP (NN course))) (PP (IN in) (NP (DT this) (NN country)))) (. .))
"""


@pytest.mark.parametrize("rule", RULES)
def test_figure_7_a_span_that_is_no_phrase_gets_a_dummy_root(rule: str) -> None:
    assert minimum(EXAMPLE_1, "an extensive presence", rule) == "an extensive presence"
    longer = "an extensive presence , of course in this country"
    assert subtree(parsed(EXAMPLE_1).parse or (), 4, 13).tag == "X"
    assert minimum(EXAMPLE_1, longer, rule) == "an extensive presence"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("tree", "gold", "system"),
    [
        ("(S (NP (NNP Le) (NNP Courrier)) (, ,) (VP (VBZ is) (ADJP (JJ old))))", "Le Courrier", "Le Courrier ,"),
        ("(S (NP (NNP Pierce) (NNP College)) (VP (VBD sheltered) (NP (NNS horses))))", "Pierce College", "Pierce College sheltered"),
    ],
)  # fmt: skip
def test_boundary_noise_of_the_papers_examples(
    tree: str, gold: str, system: str, rule: str
) -> None:
    assert minimum(tree, gold, rule) == minimum(tree, system, rule)


def test_quotation_marks_within_a_chunk_belong_to_it_in_the_program_alone() -> None:
    document = parsed("(VP (TO to) (NP (`` ``) (NNP Investment) (NNP Canada) ('' '')))")
    assert mina_strict.minimum_span(document, 1, 5) == mina_strict.minimum_span(document, 2, 4)
    assert mina.minimum_span(document, 1, 5) == (1, 2, 3, 4)
    assert mina.minimum_span(document, 2, 4) == (2, 3)


BOARD = (
    "(NP (NP (DT a) (ADJP (JJ deutsche) (NN mark) (VBN based)) (NN currency) (NN board))"
    " (SBAR (WHADVP (WRB where)) (S (NP (PRP we)) (VP (VBP sit)))))"
)
"""In the paper "a currency board" is the minimum span; the program leaves out a lone determiner."""


@pytest.mark.parametrize(
    ("tree", "strict", "program"),
    [
        (BOARD, "a currency board", "currency board"),
        ("(VP (VBD ran) (PP (TO to) (NP (NNP Leeds))))", "ran", "ran"),
        ("(ADJP (JJ full) (PP (IN of) (NP (NN joy))))", "full of joy", "full"),
        ("(ADVP (RB right) (RB here))", "right here", "right here"),
        ("(NP (QP (RB about) (CD six)) (NNS men))", "men", "men"),
        ("(NP (DT the) (CC and))", "the and", "the and"),
        ("(NP-SBJ (NP (NP (NN b)) (PP (IN of) (NP (NN c)))) (CC or) (NP (NN d)))", "d", "b d"),
        ("(NP (DT all) (NP (NNS men)))", "men", "men"),
        ("(S (NP (NNP Bo)) (VP (VBD ran)))", "Bo ran", "Bo"),
        ("(VP (VBD called) (NP (PRP it)) (S (NP (NN art))))", "called", "called"),
    ],
)
def test_rules_and_fallbacks(tree: str, strict: str, program: str) -> None:
    assert minimum(tree, rule="mina-strict") == strict
    assert minimum(tree, rule="mina") == program


@pytest.mark.parametrize(
    ("tree", "word"),
    [
        ("(NP (NP (DT the) (NN bridge)) (PP (IN over) (NP (DT the) (NN river))))", "bridge"),
        ("(NP (NP (DT the) (NN dog)) (POS 's))", "'s"),
        ("(NP (NNP Ann) (NNP Lee))", "Lee"),
        ("(NP (DT the) (JJ old))", "old"),
        ("(NP (QP (CD two) (CD three)))", "two"),
        ("(NP (DT the) (CD six))", "six"),
        ("(NP (DT that))", "that"),
        ("(VP (MD will) (VP (VB run)))", "will"),
        ("(PP (IN in) (NP (NNP Leeds)))", "in"),
        ("(S (NP (NNP Bo)) (VP (VBD ran)))", "ran"),
        ("(SBAR (WHNP (WP who)) (S (VP (VBD ran))))", "who"),
    ],
)
def test_collins_heads(tree: str, word: str) -> None:
    document = parsed(tree)
    found = head_finder(document)(Mention.at(0, len(document)))
    assert document.tokens[found] == word


def test_dependency_heads() -> None:
    tokens = [["the", "old", "dog", "ran"]]
    key, response = (
        Document.of("d", tokens, [Entity((mention,))], heads=(2, 2, 3, -1))
        for mention in (Mention.at(0, 3), Mention.at(2, 3))
    )
    of_key, of_response = head.pair(key, response)
    assert of_key(Mention.at(0, 3)) == of_response(Mention.at(2, 3))


def test_an_empty_token_heads_a_mention_only_if_it_is_alone() -> None:
    document = Document("d", "dog", ("_", "dog"), (0, 0), (0, 3), (0,), heads=(-1, -1), zeros=(0,))
    find = head_finder(document)
    assert (find(Mention.at(0, 2)), find(Mention.at(0, 1))) == (1, 0)


def test_rules_say_what_they_need() -> None:
    document = Document.of("d", [["a", "b"]], [Entity((Mention.at(0, 2),), "1")])
    with pytest.raises(
        UsageError, match=r"minimum spans need parse trees.*--trees FILE.*--trees auto"
    ):
        score(document, document, match="mina")
    for rule in ("head", "partial"):
        with pytest.raises(UsageError, match=r"heads need a key with parse trees or dependencies"):
            score(document, document, match=rule)


def test_minimum_spans_forgive_noisy_boundaries() -> None:
    key, response = parsed(EXAMPLE_1), parsed(EXAMPLE_1)
    gold = Entity((Mention.at(0, 3), Mention.at(4, 7)), "1")
    noisy = Entity((Mention.at(0, 3), Mention.at(4, 13)), "1")
    key, response = (
        Document.of("d", [key.tokens], [entity], pos=key.pos, parse=key.parse)
        for entity in (gold, noisy)
    )
    assert score(key, response, metrics="lea").scores["lea"].f1 == 0
    assert score(key, response, metrics="lea", match="mina").scores["lea"].f1 == 100
    assert score(key, response, metrics="lea", match="head").scores["lea"].f1 == 100
    bare = Document.of("d", [key.tokens], [noisy])
    assert score(key, bare, metrics="lea", match="mina").scores["lea"].f1 == 100, "the key's trees"


def test_partial_needs_the_head_and_nothing_outside() -> None:
    document = Document.of(
        "d", [["the", "old", "dog", "of", "Ann", "ran"]], heads=(2, 2, 5, 4, 2, -1)
    )

    def matched(key: tuple[int, int], response: tuple[int, int]) -> bool:
        sides = [
            Document.of(
                "d", [document.tokens], [Entity((Mention.at(*span),), "1")], heads=document.heads
            )
            for span in (key, response)
        ]
        of_key, of_response = partial.pair(*sides)
        return of_key(Mention.at(*key)) == of_response(Mention.at(*response))

    assert matched((0, 5), (0, 5))
    assert matched((0, 5), (1, 3))
    assert matched((0, 5), (2, 3))
    assert not matched((0, 5), (4, 5)), "without the head"
    assert not matched((0, 3), (0, 5)), "beyond the key"


def test_partial_takes_each_key_mention_once() -> None:
    tokens = ["the", "old", "dog"]
    key = Document.of("d", [tokens], [Entity((Mention((Span(0, 3),), head=2),), "1")])
    response = Document.of("d", [tokens], [Entity((Mention.at(1, 3), Mention.at(2, 3)), "1")])
    result = score(key, response, metrics="mentions", match="partial")
    assert result.scores["mentions"].counts == (1, 1, 1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [("(S (NN a)", "never closed"), ("a (S)", "found 'a'"), (")", "closes nothing"), ("(S ())", "no words"), ("(S (NN a) b)", "found 'b'")],
)  # fmt: skip
def test_broken_brackets(text: str, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        list(read_penn(f"\n{text}"))


def test_trees_of_a_stretch_of_tokens() -> None:
    document = parsed(EXAMPLE_1)
    tree = subtree(document.parse or (), 0, 3)
    assert tree == Node("NP", [0, 1, 2])
    assert list(subtree(document.parse or (), 3, 7).leaves()) == [3, 4, 5, 6]


def test_the_beginning_of_a_phrase_is_that_phrase() -> None:
    tree = (
        "(NP (DT the) (NN way) (SBAR (S (NP (PRP we)) (VP (VBP go)))) (PP (IN at) (NP (NN night))))"
    )
    assert minimum(tree, "the way we go") == minimum(tree) == "the way"
