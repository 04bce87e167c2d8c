"""Broken files: an error that names the line and the reason, and never another error."""

from __future__ import annotations

import random
from importlib import import_module

import pytest

from coindex.errors import FormatError
from coindex.types.source import Source
from problem_samples import FORMATS, GAP_HEADER, GAP_ROW, SAMPLES, TEMPLATES, lines

JSON = SAMPLES["problem_jsonl"]
KNOWREF = SAMPLES["knowref"]
GRANDE = SAMPLES["winogrande"]
PAIRS = SAMPLES["knowref_pairs"]
WSC = SAMPLES["wsc"]
WNLI = "index\tsentence1\tsentence2\tlabel\n"
SENTENCES = "sentid\tsentence\n"
DEEP = "[" * 100_000

BROKEN = {
    # a table of GAP
    "gap-header": ("gap", "ID\tText\nx\ty\n", 1, "expected the columns ID Text Pronoun"),
    "gap-columns": ("gap", GAP_HEADER + GAP_ROW + "x\ty\n", 3, "expected 11 columns, found 2"),
    "gap-offset": (
        "gap",
        GAP_HEADER + "\n" + GAP_ROW.replace("\t29\t", "\t28\t"),
        3,
        "expected 'she' at 28, found ' sh'",
    ),
    "gap-far-offset": (
        "gap",
        GAP_HEADER + GAP_ROW.replace("\t13\t", "\t999\t"),
        2,
        "expected 'Ida Lane' at 999, found ''",
    ),
    "gap-no-number": (
        "gap",
        GAP_HEADER + GAP_ROW.replace("\t0\t", "\t-1\t"),
        2,
        "expected a number in the column A-offset, found '-1'",
    ),
    "gap-answer": (
        "gap",
        GAP_HEADER + GAP_ROW.replace("FALSE", "no"),
        2,
        "expected TRUE or FALSE in the column A-coref, found 'no'",
    ),
    "gap-no-name": (
        "gap",
        GAP_HEADER + GAP_ROW.replace("\tIda Lane\t13", "\t\t13"),
        2,
        "expected a phrase in the column B, found none",
    ),
    # the JSON of KnowRef
    "knowref-open": ("knowref", KNOWREF.rstrip().rstrip("]"), 4, "found the end of the file"),
    "knowref-comma": ("knowref", KNOWREF.replace("},\n", "}\n"), 3, "expected ',' or ']'"),
    "knowref-tail": ("knowref", KNOWREF + "\n\nx", 7, "expected nothing after ']', found \"x\""),
    "knowref-item": ("knowref", "[\n7\n]", 2, "expected a JSON object, found 7"),
    "knowref-bracket": (
        "knowref",
        KNOWREF.replace("[he]", "he"),
        3,
        "expected a pronoun in square brackets, found none",
    ),
    "knowref-names": (
        "knowref",
        KNOWREF.replace('["Ruth"]', '["Ruth", "Ben"]'),
        2,
        "'candidate0': expected a name, or a list of one",
    ),
    "knowref-answer": (
        "knowref",
        KNOWREF.replace('"correct_candidate": "Otto"', '"correct_candidate": "Ida"'),
        3,
        'expected correct_candidate to be a candidate, found "Ida"',
    ),
    "knowref-missing": (
        "knowref",
        '{"sentence_with_pronoun": "[He] left", "candidate0": "Ben"}',
        1,
        "'candidate1': expected a name",
    ),
    "knowref-string": ("knowref", '[\n\n{"a": "b\n"}]', 3, "found bad JSON"),
    "knowref-deep": ("knowref", f"[\n{DEEP}", 2, "expected a JSON object, found"),
    # blocks
    "blocks-short": ("blocks", "Ben ran; he fell.\nhe\n", 2, "expected candidates, found the end"),
    "blocks-blank": ("blocks", "\nBen ran; he fell.\n\n", 3, "expected a pronoun, found a blank"),
    "blocks-long": (
        "blocks",
        "Ben ran; he fell.\nhe\nBen,Otto\nBen\nBen\n",
        5,
        "expected a blank line, found 'Ben'",
    ),
    "blocks-pronoun": (
        "blocks",
        SAMPLES["blocks"].replace("[MASK]\n", "she\n"),
        7,
        "expected the pronoun in the sentence, found no 'she' there",
    ),
    "blocks-answer": (
        "blocks",
        "Ben ran; he fell.\nhe\nBen,Otto\nMax\n\n",
        4,
        "expected one of the candidates 'Ben, Otto', found 'Max'",
    ),
    "blocks-comma": (
        "blocks",
        "Ben ran; he fell.\nhe\nBen,,Otto\nBen\n\n",
        3,
        "expected candidates by commas, found 'Ben,,Otto'",
    ),
    # XML
    "wsc-tag": ("wsc", WSC.replace("</quote>", ""), 22, "expected well-formed XML: mismatched tag"),
    "wsc-end": (
        "wsc",
        WSC.replace("</collection>\n", ""),
        23,
        "expected well-formed XML: no element found",
    ),
    "wsc-root": ("wsc", "<html>\n</html>\n", 1, "expected <collection>, found 'html'"),
    "wsc-schema": ("wsc", "<collection>\n<item/>\n</collection>", 2, "expected <schema>, found"),
    "wsc-no-text": (
        "wsc",
        "<collection>\n<schema>\n</schema></collection>",
        2,
        "expected <text> in <schema>, found none",
    ),
    "wsc-answer": (
        "wsc",
        WSC.replace(" A. ", " C "),
        20,
        "expected a letter from A to B, found 'C'",
    ),
    "wsc-no-answer": (
        "wsc",
        WSC.replace("The cart </answer>", " </answer>"),
        17,
        "expected an <answer> with a text, found none",
    ),
    "wsc-loose": ("wsc", WSC.replace("<answers>", "x<answers>"), 16, "between elements, found 'x'"),
    "wsc-element": (
        "wsc",
        WSC.replace("</schema>", "<note/>\n</schema>"),
        22,
        "expected nothing else in <schema>, found 'note'",
    ),
    "wsc-doctype": (
        "wsc",
        '<!DOCTYPE collection [<!ENTITY a "b">]>\n<collection/>',
        1,
        "expected no document type",
    ),
    # WinoBias
    "winobias-number": ("winobias", "[The baker] paid [him].\n", 1, "expected a number and a"),
    "winobias-pronoun": (
        "winobias",
        SAMPLES["winobias"] + "3 [The baker] paid.\n",
        3,
        "expected a pronoun in square brackets, found none",
    ),
    "winobias-candidate": (
        "winobias",
        "1 The baker paid [her].\n",
        1,
        "expected one candidate in square brackets, found 0",
    ),
    "winobias-second": (
        "winobias",
        "1 [The baker] paid the goat but [she] left.\n",
        1,
        "expected a second occupation, found none",
    ),
    # Winogender
    "winogender-id": (
        "winogender",
        SENTENCES + "plumber.tenant.2.male.txt\tThe plumber and the tenant: he left.\n",
        2,
        "expected an id OCCUPATION.PARTICIPANT.ANSWER.GENDER.txt, found",
    ),
    "winogender-gender": (
        "winogender",
        SAMPLES["winogender"].replace("female", "male"),
        2,
        "expected a male pronoun, found none",
    ),
    "winogender-template": (
        "winogender",
        TEMPLATES.replace("$PARTICIPANT", "tenant"),
        2,
        "expected $OCCUPATION and $PARTICIPANT, found",
    ),
    "winogender-columns": ("winogender", SENTENCES + "a\n", 2, "expected 2 columns, found 1"),
    # KnowRef's tables
    "pairs-header": ("knowref_pairs", "index\tlabel\n", 1, "expected the header index sentence1"),
    "pairs-columns": ("knowref_pairs", PAIRS + "1\ta\n", 4, "expected 6 columns, found 2"),
    "pairs-label": (
        "knowref_pairs",
        PAIRS.replace("\t1\t", "\tyes\t"),
        3,
        "expected 0 or 1, found",
    ),
    "pairs-one": (
        "knowref_pairs",
        PAIRS + "1\tRuth\tleft .\t1\tRuth\tIda\n",
        4,
        "expected two rows of '1', found one",
    ),
    "pairs-names": (
        "knowref_pairs",
        PAIRS.replace("1\tIda Lane", "1\tIda"),
        3,
        "expected the names ('Ida Lane', 'Ruth'), found ('Ida', 'Ruth')",
    ),
    "pairs-text": (
        "knowref_pairs",
        PAIRS.replace("after Ida", "before Ida"),
        2,
        "expected rows that differ in Ida Lane and Ruth alone",
    ),
    # WinoGrande
    "winogrande-json": ("winogrande", GRANDE + "{\n", 2, "found bad JSON"),
    "winogrande-blank": (
        "winogrande",
        GRANDE.replace("_", "it"),
        1,
        "expected one blank '_' in the sentence, found 0",
    ),
    "winogrande-blanks": (
        "winogrande",
        GRANDE.replace("later", "_"),
        1,
        "expected one blank '_' in the sentence, found 2",
    ),
    "winogrande-option": (
        "winogrande",
        GRANDE.replace('"cup", "ans', '3, "ans'),
        1,
        "'option2': expected a string, found 3",
    ),
    "winogrande-empty": (
        "winogrande",
        GRANDE.replace('"option1": "jar"', '"option1": " "'),
        1,
        "'option1': expected a phrase",
    ),
    "winogrande-answer": (
        "winogrande",
        GRANDE + GRANDE.replace('"answer": "1"', '"answer": "3"'),
        2,
        '\'answer\': expected "1", "2" or "", found \'3\'',
    ),
    # WNLI
    "wnli-header": ("wnli", "index\tsentence1\n", 1, "expected the columns index sentence1"),
    "wnli-label": ("wnli", SAMPLES["wnli"].replace("\t1\n", "\tyes\n"), 2, "expected label 0 or 1"),
    "wnli-pronoun": (
        "wnli",
        WNLI + "0\tRuth rang the bell.\tThe bell rang.\t0\n",
        2,
        "expected a pronoun that 'The bell rang.' replaces, found none",
    ),
    "wnli-columns": ("wnli", WNLI + "0\ta\tb\n", 2, "expected 4 columns, found 3"),
    # our own
    "problem-key": (
        "problem_jsonl",
        JSON + JSON.replace('"source"', '"sauce"'),
        2,
        "unknown field 'sauce'",
    ),
    "problem-version": (
        "problem_jsonl",
        JSON.replace('"version":1', '"version":2'),
        1,
        "'version': expected 1, found 2",
    ),
    "problem-kind": (
        "problem_jsonl",
        JSON.replace('"problem"', '"document"'),
        1,
        '\'coindex\': expected "problem", found "document"',
    ),
    "problem-target": (
        "problem_jsonl",
        "\n" + JSON.replace("[12,15]", "[12,99]"),
        2,
        "the pronoun needs a place within the text's 24 characters, found 12-99",
    ),
    "problem-no-target": (
        "problem_jsonl",
        JSON.replace('"target":[12,15],', ""),
        1,
        "'target': expected [start, end]",
    ),
    "problem-chars": (
        "problem_jsonl",
        JSON.replace("[0,4]", "[4,0]"),
        1,
        "a character range needs 0 <= start <= end",
    ),
    "problem-answer": (
        "problem_jsonl",
        JSON.replace('"answer":[0]', '"answer":[2]'),
        1,
        "is outside the 2 candidates",
    ),
    "problem-bool": (
        "problem_jsonl",
        JSON.replace('"answer":[0]', '"answer":[true]'),
        1,
        "'answer': expected a list of whole numbers, found",
    ),
    "problem-number": (
        "problem_jsonl",
        f'{{"version": {"9" * 5000}}}',
        1,
        "expected a JSON object",
    ),
    "problem-deep": ("problem_jsonl", DEEP, 1, "expected a JSON object, found"),
    "problem-list": ("problem_jsonl", "[]\n", 1, "expected a JSON object, found []"),
}


def read(format: str, text: str, source: Source) -> int:
    module = import_module(f"coindex.formats.builtin.{format}")
    return sum(1 for _ in module.read(lines(text), source))


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    format, text, line, message = BROKEN[name]
    with pytest.raises(FormatError) as caught:
        read(format, text, Source("broken"))
    assert caught.value.line == line
    assert message in caught.value.message
    assert str(caught.value).startswith(f"broken:{line}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_every_format_has_broken_files() -> None:
    assert {format for format, *_ in BROKEN.values()} == set(FORMATS)
    assert len(BROKEN) >= 25


RECOVERABLE = {
    "gap-columns": 1,
    "gap-offset": 1,
    "gap-answer": 1,
    "gap-no-name": None,
    "knowref-answer": 2,
    "blocks-pronoun": 1,
    "blocks-answer": 1,
    "wsc-answer": 1,
    "wsc-element": 1,
    "winobias-second": 1,
    "winogender-id": 0,
    "winogender-gender": 0,
    "winogrande-blank": 0,
    "winogrande-blanks": 1,
    "winogrande-answer": 2,
    "wnli-label": 1,
    "wnli-pronoun": 0,
    "wnli-columns": 0,
}


@pytest.mark.parametrize("name", RECOVERABLE)
def test_collected(name: str) -> None:
    """A source that collects gets past these, and lists them with the same line."""
    format, text, line, message = BROKEN[name]
    source = Source("broken", collect=True)
    if RECOVERABLE[name] is None:  # the file goes wrong in a second way
        with pytest.raises(FormatError):
            read(format, text, source)
    else:
        assert read(format, text, source) == RECOVERABLE[name]
    assert source.findings[0].line == line
    assert message in source.findings[0].message


REASONS = {
    "a comma in a candidate",
    "a candidate is not in the text",
    "a candidate would be found at another place, or not at all",
    "a tab or a line break in it",
    "it could not be read again",
    "it holds a character that XML does not allow",
    "it holds half a character (a lone surrogate)",
    "its answer would be read differently",
    "its facts would be read differently",
    "its id would be read differently",
    "its pronoun would be found at another place",
    "its text begins with a byte order mark",
    "its text would be read differently",
}

PIECES = (
    *(
        '"',
        "'",
        "\\",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "</",
        "&",
        "&#0;",
        "&#xD800;",
        "<!--",
        "<![CDATA[",
    ),
    *("\t", "\n", "\r", "\r\n", " ", ",", ":", "_", "-1", "0", "9" * 30, "1e999", "NaN", "null"),
    *(
        "true",
        "\\ud800",
        "\u2028",
        "\ufeff",
        "\x00",
        "é",
        "👩‍🚀",
        "$",
        "$PARTICIPANT",
        "[she]",
        "[]",
    ),
    *("<schema>", "</schema>", "<?xml?>", "<!DOCTYPE a>", "he", "TRUE", ".txt", "[" * 40),
)


def mutated(text: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(text))
        end = min(len(text), at + rng.choice((0, 1, 1, 3, 20)))
        kind = rng.random()
        if kind < 0.5:
            text = text[:at] + rng.choice(PIECES) + text[end:]
        elif kind < 0.7:
            text = text[:at] + text[end:]
        elif kind < 0.85:
            text = text[:at] + text[at:end] * 2 + text[end:]
        else:
            rows = list(lines(text))
            rng.shuffle(rows)
            text = "".join(rows)
    return text


@pytest.mark.parametrize("collect", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_mutated_files_raise_nothing_else(format: str, collect: bool) -> None:
    rng = random.Random(f"{format} {collect}")
    module = import_module(f"coindex.formats.builtin.{format}")
    texts = [SAMPLES[format], SAMPLES[format] * 2, *([TEMPLATES] if format == "winogender" else [])]
    errors = []
    for _ in range(1000):
        rows = list(lines(mutated(rng.choice(texts), rng)))
        assert module.sniff(rows[:60]) in (True, False)
        try:
            problems = list(module.read(rows, Source("fuzz", collect=collect)))
        except FormatError as error:
            errors.append((error, len(rows)))
            continue
        for problem in problems:
            reason = module.refuse(problem)
            assert reason is None or reason in REASONS or reason.startswith("it has ")
    for raised, count in errors:
        assert "\n" not in str(raised)
        assert raised.line in range(1, count + 2)
    assert collect or 50 < len(errors) < 1000


@pytest.mark.parametrize("format", FORMATS)
def test_other_formats_files_raise_nothing_else(format: str) -> None:
    for other in FORMATS:
        if other != format:
            with pytest.raises(FormatError):
                read(format, SAMPLES[other], Source("other"))
