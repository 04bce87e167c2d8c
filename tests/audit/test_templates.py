"""The bundled texts: well formed in every variant, with mentions that correspond."""

from __future__ import annotations

import re

import pytest

from coindex.audit.fillings import (
    SETS,
    at_distance,
    base_filling,
    exchanged_genders,
    in_passive,
    names_of,
    origins,
    other_names,
    with_pronouns,
)
from coindex.audit.templates import Passage, Template, fill, fillers, read_templates, templates
from coindex.audit.variants import (
    in_capitals,
    in_lower_case,
    passages,
    with_typos,
    without_punctuation,
)
from coindex.errors import FormatError
from coindex.text.tokenizer import token_offsets
from coindex.text.word_lists import words
from coindex.types.source import Source

EACH = pytest.mark.parametrize(
    ("number", "template"), list(enumerate(templates())), ids=lambda each: getattr(each, "id", "")
)
TEXT = "# About.\n\n== roles-01 A=f B=m\n<{A} saw [C:a dog].||[C:A dog] was seen by {A}.> {+}{A.They} {A.was|were} glad, {B.first} not.\n"


def variants(template: Template, number: int) -> dict[str, Passage]:
    """The variants whose words correspond one to one."""
    fillings = {"gender": exchanged_genders(template, number)}
    fillings |= {origin: base_filling(template, number, origin) for origin in origins()}
    for name in SETS:
        for neutral in (True, False):
            fillings[f"{name} {neutral}"] = with_pronouns(template, number, name, neutral=neutral)
    return {name: fill(template, filling) for name, filling in fillings.items()}


def test_a_template_is_filled() -> None:
    (template,) = read_templates(TEXT, Source("x"))
    passage = fill(template, base_filling(template, 0))
    assert passage.text == "Emma Harrison saw a dog. She was glad, George not."
    marked = [(m.entity, m.chars.of(passage.text)) for m in passage.mentions]
    assert marked == [("A", "Emma Harrison"), ("C", "a dog"), ("A", "She"), ("B", "George")]
    assert passage.kinds == ("name", "noun", "pronoun", "name")
    assert [question.key for question in passage.questions] == [("A", 2)]
    they = fill(template, with_pronouns(template, 0, "they", neutral=True))
    assert they.text == "Alex Harrison saw a dog. They were glad, George not."
    assert fill(template, in_passive(template, 0)).text.startswith(
        "A dog was seen by Emma Harrison. She"
    )
    far = fill(template, at_distance(template, 0)).text
    assert (
        far == f"Emma Harrison saw a dog. {fillers()[0]} {fillers()[1]} She was glad, George not."
    )


def test_a_broken_header_is_an_error() -> None:
    with pytest.raises(FormatError, match="x:2: expected a header such as"):
        list(read_templates("# A\n== roles-01\nText.", Source("x")))


def test_there_are_a_few_dozen_texts() -> None:
    every = templates()
    assert len(every) >= 48
    assert len({template.id for template in every}) == len(every)
    assert len({fill(t, base_filling(t, n)).text for n, t in enumerate(every)}) == len(every)
    assert sum(template.has_passive for template in every) >= 24
    genders = [template.people[template.with_pronouns[0]] for template in every]
    assert abs(genders.count("feminine") - genders.count("masculine")) <= 2


@EACH
def test_variants_have_the_same_tokens_and_questions(number: int, template: Template) -> None:
    base = fill(template, base_filling(template, number))
    size = len(list(token_offsets(base.text)))
    assert not re.search(r"[{}<>|\[\]+]|\s\s|\s[.,]", base.text), base.text
    assert base.questions
    for name, other in variants(template, number).items():
        assert len(list(token_offsets(other.text))) == size, name
        assert [q.key for q in other.questions] == [q.key for q in base.questions]
    others = [
        fill(template, make(template, number)) for make in (in_passive, at_distance, other_names)
    ]
    others += [make(base) for make in (with_typos, in_lower_case, in_capitals, without_punctuation)]
    for other in others:
        assert {q.key for q in other.questions} == {q.key for q in base.questions}


@EACH
def test_exchanging_genders_twice_changes_nothing(number: int, template: Template) -> None:
    base = fill(template, base_filling(template, number))
    other = fill(template, exchanged_genders(template, number))
    assert other.text != base.text
    pairs = zip(base.mentions, other.mentions, strict=True)
    for (one, two), kind in zip(pairs, base.kinds, strict=True):
        a, b = one.chars.of(base.text), two.chars.of(other.text)
        if kind == "pronoun" and a.lower() not in ("it", "its"):
            assert a.lower() != b.lower()
        elif kind == "noun" and not {"his", "her"} & set(a.split()):
            assert a == b


@EACH
def test_surface_changes_keep_the_mentions(number: int, template: Template) -> None:
    base = fill(template, base_filling(template, number))
    typos = with_typos(base)
    assert typos.text != base.text
    assert sorted(typos.text) == sorted(base.text)
    bare = without_punctuation(base)
    assert not re.search(r"[.,;:]", bare.text)
    for changed in (typos, bare):
        for one, two in zip(base.mentions, changed.mentions, strict=True):
            old = re.sub(r"[.,;:]", "", one.chars.of(base.text))
            assert two.chars.of(changed.text) == old


def test_names_are_plain_words_and_no_common_ones() -> None:
    for origin in origins():
        lists = [names_of(origin, part) for part in ("feminine", "masculine", "last")]
        every = [name for names in lists for name in names]
        assert all(len(names) == 8 for names in lists), origin
        assert len(set(every)) == len(every)
        for name in every:
            assert re.fullmatch("[A-Z][a-z]+", name)
            assert name.lower() not in words("function_words")
    assert len(origins()) == 9


def test_ids_say_what_was_changed() -> None:
    assert passages("base")[0].id == "one-person-01/base"
    assert len({each.id for each in passages("base")}) == len(templates())
