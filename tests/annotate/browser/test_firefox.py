"""The whole loop in Firefox: by mouse, by keyboard and by touch alone, with the same gold.

Debian's firefox-esr, driven by npm's puppeteer-core over WebDriver BiDi.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.full]

HERE = Path(__file__).parent
TEXT = b"Ann told Bea that she had seen her brother in York. They left early."
GOLD = [[[0, 1], [4, 5], [7, 8], [12, 13]], [[2, 3], [12, 13]], [[7, 9]]]
PASSWORD = "correct horse battery"
NAMES = ("firefox-esr", "firefox")
MENTIONS = 6


def steps(she: str, brother: bool) -> list[list[Any]]:
    """First and last word, and the group: null for a new one."""
    more = [[7, 8, None]] if brother else []
    return [[0, 0, None], [2, 2, None], [4, 4, she], *more, [7, 7, "1, Ann"], [12, 12, "1, Ann"]]


@pytest.fixture(scope="module")
def puppeteer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of puppeteer-core, and the path of Firefox."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no Firefox on the path: looked for {', '.join(NAMES)}")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("puppeteer")
    got = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "puppeteer-core@24"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not (folder / "node_modules" / "puppeteer-core").is_dir():
        pytest.skip(f"puppeteer-core cannot be installed: {got.stderr.strip()[-200:]}")
    return folder, path


def drive(puppeteer: tuple[Path, str], told: dict[str, Any]) -> dict[str, Any]:
    folder, path = puppeteer
    command = ["node", str(HERE / "firefox_loop.mjs"), str(folder), path, json.dumps(told)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def account(app: Any, base: str, name: str, role: str) -> None:
    link = app.api("POST", f"{base}/invitations", {"role": role})["link"]
    body = json.dumps({"name": name, "password": PASSWORD}).encode()
    request = urllib.request.Request(
        f"{app.url}/api{link}", body, {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request).close()


@pytest.mark.parametrize("way", ["mouse", "keyboard", "touch"])
def test_the_whole_loop_in_firefox(
    app: Any, boss: Any, puppeteer: tuple[Path, str], way: str
) -> None:
    project = app.api("POST", "/api/projects", {"name": "Loop", "kind": "document", "settings": {"annotators": 2}})["project"]["id"]  # fmt: skip
    base = f"/api/projects/{project}"
    app.api("POST", f"{base}/import?format=text&name=file", TEXT)
    told = {"url": app.url, "way": way, "password": PASSWORD, "project": project}
    measured = {}
    for name, she, brother in (("Ann", "1, Ann", True), ("Bob", "2, Bea", False)):
        account(app, base, name, "annotator")
        own = {"name": name, "role": "annotator", "steps": steps(she, brother)}
        measured[name] = drive(puppeteer, {**told, **own})
    account(app, base, "Judge", "adjudicator")
    drive(puppeteer, {**told, "name": "Judge", "role": "adjudicator", "steps": []})
    content = app.api("GET", f"{base}/export?which=gold&format=document-jsonl")
    gold = content if isinstance(content, dict) else json.loads(content)
    found = [[mention["spans"][0] for mention in each["mentions"]] for each in gold["entities"]]
    assert sorted(found) == GOLD
    figures = measured["Ann"]
    print(
        f"{way}: {figures['actions'] / MENTIONS:.1f} actions,"
        f" {figures['seconds'] / MENTIONS:.2f} s a mention"
    )
