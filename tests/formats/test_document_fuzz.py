"""Two thousand broken files a format (ten in the full run): a reader understands, or raises
FormatError."""

from __future__ import annotations

import os
import random
import zlib

import pytest

from coindex import Document, Entity, FormatError, Mention, Span, formats
from coindex.formats import read_lines
from coindex.formats.protocol import BinaryFormat, DocumentFormat, TwoFileFormat
from coindex.types.source import Source
from program_samples import SAMPLES

FILES = 10_000 if os.environ.get("COINDEX_FULL") else 2_000
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
    losses = formats.ConversionLosses(name)
    module = formats.load(name)
    (document,) = formats.reduce_items([_sample()], losses)
    assert isinstance(document, Document)
    if isinstance(module, TwoFileFormat):
        annotation, text = module.write_parts(document)
        return "".join(annotation), "".join(text)
    assert isinstance(module, DocumentFormat)
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


def _read(
    name: str, text: str, beside: str, *, collect: bool, lenient: bool = False
) -> list[Document]:
    lines = [line + "\n" for line in text.split("\n")]
    source = Source("fuzz", collect=collect, lenient=lenient)
    module = formats.load(name)
    if isinstance(module, TwoFileFormat):
        return list(module.read_parts(lines, beside, source))
    return [item for item in read_lines(lines, name, source) if isinstance(item, Document)]


TEXT = [name for name in formats.names("document") if not formats.is_binary(name)]


@pytest.mark.parametrize("name", TEXT)
def test_only_format_errors_are_raised(name: str) -> None:
    good, bad = _outcomes(name, *_seed(name), FILES)
    assert good + bad == FILES
    assert name == "text" or min(good, bad) > FILES / 100, "mutations must reach both sides"


@pytest.mark.parametrize(
    ("name", "text", "beside"),
    [(name, *sample) for name, samples in SAMPLES.items() for sample in samples],
    ids=[f"{name}-{at}" for name, samples in SAMPLES.items() for at in range(len(samples))],
)
def test_files_of_other_programs_too(name: str, text: str, beside: str) -> None:
    good, bad = _outcomes(name, text, beside, FILES // 5)
    assert good + bad == FILES // 5
    assert name == "text" or min(good, bad) > FILES / 500, "mutations must reach both sides"


def _outcomes(name: str, text: str, beside: str, files: int) -> tuple[int, int]:
    """How many mutated files were read, and how many refused; any other error is raised."""
    assert _read(name, text, beside, collect=False), "the seed itself must be good"
    rng = random.Random(f"coindex {name}")
    good, bad = 0, 0
    messages: set[str] = set()
    for number in range(files):
        broken, other = _mutated(text, rng), beside
        if beside and number % 4 == 0:
            other = _mutated(beside, rng)
        try:
            items = _read(name, broken, other, collect=number % 3 == 0, lenient=number % 4 == 1)
        except FormatError as error:
            bad += 1
            messages.add(str(error))
        else:
            good += 1
            for item in items:
                assert isinstance(item, Document)
                for mention in item.mentions:
                    assert 0 <= mention.start < mention.end <= len(item)
    assert all(message.startswith("fuzz") for message in messages)
    assert not [message for message in messages if "\n" in message], "an error is one line"
    return good, bad


def _mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    end = min(end, at + rng.choice([0, 1, 2, 5, 40]))
    noise = bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 2, 8])))
    choices = [
        data[:at] + data[end:],
        data[:at] + noise + data[end:],
        data[:end] + data[at:],
        data[:at],
    ]
    return rng.choice(choices)


@pytest.mark.parametrize("packed", [True, False])
def test_only_format_errors_are_raised_by_docbin(packed: bool) -> None:
    """Bytes of the file are changed, or those within its compression."""
    pytest.importorskip("spacy")
    module = formats.load("docbin")
    assert isinstance(module, BinaryFormat)
    (document,) = formats.reduce_items([_sample()], formats.ConversionLosses("docbin"))
    assert isinstance(document, Document)
    data = module.write_binary([document])
    assert list(module.read_binary(data, Source("fuzz")))
    rng = random.Random(f"docbin {packed}")
    messages: list[str] = []
    for _ in range(FILES // 2):
        inside = data if packed else zlib.compress(_mutated_bytes(zlib.decompress(data), rng))
        try:
            list(
                module.read_binary(
                    _mutated_bytes(inside, rng) if packed else inside, Source("fuzz")
                )
            )
        except FormatError as error:
            messages.append(str(error))
    assert len(messages) > FILES / 200
    assert all(message.startswith("fuzz") and "\n" not in message for message in messages)
