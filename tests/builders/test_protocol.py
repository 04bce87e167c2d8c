"""The contract of builders and sources: every builtin module has its members, mypy checks them."""

from __future__ import annotations

from inspect import signature
from types import ModuleType

import pytest

from coindex import builders, plugins
from coindex.builders import sources
from coindex.builders.builtin import gap, knowref, randomwiki, wikicrem
from coindex.builders.protocol import DEFAULTS, Builder
from coindex.builders.sources.builtin import (
    jsonl,
    opensubtitles,
    reddit,
    text,
    wikiextractor,
    wikipedia,
)
from coindex.builders.sources.protocol import TextSource

BUILDERS: tuple[ModuleType, ...] = (gap, knowref, randomwiki, wikicrem)
SOURCES: tuple[ModuleType, ...] = (jsonl, opensubtitles, reddit, text, wikiextractor, wikipedia)


def test_every_builtin_builder_is_loaded_by_its_name() -> None:
    loaded: list[Builder] = [builders.load(name) for name in plugins.builtin_names("builders")]
    streams: list[TextSource] = [sources.load(name) for name in plugins.builtin_names("sources")]
    assert [*loaded] == [*BUILDERS]
    assert [*streams] == [*SOURCES]


@pytest.mark.parametrize("name", plugins.builtin_names("builders"))
def test_options_are_the_arguments_of_rules(name: str) -> None:
    builder = builders.load(name)
    assert {"seed", *builder.OPTIONS} == set(signature(builder.rules).parameters)
    assert all(row[0] and row[2] for row in builder.PUBLISHED)


def test_members_that_another_package_leaves_out_have_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("small")
    monkeypatch.setattr(plugins, "load", lambda family, name: module)
    builder = builders.load("small")
    assert {name: getattr(builder, name) for name in DEFAULTS} == dict(DEFAULTS)
    assert not sources.load("small").GENERIC
