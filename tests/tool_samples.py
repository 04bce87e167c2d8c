"""The same small text as each tool writes it, and broken files of each; all written by us.

Ann Lee fed her dog. It slept.   Ann Lee = her, her dog = It
"""

from __future__ import annotations

import json
from typing import Any

TEXT = "Ann Lee fed her dog. It slept."
TOKENS = ("Ann", "Lee", "fed", "her", "dog", ".", "It", "slept", ".")
OFFSETS = [(0, 7), (12, 15), (12, 19), (21, 23)]
_STARTS = (0, 4, 8, 12, 16, 19, 21, 24, 29)


def _coref(index: int, words: str, *flags: str) -> dict[str, Any]:
    return {"index": index, "representative_text": words, **dict.fromkeys(flags, True)}


def _stanza() -> list[list[dict[str, Any]]]:
    chains = {
        0: [_coref(0, "Ann Lee", "is_start", "is_representative")],
        1: [_coref(0, "Ann Lee", "is_end")],
        3: [_coref(0, "Ann Lee", "is_start", "is_end"), _coref(1, "her dog", "is_start")],
        4: [_coref(1, "her dog", "is_end")],
        6: [_coref(1, "her dog", "is_start", "is_end")],
    }
    words = [
        {"id": at % 6 + 1, "text": token, "lemma": token.lower(), "upos": "X", "xpos": "XX",
         "start_char": _STARTS[at], "end_char": _STARTS[at] + len(token), "ner": "O",
         **({"coref_chains": chains[at]} if at in chains else {})}
        for at, token in enumerate(TOKENS)
    ]  # fmt: skip
    return [words[:6], words[6:]]


def _corenlp() -> dict[str, Any]:
    gaps = ["", " ", " ", " ", " ", "", " ", " ", "", ""]
    tokens = [
        {"index": at % 6 + 1, "word": token, "originalText": token, "lemma": token.lower(),
         "characterOffsetBegin": _STARTS[at], "characterOffsetEnd": _STARTS[at] + len(token),
         "pos": "XX", "ner": "O", "speaker": "PER0", "before": gaps[at], "after": gaps[at + 1]}
        for at, token in enumerate(TOKENS)
    ]  # fmt: skip
    trees = [
        "(ROOT (S (NP (NNP Ann) (NNP Lee)) (VP (VBD fed) (NP (PRP$ her) (NN dog))) (. .)))",
        "(ROOT (S (NP (PRP It)) (VP (VBD slept)) (. .)))",
    ]

    def mention(id: int, sent: int, start: int, end: int, head: int, kind: str) -> dict[str, Any]:
        return {"id": id, "text": "x", "type": kind, "number": "SINGULAR", "startIndex": start,
                "endIndex": end, "headIndex": head, "sentNum": sent, "position": [sent, id],
                "isRepresentativeMention": id in (1, 3)}  # fmt: skip

    return {
        "docId": "pets.txt",
        "sentences": [
            {"index": 0, "parse": trees[0], "basicDependencies": [], "tokens": tokens[:6]},
            {"index": 1, "parse": trees[1], "basicDependencies": [], "tokens": tokens[6:]},
        ],
        "corefs": {
            "1": [mention(1, 1, 1, 3, 2, "PROPER"), mention(2, 1, 4, 5, 4, "PRONOMINAL")],
            "4": [mention(3, 1, 4, 6, 5, "NOMINAL"), mention(4, 2, 1, 2, 1, "PRONOMINAL")],
        },
    }


def _corenlp_xml() -> str:
    lines = ["<?xml version='1.0' encoding='UTF-8'?>",
             "<?xml-stylesheet href='CoreNLP-to-HTML.xsl' type='text/xsl'?>", "<root>", "  <document>",
             "    <docId>pets.txt</docId>", "    <sentences>"]  # fmt: skip
    for number, (first, end) in enumerate([(0, 6), (6, 9)], 1):
        lines += [f'      <sentence id="{number}">', "        <tokens>"]
        for at in range(first, end):
            lines += [
                f'          <token id="{at - first + 1}">', f"            <word>{TOKENS[at]}</word>",
                f"            <lemma>{TOKENS[at].lower()}</lemma>",
                f"            <CharacterOffsetBegin>{_STARTS[at]}</CharacterOffsetBegin>",
                f"            <CharacterOffsetEnd>{_STARTS[at] + len(TOKENS[at])}</CharacterOffsetEnd>",
                "            <POS>XX</POS>", "            <Speaker>PER0</Speaker>", "          </token>",
            ]  # fmt: skip
        lines += ["        </tokens>", "      </sentence>"]
    lines += ["    </sentences>", "    <coreference>"]
    for chain in [[(1, 1, 3, 2), (1, 4, 5, 4)], [(1, 4, 6, 5), (2, 1, 2, 1)]]:
        lines.append("      <coreference>")
        for sentence, start, end, head in chain:
            lines.append(
                f"        <mention><sentence>{sentence}</sentence><start>{start}</start>"
                f"<end>{end}</end><head>{head}</head><text>x</text></mention>"
            )
        lines.append("      </coreference>")
    return "\n".join([*lines, "    </coreference>", "  </document>", "</root>", ""])


def _region(id: str, start: int, end: int, label: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]}
    return {"id": id, "from_name": "label", "to_name": "text", "type": "labels", "value": value,
            "origin": "manual"}  # fmt: skip


def _relation(one: str, other: str, *labels: str) -> dict[str, Any]:
    ends = {"from_id": one, "to_id": other}
    return {**ends, "type": "relation", "direction": "right", "labels": [*labels]}


LABEL_STUDIO: dict[str, Any] = {
    "id": 7,
    "annotations": [
        {"id": 1, "completed_by": 1, "was_cancelled": False, "ground_truth": False, "result": [
            _region("aa", 0, 7, "person"), _region("bb", 12, 15, "person"),
            _region("cc", 12, 19, "animal"), _region("dd", 21, 23, "animal"),
            _relation("aa", "bb", "coreference"), _relation("dd", "cc"),
            _relation("aa", "cc", "owns"),
        ]},
    ],
    "file_upload": "pets.json", "predictions": [], "data": {"text": TEXT}, "meta": {},
}  # fmt: skip

DOCCANO: dict[str, Any] = {
    "id": 7, "text": TEXT,
    "entities": [
        {"id": 11, "label": "person", "start_offset": 0, "end_offset": 7},
        {"id": 12, "label": "person", "start_offset": 12, "end_offset": 15},
        {"id": 13, "label": "animal", "start_offset": 12, "end_offset": 19},
        {"id": 14, "label": "animal", "start_offset": 21, "end_offset": 23},
    ],
    "relations": [
        {"id": 1, "from_id": 11, "to_id": 12, "type": "Coref"},
        {"id": 2, "from_id": 14, "to_id": 13, "type": "identity"},
        {"id": 3, "from_id": 11, "to_id": 13, "type": "owns"},
    ],
    "Comments": [],
}  # fmt: skip


def _prodigy_span(start: int, end: int) -> dict[str, Any]:
    first, last = _STARTS[start], _STARTS[end] + len(TOKENS[end])
    return {"start": first, "end": last, "token_start": start, "token_end": end, "label": "NP"}


def _prodigy_link(one: tuple[int, int], other: tuple[int, int], label: str) -> dict[str, Any]:
    ends = {"head": one[1], "child": other[1]}
    spans = {"head_span": _prodigy_span(*one), "child_span": _prodigy_span(*other)}
    return {**ends, **spans, "color": "#c5bdf4", "label": label}


PRODIGY: dict[str, Any] = {
    "text": TEXT, "_input_hash": 1, "_task_hash": 2, "_is_binary": False, "_view_id": "relations",
    "tokens": [
        {"text": token, "start": _STARTS[at], "end": _STARTS[at] + len(token), "id": at, "ws": True,
         "disabled": False}
        for at, token in enumerate(TOKENS)
    ],
    "spans": [_prodigy_span(0, 1), _prodigy_span(3, 3), _prodigy_span(3, 4), _prodigy_span(6, 6)],
    "relations": [
        _prodigy_link((3, 3), (0, 1), "COREF"), _prodigy_link((6, 6), (3, 4), "COREF"),
        _prodigy_link((0, 1), (3, 4), "OWNS"),
    ],
    "answer": "accept",
}  # fmt: skip

BOOKNLP_ENTITIES = """\
COREF	start_token	end_token	prop	cat	text
0	0	1	PROP	PER	Ann Lee
0	3	3	PRON	PER	her
1	3	4	NOM	PER	her dog
1	6	6	PRON	PER	It
"""
BOOKNLP_TOKENS = "\n".join(
    [
        "paragraph_ID\tsentence_ID\ttoken_ID_within_sentence\ttoken_ID_within_document\tword\tlemma"
        "\tbyte_onset\tbyte_offset\tPOS_tag\tfine_POS_tag\tdependency_relation\tsyntactic_head_ID\tevent",
        *(
            f"0\t{at // 6}\t{at % 6}\t{at}\t{token}\t{token.lower()}\t{_STARTS[at]}"
            f"\t{_STARTS[at] + len(token)}\tX\tXX\tdep\t{[1, 2, 2, 4, 2, 2, 7, 7, 7][at]}\tO"
            for at, token in enumerate(TOKENS)
        ),
        "",
    ]
)
LITBANK_ANN = """\
MENTION	T1	0	0	0	1	Ann Lee	PER	PROP
MENTION	T2	0	3	0	3	her	PER	PRON
MENTION	T3	0	3	0	4	her dog	PER	NOM
MENTION	T4	1	0	1	0	It	PER	PRON
COREF	T1	Ann_Lee-0
COREF	T2	Ann_Lee-0
COREF	T3	her_dog-1
COREF	T4	her_dog-1
COP	T1	T3
"""
LITBANK_TXT = "Ann Lee fed her dog .\nIt slept .\n"

ONE_FILE: dict[str, Any] = {
    "allennlp": {
        "top_spans": [[0, 1], [3, 3], [3, 4], [6, 6]],
        "antecedent_indices": [[0, 1, 2]],
        "predicted_antecedents": [-1, 0, -1, 2],
        "document": TOKENS,
        "clusters": [[[0, 1], [3, 3]], [[3, 4], [6, 6]]],
    },
    "fastcoref": {
        "text": TEXT,
        "clusters": [[[0, 7], [12, 15]], [[12, 19], [21, 23]]],
        "clusters_strings": [["Ann Lee", "her"], ["her dog", "It"]],
    },
    "maverick": {
        "tokens": TOKENS,
        "clusters_token_offsets": [[[0, 1], [3, 3]], [[3, 4], [6, 6]]],
        "clusters_char_offsets": [[[0, 6], [12, 14]], [[12, 18], [22, 23]]],
        "clusters_token_text": [["Ann Lee", "her"], ["her dog", "It"]],
        "clusters_char_text": None,
    },
    "wl-coref": {
        "document_id": "nw_pets",
        "cased_words": TOKENS,
        "sent_id": [0] * 6 + [1] * 3,
        "speaker": ["_"] * 9,
        "word_clusters": [[1, 3], [4, 6]],
        "span_clusters": [[[0, 2], [3, 4]], [[3, 5], [6, 7]]],
    },
    "preco": {
        "id": "pets",
        "sentences": [TOKENS[:6], TOKENS[6:]],
        "mention_clusters": [[[0, 0, 2], [0, 3, 4]], [[0, 3, 5], [1, 0, 1]]],
    },
    "stanza": _stanza(),
    "corenlp-json": _corenlp(),
    "ontonotes-rows": {
        "document_id": "nw/pets",
        "sentences": [
            {"part_id": 0, "words": TOKENS[:6], "pos_tags": [25, 25, 39, 33, 24, 7],
             "parse_tree": "(TOP (S (NP (NNP Ann) (NNP Lee)) (VP (VBD fed) (NP (PRP$ her) (NN dog))) (. .)))",
             "predicate_lemmas": [None] * 6, "speaker": None, "named_entities": [0] * 6,
             "srl_frames": [], "coref_spans": [[7, 0, 1], [7, 3, 3], [9, 3, 4]]},
            {"part_id": 0, "words": TOKENS[6:], "pos_tags": [32, 39, 7], "parse_tree":
             "(TOP (S (NP (PRP It)) (VP (VBD slept)) (. .)))", "speaker": None,
             "coref_spans": [[9, 0, 0]]},
        ],
    },
    "label-studio": [LABEL_STUDIO],
    "doccano": DOCCANO,
    "prodigy": PRODIGY,
}  # fmt: skip
"""What each tool that writes JSON writes, as plain values."""

FILES: dict[str, dict[str, str]] = {
    **{name: {".json": json.dumps(value) + "\n"} for name, value in ONE_FILE.items()},
    "corenlp-xml": {".xml": _corenlp_xml()},
    "booknlp": {".entities": BOOKNLP_ENTITIES, ".tokens": BOOKNLP_TOKENS},
    "litbank-tsv": {".ann": LITBANK_ANN, ".txt": LITBANK_TXT},
}
"""The files of each tool, by suffix; the first is the one to read."""


def changed(name: str, *path: Any, to: Any) -> dict[str, str]:
    """The file of a tool that writes JSON, with one value changed."""
    value = json.loads(json.dumps(ONE_FILE[name]))
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return {".json": json.dumps(value) + "\n"}


def replaced(name: str, old: str, new: str, suffix: str | None = None) -> dict[str, str]:
    """The files of a tool, with a text replaced in one of them."""
    files = dict(FILES[name])
    suffix = suffix or next(iter(files))
    assert old in files[suffix]
    files[suffix] = files[suffix].replace(old, new)
    return files


BROKEN: list[tuple[str, dict[str, str], str]] = [
    ("allennlp", changed("allennlp", "clusters", to=[[[0, 9]]]), "[first, last] within 9 tokens"),
    ("allennlp", changed("allennlp", "document", to=["a", 1]), "'document': expected a list of strings"),
    ("allennlp", changed("allennlp", "clusters", to=[[[1]]]), "a pair of token numbers"),
    ("maverick", changed("maverick", "clusters_token_offsets", to=[[[2, 1]]]), "[first, last] within 9"),
    ("fastcoref", changed("fastcoref", "clusters", 0, 0, to=[0, 99]), "within the text's 30 characters"),
    ("fastcoref", changed("fastcoref", "clusters", 0, 0, to=[0, 3]), "expected 'Ann Lee', found 'Ann'"),
    ("fastcoref", changed("fastcoref", "clusters", 0, 0, to=[0]), "expected [start, end], found [0]"),
    ("wl-coref", changed("wl-coref", "sent_id", to=[0]), "9 numbers, one per word"),
    ("wl-coref", changed("wl-coref", "span_clusters", to=[[[3, 3]]]), "[start, end] within 9 tokens"),
    ("wl-coref", changed("wl-coref", "head2span", to=[[1, 2, 3]]), "[head, start, end] within 9 words"),
    ("preco", changed("preco", "mention_clusters", to=[[[0, 0, 7]]]), "[sentence, start, end] within"),
    ("preco", changed("preco", "mention_clusters", to=[[[2, 0, 1]]]), "[sentence, start, end] within"),
    ("stanza", changed("stanza", 0, 1, "coref_chains", to=[]), "expected 'is_end' of chain 0"),
    ("stanza", changed("stanza", 0, 0, "coref_chains", to=[]), "chain 0, which has not begun"),
    ("stanza", changed("stanza", 0, 0, to="Ann"), "expected a word, found"),
    ("corenlp-json", changed("corenlp-json", "corefs", "1", 0, "endIndex", to=9), "within sentences, found"),
    ("corenlp-json", changed("corenlp-json", "corefs", "1", 0, "headIndex", to=9), "head 9 lies outside"),
    ("corenlp-json", changed("corenlp-json", "sentences", 0, "tokens", 0, "word", to=1), "'word': expected"),
    ("corenlp-json", changed("corenlp-json", "corefs", to=[1]), "an object with a list for each chain"),
    ("corenlp-xml", replaced("corenlp-xml", "<end>3</end>", "<end>33</end>"), "within sentences, found"),
    ("corenlp-xml", replaced("corenlp-xml", "<end>3</end>", ""), "<sentence>, <start> and <end>"),
    ("corenlp-xml", replaced("corenlp-xml", "<word>Ann</word>", ""), "expected <word> in a token"),
    ("corenlp-xml", replaced("corenlp-xml", "</root>", ""), "expected well-formed XML"),
    ("corenlp-xml", replaced("corenlp-xml", "<start>1</start>", "<start>x</start>"), "a number in <start>"),
    ("booknlp", replaced("booknlp", "0\t0\t1\tPROP", "0\t0\t99\tPROP"), "first and last of 9 tokens"),
    ("booknlp", replaced("booknlp", "0\t0\t1\tPROP", "0\t0\t0\tPROP"), "expected 'Ann Lee' at 0 0, found 'Ann'"),
    ("booknlp", replaced("booknlp", "COREF", "coref"), "expected a header with COREF"),
    ("booknlp", replaced("booknlp", "\tIt\n", "\n"), "expected 6 columns by tabs, found 5"),
    ("booknlp", replaced("booknlp", "\t3\ther", "\t5\ther", ".tokens"), "expected token 3, found 5"),
    ("litbank-tsv", replaced("litbank-tsv", "0\t3\t0\t3\ther", "0\t3\t0\t9\ther"), "places within the sentences"),
    ("litbank-tsv", replaced("litbank-tsv", "0\t3\t0\t3\ther", "0\t2\t0\t2\ther"), "expected 'her', found 'fed'"),
    ("litbank-tsv", replaced("litbank-tsv", "COREF\tT4", "COREF\tT9"), "a mention that is marked, found 'T9'"),
    ("litbank-tsv", replaced("litbank-tsv", "COP", "COPY"), "expected 'MENTION<TAB>T1...'"),
    ("ontonotes-rows", changed("ontonotes-rows", "sentences", 0, "coref_spans", to=[[7, 0, 6]]),
     "[cluster, first, last] within 6 words"),
    ("ontonotes-rows", changed("ontonotes-rows", "sentences", 0, "words", to="Ann"), "'words': expected"),
    ("label-studio", changed("label-studio", 0, "data", to={"a": "x", "b": "y"}), "a field 'text', or one"),
    ("label-studio", changed("label-studio", 0, "annotations", 0, "result", 0, "value", "end", to=6),
     'expected "Ann Lee" at 0 6'),
    ("label-studio", changed("label-studio", 0, "annotations", 0, "result", 4, "to_id", to="zz"),
     "a relation between two regions"),
    ("doccano", changed("doccano", "entities", 0, "end_offset", to=99), "within the text's 30 characters"),
    ("doccano", changed("doccano", "relations", 0, "to_id", to=99), "the ids of two entities"),
    ("prodigy", changed("prodigy", "spans", 0, "token_end", to=9), "token_start and token_end within 9"),
    ("prodigy", changed("prodigy", "relations", 0, "head_span", to=None), "a head_span"),
    ("prodigy", changed("prodigy", "tokens", 0, "end", to=99), "token offsets must rise"),
    ("docbin", {".spacy": "no DocBin"}, "expected a DocBin of spaCy"),
]  # fmt: skip
"""A format, broken files of it, and a part of the message."""
