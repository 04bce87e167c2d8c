"""Universal Anaphora: cases worked out by hand from its documentation, each with its reasoning."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from coindex import Document, FormatError, score
from coindex.errors import UsageError
from coindex.formats.builtin import conllua
from coindex.scoring.scorer import Result
from coindex.types.source import Source

COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS"


def read(*rows: str, columns: str = COLUMNS) -> Document:
    """A document from rows of word, IDENTITY and the columns after it."""
    lines = [f"# global.columns = {columns}\n", "# newdoc id = d\n"]
    number = 0
    for row in rows:
        word, *cells = row.split()
        number += word != "*"
        id = f"{number}.1" if word == "*" else str(number)
        lines.append("\t".join([id, word, *["_"] * 8, *cells]) + "\n")
    (document,) = conllua.read(lines, Source("x"))
    return document


def markable(entity: str, id: str, more: str = "") -> str:
    return f"(EntityID={entity}|MarkableID={id}{more})"


def test_markables_nest_continue_and_end_by_name() -> None:
    document = read(
        "the (EntityID=1|MarkableID=m1|Min=2",
        "dog (EntityID=2|MarkableID=m2@(EntityId=3|MarkableId=m3|Min=2,3",
        "barks m2)",
        "* (EntityID=1|MarkableID=m4)",
        "today ))",
        "again (EntityID=2|MarkableID=m2)",
    )
    spans = {m.id: [(s.start, s.end) for s in m.spans] for m in document.mentions}
    assert spans == {"m1": [(0, 5)], "m2": [(1, 3), (5, 6)], "m3": [(1, 5)], "m4": [(3, 4)]}
    assert document.zeros == (3,)
    heads = {m.id: m.head for m in document.mentions}
    assert heads == {"m1": 1, "m2": None, "m3": 2, "m4": None}, "Min counts words, not zeros"
    assert document.text == "the dog barks today again"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a )", r"x:3: '\)' closes a markable that is not open"),
        ("a (EntityID=1", "which is never closed"),
        ("a (MarkableID=1)", "expected EntityID="),
        ("a EntityID=1", "expected brackets such as"),
        ("a _ _ )", "closes a markable that is not open"),
    ],
)
def test_broken_columns(row: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(row)


def test_mentions_that_do_not_refer_are_no_entities() -> None:
    key = read(
        f"It {markable('9-Pseudo', 'm1')}", "rains", f"on {markable('8-Pseudo', 'm2')}",
        f"Ann {markable('1', 'm3')}", f"her {markable('1', 'm4')}",
    )  # fmt: skip
    response = read(
        f"It {markable('7-Pseudo', 'm1')}", f"rains {markable('8-Pseudo', 'm2')}",
        f"on {markable('2', 'x')}", f"Ann {markable('1', 'm3')}", f"her {markable('1', 'm4')}",
    )  # fmt: skip
    scores = score(key, response, metrics="mentions,non-referring").scores
    assert scores["mentions"].counts == (2, 2, 2, 3), "'on' refers in the response only"
    # both say that "It" does not refer; the key adds "on", the response "rains"
    assert scores["non-referring"].counts == (1, 2, 1, 2)


def test_bridging_at_three_levels() -> None:
    rows = [
        f"house {markable('1', 'h1')}",
        f"it {markable('1', 'h2')}",
        f"shop {markable('2', 's')}",
    ]
    anaphors = [
        f"door {markable('3', 'd')}",
        f"roof {markable('4', 'r')}",
        f"till {markable('5', 't')}",
    ]

    def document(door: str, roof: str, till: str) -> Document:
        ends = (
            f"(MarkableID={id}|Rel=part|MentionAnchor={anchor})" if anchor else "_"
            for id, anchor in zip("drt", (door, roof, till), strict=True)
        )
        return read(*rows, *(f"{row} {end}" for row, end in zip(anaphors, ends, strict=True)))

    key = document("h1", "h1", "s")
    response = document("h1", "h2", "")
    names = ("bridging", "bridging-mentions", "bridging-anaphors")
    scores = score(key, response, metrics=",".join(names)).scores
    # the door is right; the roof has another mention of the same entity; the till was missed
    assert [scores[name].counts for name in names] == [(2, 3, 2, 2), (1, 3, 1, 2), (2, 3, 2, 2)]
    scores = score(key, document("s", "h1", "h1"), metrics=",".join(names)).scores
    # three anaphors, two with an antecedent of another entity
    assert [scores[name].counts[0] for name in names] == [1, 1, 3]


def test_discourse_deixis_has_entities_of_its_own() -> None:
    def document(that: str) -> Document:
        return read(
            "Ann (EntityID=1|MarkableID=m1) _ (EntityID=1|MarkableID=u1",
            "left _ _ )",
            f"That {markable('2', 'm2')} _ (EntityID={that}|MarkableID=u2)",
            "hurt _ _ _",
        )  # fmt: skip

    key, response = document("1"), document("2")
    assert score(key, response, metrics="muc,b3").scores["b3"].f1 == 100, "identity is the same"
    result = score(key, response, metrics="muc,b3", relation="discourse-deixis")
    assert result.scores["muc"].counts == (0, 1, 0, 0), "one link, which was not found"
    assert result.scores["b3"].counts == (1, 2, 2, 2)
    assert "|relation:discourse-deixis|" in result.signature
    with pytest.raises(UsageError, match="needs a key in CoNLL-UA with a column DISCOURSE_DEIXIS"):
        score(KEY, KEY, relation="discourse-deixis")


def plural(entities: str, splits: dict[int, str]) -> Document:
    """Entities as strings of mentions; `splits` has the mentions of elements of an entity."""
    groups = entities.split()
    rows = []
    for word in "abcdefgh":
        number = next((at for at, group in enumerate(groups) if word in group), None)
        if number is None:
            rows.append(word)
            continue
        sets = ",".join(str(at) for at, elements in splits.items() if word in elements)
        more = f"|ElementOf={sets}" if sets else ""
        rows.append(f"{word} {markable(str(number), word, more)}")
    return read(*rows)


KEY = plural("ab cd e fg", {3: "ac"})
"""{ab} {cd} {e} {{ab,cd} f g}: the plural entity has three mentions, one a split antecedent."""

METRICS = ("muc", "b3", "ceafm", "ceafe", "lea")


def scored(key: Document, response: Document) -> Result:
    return score(key, response, metrics=METRICS, split_antecedents="keep")


def test_equivalent_split_antecedents() -> None:
    for elements in ("ac", "ad", "bd"):  # any mention of {ab} and any of {cd} stand for these two
        result = scored(KEY, plural("ab cd e fg", {3: elements}))
        assert all(each.f1 == pytest.approx(100) for each in result.scores.values())
        assert "|split-antecedents:keep|" in result.signature
    merged = plural("ab cd e f g", {3: "ac", 4: "bc"})
    assert all(each.f1 == pytest.approx(100) for each in scored(KEY, merged).scores.values())


CASES = {
    "missing": (plural("ab cd e fg", {}), {
        # the plural entity has 2 of its 3 mentions: one link of two, 4/3 of 3, one pair of three
        "muc": (F(3, 4), F(1)), "b3": (F(19, 24), F(1)), "ceafm": (F(7, 8), F(1)),
        "ceafe": (F(38, 40), F(38, 40)), "lea": (F(6, 8), F(1)),
    }),
    "one element too many": (plural("ab cd e fg", {3: "ace"}), {
        # the elements {ab} {cd} against {ab} {cd} {e}: recall 1, precision 2/3 for MUC (the
        # singleton is a link) and CEAFe (F1 4/5), 4/5 for B³, LEA and CEAFm (F1 8/9)
        "muc": (F(1), F(11, 12)), "b3": (F(1), (5 + F(14, 5) ** 2 / 3) / 8),
        "ceafm": ((7 + F(8, 9)) / 8,) * 2, "ceafe": ((3 + 2 * (2 + F(4, 5)) / 6) / 4,) * 2,
        "lea": (F(1), (5 + 3 * F(13, 15)) / 8),
    }),
    "one element wrong": (plural("ab cd e fg", {3: "ae"}), {
        # {ab} {cd} against {ab} {e}: recall 2/4 and precision 2/3, for MUC 1/2 and 1/2
        "muc": (F(7, 8), F(7, 8)), "b3": ((5 + F(5, 2) ** 2 / 3) / 8, (5 + F(8, 3) ** 2 / 3) / 8),
        "ceafm": ((7 + F(4, 7)) / 8,) * 2, "ceafe": ((3 + 2 * F(5, 2) / 6) / 4,) * 2,
        "lea": (F(7, 8), F(11, 12)),
    }),
    "two of one entity": (plural("ab cd e fg", {3: "ab"}), {
        # {ab} {cd} against {ab}: recall 2/4, precision 2/2; for MUC 1/2 and 1/1
        "muc": (F(7, 8), F(1)), "b3": ((5 + F(5, 2) ** 2 / 3) / 8, F(1)),
        "ceafm": ((7 + F(2, 3)) / 8,) * 2, "ceafe": ((3 + 2 * (2 + F(2, 3)) / 6) / 4,) * 2,
        "lea": (F(7, 8), F(1)),
    }),
    "two plurals": (plural("ab cd e f g", {3: "ac", 4: "bce"}), {
        # only one of the two can be aligned with the key's, the equal one: {{ac} f} and g apart
        "muc": (F(3, 4), F(3, 4)), "b3": ((5 + F(5, 3)) / 8, (5 + 2 + F(1, 2)) / 9),
        "ceafm": (F(7, 8), F(7, 9)), "ceafe": (F(38, 40), F(38, 50)), "lea": (F(6, 8), F(7, 9)),
    }),
    "an element lacks a mention": (plural("ab c e fg", {3: "ac"}), {
        # {ab} {cd} against {ab} {c}: MUC 1/2 and 1/2 ({c} is no singleton of the key), B³ recall
        # (2 + 1/2)/4 and precision 1, CEAFm 3/4 and 3/3, CEAFe (1 + 2/3)/2, LEA 2/4 and 2/3
        "muc": (F(5, 8), F(5, 6)), "b3": ((F(7, 2) + F(21, 8) ** 2 / 3) / 8, F(1)),
        "ceafm": ((6 + F(6, 7)) / 8, (6 + F(6, 7)) / 7),
        "ceafe": ((2 + F(2, 3) + 2 * (2 + F(5, 6)) / 6) / 4,) * 2,
        "lea": (F(5, 8), (3 + 3 * F(7, 9)) / 7),
    }),
    "an element is merged with a singleton": (plural("ab cde fg", {2: "ac"}), {
        # {ab} {cd} against {ab} {cde}: recall 1; precision 2/3 for MUC and (2 + 4/3)/5 for B³;
        # CEAFm F1 8/9, CEAFe F1 9/10, LEA precision (2 + 3/3)/5
        "muc": (F(1), F(11, 15)), "b3": (F(1), (2 + F(5, 3) + F(8, 3) ** 2 / 3) / 8),
        "ceafm": ((6 + F(8, 9)) / 8,) * 2,
        "ceafe": ((1 + F(4, 5) + 2 * (2 + F(9, 10)) / 6) / 4, (1 + F(4, 5) + 2 * (2 + F(9, 10)) / 6) / 3),
        "lea": (F(7, 8), (2 + 1 + 3 * (1 + 2 * F(3, 5)) / 3) / 8),
    }),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", METRICS)
def test_split_antecedents_count_as_fractions(case: str, metric: str) -> None:
    response, golden = CASES[case]
    found = scored(KEY, response).scores[metric]
    recall, precision = golden[metric]
    assert found.recall == pytest.approx(100 * float(recall))
    assert found.precision == pytest.approx(100 * float(precision))


def test_split_antecedents_are_dropped_unless_asked_for() -> None:
    assert score(KEY, CASES["missing"][0]).scores["conll"].f1 == 100
    assert score(KEY, KEY, metrics="mentions", split_antecedents="keep").scores["mentions"].counts == (7, 7, 7, 7)  # fmt: skip
    with pytest.raises(UsageError, match="they need --singletons keep"):
        score(KEY, KEY, singletons="drop", split_antecedents="keep")
    with pytest.raises(UsageError, match="BLANC is not defined for split antecedents"):
        score(KEY, KEY, metrics="blanc", split_antecedents="keep")
    with pytest.raises(UsageError, match="need --repeats largest or first"):
        score(KEY, KEY, repeats="all", split_antecedents="keep")


def test_the_column_split_and_elements_of_elements() -> None:
    columns = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY SPLIT"
    by_column = read(
        f"a {markable('0', 'a')} EntityID=0|ElementOf=3", f"b {markable('0', 'b')}",
        f"c {markable('1', 'c')} EntityID=1|ElementOf=3", f"d {markable('1', 'd')}",
        f"e {markable('2', 'e')}", f"f {markable('3', 'f')}", f"g {markable('3', 'g')}", "h",
        columns=columns,
    )  # fmt: skip
    assert all(each.f1 == pytest.approx(100) for each in scored(KEY, by_column).scores.values())
    nested = plural("a b c d e", {3: "ab", 4: "cd"})  # {{ab}, c}: the elements are a, b and c
    flat = plural("a b c d e", {3: "ab", 4: "abc"})
    assert all(each.f1 == pytest.approx(100) for each in scored(nested, flat).scores.values())
