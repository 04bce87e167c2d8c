"""The nine problem formats: exact values on small files."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib import import_module
from types import ModuleType

import pytest

from coindex.text.word_lists import labels
from coindex.types.problem import Candidate, Problem
from coindex.types.source import Source
from coindex.types.span import Chars
from problem_samples import GAP_HEADER, GAP_ROW, SAMPLES, TEMPLATES, lines


def load(format: str) -> ModuleType:
    return import_module(f"coindex.formats.builtin.{format}")


def read(format: str, text: str | None = None, source: Source | None = None) -> list[Problem]:
    text = SAMPLES[format] if text is None else text
    return list(load(format).read(lines(text), source or Source("sample")))


def written(format: str, *problems: Problem) -> str:
    return "".join(load(format).write(problems))


def placed(problem: Problem) -> list[tuple[str, str | None]]:
    """Each candidate with what stands at its place."""
    return [(c.text, c.chars.of(problem.text) if c.chars else None) for c in problem.candidates]


def test_gap() -> None:
    text = "Ruth Ode met Ida Lane before she sang."
    assert read("gap") == [
        Problem(
            "x-1",
            text,
            Chars(29, 32),
            (Candidate("Ruth Ode", Chars(0, 8)), Candidate("Ida Lane", Chars(13, 21))),
            (1,),
            "feminine",
            "http://example.org/Ode",
        )
    ]


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ("TRUE", "FALSE", (0,)),
        ("FALSE", "TRUE", (1,)),
        ("FALSE", "FALSE", ()),
        ("TRUE", "TRUE", (0, 1)),
        ("true", "False", (0,)),
        ("", "", None),
    ],
)
def test_gap_answers(first: str, second: str, answer: tuple[int, ...] | None) -> None:
    row = GAP_ROW.replace("FALSE", "#").replace("TRUE", second).replace("#", first)
    (problem,) = read("gap", GAP_HEADER + row)
    assert problem.answer == answer
    assert read("gap", written("gap", problem)) == [problem]


def test_gap_without_the_answer_columns() -> None:
    header = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tB\tB-offset\tURL\n"
    row = "i\tRuth met Ida; she sang.\tshe\t14\tRuth\t0\tIda\t9\t\n"
    (problem,) = read("gap", header + row)
    assert (problem.answer, problem.source, problem.pronoun) == (None, None, "she")


def test_gap_collects_wrong_offsets_and_goes_on() -> None:
    source = Source("gap", collect=True)
    row = GAP_ROW.replace("\t29\t", "\t2\t").replace("\t13\t", "\tx\t")
    (problem,) = read("gap", GAP_HEADER + row, source)
    assert [str(finding) for finding in source.findings] == [
        "gap:2: expected 'she' at 2, found 'th ' [offset]",
        "gap:2: expected a number in the column B-offset, found 'x' [offset]",
    ]
    assert problem.target == Chars(29, 32)
    assert placed(problem) == [("Ruth Ode", "Ruth Ode"), ("Ida Lane", "Ida Lane")]


def test_knowref_lists() -> None:
    source = Source("k")
    first, second = read("knowref", source=source)
    assert first == Problem(
        "1",
        "Ruth thanked Ida because she helped .",
        Chars(25, 28),
        (Candidate("Ruth", Chars(0, 4)), Candidate("Ida", Chars(13, 16))),
        (1,),
        "feminine",
        meta=(
            ("correct_candidate_idx", "1"),
            ("is_pronoun_male", "false"),
            ("oiginal_id", "7"),
            ("original_sentence", '["Ben thanked Ida because she helped ."]'),
        ),
    )
    assert (second.id, second.group, second.answer) == ("2", "masculine", (0,))
    assert second.meta == ()
    assert source.findings == []


def test_knowref_writes_each_shape_as_it_was() -> None:
    text = written("knowref", *read("knowref"))
    assert '"candidate0":["Ruth"],"candidate1":["Ida"],"correct_candidate":["Ida"]' in text
    assert '"is_pronoun_male":false,"oiginal_id":7,"original_sentence":["Ben' in text
    assert '"candidate0":"Otto","candidate1":"Max","correct_candidate":"Otto"' in text


def test_knowref_json_lines_give_the_same() -> None:
    rows = [line.strip().rstrip(",") for line in lines(SAMPLES["knowref"])][1:-1]
    assert read("knowref", "\n".join(rows)) == read("knowref")
    assert load("knowref").sniff(rows)


def test_knowref_second_bracket_and_contradiction() -> None:
    source = Source("k")
    row = (
        '{"sentence_with_pronoun": "If [he] [sic] wins , Otto must pay [him] .",'
        ' "candidate0": "Otto", "candidate1": "Max", "correct_candidate": "Max",'
        ' "correct_candidate_idx": 0}'
    )
    (problem,) = read("knowref", row, source)
    assert problem.text == "If he [sic] wins , Otto must pay him ."
    assert problem.target == Chars(3, 5)
    assert problem.meta_value("other-pronouns") == "33-36"
    assert problem.candidates[1].chars is None
    assert [finding.message for finding in source.findings] == [
        "expected correct_candidate_idx 1, as correct_candidate says, found 0"
    ]
    assert "[he] [sic] wins , Otto must pay [him] ." in written("knowref", problem)


def test_blocks() -> None:
    first, second = read("blocks")
    assert first == Problem(
        "1",
        "It rained on the tent and the wagon, but it stayed dry.",
        Chars(41, 43),
        (Candidate("the tent", Chars(13, 21)), Candidate("the wagon", Chars(26, 35))),
        (1,),
    )
    assert (second.id, second.pronoun, second.answer) == ("2", "[MASK]", None)
    assert placed(second) == [("Ruth", "Ruth"), ("Ida", "Ida"), ("Ben", None)]


@pytest.mark.parametrize(
    ("text", "pronoun", "names", "start"),
    [
        ("he said Otto met Max and he left, and he sang", "he", "Otto,Max", 25),
        ("Otto said he knew Max", "he", "Otto,Max", 10),
        ("he saw that Otto met Max", "he", "Otto,Max", 0),
        ("When he came, Otto left", "he", "Ben,Max", 5),
        ("They met the men; they left", "they", "the men,Ida", 18),
        ("Then He left", "he", "Ben,Max", 5),
        ("Ben saw the man; the man left", "the man", "Ben,the man", 17),
    ],
)
def test_blocks_pronoun(text: str, pronoun: str, names: str, start: int) -> None:
    (problem,) = read("blocks", f"{text}\n{pronoun}\n{names}\n{names.split(',')[0]}\n\n")
    assert problem.target == Chars(start, start + len(pronoun))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("the cart", "the cart"),
        ("THE CART", "the cart"),
        ("a cart", "the cart"),
        ("cart", "cart"),
        ("his old dog", "old dog"),
        ("the dog", "dog"),
        ("art", None),
        ("the horse", None),
    ],
)
def test_places_of_candidates(name: str, found: str | None) -> None:
    text = "Now the cart and Ruth's old dog passed; it stopped."
    (problem,) = read("blocks", f"{text}\nit\n{name},Ruth\nRuth\n\n")
    assert placed(problem)[0] == (name, found)


def test_blocks_repeated_candidates_are_noted() -> None:
    source = Source("b")
    (problem,) = read("blocks", "Otto ran; he fell.\nhe\nOtto,Otto\nOtto\n", source)
    assert problem.answer == (0,)
    assert [(finding.line, finding.rule) for finding in source.findings] == [(3, "candidate")]


def test_wsc() -> None:
    assert read("wsc") == [
        Problem(
            "1",
            "The cart would not pass the gate because it was <too> wide.",
            Chars(41, 43),
            (Candidate("The cart", Chars(0, 8)), Candidate("the gate", Chars(24, 32))),
            (0,),
            source="A. Tester",
            meta=(("quote1", "because"), ("quotePronoun", "it"), ("quote2", "was wide")),
        )
    ]


def test_wsc_spaces_between_parts() -> None:
    start, end = "<collection><schema><text>", "<answers><answer>Ben</answer></answers></schema>"
    (glued, stop, kept) = read(
        "wsc",
        f"{start}<txt1>Ben saw</txt1><pron>him</pron><txt2>again</txt2></text>{end}"
        f"{start[12:]}<txt1>Ben saw </txt1><pron> him</pron><txt2>.</txt2></text>{end}"
        '<schema id="k"><text xml:space="preserve"><txt1>Ben  saw </txt1><pron>him</pron>'
        f"<txt2>\n</txt2></text>{end}</collection>",
    )
    assert (glued.text, glued.pronoun) == ("Ben saw him again", "him")
    assert (stop.text, stop.id) == ("Ben saw him.", "2")
    assert (kept.text, kept.pronoun, kept.id) == ("Ben  saw him\n", "him", "k")


def test_winobias() -> None:
    first, second = read("winobias")
    assert first == Problem(
        "1",
        "The baker paid the guard because she wanted to keep her shop.",
        Chars(33, 36),
        (Candidate("The baker", Chars(0, 9)), Candidate("the guard", Chars(15, 24))),
        (0,),
        "feminine",
        meta=(("other-pronouns", "52-55"),),
    )
    assert placed(second) == [("The lawyer", "The lawyer"), ("the nurse", "the nurse")]
    assert (second.answer, second.group) == ((1,), "masculine")
    assert written("winobias", first, second) == SAMPLES["winobias"]


def test_winobias_takes_the_occupation_before_the_pronoun() -> None:
    (problem,) = read("winobias", "7 The cook met [the clerk] and sent [her] to the manager.\n")
    assert placed(problem) == [("The cook", "The cook"), ("the clerk", "the clerk")]


def test_winogender() -> None:
    text = "The plumber asked the tenant when she would be home."
    assert read("winogender") == [
        Problem(
            "plumber.tenant.1.female.txt",
            text,
            Chars(34, 37),
            (Candidate("plumber", Chars(4, 11)), Candidate("tenant", Chars(22, 28))),
            (1,),
            "feminine",
        )
    ]


def test_winogender_templates() -> None:
    problems = read("winogender", TEMPLATES)
    assert [problem.id for problem in problems] == [
        f"plumber.{name}.1.{gender}.txt"
        for name in ("tenant", "someone")
        for gender in ("male", "female", "neutral")
    ]
    assert problems[1] == read("winogender")[0]
    assert problems[5].text == "The plumber asked someone when they would be home."
    assert [problem.group for problem in problems[:3]] == ["masculine", "feminine", "neutral"]


def test_knowref_pairs() -> None:
    (problem,) = read("knowref_pairs")
    assert problem == Problem(
        "0",
        "Ruth met Ida Lane after _ called .",
        Chars(24, 25),
        (Candidate("Ida Lane", Chars(9, 17)), Candidate("Ruth", Chars(0, 4))),
        (0,),
    )
    assert read("knowref_pairs", written("knowref_pairs", problem)) == [problem]


def test_winogrande() -> None:
    (problem,) = read("winogrande")
    assert problem == Problem(
        "A-1",
        "The jar held more than the cup, so the _ was full later.",
        Chars(39, 40),
        (Candidate("jar", Chars(4, 7)), Candidate("cup", Chars(27, 30))),
        (0,),
    )
    open_ = replace(problem, answer=None)
    assert '"answer":""' in written("winogrande", open_)
    assert read("winogrande", written("winogrande", open_)) == [open_]


def test_winogrande_keeps_other_keys() -> None:
    (problem,) = read(
        "winogrande",
        '{"sentence": "_ and a b", "option1": "a", "option2": "b", "n": 1.50, "x": null, "s": "1"}',
    )
    assert problem.id == "1"
    assert problem.meta == (("n", "1.5"), ("x", "null"), ("s", "1"))
    assert read("winogrande", written("winogrande", problem)) == [problem]


def test_wnli() -> None:
    (problem,) = read("wnli")
    assert problem == Problem(
        "3",
        "Ruth rang the bell of the cabin, but it was broken.",
        Chars(37, 39),
        (
            Candidate("The bell", Chars(10, 18)),
            Candidate("Ruth", Chars(0, 4)),
            Candidate("cabin", Chars(26, 31)),
        ),
        (0,),
        meta=(("hypothesis", "The bell was broken."), ("index", "3")),
    )


@pytest.mark.parametrize(
    ("premise", "hypothesis", "target", "candidate"),
    [
        ("Otto saw Max, but he left.", "Max left.", 18, "Max"),
        ("Otto lost the key of Max, so he took his hat.", "He took Max's hat.", 37, "Max"),
        ("Ruth met Ida when she came, and she sang.", "Ruth met Ida when Ida came.", 18, "Ida"),
        ("Ben has an old mare. I like her much.", "I like the mare much.", 28, "the mare"),
        ("The Grays had two goats. They sold them.", "They sold the goats.", 35, "the goats"),
        ("The bus hit the cab as it's old.", "The cab's old.", 23, "The cab"),
        ("Ruth rang Ida. Now, she must answer.", "Now Ida must answer.", 20, "Ida"),
        ("Ruth has a sister. She sings well.", "Ruth's sister sings well.", 19, "Ruth's sister"),
    ],
)
def test_wnli_copied_part(premise: str, hypothesis: str, target: int, candidate: str) -> None:
    source = Source("w")
    (problem,) = read("wnli", f"index\tsentence1\tsentence2\n0\t{premise}\t{hypothesis}\n", source)
    assert (problem.target.start, problem.candidates[0].text) == (target, candidate)
    assert (problem.answer, source.findings) == (None, [])


def test_wnli_reworded_hypothesis_is_noted() -> None:
    source = Source("w")
    row = "0\tOtto bought a drum and a fife, and he sold it.\tOtto then sold the fife away.\t0\n"
    (problem,) = read("wnli", f"index\tsentence1\tsentence2\tlabel\n{row}", source)
    assert (problem.pronoun, problem.candidates[0].text, problem.answer) == ("it", "the fife", ())
    assert [(finding.line, finding.rule) for finding in source.findings] == [(2, "hypothesis")]


def test_wnli_with_a_tagger() -> None:
    def nouns(text: str) -> list[Chars]:
        return [Chars(text.index(word), text.index(word) + 4) for word in ("Ruth", "bell", "rang")]

    (problem,) = load("wnli").read(lines(SAMPLES["wnli"]), Source("w"), nouns)
    assert [candidate.text for candidate in problem.candidates] == ["The bell", "Ruth", "rang"]


def test_problem_jsonl() -> None:
    (problem,) = read("problem_jsonl")
    assert problem == Problem(
        "p",
        "Ruth slept; she was ill.",
        Chars(12, 15),
        (Candidate("Ruth", Chars(0, 4)), Candidate("Ida")),
        (0,),
        "feminine",
        "s",
        (("a", "b"),),
    )
    assert written("problem_jsonl", problem) == SAMPLES["problem_jsonl"]


def test_occupations_have_a_gender() -> None:
    assert Counter(labels("occupations").values()).keys() == {"male", "female"}
    assert labels("occupations")["construction worker"] == "male"
    assert labels("occupations")["nurse"] == "female"
