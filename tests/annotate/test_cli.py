"""`coindex annotate`: every command, and the pages of the documentation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from annotate_server import Server
from coindex.annotate.web.api import ROUTES
from coindex.cli import cli
from coindex.errors import CoindexError

ROOT = Path(__file__).resolve().parents[2]
LETTER = str(ROOT / "docs" / "examples" / "letter.conll")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0) -> str:
        done = CliRunner().invoke(cli, ["annotate", *arguments])
        found = done.exit_code
        if isinstance(done.exception, CoindexError):
            found = done.exception.exit_code
            return_ = str(done.exception)
        else:
            return_ = done.stdout
        assert found == code, (done.output, done.exception)
        return return_

    return call


def test_from_init_to_export(run: Any, tmp_path: Path) -> None:
    assert run("init").startswith("http://127.0.0.1:8642/welcome/")
    assert run("import", "--project", "p", LETTER) == "1 document\n"
    out = str(tmp_path / "out.conll")
    run("export", "--project", "p", "--which", "documents", "--to", "conll2012", "-o", out)
    assert Path(out).read_text().splitlines()[0] == "#begin document (letter); part 000"
    run("export", "--project", "p", "--which", "sheets", "-o", "all.jsonl")
    run("import", "--project", "q", "all.jsonl")
    run("export", "--project", "q", "--which", "sheets", "-o", "again.jsonl")
    assert Path("all.jsonl").read_bytes() == Path("again.jsonl").read_bytes()
    told = json.loads(run("import", "--project", "p", LETTER, "--json"))
    assert told["skipped"] == [
        {"name": "letter part 0", "reason": "there is a document of that name already"}
    ]


def test_a_format_of_two_files_needs_a_folder(run: Any, tmp_path: Path) -> None:
    run("init")
    run("import", "--project", "p", LETTER)
    brat = ("export", "--project", "p", "--which", "documents", "--to", "brat")
    assert "name a folder with -o" in run(*brat, code=2)
    assert not (tmp_path / "-").exists()
    run(*brat, "-o", "brat")
    assert {each.suffix for each in (tmp_path / "brat").iterdir()} == {".ann", ".txt"}


def test_people(run: Any) -> None:
    run("init")
    run("import", "--project", "p", LETTER)
    invited = ("users", "invite", "--project", "p", "--role", "manager")
    assert run(*invited).startswith("http://127.0.0.1:8642/welcome/")
    assert run(*invited, "--url", "https://a.org/").startswith("https://a.org/welcome/")
    assert "expected http://" in run(*invited, "--url", "a.org", code=2)
    assert "expected --project" in run("users", "invite", code=2)
    assert "no account 'x'" in run("users", "disable", "x", code=2)
    assert run("users", "list") == ""
    assert "expected one of: p" in run("users", "invite", "--project", "nope", code=2)


def test_backup_restore_and_doctor(run: Any, tmp_path: Path) -> None:
    run("init")
    run("import", "--project", "p", LETTER)
    copy = run("backup").strip()
    assert Path(copy).is_file()
    run("backup", "--restore", copy, "--database", "new.db")
    assert run("doctor", "--database", "new.db") == "0 assignments, 0 events, 0 problems\n"
    assert "found one" in run("backup", "--restore", copy, "--database", "new.db", code=1)
    assert "no such database" in run("doctor", "--database", "nowhere.db", code=1)
    assert "expected SQLite or PostgreSQL" in run("doctor", "--database", "mysql://x/y", code=2)


def test_the_first_serve_prints_the_link_and_serves(tmp_path: Path) -> None:
    server = Server(str(tmp_path / "s.db"), tmp_path)
    server.start()
    assert server.ask(None, "GET", "/api/me")[0] == 401
    server.stop()
    assert "shown before" not in (tmp_path / "server.log").read_text()
    server.start()
    log = (tmp_path / "server.log").read_text()
    assert "shown before" in log
    old, new = re.findall(r"http://127.0.0.1:\d+(/welcome/\S+)", log)
    assert server.ask(None, "GET", f"/api{new}")[1]["role"] == "administrator"
    assert server.ask(None, "GET", f"/api{old}")[0] == 404, "one link at a time"
    body = {"name": "Boss", "password": "a long enough password"}
    assert server.ask(None, "POST", f"/api{new}", body)[0] == 200
    server.stop()
    server.start()
    server.stop()
    assert (tmp_path / "server.log").read_text().count("/welcome/") == 2


def test_the_admin_page_says_what_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "annotate-admin.md").read_text("utf-8")
    (block,) = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = ["bash", "-euo", "pipefail", "-c", block]
    done = subprocess.run(
        script, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 0, done.stderr
    assert "0 problems" in done.stdout


def test_the_api_page_has_every_route_with_its_rule() -> None:
    page = (ROOT / "docs" / "reference" / "annotate-api.md").read_text("utf-8")
    for route in ROUTES:
        assert f"| `{route.method} {route.path.replace(':int', '')}` | {route.rule} |" in page


def test_the_command_line_loads_no_web_server() -> None:
    code = "import sys, coindex.cli.builtin.annotate; print({'starlette', 'sqlalchemy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no database, but long enough to be read as one" * 20)
    for command in (["init"], ["doctor"], ["users", "list"]):
        done = CliRunner().invoke(cli, ["annotate", *command, "--database", f"{tmp_path}/a.txt"])
        assert isinstance(done.exception, CoindexError), done.exception
        assert "a.txt: expected an annotation database: file is not a database" in str(
            done.exception
        )
