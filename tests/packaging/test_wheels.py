"""What is published: contents and sizes of both packages, metadata, the same bytes twice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

pytest.importorskip("build", reason="needs build: pip install --group dev")
pytest.importorskip("hatchling", reason="needs hatchling: pip install --group dev")

ROOT = Path(__file__).resolve().parents[2]
BASE = ROOT / "packages" / "coindex-base"
EPOCH = "1763470000"
LIMITS = {"coindex": 60_000_000, "coindex_base": 100_000_000}
FORBIDDEN = re.compile(
    r"(^|/)(tests?|research|perf|docs|scripts|\.git|__pycache__|node_modules)(/|$)|\.pyc$|\.DS_Store$"
)
HOST = re.compile(rb"file://|/root/|/home/\w+/|/work/|/tmp/h/")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def build(source: Path, out: Path, *kinds: str) -> None:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check", *kinds,
         "-o", str(out), str(source)],
        capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source and wheel of coindex, and the wheel of coindex-base."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    build(BASE, folder, "--wheel")
    return folder


def wheel(dist: Path, name: str) -> Path:
    (found,) = dist.glob(f"{name}-*.whl")
    return found


def metadata(path: Path) -> Message:
    with zipfile.ZipFile(path) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode("utf-8"))


@pytest.mark.parametrize("name", LIMITS)
def test_contents_and_size(dist: Path, name: str) -> None:
    path = wheel(dist, name)
    assert path.stat().st_size <= LIMITS[name]
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    own = re.compile(rf"{name}/|{name}-[\d.]+\.dist-info/")
    assert [each for each in names if not own.match(each)] == []
    assert [each for each in names if FORBIDDEN.search(each.removeprefix(f"{name}/"))] == []
    info = [each.split("/", 1)[1] for each in names if ".dist-info/" in each]
    assert {"licenses/LICENSE", "licenses/NOTICE", "METADATA", "entry_points.txt"} <= set(info)
    assert f"{name}/py.typed" in names


def test_everything_that_the_package_reads_is_in_the_wheel(dist: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "src/coindex"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode or not listed.stdout:
        pytest.skip("not a clone")
    kept = {each.removeprefix("src/") for each in listed.stdout.splitlines() if (ROOT / each).is_file()}  # fmt: skip
    with zipfile.ZipFile(wheel(dist, "coindex")) as archive:
        assert kept - set(archive.namelist()) == set()


@pytest.mark.parametrize("name", LIMITS)
def test_no_path_of_this_machine(dist: Path, name: str) -> None:
    with zipfile.ZipFile(wheel(dist, name)) as archive:
        for each in archive.namelist():
            if each.endswith((".json", ".md", ".toml", "METADATA", "RECORD", "WHEEL")):
                assert not HOST.search(archive.read(each)), each


@pytest.mark.parametrize("name", LIMITS)
def test_metadata(dist: Path, name: str) -> None:
    import coindex

    told = metadata(wheel(dist, name))
    assert told["Version"] == coindex.__version__
    assert told["License-Expression"] == "Apache-2.0"
    assert told["Requires-Python"] == ">=3.10"
    assert told["Author"]
    assert {each.split(",")[0] for each in told.get_all("Project-URL", [])} >= {"Homepage", "Changelog", "Issues"}  # fmt: skip
    classifiers = told.get_all("Classifier", [])
    for version in PYTHONS:
        assert f"Programming Language :: Python :: {version}" in classifiers
    assert told["Description-Content-Type"] == "text/markdown"


def test_the_base_models_need_this_version(dist: Path) -> None:
    needed = metadata(wheel(dist, "coindex_base")).get_all("Requires-Dist", [])
    assert needed == [f"coindex>={metadata(wheel(dist, 'coindex'))['Version']}"]


def test_the_version_is_stated_once() -> None:
    import coindex

    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {coindex.__version__}\n" in citation
    assert f"## {coindex.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    for file in (ROOT / "pyproject.toml", BASE / "pyproject.toml"):
        assert 'dynamic = ["version"]' in file.read_text("utf-8")


def test_the_same_bytes_twice(dist: Path, tmp_path: Path) -> None:
    build(ROOT, tmp_path, "--wheel")
    path = wheel(dist, "coindex")
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_source_builds_and_is_small(dist: Path) -> None:
    """The wheel above was built from the source archive, so it is complete."""
    (path,) = dist.glob("coindex-*.tar.gz")
    assert path.stat().st_size <= LIMITS["coindex"]
    with tarfile.open(path) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    expected = {"src", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "NOTICE", "PKG-INFO", "pyproject.toml"}  # fmt: skip
    assert tops - {".gitignore"} == expected


def test_twine_accepts_them(dist: Path) -> None:
    pytest.importorskip("twine", reason="needs twine: pip install --group dev")
    files = [str(path) for path in sorted(dist.iterdir())]
    assert len(files) == 3
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 3


@pytest.fixture(scope="module")
def site(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both wheels installed, whose dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile",
               "--disable-pip-version-check", "--target", str(folder), *map(str, dist.glob("*.whl"))]  # fmt: skip
    assert subprocess.run(command, capture_output=True).returncode == 0
    return folder


def test_what_is_installed_works(site: Path, tmp_path: Path) -> None:
    def run(*arguments: str, given: str = "") -> str:
        variables = {name: value for name, value in os.environ.items() if name != "COINDEX_DATA"}
        done = subprocess.run(
            [sys.executable, "-m", "coindex", *arguments], input=given, capture_output=True,
            text=True, cwd=tmp_path, env={**variables, "PYTHONPATH": str(site)},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert str(site) in run("list", "models")
    text = "Alice told Bob that she had seen his dog."
    resolved = "[Alice]_1 told [Bob]_2 that [she]_1 had seen [his]_2 dog.\n"
    for model in ("default", "base"):
        assert run("resolve", "--model", model, "--to", "brackets", given=text) == resolved
    told = run("doctor")
    assert "BROKEN" not in told
    assert "from an editable clone" not in told


def lock() -> Iterator[tuple[str, str, list[str]]]:
    """Name, version and checksums of each package of requirements.lock."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    for block in re.split(r"\n(?=[a-z])", text):
        if match := re.match(r"([a-z0-9-]+)==([\w.]+)", block):
            yield match[1], match[2], re.findall(r"--hash=sha256:([0-9a-f]{64})", block)


def test_the_lock_is_whole() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "lock"), "--check"])
    assert done.returncode == 0
    rows = list(lock())
    assert len(rows) >= 15
    assert all(hashes for _, _, hashes in rows)


@pytest.mark.full
def test_empty_environments_of_every_python(dist: Path) -> None:
    wheels = [str(path) for path in dist.glob("*.whl")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "smoke"), *wheels], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert ": works" in done.stdout
