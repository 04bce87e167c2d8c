"""Shell completion: what is offered, and that bash, zsh and fish really complete it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import coindex
from coindex import plugins
from coindex.cli import COMPLETION, cli, completion

SOURCE = Path(coindex.__file__).parent.parent


def offered(*words: str) -> list[str]:
    """What is offered for the last word: the kind and the value of each line."""
    environment = {
        **os.environ, COMPLETION: "bash_complete", "COMP_WORDS": " ".join(["coindex", *words]),
        "COMP_CWORD": str(len(words)), "PYTHONPATH": str(SOURCE),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "coindex"], capture_output=True, text=True, env=environment
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def names(family: str, start: str = "") -> list[str]:
    return [f"plain,{name}" for name in plugins.names(family) if name.startswith(start)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["conv"], ["plain,convert"]),
        (["annotate", "us"], ["plain,users"]),
        (["resolve", "--sing"], ["plain,--singletons"]),
        (["convert", "--to", "conll"], names("formats", "conll")),
        (["score", "a", "b", "--metrics", "muc,le"], ["plain,muc,lea"]),
        (["score", "a", "b", "--match", "mi"], names("matching", "mi")),
        (["bench", "gap", ""], names("benchmarks")),
        (["bench", "--resolver", "par"], names("resolvers", "par")),
        (["build", "x", "--source", ""], names("sources")),
        (["build", ""], names("builders")),
        (["generate", ""], names("generators")),
        (["active", "rank", "--strategy", "v"], names("strategies", "v")),
        (["list", "mod"], ["plain,models"]),
        (["resolve", "--model", "def"], ["plain,default"]),
        (["resolve", "--model", "./"], ["file,./"]),
        (["resolve", "--to", "repl"], ["plain,replaced"]),
        (["data", "get", "litb"], ["plain,litbank"]),
        (["train", "pronoun", "--recipe", "know"], ["plain,knowref", "plain,knowref-plain"]),
        (["check", "--ignore", "unb"], ["plain,unbalanced"]),
        (["score", "ke"], ["file,ke"]),
        (["stats", "le"], ["file,le"]),
        (["train", "coref", "-o", ""], ["dir,"]),
        (["resolve", "x", "--output-dir", ""], ["dir,"]),
        (["train", "coref", "--device", "c"], ["plain,cpu", "plain,cuda"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and value else "",
)
def test_what_is_offered(words: list[str], expected: list[str]) -> None:
    assert expected
    assert offered(*words) == expected


def test_all_commands_are_offered_without_importing_them() -> None:
    assert offered("") == names("cli")
    code = (
        "import sys, click; from coindex.cli import cli;"
        "c = click.Context(cli); cli.shell_complete(c, '');"
        "print([m for m in sys.modules if m.startswith('coindex.cli.builtin.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


WITHOUT_VALUES = {
    "FIELD", "GLOB", "NAME", "TEXT", "URL", "ORIGIN", "HOST:PORT", "ID", "SPLIT", "DOC", "NAME=SPLIT", "CONDITION",
    "KEY=VALUE", "KEY=V1,V2,...", "ADDRESS,...", "auto|NAME", "all|none|NAME,...",
}  # fmt: skip
"""Free texts: nothing that can be completed."""


def test_every_parameter_has_values_or_is_free_text() -> None:
    """A new option must say FILE or FOLDER, be a choice, or have a name that completion knows."""

    def left(command: click.Command, path: str) -> list[str]:
        below = command.commands.items() if isinstance(command, click.Group) else ()
        free = [
            f"{path} {each.opts[-1]} {each.metavar}"
            for each in command.params
            if each.type is click.STRING and each.metavar not in WITHOUT_VALUES
        ]
        return free + [row for name, sub in below for row in left(sub, f"{path} {name}")]

    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; import cli.test_completion as t; t.print_left()"
    )
    assert code  # see print_left
    found = []
    for name in plugins.builtin_names("cli"):
        context = click.Context(cli)
        os.environ[COMPLETION] = "bash_complete"
        try:
            command = cli.get_command(context, name)
        finally:
            del os.environ[COMPLETION]
        assert command is not None
        found += left(command, name)
    assert {row for row in found if not row.endswith(" None")} == set()


def test_the_command_prints_what_a_shell_reads() -> None:
    for shell in completion.SHELLS:
        done = CliRunner().invoke(cli, ["completion", shell])
        assert done.exit_code == 0
        assert f"{COMPLETION}={shell}_complete" in done.stdout
    assert CliRunner().invoke(cli, ["completion", "tcsh"]).exit_code == 2
    assert completion.VARIABLE == COMPLETION


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the command in it, where shells find it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "coindex"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -m coindex "$@"\n')
    script.chmod(0o755)
    (tmp_path / "letter-of-ann.conll").touch()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    for shell in completion.SHELLS:
        text = CliRunner().invoke(cli, ["completion", shell]).stdout
        (tmp_path / ("_coindex" if shell == "zsh" else f"coindex.{shell}")).write_text(text)
    return tmp_path


def need(shell: str) -> None:
    if shutil.which(shell) is None or os.name != "posix":
        pytest.skip(f"{shell} is not installed")


def typed(command: list[str], setup: str, line: str, expected: str) -> str:
    """What a terminal shows after a line was typed in a shell, with Tab at its end."""
    import pty
    import select

    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", PS1="> ", COLUMNS="200")
        os.execvp(command[0], command)
    try:
        os.write(terminal, f"{setup}; echo re''ady\n".encode())
        shown, sent = b"", False
        end = time.monotonic() + 30
        while time.monotonic() < end and expected.encode() not in shown:
            if not sent and b"ready\r\n" in shown:
                os.write(terminal, line.encode() + b"\t")
                sent = True
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 4096)
        return shown.decode(errors="replace")
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)


LINES = [
    ("coindex conv", "coindex convert "),
    ("coindex convert --to conll2", "--to conll2012 "),
    ("coindex bench wsc", "wsc273 "),
    ("coindex resolve --model defa", "--model default "),
    ("coindex stats letter-of", "letter-of-ann.conll "),
]


@pytest.mark.filterwarnings("ignore:.*use of forkpty:DeprecationWarning")
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_bash_completes(program: Path, line: str, expected: str) -> None:
    need("bash")
    shown = typed(["bash", "--norc", "--noprofile", "-i"], "source ./coindex.bash", line, expected)
    assert expected in shown


@pytest.mark.filterwarnings("ignore:.*use of forkpty:DeprecationWarning")
@pytest.mark.parametrize(("line", "expected"), LINES)
def test_zsh_completes(program: Path, line: str, expected: str) -> None:
    need("zsh")
    setup = "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; bindkey '^I' complete-word"
    assert expected.strip() in typed(["zsh", "-f", "-i"], setup, line, expected.strip())


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_fish_completes(program: Path, line: str, expected: str) -> None:
    need("fish")
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source coindex.fish; complete -C '{line}'"],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert expected.split()[-1] in done.stdout.split()
