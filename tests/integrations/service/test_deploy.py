"""The Containerfile and the systemd unit: rules of good practice, and options that exist."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coindex.cli.builtin.serve import command

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """The instructions of a Containerfile, with continued lines joined."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


def complaints(text: str) -> list[str]:
    """What a linter such as hadolint would say."""
    rows = list(instructions(text))
    names = [name for name, _ in rows]
    last = rows[len(names) - 1 - names[::-1].index("FROM") :]
    users = [rest for name, rest in last if name == "USER"]
    found = []
    for name, rest in rows:
        if name == "FROM" and not re.match(r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*( AS \w+)?$", rest):
            found.append(f"the tag of the base is not pinned: {rest}")
        if name == "ADD":
            found.append("COPY instead of ADD")
        if name == "RUN" and re.search(r"\bsudo\b|curl .*\| *(ba)?sh|\bwget\b", rest):
            found.append(f"no sudo, nothing piped into a shell: {rest}")
        if name == "RUN" and "apt-get install" in rest and "rm -rf /var/lib/apt/lists" not in rest:
            found.append("lists of apt are left")
        if name == "RUN" and "pip install" in rest and "--no-cache-dir" not in rest:
            found.append("pip leaves its cache")
        if name in ("ENTRYPOINT", "CMD") and not rest.startswith("["):
            found.append(f"{name} in its shell form does not pass signals on")
        if name == "ENV" and re.search(r"(?i)token|password|secret", rest):
            found.append("a secret in the environment")
    if not users or users[-1] in ("root", "0"):
        found.append("it runs as root")
    found += [f"no {name}" for name in ("HEALTHCHECK", "ENTRYPOINT") if name not in names]
    return found


def test_the_containerfile_is_as_it_should_be() -> None:
    assert complaints((DEPLOY / "Containerfile").read_text(encoding="utf-8")) == []


def test_the_rules_find_what_is_wrong() -> None:
    bad = (
        "FROM python:latest\nADD https://example.org/x /x\nRUN pip install x\n"
        "RUN apt-get install y\nENV TOKEN=1\nCMD coindex serve\nRUN curl x | sh\n"
    )
    assert len(complaints(bad)) == 10


def options_of(line: str) -> set[str]:
    return {word for word in shlex.split(line) if word.startswith("--")}


def test_what_is_started_has_the_options_of_the_command() -> None:
    known = {name for option in command.params for name in option.opts}
    entry = dict(instructions((DEPLOY / "Containerfile").read_text(encoding="utf-8")))["ENTRYPOINT"]
    unit = (DEPLOY / "coindex.service").read_text(encoding="utf-8")
    (start,) = re.findall(r"^ExecStart=(.+)$", unit, re.MULTILINE)
    for line in (entry.replace(",", " ").strip("[]"), start):
        assert "serve" in line
        assert options_of(line)
        assert options_of(line) <= known


def test_what_the_image_copies_is_there() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    copied = [rest.split()[:-1] for name, rest in instructions(text) if name == "COPY"]
    for path in (path for paths in copied if "--from=build" not in paths for path in paths):
        assert (DEPLOY.parent / path).exists(), path


def test_the_image_has_the_licences_of_what_is_in_it() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    copied = {path for name, rest in instructions(text) if name == "COPY" for path in rest.split()}
    project = (DEPLOY.parent / "pyproject.toml").read_text(encoding="utf-8")
    (files,) = re.findall(r"^license-files = \[(.+)\]$", project, re.MULTILINE)
    assert {each.strip('" ') for each in files.split(",")} <= copied


def test_the_unit_says_how_the_folder_of_its_tokens_is_made(tmp_path: Path) -> None:
    unit = (DEPLOY / "coindex.service").read_text(encoding="utf-8")
    (line,) = re.findall(r"^#   (install .+)$", unit, re.MULTILINE)
    (tmp_path / "tokens").write_text("a-token-of-some-length\n", encoding="utf-8")
    target = tmp_path / "etc/coindex/tokens"
    words = [str(target) if each == "/etc/coindex/tokens" else each for each in shlex.split(line)]
    subprocess.run(words, cwd=tmp_path, check=True)
    assert target.stat().st_mode & 0o777 == 0o600


def test_the_unit_stops_later_than_the_service_does() -> None:
    unit = (DEPLOY / "coindex.service").read_text(encoding="utf-8")
    defaults: dict[str | None, Any] = {each.name: each.default for each in command.params}
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    assert int(seconds) > defaults["max_seconds"] + defaults["max_upload_seconds"] + 1


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    unit = (DEPLOY / "coindex.service").read_text(encoding="utf-8")
    true = shutil.which("true") or "/bin/true"
    path = tmp_path / "coindex.service"
    path.write_text(unit.replace("/opt/coindex/bin/coindex", true), encoding="utf-8")
    done = subprocess.run(
        [program, "verify", "--man=no", str(path)], capture_output=True, text=True
    )
    own = [line for line in done.stderr.splitlines() if "coindex.service" in line]
    assert own == [], done.stderr
