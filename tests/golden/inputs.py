"""Inputs cut from the corpora, and responses made from keys by seeded mistakes.

Everything here reads and writes plain text, without coindex, and depends on nothing but the
corpora's files: the same corpora give the same inputs on every machine.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import shutil
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

TEXTS = Path(__file__).resolve().parent / "texts"
STORIES = Path(__file__).resolve().parent / "stories"
V01 = Path(__file__).resolve().parent / "v01"

Prepare = Callable[[Path], None]
Mention = tuple[int, int, str]
"""The first and last line of a mention, and its entity."""


def texts(scratch: Path) -> None:
    """Our ten texts, in the folder `texts`."""
    shutil.copytree(TEXTS, scratch / "texts", ignore=shutil.ignore_patterns(".git*"))


def stories(scratch: Path) -> None:
    """Small stories with entities, problems, and pages to build from, in the folder `stories`."""
    shutil.copytree(STORIES, scratch / "stories")


def all_of(*makers: Prepare) -> Prepare:
    """Several preparations, one after the other."""

    def prepare(scratch: Path) -> None:
        for make in makers:
            make(scratch)

    return prepare


def artefacts(*names: str) -> Prepare:
    """Copies of artefacts of version 0.1, under their names."""

    def prepare(scratch: Path) -> None:
        for name in names:
            source, target = V01 / name, scratch / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)

    return prepare


def opened(path: Path) -> str:
    """The text of a file, packed or not."""
    data = path.read_bytes()
    return (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8")


def written(path: Path, text: str) -> None:
    """A file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def conll_documents(text: str) -> list[str]:
    """The documents of a CoNLL file, each from its `#begin` to its `#end`."""
    return re.findall(r"^#begin document.*?^#end document[^\n]*\n", text, re.M | re.S)


def gum(target: str, count: int, start: int = 0, kind: str = "ontogum") -> Prepare:
    """Documents of GUM's dev part."""

    def prepare(scratch: Path) -> None:
        whole = opened(scratch / f"data/gum/{kind}.dev.gold_conll.xz")
        written(scratch / target, "".join(conll_documents(whole)[start : start + count]))

    return prepare


def litbank(target: str, count: int, start: int = 0) -> Prepare:
    """Documents of LitBank, in the order of their names."""

    def prepare(scratch: Path) -> None:
        files = sorted((scratch / "data/litbank/conll").iterdir())[start : start + count]
        written(scratch / target, "".join(opened(file) for file in files))

    return prepare


def litbank_texts(scratch: Path) -> None:
    """The plain text of the two shortest novels of ours, as `bleak_house.txt`, `persuasion.txt`."""
    for number, name in ((1023, "bleak_house"), (105, "persuasion")):
        source = scratch / f"data/litbank/brat/{number}_{name}_brat.txt"
        shutil.copyfile(source, scratch / f"{name}.txt")


def fantasy(target: str, count: int) -> Prepare:
    """Fairy tales of FantasyCoref."""

    def prepare(scratch: Path) -> None:
        whole = opened(scratch / "data/fantasycoref/GFT_split1/dev.english.v4_gold_conll")
        written(scratch / target, "".join(conll_documents(whole)[:count]))

    return prepare


def head_lines(source: str, target: str, count: int) -> Prepare:
    """The first lines of a file of the corpora."""

    def prepare(scratch: Path) -> None:
        lines = opened(scratch / "data" / source).splitlines(keepends=True)
        written(scratch / target, "".join(lines[:count]))

    return prepare


def head_json(source: str, target: str, count: int) -> Prepare:
    """The first elements of a list in JSON, one a line as KnowRef has them."""

    def prepare(scratch: Path) -> None:
        items = json.loads((scratch / "data" / source).read_bytes())[:count]
        text = ",\n".join(json.dumps(item, ensure_ascii=False) for item in items)
        written(scratch / target, f"[\n{text}\n]\n")

    return prepare


def head_pieces(source: str, target: str, end: str, count: int, close: str = "") -> Prepare:
    """A file up to the `count`-th occurrence of `end`, and `close` after it."""

    def prepare(scratch: Path) -> None:
        text = (scratch / "data" / source).read_bytes().decode("latin-1")
        ends = [found.end() for found in islice(re.finditer(re.escape(end), text), count)]
        target_path = scratch / target
        target_path.parent.mkdir(parents=True, exist_ok=True)
        target_path.write_bytes((text[: ends[-1]] + close).encode("latin-1"))

    return prepare


def whole(source: str, target: str) -> Prepare:
    """A file of the corpora as it is."""

    def prepare(scratch: Path) -> None:
        (scratch / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(scratch / "data" / source, scratch / target)

    return prepare


def brat(target: str, count: int) -> Prepare:
    """Documents of LitBank as brat has them: pairs of files in a folder."""

    def prepare(scratch: Path) -> None:
        (scratch / target).mkdir()
        for path in sorted((scratch / "data/litbank/brat").iterdir())[: 2 * count]:
            shutil.copyfile(path, scratch / target / path.name)

    return prepare


def corefud(target: str, count: int) -> Prepare:
    """Documents of CorefUD."""

    def prepare(scratch: Path) -> None:
        text = opened(scratch / "data/corefud/en_gum-ud-dev.conllu")
        parts = re.split(r"(?m)^(?=# newdoc)", text)
        written(scratch / target, "".join(part for part in parts[1 : count + 1]))

    return prepare


def wikipedia(target: str, start: int, count: int, piece: str = "AC") -> Prepare:
    """Articles of a piece of WikiExtractor output; only what is needed is unpacked."""

    def prepare(scratch: Path) -> None:
        path = scratch / f"data/wikipedia/wikiextractor-2014-{piece}.txt.xz"
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            written(scratch / target, "".join(_articles(lines, start, count)))

    return prepare


def _articles(lines: Iterable[str], start: int, count: int) -> Iterable[str]:
    at = 0
    for line in lines:
        if start <= at < start + count:
            yield line
        at += line.startswith("</doc>")
        if at >= start + count:
            return


def responses(key: str, *seeds: int) -> Prepare:
    """For each seed a response `response-SEED.conll` with more mistakes, made from the key."""

    def prepare(scratch: Path) -> None:
        text = (scratch / key).read_text("utf-8")
        for rank, seed in enumerate(seeds, 1):
            made = "".join(mistaken(one, seed, 0.04 * rank) for one in conll_documents(text))
            written(scratch / f"response-{seed}.conll", made)

    return prepare


def mistaken(document: str, seed: int, rate: float) -> str:
    """A CoNLL document with mentions dropped, moved to other entities, and resized."""
    rng = random.Random(f"{seed} {document[:60]}")
    lines = document.splitlines()
    tokens = [n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    found = mentions([_column(lines[n]) for n in tokens])
    made = {each for each in (_mistake(m, found, rng, rate) for m in found) if each}
    ends = _sentence_ends(tokens)
    made = {each for each in made if ends[each[0]] == ends[min(each[1], len(ends) - 1)]}
    for number, cell in zip(tokens, _cells(made, len(tokens)), strict=True):
        lines[number] = re.sub(r"\S*$", "", lines[number]) + cell
    return "\n".join(lines) + "\n"


def _column(line: str) -> str:
    """The last column; LitBank leaves it empty where there is no mention."""
    return re.split(r"[\t ]", line)[-1]


def mentions(cells: list[str]) -> list[Mention]:
    """The mentions of a column of brackets."""
    opened_at: dict[str, list[int]] = {}
    found = []
    for at, cell in enumerate(cells):
        for start, name, end in re.findall(r"(\(?)(\d+)(\)?)", cell):
            if start:
                opened_at.setdefault(name, []).append(at)
            if end and opened_at.get(name):
                found.append((opened_at[name].pop(), at, name))
    return sorted(found)


def _mistake(
    mention: Mention, all_: list[Mention], rng: random.Random, rate: float
) -> Mention | None:
    start, end, name = mention
    drawn, other, way = rng.random(), int(rng.random() * len(all_)), rng.random()
    if drawn < rate:
        return None
    if drawn < 2 * rate:
        return start, end, all_[other][2]
    if drawn < 2.5 * rate:
        return (start, end + 1, name) if way < 0.5 else (min(start + 1, end), end, name)
    return mention


def _sentence_ends(numbers: list[int]) -> list[int]:
    """For each token the number of its sentence: lines without a gap between them."""
    sentence, found = 0, []
    for at, number in enumerate(numbers):
        sentence += bool(at) and number != numbers[at - 1] + 1
        found.append(sentence)
    return found


def _cells(made: set[Mention], size: int) -> list[str]:
    """The column of brackets: whole mentions last opened, first closed."""
    cells: list[list[str]] = [[] for _ in range(size)]
    kept = [m for m in made if m[1] < size]
    for start, end, name in sorted(kept, key=lambda m: (m[0], -m[1], m[2])):
        cells[start].append(f"({name})" if start == end else f"({name}")
    for start, end, name in sorted(kept, key=lambda m: (-m[0], m[1], m[2])):
        if start != end:
            cells[end].append(f"{name})")
    return ["|".join(cell) or "-" for cell in cells]
