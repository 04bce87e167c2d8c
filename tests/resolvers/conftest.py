"""What the tests of resolvers share: a cache of their own, marked problems."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

_MARK = re.compile(r"\[(?P<candidate>[^\]]+)\]|<(?P<target>[^>]+)>")


@pytest.fixture(scope="session")
def _cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(_cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests share a cache among themselves and leave the user's alone."""
    monkeypatch.setenv("COINDEX_CACHE", str(_cache_folder))


@pytest.fixture(scope="session")
def marked() -> Callable[..., Problem]:
    """Makes a problem of a text with `[candidates]` and one `<target>`."""

    def make(text: str, id: str = "p", source: str | None = None) -> Problem:
        plain, candidates, target, last = "", [], Chars(0, 0), 0
        for mark in _MARK.finditer(text):
            plain += text[last : mark.start()]
            phrase = mark["candidate"] or mark["target"]
            place = Chars(len(plain), len(plain) + len(phrase))
            if mark["candidate"]:
                candidates.append(Candidate(phrase, place))
            else:
                target = place
            plain, last = plain + phrase, mark.end()
        return Problem(id, plain + text[last:], target, tuple(candidates), source=source)

    return make
