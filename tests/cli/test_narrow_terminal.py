"""In a narrow terminal texts are folded or truncated, numbers never are; NO_COLOR is respected."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import coindex

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import fcntl
import pty
import struct
import termios

ROOT = Path(__file__).resolve().parents[2]
LETTER = str(ROOT / "docs" / "examples" / "letter.conll")
TREES = "#begin document (d);\n" + "".join(
    f"d 0 {at} {word} {tag} {parse} - - - Ann * {entity}\n"
    for at, (word, tag, parse, entity) in enumerate([
        ("the", "DT", "(TOP(S(NP*", "(1"), ("dog", "NN", "*)", "1)"), ("slept", "VBD", "(VP*)))", "-"),
    ])
) + "\n#end document\n"  # fmt: skip
CODES = re.compile(r"\x1b\[([\d;]*)m")
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w.])")


def terminal(columns: int, *arguments: str, **variables: str) -> str:
    """What a command shows in a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}  # fmt: skip
    source = str(Path(coindex.__file__).parent.parent)
    environment |= {"TERM": "xterm-256color", "PYTHONPATH": source, **variables}
    process = subprocess.Popen(
        [sys.executable, "-m", "coindex", *arguments],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 65536):
            shown += block
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


def numbers(shown: str) -> list[str]:
    """The numbers, in their order, of text without colours."""
    return NUMBER.findall(CODES.sub("", shown))


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("trees") / "trees.conll"
    file.write_text(TREES)
    return str(file)


@pytest.mark.parametrize("columns", [24, 40, 60])
@pytest.mark.parametrize(
    "command",
    [("stats", LETTER), ("stats", LETTER, LETTER), ("spans", "TREES", "--examples", "0"),
     ("score", LETTER, LETTER, "--metrics", "all")],
    ids=lambda command: "-".join(command[::2]).replace(LETTER, ""),
)  # fmt: skip
def test_numbers_are_whole(command: tuple[str, ...], columns: int, trees: str) -> None:
    arguments = [trees if each == "TREES" else each for each in command]
    wide, narrow = (numbers(terminal(width, *arguments)) for width in (200, columns))
    assert len(wide) > 5
    assert sorted(narrow) == sorted(wide)


@pytest.mark.parametrize("columns", [30, 40])
def test_resolve_keeps_counts_and_confidences(columns: int) -> None:
    text = str(ROOT / "docs" / "examples" / "letter.txt")
    wide, narrow = (CODES.sub("", terminal(width, "resolve", text)) for width in (200, columns))
    assert narrow.splitlines()[0] == wide.splitlines()[0]
    row = re.compile(r"^ *\d+  .*?  +(\d+)  (\d\.\d\d)\b", re.MULTILINE)
    assert len(row.findall(wide)) == 4
    assert row.findall(narrow) == row.findall(wide)
    table = narrow.splitlines()[2:]
    assert max(map(len, table)) <= columns


@pytest.mark.parametrize(
    "command", [("score", LETTER, LETTER), ("show", LETTER), ("stats", LETTER)]
)
def test_no_color(command: tuple[str, ...]) -> None:
    def colours(**variables: str) -> set[str]:
        codes = CODES.findall(terminal(100, *command, **variables))
        return {code for codes in codes for code in codes.split(";") if code[:1] in "349" and len(code) > 1}  # fmt: skip

    assert colours(NO_COLOR="1") == set()
    if command[0] == "show":
        assert colours() != set()
        assert colours(NO_COLOR="") == colours()
