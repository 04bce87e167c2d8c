"""The record: for every output its SHA-256, its length, and eight digits for every line.

Outputs may hold text of corpora under licences, so they are not stored; the digits are the
beginning of each line's SHA-256, enough to name the first lines that differ. Outputs that are
equal are stored once. One file a family: `record/FAMILY.json.xz`. Outputs that come from our
own texts alone are stored whole in `record/FAMILY.ours.json.xz`.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "record"
DIGITS = 8

Outputs = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Print:
    """The fingerprint of an output."""

    digest: str
    length: int
    lines: tuple[str, ...]

    @staticmethod
    def of(data: bytes) -> Print:
        """The fingerprint of these bytes."""
        lines = data.splitlines(keepends=True) if len(data) < 20_000_000 else []
        return Print(_digest(data), len(data), tuple(_digest(line)[:DIGITS] for line in lines))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Record:
    """The fingerprints of all outputs of a family of cases."""

    family: str
    versions: dict[str, str] = field(default_factory=dict)
    cases: dict[str, dict[str, str]] = field(default_factory=dict)
    prints: dict[str, Print] = field(default_factory=dict)

    @staticmethod
    def read(family: str, folder: Path = FOLDER) -> Record:
        """The record of a family; an empty one where there is none."""
        path = folder / f"{family}.json.xz"
        if not path.is_file():
            return Record(family)
        found = json.loads(lzma.decompress(path.read_bytes()))
        prints = {
            digest: Print(digest, length, _split(lines))
            for digest, (length, lines) in found["outputs"].items()
        }
        return Record(family, found["versions"], found["cases"], prints)

    def outputs(self, case: str) -> dict[str, Print] | None:
        """The fingerprints of a case's outputs by name; None for one that is not recorded."""
        if case not in self.cases:
            return None
        return {name: self.prints[digest] for name, digest in self.cases[case].items()}

    def put(self, case: str, outputs: Outputs) -> None:
        """Record the outputs of a case, instead of those recorded before."""
        made = {name: Print.of(data) for name, data in outputs.items()}
        self.cases[case] = {name: each.digest for name, each in sorted(made.items())}
        self.prints |= {each.digest: each for each in made.values()}

    def write(self, folder: Path = FOLDER) -> None:
        """Write what is still used."""
        used = {digest for names in self.cases.values() for digest in names.values()}
        outputs = {
            digest: [self.prints[digest].length, "".join(self.prints[digest].lines)]
            for digest in sorted(used)
        }
        cases = dict(sorted(self.cases.items()))
        value = {"versions": self.versions, "cases": cases, "outputs": outputs}
        write_packed(folder / f"{self.family}.json.xz", value)


def _split(lines: str) -> tuple[str, ...]:
    return tuple(lines[at : at + DIGITS] for at in range(0, len(lines), DIGITS))


def write_packed(path: Path, value: Any) -> None:
    """JSON, packed; the same value gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(lzma.compress(text.encode("utf-8", "surrogateescape"), preset=9))


def read_ours(family: str, folder: Path = FOLDER) -> dict[str, dict[str, str]]:
    """The outputs of a family that come from our own texts, whole, by case and name."""
    path = folder / f"{family}.ours.json.xz"
    if not path.is_file():
        return {}
    found: dict[str, dict[str, str]] = json.loads(lzma.decompress(path.read_bytes()))
    return found


def write_ours(family: str, outputs: dict[str, dict[str, str]], folder: Path = FOLDER) -> None:
    """Store them, if there are any."""
    if outputs:
        write_packed(folder / f"{family}.ours.json.xz", dict(sorted(outputs.items())))
