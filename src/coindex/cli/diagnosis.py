"""What `coindex doctor` says: versions, packages, extras, models, corpora, and a self-test.

Nothing is sent anywhere. The home folder is written as `~`, and of variables that may hold a
password only the names are shown, so that the lines can be pasted into a bug report.
"""

from __future__ import annotations

import locale
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from coindex import __version__
from coindex.cli.requirements import Requirement, installed_requirements
from coindex.errors import CoindexError
from coindex.installation import Installation, this_installation

OK, MISSING, BROKEN = "ok", "missing", "broken"
SHOWN = ("COINDEX_DATA", "COINDEX_HOME", "COINDEX_CACHE", "NO_COLOR", "COLUMNS", "OMP_NUM_THREADS",
         "OPENBLAS_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "PYTHONIOENCODING", "PYTHONUTF8")  # fmt: skip
HIDDEN = ("COINDEX_ANNOTATE_DATABASE", "COINDEX_ANNOTATE_URL", "PYTHONPATH")
TEXT = "Alice told Bob that she had seen his dog."
ENTITIES = [["Alice", "she"], ["Bob", "his"]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line.

    state   `ok`, `missing` (something optional that is not here) or `broken`
    fix     the command that helps, "" if there is none
    """

    section: str
    name: str
    state: str
    detail: str
    fix: str = ""


def diagnose() -> list[Finding]:
    """Everything there is to say about this installation."""
    installation = this_installation()
    required = installed_requirements()
    return [
        *_versions(installation, required),
        *_packages(installation, required),
        *_models(installation),
        *_corpora(),
        *_variables(),
        *self_test(),
    ]


def as_json(findings: list[Finding]) -> dict[str, Any]:
    """The findings as plain values."""
    return {
        "version": __version__,
        "healthy": is_healthy(findings),
        "findings": [asdict(each) for each in findings],
    }


def is_healthy(findings: list[Finding]) -> bool:
    """Whether nothing is broken; extras, models and corpora may be missing."""
    return all(each.state != BROKEN for each in findings)


def lines(findings: list[Finding]) -> Iterator[str]:
    """The findings for a terminal or a bug report."""
    section = ""
    width = max(len(each.name) for each in findings)
    for each in findings:
        if each.section != section:
            section = each.section
            yield f"{section}:"
        state = "" if each.state == OK else f"{each.state.upper()} "
        fix = f" -> {each.fix}" if each.fix else ""
        yield f"  {each.name:{width}}  {state}{each.detail}{fix}"


def without_home(path: str | os.PathLike[str]) -> str:
    """A path that begins with `~` if it is in the home folder."""
    text, home = os.fspath(path), os.path.expanduser("~")
    return f"~{text[len(home):]}" if text == home or text.startswith(home + os.sep) else text  # fmt: skip


def _versions(
    installation: Installation, required: dict[str, tuple[Requirement, ...]]
) -> Iterator[Finding]:
    how = "a package"
    if installation.folder:
        kind = "an editable clone" if installation.editable else "a clone"
        how = f"{kind} in {without_home(installation.folder)}"
    elif not required:
        how = "source that is not installed"
    yield Finding("versions", "coindex", OK, f"{__version__}, from {how}")
    python = f"{platform.python_version()} ({platform.python_implementation()})"
    yield Finding("versions", "Python", OK, f"{python}, {without_home(sys.executable)}")
    cores = f"{os.cpu_count()} cores"
    yield Finding("versions", "system", OK, f"{platform.platform()}, {platform.machine()}, {cores}")
    encodings = (
        f"standard output {sys.stdout.encoding}, locale {locale.getpreferredencoding(False)}"
    )
    yield Finding("versions", "encoding", OK, encodings)


def _packages(
    installation: Installation, required: dict[str, tuple[Requirement, ...]]
) -> Iterator[Finding]:
    for each in required.get("", ()):
        fix = "" if each.satisfied else installation.install_line()
        yield Finding("packages", each.package, OK if each.satisfied else BROKEN, _seen(each), fix)
    for extra in sorted(set(required) - {"", "all"}):
        lacking = [each for each in required[extra] if not each.satisfied]
        shown = ", ".join(map(str, lacking or required[extra]))
        fix = installation.install_line(extra) if lacking else ""
        yield Finding("extras", extra, MISSING if lacking else OK, shown, fix)


def _seen(requirement: Requirement) -> str:
    return requirement.found if requirement.satisfied else str(requirement)


def _models(installation: Installation) -> Iterator[Finding]:
    from coindex.models.common.artifact import describe_model
    from coindex.models.common.installed_models import PACKAGES, find_model, model_names

    names = model_names()
    for name in names:
        try:
            folder = find_model(name)
            kinds = ", ".join(describe_model(folder).kinds)
        except CoindexError as error:
            yield Finding("models", name, BROKEN, str(error))
            continue
        size = sum(file.stat().st_size for file in _files(folder)) / 1e6
        yield Finding("models", name, OK, f"{kinds}; {size:.0f} MB in {without_home(folder)}")
    for name, package in PACKAGES.items():
        if name not in names:
            fix = installation.package_line(package)
            yield Finding("models", name, MISSING, "not installed", fix)


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]


def _corpora() -> Iterator[Finding]:
    from coindex.datasets import locate, registry

    for label, folder in locate.data_folders():
        state = OK if folder.is_dir() else MISSING
        detail = without_home(folder) + ("" if folder.is_dir() else " (no such folder)")
        yield Finding("corpora", label, state, detail)
    rows = [locate.corpus_row(registry.load(name)) for name in registry.all_names()]
    whole = [row["name"] for row in rows if row["files"] and row["found"] == row["files"]]
    detail = f"{len(whole)} of {len(rows)}" + (f": {', '.join(whole)}" if whole else "")
    fix = "" if whole else "coindex data get gap"
    yield Finding("corpora", "found", OK if whole else MISSING, detail, fix)


def _variables() -> Iterator[Finding]:
    for name in (*SHOWN, *HIDDEN):
        if name in os.environ:
            value = "is set" if name in HIDDEN else without_home(os.environ[name])
            yield Finding("variables", name, OK, value)


def self_test() -> Iterator[Finding]:
    """Resolve a sentence with the shipped model, write it and read it again, and score it."""
    for name, test in (("resolve", _resolves), ("convert and score", _converts)):
        begun = time.perf_counter()
        try:
            fault = test()
        except Exception as error:  # whatever a library raises belongs into the report
            fault = f"{type(error).__name__}: {error}"
        took = f"{time.perf_counter() - begun:.1f} s"
        yield Finding("self-test", name, BROKEN if fault else OK, fault or f"as expected, {took}")


def _resolves() -> str:
    import coindex

    document = coindex.load(threads=1).resolve(TEXT)
    found = [[document.text_of(m) for m in entity.mentions] for entity in document.entities]
    return "" if found == ENTITIES else f"expected {ENTITIES}, found {found}"


def _converts() -> str:
    import coindex

    words = [*TEXT.removesuffix(".").split(), "."]
    entities = [
        coindex.Entity(tuple(coindex.Mention.at(words.index(w), words.index(w) + 1) for w in names))
        for names in ENTITIES
    ]
    key = coindex.Document.of("self-test", [words], entities)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "self-test.conll"
        coindex.write(file, [key], "conll2012")
        again = [each for each in coindex.read(file) if isinstance(each, coindex.Document)]
        result = coindex.score(key, again)
    f1 = result.scores["conll"].f1
    return "" if f1 == 100 else f"expected a score of 100, found {f1}"
