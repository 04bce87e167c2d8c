"""Ten thousand broken files a format: a reader understands, or raises FormatError."""

from __future__ import annotations

import random

import pytest

from coindex import Document, Entity, FormatError, Mention, Span, formats
from coindex.core.source import Source
from coindex.formats import read_lines

FILES = 10_000
SCRAPS = [
    "\t", "\n", "\r", " ", "(", ")", "|", "(1", "1)", "(1)", "-", "_", "*", "#", "[", "]", "[1/2]", "{", "}",
    '"', ":", ",", "0", "-1", "99999999999999999999", "1e999", "NaN", "null", "true", "\\", "\\u0000",
    "\x00", "\ufeff", "\u2028", "\u0085", "é", "👩🏽‍🚀", "e\u0301", "#begin document (x); part 1", "#end document",
    "# newdoc id = y", "# newpar", "# global.Entity = eid-etype", "Entity=(e1-x-1-", "e1)", "SpaceAfter=No",
    "SpacesAfter=\\n", "2-3", "1.1", "T1\tperson 0 3\tAnn", "R1\tcoref Arg1:T1 Arg2:T2", "*\tCoref T1 T2",
    "#1\tEntity T1\te", '"clusters"', '"spans"', "[[0,1]]", "'s", "n't", "…",
]  # fmt: skip


def _sample() -> Document:
    spans = [(Span(0, 1),), (Span(3, 4),), (Span(1, 2), Span(4, 5)), (Span(2, 5),)]
    return Document.of(
        "d",
        [["Ann", "fed", "the", "dog", "she"], ["loves", ".", "Bo's"]],
        [
            Entity((Mention(spans[0]), Mention(spans[2])), "1"),
            Entity((Mention(spans[1]), Mention(spans[3])), "2"),
            Entity((Mention(spans[3]),), "3"),
        ],
        part=1,
        speakers=("A",) * 5 + ("B",) * 3,
        pos=("NN",) * 8,
        heads=(1, -1, 3, 1, 1, -1, 5, 5),
    )


def _seed(name: str) -> tuple[str, str]:
    """A good file of the format, and the text beside it for a format of two files."""
    losses = formats.Losses(name)
    module = formats.load(name)
    (document,) = formats.reduced([_sample()], losses)
    if hasattr(module, "PARTS"):
        annotation, text = module.write_parts(document)
        return "".join(annotation), "".join(text)
    return "".join(module.write([document])), ""


def _mutated(text: str, rng: random.Random) -> str:
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        text = _mutated_once(text, rng)
    return text


def _mutated_once(text: str, rng: random.Random) -> str:
    at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    end = min(end, at + rng.choice([0, 1, 2, 5, 40]))
    return rng.choice(
        [
            text[:at] + text[end:],
            text[:at] + rng.choice(SCRAPS) + text[at:],
            text[:at] + rng.choice(SCRAPS) + text[end:],
            text[:end] + text[at:],
            text[:at],
            text[:at] + chr(rng.randrange(0x20000)) + text[end:],
            _lines_moved(text, rng),
        ]
    )


def _lines_moved(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    index = rng.randrange(len(lines))
    line = lines.pop(index)
    for _ in range(rng.choice([0, 1, 2])):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def _read(name: str, text: str, beside: str, *, collect: bool) -> list[Document]:
    lines = [line + "\n" for line in text.split("\n")]
    source = Source("fuzz", collect=collect)
    module = formats.load(name)
    if hasattr(module, "PARTS"):
        return list(module.read(lines, source, beside))  # type: ignore[call-arg]
    return list(read_lines(lines, name, source))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", formats.names("document"))
def test_only_format_errors_are_raised(name: str) -> None:
    text, beside = _seed(name)
    assert _read(name, text, beside, collect=False), "the seed itself must be good"
    rng = random.Random(f"coindex {name}")
    good, bad = 0, 0
    messages: set[str] = set()
    for number in range(FILES):
        broken, other = _mutated(text, rng), beside
        if beside and number % 4 == 0:
            other = _mutated(beside, rng)
        try:
            items = _read(name, broken, other, collect=number % 3 == 0)
        except FormatError as error:
            bad += 1
            messages.add(str(error))
        else:
            good += 1
            for item in items:
                assert isinstance(item, Document)
                for mention in item.mentions:
                    assert 0 <= mention.start < mention.end <= len(item)
    assert good + bad == FILES
    assert all(message.startswith("fuzz") for message in messages)
    assert not [message for message in messages if "\n" in message], "an error is one line"
    assert name == "text" or min(good, bad) > FILES / 100, "mutations must reach both sides"
