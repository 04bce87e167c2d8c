"""Small files in the style of each problem format, written for these tests."""

from __future__ import annotations

from collections.abc import Iterator

FORMATS = (
    "gap",
    "knowref",
    "knowref_pairs",
    "blocks",
    "wsc",
    "winobias",
    "winogender",
    "winogrande",
    "wnli",
    "problem_jsonl",
)

GAP_HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
GAP_ROW = (
    "x-1\tRuth Ode met Ida Lane before she sang.\tshe\t29\tRuth Ode\t0\tFALSE"
    "\tIda Lane\t13\tTRUE\thttp://example.org/Ode\n"
)

SAMPLES = {
    "gap": GAP_HEADER + GAP_ROW,
    "knowref": (
        "[\n"
        '{"sentence_with_pronoun": "Ruth thanked Ida because [she] helped .",'
        ' "candidate0": ["Ruth"], "candidate1": ["Ida"], "correct_candidate": ["Ida"],'
        ' "correct_candidate_idx": 1, "is_pronoun_male": false, "oiginal_id": 7,'
        ' "original_sentence": ["Ben thanked Ida because she helped ."]},\n'
        '{"sentence_with_pronoun": "Otto saw that [he] had lost Max .",'
        ' "candidate0": "Otto", "candidate1": "Max", "correct_candidate": "Otto"}\n'
        "]\n"
    ),
    "knowref_pairs": (
        "index\tsentence1\tsentence2\tlabel\tcandidate0\tcandidate1\n"
        "0\tRuth met Ida Lane after Ruth\tcalled .\t0\tIda Lane\tRuth\n"
        "0\tRuth met Ida Lane\tafter Ida Lane called .\t1\tIda Lane\tRuth\n"
    ),
    "blocks": (
        "It rained on the tent and the wagon, but it stayed dry.\n"
        "it\nthe tent, the wagon\nthe wagon\n\n"
        "Ruth gave Ida a coin because [MASK] was poor.\n[MASK]\nRuth,Ida,Ben\n\n\n"
    ),
    "wsc": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<collection>\n<schema>\n<text>\n'
        "<txt1>\nThe cart would not pass the\n gate because</txt1>\n<pron> it </pron>\n"
        "<txt2> was &lt;too&gt; wide. </txt2>\n</text>\n"
        "<quote>\n<quote1>because</quote1>\n<pron>it</pron>\n<quote2>was wide</quote2>\n</quote>\n"
        "<answers>\n<answer>The cart </answer>\n<answer>the gate</answer>\n</answers>\n"
        "<correctAnswer> A. </correctAnswer>\n<source> A. Tester </source>\n</schema>\n"
        "</collection>\n"
    ),
    "winobias": (
        "1 [The baker] paid the guard because [she] wanted to keep [her] shop.\n"
        "2 The lawyer called [the nurse] and thanked [him].\n"
    ),
    "winogender": (
        "sentid\tsentence\n"
        "plumber.tenant.1.female.txt\tThe plumber asked the tenant when she would be home.\n"
    ),
    "winogrande": (
        '{"qID": "A-1", "sentence": "The jar held more than the cup, so the _ was full later.",'
        ' "option1": "jar", "option2": "cup", "answer": "1"}\n'
    ),
    "wnli": (
        "index\tsentence1\tsentence2\tlabel\n"
        "3\tRuth rang the bell of the cabin, but it was broken.\tThe bell was broken.\t1\n"
    ),
    "problem_jsonl": (
        '{"coindex":"problem","version":1,"id":"p","text":"Ruth slept; she was ill.",'
        '"target":[12,15],"candidates":[{"text":"Ruth","chars":[0,4]},{"text":"Ida"}],'
        '"answer":[0],"group":"feminine","source":"s","meta":[["a","b"]]}\n'
    ),
}

TEMPLATES = (
    "occupation(0)\tother-participant(1)\tanswer\tsentence\n"
    "plumber\ttenant\t1\tThe $OCCUPATION asked the $PARTICIPANT when $NOM_PRONOUN would be home.\n"
)


def lines(text: str) -> Iterator[str]:
    """The lines of a text as a file gives them: they end at a line feed alone."""
    *whole, last = text.split("\n")
    for line in whole:
        yield f"{line}\n"
    if last:
        yield last
