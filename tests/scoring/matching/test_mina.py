"""MINA as its authors' program does it: small trees of our own for each kind of difference.

Spans are given as words; fragments are those of the CoNLL-2012 column, so that a span can begin
and end anywhere in a tree.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Document, Entity, Mention, score
from coindex.scoring.matching.builtin import mina, mina_strict
from coindex.scoring.matching.minimum_spans import Reduce

TAGS = {
    "the": "DT", "a": "DT", "both": "DT", "and": "CC", "or": "CC", "of": "IN", "under": "IN", "that": "IN",
    ",": ",", "(": "-LRB-", ")": "-RRB-", "-": "HYPH", "ran": "VBD", "%": "NN",
}  # fmt: skip


def laid(text: str) -> Document:
    """A document from `word/fragment` items; nouns unless listed."""
    rows = [item.rsplit("/", 1) for item in text.split()]
    words = [word for word, _ in rows]
    tags = tuple(TAGS.get(word.lower(), "NN") for word in words)
    return Document.of("d", [words], pos=tags, parse=tuple(fragment for _, fragment in rows))


def words_of(text: str, search: Reduce = mina.minimum_span) -> str:
    document = laid(text)
    return " ".join(document.tokens[i] for i in search(document, 0, len(document)))


KINDS = {
    "a prepositional phrase: its noun phrase": (
        "under/(PP* the/(NP* stands/*))", "the stands", "under the stands"),
    "unless a word beside the preposition has content": (
        "just/(PP* under/* the/(NP* stands/*))", "just under", "just under the stands"),
    "a clause: its subject": (
        "that/(SBAR* we/(S(NP*) ran/(VP*)))", "we", "that we ran"),
    "a clause that begins with its subject": (
        "Bo/(S(NP*) ran/(VP*))", "Bo", "Bo ran"),
    "a clause two levels down: its verb, if that comes first": (
        "and/(SBAR* ran/(S(VP*) we/(NP*)))", "ran", "and ran we"),
    "an adjective phrase: its own words": (
        "full/(ADJP* of/(PP* joy/(NP*)))", "full", "full of joy"),
    "a hyphen within a chunk": (
        "self/(NP(NML* -/* help/*) of/(PP* Leeds/(NP*)))", "self - help", "self help"),
    "punctuation within a chunk stays": (
        "Kay/(NP(NP* ,/* Ann/*) of/(PP* Leeds/(NP*)))", "Kay , Ann", "Kay Ann"),
    "a comma between noun phrases does not": (
        "Kay/(NP(NP*) ,/* Ann/(NP*))", "Kay Ann", "Kay Ann"),
    "a lone determiner beside a deeper phrase": (
        "the/(NP* very/(ADJP* old/*) man/*)", "man", "the man"),
    "a lone conjunction beside a deeper phrase": (
        "both/(NP* Kay/(NP*) and/* Ann/(NP*))", "Kay Ann", "Kay Ann"),
    "words of a phrase that opens before the span stand for it": (
        "Kay/* ran/(VP*)", "Kay", "ran"),
    "several roots: the words that are in none of their phrases": (
        "ran/(VP*) Kay/*", "Kay", "ran"),
    "several roots without noun or verb phrases": (
        "of/(PP* Leeds/(NP*)) Kay/*", "Kay", "of Leeds Kay"),
    "several roots: every noun phrase": (
        "Kay/(NP*) ran/(VP(VP*) Ann/(NP*))", "Kay", "Kay"),
    "several roots, none of them a noun phrase: all words": (
        "ran/(VP*) of/(PP* Kay/(NP*))", "ran of Kay", "ran"),
    "coordination of unequal depth: each part by itself": (
        "Kay/(NP(NP*) and/* Ann/(NP(NP*) of/(PP* Leeds/(NP*))))", "Kay Ann", "Kay"),
    "a verb phrase under the dummy root does not hide the noun": (
        "Kay/*) ran/(VP* home/(NP*))", "Kay", "ran"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_difference(kind: str) -> None:
    text, program, strict = KINDS[kind]
    assert words_of(text) == program
    assert words_of(text, mina_strict.minimum_span) == strict


PECULIARITIES = {
    "a chunk before a phrase is lost if no word has only letters or only digits": (
        "3.5/(NP* tall/(ADJP* old/*) men/(NML*))", "men"),
    "and kept if one word has": ("all/(NP* U.S./* tall/(ADJP*) men/(NML*))", "all U.S."),
    "a percent sign has content": ("%/(NP*) of/(PP* men/(NP*))", "%"),
    "but is lost before a phrase": ("%/(NP* men/(NP*))", "men"),
    "if nothing is left, all words are kept": ("%/(NP* of/(PP* men/(NP*)))", "% of men"),
    "escaped brackets have no content": ("-LRB-/(NP(NP*) men/(NP*))", "men"),
    "a chunk that stands for its phrase: nothing below it is searched": (
        "the/* of/(PP* men/(NP*))", "the of men"),
    "except noun phrases directly below it": ("the/* men/(NP*) ran/(VP*)", "men"),
    "and verb phrases if there are no noun phrases": ("the/* ran/(VP*)", "ran"),
    "a noun phrase under a dummy root is not divided as a root is": (
        "Kay/(NP(NP*) and/* Ann/(NP(NP*) of/(PP* Leeds/(NP*)))) ,/*", "Kay"),
    "NX and QP count below a noun phrase": ("the/(NP* six/(QP*) men/(NX*))", "six men"),
    "but do not make a root a noun phrase": ("the/(QP* ran/(VP*))", "ran"),
}  # fmt: skip


@pytest.mark.parametrize("kind", PECULIARITIES)
def test_peculiarities_of_the_program_that_change_words(kind: str) -> None:
    text, expected = PECULIARITIES[kind]
    assert words_of(text) == expected


def test_words_of_other_signs_have_no_content() -> None:
    assert words_of("½/(NP(NP*) men/(NP*))") == "men", "a fraction is no digit"
    assert words_of("2²/(NP(NP*) men/(NP*))") == "2² men"


def test_without_tags_every_word_with_letters_has_content() -> None:
    document = laid("under/(PP* the/(NP* stands/*))")
    bare = Document.of("d", [document.tokens], parse=document.parse)
    assert mina.minimum_span(bare, 0, 3) == (0,)


def test_a_zero_is_in_no_tree() -> None:
    document = Document.of(
        "d", [["men", "_", "of", "Leeds"]], pos=("NNS", "", "IN", "NNP"),
        parse=("(NP(NP*)", "", "(PP*", "(NP*)))"), zeros=(1,),
    )  # fmt: skip
    assert mina.minimum_span(document, 0, 4) == (0,)
    assert mina.minimum_span(document, 1, 2) == (1,)


def test_the_variant_and_the_revision_are_in_the_signature() -> None:
    document = laid("of/(PP* the/(NP* stands/*))")
    key = Document.of(
        "d",
        [document.tokens],
        [Entity((Mention.at(1, 3),))],
        pos=document.pos,
        parse=document.parse,
    )
    response = Document.of("d", [document.tokens], [Entity((Mention.at(0, 3),))])
    scores = {}
    for rule, name in (("mina", "mina.2"), ("mina-strict", "mina-strict"), ("exact", "exact")):
        result = score(key, response, metrics="b3", match=rule)
        assert f"|match:{name}|" in result.signature
        scores[rule] = result.scores["b3"].f1
    assert scores == {"mina": 100, "mina-strict": 0, "exact": 0}


LEAVES = st.tuples(
    st.sampled_from(["Kay", "men", "the", "and", "of", ",", "3.5", "-", "ran", "%"]),
    st.sampled_from(["NN", "DT", "CC", "IN", ",", "VBD"]),
)
PHRASES = ["NP", "NML", "NX", "QP", "VP", "PP", "S", "SBAR", "ADJP", "NP-SBJ"]
Leaf = tuple[str, str]
Tree = tuple[str, list["Tree | Leaf"]]


def trees() -> st.SearchStrategy[Tree]:
    def phrase(children: st.SearchStrategy[Tree | Leaf]) -> st.SearchStrategy[Tree | Leaf]:
        return st.tuples(st.sampled_from(PHRASES), st.lists(children, min_size=1, max_size=4))

    inner: st.SearchStrategy[Tree | Leaf] = st.recursive(LEAVES, phrase, max_leaves=12)
    return st.tuples(st.just("S"), st.lists(inner, min_size=1, max_size=4))


def document_of(tree: Tree) -> Document:
    """The document of one tree."""
    leaves: list[Leaf] = []
    fragments: list[str] = []
    pending = ""

    def walk(node: Tree | Leaf) -> None:
        nonlocal pending
        tag, rest = node
        if isinstance(rest, str):
            leaves.append((tag, rest))
            fragments.append(f"{pending}*")
            pending = ""
            return
        pending += f"({tag}"
        for child in rest:
            walk(child)
        fragments[-1] += ")"

    walk(tree)
    tags = tuple(tag for _, tag in leaves)
    return Document.of("d", [[word for word, _ in leaves]], pos=tags, parse=tuple(fragments))


SPANS = st.tuples(st.integers(0, 11), st.integers(1, 12))


def bounds(document: Document, span: tuple[int, int]) -> tuple[int, int]:
    start = span[0] % len(document)
    return start, min(len(document), start + span[1])


@given(trees(), SPANS)
def test_a_minimum_span_has_words_of_the_mention_in_order(
    tree: Tree, span: tuple[int, int]
) -> None:
    document = document_of(tree)
    start, end = bounds(document, span)
    found = mina.minimum_span(document, start, end)
    assert found
    assert list(found) == sorted(set(found))
    assert start <= found[0] <= found[-1] < end


@given(trees(), SPANS)
def test_it_depends_on_the_fragments_of_the_span_alone(tree: Tree, span: tuple[int, int]) -> None:
    document = document_of(tree)
    start, end = bounds(document, span)
    part = slice(start, end)
    alone = Document.of(
        "d",
        [document.tokens[part]],
        pos=(document.pos or ())[part],
        parse=(document.parse or ())[part],
    )
    moved = tuple(start + at for at in mina.minimum_span(alone, 0, end - start))
    assert mina.minimum_span(document, start, end) == moved


@given(trees(), SPANS)
def test_chunks_are_taken_whole_and_have_content(tree: Tree, span: tuple[int, int]) -> None:
    document = document_of(tree)
    start, end = bounds(document, span)
    pos = document.pos or ()
    for chunk in mina.search_chunks(document, start, end):
        assert chunk == tuple(range(chunk[0], chunk[-1] + 1))
        inside = [(document.parse or ())[at] for at in chunk]
        assert not any("(" in fragment for fragment in inside[1:])
        assert not any(")" in fragment for fragment in inside[:-1])
        assert any(pos[at] not in ("DT", "CC", "IN") for at in chunk)


@given(trees(), SPANS)
def test_words_without_brackets_between_them_are_kept_whole(
    tree: Tree, span: tuple[int, int]
) -> None:
    """The shortcut for such spans gives what the search gives."""
    document = document_of(tree)
    start, end = bounds(document, span)
    whole = tuple(range(start, end))
    found = mina.search(document, start, end) or whole
    assert mina.minimum_span(document, start, end) == found
    inner = [*(document.parse or ())[start:end]]
    if not any("(" in each for each in inner[1:]) and not any(")" in each for each in inner[:-1]):
        assert found == whole


@given(st.lists(LEAVES, min_size=1, max_size=4), trees())
def test_what_follows_a_noun_phrase_of_words_does_not_matter(chunk: list[Leaf], rest: Tree) -> None:
    """A noun phrase with content, extended into the preposition phrase after it."""
    chunk = [("Kay", "NN"), *chunk]
    noun: Tree = ("NP", [*chunk])
    after: Tree = ("PP", [("of", "IN"), rest])
    document = document_of(("S", [noun, after]))
    for end in range(len(chunk), len(document) + 1):
        assert mina.minimum_span(document, 0, end) == tuple(range(len(chunk)))
