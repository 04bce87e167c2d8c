"""`coindex show`: the choice of texts, the three kinds of output, and the errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BufferedReader, BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest

from coindex.cli import main

LETTER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "letter.conll"

TWO = """#begin document (a); part 000
a 0 0 Ann (1)
a 0 1 saw -
a 0 2 her (1)
a 0 3 dog (2)
#end document
#begin document (b); part 000
b 0 0 <script>alert(1)</script> (1)
#end document
"""


@dataclass
class Run:
    returncode: int
    stdout: str
    stderr: str


def coindex(*args: object, stdin: str = "") -> Run:
    """Run the command in this process, with streams of its own."""
    out, err, code = StringIO(), StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(stdin.encode()))))
        try:
            main([str(arg) for arg in args])
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Run(code, out.getvalue(), err.getvalue())


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.conll"
    path.write_text(TWO, encoding="utf-8")
    return path


def test_the_example_in_a_pipe() -> None:
    command = [sys.executable, "-m", "coindex", "show", str(LETTER)]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0
    assert run.stderr == ""
    assert "\x1b" not in run.stdout
    assert "[[her]₁ brother Tom]₃" in run.stdout
    assert "1 Clara Whitfield  6 mentions" in run.stdout


def test_standard_input_first_doc_and_singletons(two: Path) -> None:
    assert "[Ann]₁ saw [her]₁ [dog]₂" in coindex("show", "-", stdin=TWO).stdout
    assert "b part 0" not in coindex("show", two, "--first", 1).stdout
    only = coindex("show", two, "--doc", "b").stdout
    assert "a part 0" not in only
    assert "b part 0" in only
    assert coindex("show", two, "--doc", "a part 0", "--no-singletons").stdout.count("dog") == 1


def test_json_is_the_neutral_structure(two: Path) -> None:
    first, second = json.loads(coindex("show", two, "--json").stdout)
    assert first["text"] == "Ann saw her dog"
    assert first["entities"][0]["mentions"] == [0, 1]
    assert first["mentions"][1] == {
        "text": "her",
        "entities": [1],
        "role": "mention",
        "chars": [[8, 11]],
        "tokens": [[2, 3]],
        "head": None,
        "kind": None,
        "attrs": {},
        "level": 0,
        "outer": None,
    }
    assert second["entities"][0]["singleton"] is True


def test_the_page_is_one_file_with_everything_escaped(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    run = coindex("show", two, "--html", out)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", f"{out}: 2 documents\n")
    page = out.read_text(encoding="utf-8")
    assert "{{" not in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert page.count("<script") == 3  # two documents' data and the script
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#|data:,)""", page)
    assert "@import" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_the_page_on_standard_output_is_the_same(two: Path, tmp_path: Path) -> None:
    coindex("show", two, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    run = coindex("show", two, "--html", "-")
    assert (run.stdout, run.stderr) == (page, "")


def test_a_page_that_cannot_be_made_leaves_the_old_one(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    out.write_text("old", encoding="utf-8")
    broken = TWO + "#begin document (c); part 000\nc 0 0 Ann (1\n#end document\n"
    run = coindex("show", "-", "--html", out, stdin=broken)
    assert run.returncode == 1
    assert run.stderr.startswith("coindex: <stdin>:")
    assert out.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["nowhere.conll"], 1, "nowhere.conll: no such file"),
        ([LETTER, "--doc", "x"], 2, "nothing is called 'x'; expected one of: letter"),
        ([LETTER, "--html", "x.html", "--json"], 2, "choose one"),
        ([LETTER, "--first", "0"], 2, "0 is not in the range"),
        ([LETTER, "--from", "nothing"], 2, "unknown format 'nothing'"),
        ([], 2, "Missing argument"),
    ],
)
def test_errors_are_one_line(args: list[object], code: int, message: str) -> None:
    run = coindex("show", *args)
    assert run.returncode == code
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_problems_are_shown_too() -> None:
    lines = "Ann told Bob that she won .\nshe\nAnn,Bob\nAnn\n\n"
    run = coindex("show", "-", "--from", "blocks", stdin=lines)
    assert run.returncode == 0, run.stderr
    assert "[Ann]₁ told [Bob]₂ that [she]₁ won ." in run.stdout
    assert "“she” means: Ann (1)" in run.stdout
