"""The editor's core in node: exact undo and redo, the server's own rules, and its types.

`random_actions.mjs` plays an annotator at random against a model (the list of all states)
and prints what each event is foreseen to change; here the server's rules are asked the same.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from coindex.annotate.store.actions import act
from coindex.annotate.store.records import (
    Change,
    Records,
    TextBounds,
    apply_changes,
    changes,
    empty_document,
    parse_changes,
)
from coindex.annotate.store.undo import changes_of

HERE = Path(__file__).resolve().parent
STATIC = HERE.parents[2] / "src" / "coindex" / "annotate" / "web" / "static"
TOKENS = 40


def node(*arguments: str) -> list[str]:
    path = shutil.which("node")
    if path is None:
        pytest.skip("node is not installed")
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def key(change: dict[str, Any]) -> str:
    return f"{change['on']}/{change['id']}" if change["id"] else str(change["on"])


@pytest.mark.parametrize(("seed", "steps"), [(1, 4000), (2, 4000), (3, 4000)])
def test_random_actions_undo_exactly_and_as_the_server_says(seed: int, steps: int) -> None:
    *lines, last = node(str(HERE / "random_actions.mjs"), str(STATIC), str(seed), str(steps))
    end = json.loads(last)
    assert min(end["seen"].values()) > 20, "every kind of step was taken"
    records: Records = {f"suggestions/{id}": one for id, one in end["suggestions"].items()}
    records["document"] = empty_document()
    past: dict[str, list[Change]] = {}
    for line in lines:
        event = json.loads(line)
        found = _changes(event, records, past)
        told = {key(one): (one["before"], one["after"]) for one in event["changes"]}
        assert told == {one.key: (one.before, one.after) for one in found}, event["kind"]
        past[event["id"]] = found
        apply_changes(records, found)
    flat = {
        f"{folder}/{id}": record
        for folder in ("mentions", "groups", "suggestions", "decisions")
        for id, record in end["end"][folder].items()
    }
    assert {**flat, "document": end["end"]["document"]} == records


def _changes(
    event: dict[str, Any], records: Records, past: dict[str, list[Change]]
) -> list[Change]:
    kind, payload = event["kind"], event["payload"]
    if kind in ("undo", "redo"):
        return changes_of(kind, records, past[payload["event"]])
    return changes(records, act(kind, payload, records, TextBounds(TOKENS)))


def test_changes_are_read_as_they_are_written() -> None:
    rows = [{"key": "document", "before": None, "after": empty_document()}]
    assert [one.as_json() for one in parse_changes(rows)] == rows


@pytest.mark.parametrize("script", sorted(HERE.glob("check_*.mjs")), ids=lambda path: path.stem)
def test_script(script: Path) -> None:
    assert node(str(script), str(STATIC))[-1] == "ok"


def test_types(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    got = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "typescript@6"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    compiler = tmp_path / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.is_file():
        pytest.skip(f"typescript cannot be installed: {got.stderr.strip()[-200:]}")
    options = json.loads((HERE / "tsconfig.json").read_text(encoding="utf-8"))
    options["include"] = [f"{STATIC}/**/*.js"]
    (tmp_path / "tsconfig.json").write_text(json.dumps(options), encoding="utf-8")
    node(str(compiler), "-p", str(tmp_path))
