"""The commands as people run them: what they print, where, and how they exit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).resolve().parents[2]
LETTER = ROOT / "docs" / "examples" / "letter.conll"


def coindex(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coindex", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def test_help_lists_every_command() -> None:
    done = coindex("--help")
    assert done.returncode == 0
    for name in ("check", "convert", "data", "list", "score", "show", "spans", "stats", "switch"):
        assert name in done.stdout


@pytest.mark.parametrize(
    "name", ["check", "convert", "data", "list", "score", "show", "spans", "stats", "switch"]
)
def test_every_command_explains_itself(name: str) -> None:
    done = coindex(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: coindex {name}")


def test_unknown_commands_and_formats_are_bad_usage(tmp_path: Path) -> None:
    done = coindex("konvert")
    assert done.returncode == 2
    assert "bench, build, check, completion, convert" in done.stderr
    done = coindex("convert", LETTER, "--to", "xml")
    assert done.returncode == 2
    assert "unknown format 'xml'; expected one of: allennlp, blocks" in done.stderr
    done = coindex("convert", LETTER, "--from", "xml", "--to", "gap")
    assert done.returncode == 2


def test_convert_there_and_back(tmp_path: Path) -> None:
    there, back = tmp_path / "a.jsonl.gz", tmp_path / "b.conll"
    assert coindex("convert", LETTER, "--to", "document-jsonl", "-o", there).returncode == 0
    assert coindex("convert", there, "--to", "conll2012", "-o", back).returncode == 0
    again = tmp_path / "c.conll"
    coindex("convert", LETTER, "--to", "conll2012", "-o", again)
    assert back.read_text() == again.read_text()


def test_convert_reports_what_was_lost(tmp_path: Path) -> None:
    done = coindex("convert", LETTER, "--to", "jsonlines", "-o", tmp_path / "a.jsonl")
    assert done.stdout == ""
    assert "jsonlines cannot hold entity-id: 19 left out" in done.stderr
    done = coindex("convert", LETTER, "--to", "jsonlines", "-o", tmp_path / "a.jsonl", "--json")
    report = json.loads(done.stdout)
    assert report["lost"]["entity-id"] == 19
    assert (report["read"], report["written"]) == (1, 1)
    assert report["from"] == ["conll2012"]


def test_convert_in_a_pipe() -> None:
    done = coindex("convert", "-", "--to", "text", stdin=LETTER.read_text())
    assert done.returncode == 0
    assert "[Clara Whitfield , [who]_" in done.stdout
    assert coindex("convert", LETTER, "--to", "text", "--json").returncode == 2


def test_convert_to_brat_and_back(tmp_path: Path) -> None:
    assert coindex("convert", LETTER, "--to", "brat").returncode == 2
    assert coindex("convert", LETTER, "--to", "brat", "-o", tmp_path / "out").returncode == 0
    done = coindex("stats", tmp_path / "out" / "letter.ann", "--json")
    (counts,) = json.loads(done.stdout)["files"].values()
    assert (counts["mentions"], counts["entities"]) == (47, 19)


def test_check_says_what_is_wrong_and_where(tmp_path: Path) -> None:
    path = tmp_path / "bad.conll"
    rows = ["a (1", "b (2", "c 1)|3)", "d 2)|(4)|(5)", "e (6", "f (4)|(4)"]
    path.write_text("\n".join(["#begin document (d);", *rows, "#end document"]))
    done = coindex("check", path)
    assert done.returncode == 1
    assert [line.rpartition("[")[2] for line in done.stdout.splitlines()] == [
        "unbalanced]", "repeated]", "unbalanced]", "crossing]", "two-entities]",
    ]  # fmt: skip
    assert f"{path}:4: ')' closes entity 3, which is not open [unbalanced]" in done.stdout
    assert "expected 'd' (tokens 3-3) in one entity, found it in 4 and 5" in done.stdout
    assert "1 file(s) checked, 5 finding(s)" in done.stderr
    report = json.loads(coindex("check", path, "--json", "--ignore", "crossing").stdout)
    assert report["findings"] == 4
    assert report["files"][0]["findings"][0]["line"] == 4
    assert report["files"][0]["format"] == "conll2012"
    assert coindex("check", path, "--ignore", "nonsense").returncode == 2


def test_check_goes_on_after_a_file_it_cannot_read(tmp_path: Path) -> None:
    latin = tmp_path / "latin.conll"
    latin.write_bytes(b"#begin document (d)\ncaf\xe9 -\n#end document\n")
    empty = tmp_path / "empty"
    empty.touch()
    done = coindex("check", tmp_path / "missing", tmp_path, latin, empty, LETTER)
    assert done.returncode == 1
    assert f"{tmp_path / 'missing'}: no such file [input]" in done.stdout
    assert f"{tmp_path}: expected a file, found a folder [input]" in done.stdout
    assert f"{latin}:2: expected UTF-8 text, found the byte 0xe9 [format]" in done.stdout
    assert f"{empty}: expected a corpus, found an empty file [format]" in done.stdout
    assert "5 file(s) checked, 4 finding(s)" in done.stderr


def test_check_is_silent_about_good_files() -> None:
    done = coindex("check", LETTER)
    assert done.returncode == 0
    assert done.stdout == ""


def test_check_finds_candidates_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ann met Bo and she sang.\nshe\nAnn,Carol\nAnn\n\n")
    done = coindex("check", path)
    assert done.returncode == 1
    assert "expected the candidate 'Carol' in the text, found it nowhere [candidate]" in done.stdout
    assert f"{path}:1:" in done.stdout


def test_check_finds_the_same_document_twice(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text(LETTER.read_text() * 2)
    done = coindex("check", path)
    assert done.returncode == 1
    assert "found it again [same-id]" in done.stdout


def test_rules_are_listed() -> None:
    assert "unbalanced" in coindex("check", "--rules").stdout


def test_stats_of_documents() -> None:
    counts = json.loads(coindex("stats", LETTER, "--json").stdout)
    (found,) = counts["files"].values()
    assert found["tokens"] == 130
    assert found["mentions"] == 47
    assert found["entities"] == 19
    assert found["singletons"] == 10
    assert found["anaphora"] == 37
    assert found["pronouns"]["feminine"] >= 3
    (curve,) = counts["density"].values()
    assert curve == [[0, 0, 0], [130, 47, found["nested mentions"]]]


def test_stats_as_a_table_and_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "density.png"
    done = coindex("stats", LETTER, LETTER, "--plot", picture)
    assert done.returncode == 0
    assert "mentions per sentence" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"density drawn to {picture}" in done.stderr


def test_stats_of_problems(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ann met Bo and she sang.\nshe\nAnn,Bo\nAnn\n\n" * 3)
    (found,) = json.loads(coindex("stats", path, "--json").stdout)["files"].values()
    assert found["problems"] == 3
    assert found["answers"] == {"A": 3}
    assert coindex("stats", path, "--plot", tmp_path / "x.png").returncode == 2


def test_errors_are_one_line_without_traceback(tmp_path: Path) -> None:
    for command in (["stats"], ["show"], ["convert", "--to", "text"]):
        done = coindex(*command, tmp_path / "missing")
        assert done.returncode == 1
        assert done.stderr.strip() == f"coindex: {tmp_path / 'missing'}: no such file"


def test_list() -> None:
    assert "conll2012" in coindex("list").stdout
    found = json.loads(coindex("list", "formats", "--json").stdout)
    assert len(found["formats"]) >= 15
    assert found["formats"]["gap"].startswith("problem: ")
    assert coindex("list", "nonsense").returncode == 2


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m coindex convert {LETTER} {LETTER} {LETTER} --to document-jsonl"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | true"], capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr


def test_long_input_shows_progress_on_a_terminal_and_nothing_in_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "long.conll"
    rows = LETTER.read_text().replace("(letter)", "(letter{})")
    path.write_text("".join(rows.replace("{}", str(number)) for number in range(500)))
    assert path.stat().st_size > 2_000_000
    shown, terminal = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "coindex", "check", str(path)],
        stdout=subprocess.PIPE, stderr=terminal, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(terminal)
    seen = b""
    try:
        while piece := os.read(shown, 65536):
            seen += piece
    except OSError:  # the terminal is closed
        pass
    os.close(shown)
    assert done.returncode == 0
    assert b"long.conll" in seen
    assert b"MB" in seen
    piped = coindex("check", path)
    assert piped.stderr == "1 file(s) checked, 0 finding(s)\n"


def test_a_closed_pipe_ends_the_command_as_a_signal_would(tmp_path: Path) -> None:
    path = tmp_path / "long.conll"
    path.write_text(LETTER.read_text() * 300)
    command = f"{sys.executable} -m coindex convert {path} --to document-jsonl | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.endswith("141\n")
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("args", [["list", "formats"], ["resolve", "docs/examples/letter.txt"]])
def test_a_full_disk_is_told_on_one_line(args: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        found = subprocess.run(
            [sys.executable, "-m", "coindex", *args],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert found.returncode == 1
    assert found.stderr == b"coindex: cannot write: No space left on device\n"


def test_an_interrupt_leaves_no_file_behind(tmp_path: Path) -> None:
    path = tmp_path / "long.conll"
    path.write_text(LETTER.read_text() * 4000)
    out = tmp_path / "out.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "coindex", "convert", str(path), "--to", "document-jsonl", "-o", str(out)],
        stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored under nohup
    )  # fmt: skip
    for _ in range(2000):  # until it has begun to write
        if any(each.name.startswith(".out") for each in tmp_path.iterdir()):
            break
        time.sleep(0.05)
    else:
        pytest.fail("nothing was written within 100 seconds")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.strip().endswith("coindex: interrupted")
    assert [each.name for each in tmp_path.iterdir()] == ["long.conll"]


def test_an_interrupt_while_it_starts_is_no_traceback() -> None:
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'coindex.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from coindex.__main__ import run\n"
        "run()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "coindex: interrupted\n")


def test_an_interrupt_of_generated_code_has_the_exit_code_too() -> None:
    code = (
        "import coindex.cli as c\n"
        "def interrupted(*args): exec('raise KeyboardInterrupt')\n"
        "c.cli.make_context = interrupted\n"
        "c.main(['doctor'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "coindex: interrupted\n")


def test_messages_of_the_library_go_to_standard_error() -> None:
    code = (
        "import logging, click\n"
        "from coindex.cli import cli, main\n"
        "@cli.command('speak')\n"
        "def speak(): logging.getLogger('coindex.some.module').info('half done')\n"
        "import coindex.cli as c\n"
        "c.Commands.get_command = lambda self, ctx, name: speak\n"
        "c.Commands.resolve_command = lambda self, ctx, args: ('speak', speak, args[1:])\n"
        "main(['speak'])\n"
        "logging.getLogger('coindex.some.module').info('not shown')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "half done\n")


@pytest.mark.parametrize(("old", "new"), [("corpora", "builders"), ("active", "strategies")])
def test_old_names_of_families_are_deprecated(old: str, new: str) -> None:
    before, after = coindex("list", old), coindex("list", new)
    assert before.stdout == after.stdout
    assert before.stdout.startswith(f"{new}:")
    assert before.stderr == f"coindex: the family {old} is deprecated: use {new}\n"
    assert after.stderr == ""


def test_the_devices_of_the_option_are_those_of_models() -> None:
    """They are written twice, since importing models makes every command slower."""
    from coindex.cli.builtin.resolve import command
    from coindex.models.common.device import DEVICES

    (option,) = (each for each in command.params if each.name == "device")
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == DEVICES
