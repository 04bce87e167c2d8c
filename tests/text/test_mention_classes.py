"""Pronouns, names and nominals: by tags, by universal tags, by capital letters."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given

from coindex import Document, Mention, formats
from coindex.text.mention_classes import KINDS, kind_of, pronoun_group, pronoun_groups
from strategies import documents

# words/tags with the mention in brackets, its kind by tags, its kind without them
CASES = [
    ("[Ann/NNP] slept/VBD", "name", "name"),
    ("[Dogs/NNS] slept/VBD", "nominal", "nominal"),
    ("saw/VBD [Athens/NNP]", "name", "name"),
    ("[The/DT President/NNP of/IN France/NNP] slept/VBD", "name", "name"),
    ("saw/VBD [the/DT head/NN of/IN Ford/NNP]", "nominal", "nominal"),
    ("saw/VBD [Ford/NNP 's/POS new/JJ factory/NN]", "nominal", "nominal"),
    ("saw/VBD [Ford/NNP 's/POS newly/RB built/VBN factory/NN]", "nominal", "nominal"),
    ("saw/VBD [Ford/NNP ’s/POS]", "name", "name"),
    ("saw/VBD [my/PRP$ father/NN 's/POS]", "nominal", "nominal"),
    ("saw/VBD [the/DT Ford/NNP factory/NN]", "nominal", "nominal"),
    ("saw/VBD [Johnson/NNP &/CC Johnson/NNP]", "name", "name"),
    ("saw/VBD [Ann/NNP and/CC her/PRP$ dog/NN]", "name", "name"),
    ("saw/VBD [a/DT Rome/NNP -/HYPH based/VBN firm/NN]", "nominal", "nominal"),
    ("saw/VBD [Ann/NNP ,/, a/DT nurse/NN]", "name", "name"),
    ("saw/VBD [a/DT nurse/NN ,/, Ann/NNP]", "nominal", "nominal"),
    ("saw/VBD [Ann/NNP who/WP left/VBD Rome/NNP]", "name", "name"),
    ("saw/VBD [one/CD of/IN Ann/NNP 's/POS dogs/NNS]", "nominal", "nominal"),
    ("[send/VB Ann/NNP] home/RB", "nominal", "name"),
    ("saw/VBD [her/PRP]", "pronoun", "pronoun"),
    ("[These/DT] slept/VBD", "pronoun", "pronoun"),
    ("the/DT man/NN [whose/WP$] dog/NN", "pronoun", "pronoun"),
    ("saw/VBD [’em/PRP]", "pronoun", "pronoun"),
    ("let/VB [’s/PRP]", "pronoun", "nominal"),
    ("the/DT [US/NNP] slept/VBD", "name", "pronoun"),
    ("saw/VBD [you/PRP and/CC I/PRP]", "nominal", "nominal"),
    ("[Some/DT] slept/VBD", "nominal", "nominal"),
    ("saw/VBD [42/CD]", "nominal", "nominal"),
]


def _read(text: str) -> tuple[Document, Mention]:
    parts = text.split()
    start = next(i for i, part in enumerate(parts) if part.startswith("["))
    end = next(i for i, part in enumerate(parts) if part.endswith("]")) + 1
    rows = [part.strip("[]").rsplit("/", 1) for part in parts]
    document = Document.of("d", [[row[0] for row in rows]], pos=tuple(row[1] for row in rows))
    return document, Mention.at(start, end)


@pytest.mark.parametrize(("text", "tagged", "bare"), CASES)
def test_kinds(text: str, tagged: str, bare: str) -> None:
    document, mention = _read(text)
    assert kind_of(document, mention) == tagged
    for none in (None, ("-",) * len(document)):
        assert kind_of(replace(document, pos=none), mention) == bare


def test_universal_tags_serve_where_there_are_no_others() -> None:
    tokens = ["saw", "ann", "'s", "dog"]
    upos = ("upos", ("VERB", "PROPN", "PART", "NOUN"))
    document = Document.of("d", [tokens], pos=("_",) * 4, layers=(upos,))
    assert kind_of(document, Mention.at(1, 2)) == kind_of(document, Mention.at(1, 3)) == "name"
    assert kind_of(document, Mention.at(1, 4)) == "nominal"
    blank = replace(document, layers=(("upos", ("_",) * 4),))
    assert kind_of(blank, Mention.at(1, 2)) == "nominal"


def test_a_quotation_opens_like_a_sentence() -> None:
    document = Document.of("d", [["He", "said", ":", "“", "Cats", "like", "Cats"]])
    assert kind_of(document, Mention.at(4, 5)) == "nominal"
    assert kind_of(document, Mention.at(6, 7)) == "name"


@pytest.mark.parametrize(
    ("word", "group"),
    [("He", "masculine"), ("HER", "feminine"), ("its", "neuter"), ("Them", "plural"), ("I", "first"),
     ("you", "second"), ("that", "demonstrative"), ("who", "relative"), ("one", "indefinite"),
     ("’em", "plural"), ("Ann", None)],
)  # fmt: skip
def test_groups(word: str, group: str | None) -> None:
    document = Document.of("d", [["x", word]])
    assert pronoun_group(document, Mention.at(1, 2)) == group
    assert pronoun_group(document, Mention.at(0, 2)) is None


@given(documents())
def test_every_mention_has_one_kind(document: Document) -> None:
    for mention in document.mentions:
        group = pronoun_group(document, mention)
        assert kind_of(document, mention) in KINDS
        assert (group is not None) == (kind_of(document, mention) == "pronoun")
        assert group is None or group in pronoun_groups()


@pytest.mark.data
def test_capital_letters_agree_with_tags(data: Path) -> None:
    agree: Counter[bool] = Counter()
    for item in formats.read(data / "gum" / "ontogum.dev.gold_conll.xz"):
        document = cast(Document, item)
        bare = replace(document, pos=None, parse=None)
        for mention in document.mentions:
            agree[kind_of(document, mention) == kind_of(bare, mention)] += 1
    assert agree[True] / agree.total() > 0.98
