"""Compares the outputs of a case with the record, and says where they first differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from golden.changes import Changes
from golden.store import DIGITS, Outputs, Print

SHOWN = 5
"""How many differing lines a failure names."""


def differences(
    case: str, outputs: Outputs, recorded: Mapping[str, Print] | None, changes: Changes
) -> list[str]:
    """What differs from the record and is not permitted, an output each."""
    if recorded is None:
        return [
            f"{case} is not in the record: python tests/golden/record.py --record --case {case}"
        ]
    found = []
    for name in sorted({*outputs, *recorded}):
        told = _difference(case, name, outputs.get(name), recorded.get(name), changes)
        if told:
            found.append(told)
    return found


def _difference(
    case: str, name: str, data: bytes | None, old: Print | None, changes: Changes
) -> str:
    raw = Print.of(data or b"")
    if data is not None and old is not None and raw.digest == old.digest:
        return ""
    undone = changes.undone(case, name, data or b"")
    if undone == b"" and old is None:
        return ""  # what was added is all permitted
    new = Print.of(undone)
    if old is not None and new.digest == old.digest and (data is not None or old.length == 0):
        return ""
    if changes.permits(case, name, raw.digest):
        return ""
    if old is None:
        return f"{name}: not in the record, {len(undone)} bytes: {_start(undone)}"
    if data is None:
        return f"{name}: no longer written; {old.length} bytes in the record"
    return "\n".join([f"{name}: differs (sha256 {raw.digest})", *_lines(undone, new, old)])


def _start(data: bytes) -> str:
    return repr(data[:200].decode("utf-8", "replace"))


def _lines(data: bytes, new: Print, old: Print) -> Iterator[str]:
    """The first lines that differ; of the old ones only the digits are known."""
    yield f"  {new.length} bytes, {len(new.lines)} lines; record: {old.length}, {len(old.lines)}"
    texts = data.splitlines(keepends=True)
    shown = 0
    matcher = difflib.SequenceMatcher(None, old.lines, new.lines, autojunk=False)
    if len(old.lines) * len(new.lines) > 4_000_000:  # too long to align: the first that differs
        pairs = enumerate(zip(old.lines, new.lines, strict=False))
        at = next((at for at, (one, two) in pairs if one != two), min(len(old.lines), len(texts)))
        yield f"  line {at + 1}: {_text(texts, at)}"
        return
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if shown >= SHOWN:
            yield "  ..."
            return
        shown += 1
        gone = ", ".join(digits[:DIGITS] for digits in old.lines[a : min(b, a + 3)])
        yield f"  line {a + 1}: {b - a} of the record's lines ({gone or 'none'}) became {d - c}:"
        yield from (f"    + {_text(texts, at)}" for at in range(c, min(d, c + 3)))


def _text(texts: list[bytes], at: int) -> str:
    if at >= len(texts):
        return "(the end)"
    return texts[at][:300].decode("utf-8", "replace").rstrip("\n")


def unified(case: str, outputs: Outputs, folder: Path) -> Iterator[str]:
    """Unified diffs of outputs and those kept whole in a folder."""
    home = folder / case
    kept = {p.relative_to(home).as_posix(): p for p in home.rglob("*") if p.is_file()}
    for name in sorted({*outputs, *kept}):
        old = kept[name].read_bytes() if name in kept else b""
        new = outputs.get(name, b"")
        if old != new:
            yield from _unified(f"{case}/{name}", old, new)


def _unified(name: str, old: bytes, new: bytes) -> Iterator[str]:
    one, two = (data.decode("utf-8", "backslashreplace").splitlines() for data in (old, new))
    yield from difflib.unified_diff(one, two, f"0.1/{name}", f"now/{name}", lineterm="", n=2)
