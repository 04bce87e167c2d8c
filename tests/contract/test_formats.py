"""One contract for every format: a new file here is tested the moment it exists."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from coindex import Document, formats
from coindex.core import edit, features
from coindex.core.source import Source
from strategies import documents

DOCUMENT = formats.names("document")


@pytest.mark.parametrize("name", formats.names())
def test_a_format_says_what_it_is(name: str) -> None:
    module = formats.load(name)
    assert module.KIND in ("document", "problem")
    assert module.__doc__
    assert len(module.__doc__.split("\n")[0]) <= 100
    known = features.ALL | {"group", "source"}
    odd = {hold for hold in module.HOLDS if hold.split(":")[0] not in known}
    assert not odd, f"{name} holds features nobody knows: {odd}"


@pytest.mark.parametrize("name", formats.names("problem"))
def test_a_problem_format_can_refuse(name: str) -> None:
    assert callable(formats.load(name).refuse)  # type: ignore[attr-defined]


def _read_back(name: str, document: Document) -> Document:
    module = formats.load(name)
    if hasattr(module, "PARTS"):
        annotation, text = module.write_parts(document)
        source = Source(f"{document.id}{module.PARTS[0]}")
        (again,) = module.read(annotation, source, "".join(text))  # type: ignore[call-arg]
    else:
        lines = "".join(module.write([document])).splitlines(keepends=True)
        lines = "".join(lines).split("\n")
        lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        (again,) = module.read(lines, Source(document.id))
    return again  # type: ignore[no-any-return]


def _anonymous(document: Document) -> Document:
    """Mentions get names where a format needs them: brat's T numbers."""
    return edit.map_mentions(document, lambda mention: replace(mention, id=None))


@pytest.mark.parametrize("name", DOCUMENT)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents())
def test_what_a_format_holds_survives(name: str, document: Document) -> None:
    module = formats.load(name)
    kept, _ = features.reduce(document, module.HOLDS)
    assert features.reduce(kept, module.HOLDS) == (kept, {}), "reducing twice loses more"
    again = _anonymous(_read_back(name, kept))
    if "meta:global.Entity" in module.HOLDS:
        own = ("misc", "comments", "ranges")
        again = replace(
            again, meta=(), layers=tuple(layer for layer in again.layers if layer[0] not in own)
        )
    assert again == kept


@pytest.mark.parametrize("name", DOCUMENT)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents())
def test_nothing_is_lost_in_silence(name: str, document: Document) -> None:
    """A document that comes back changed was reported, feature by feature."""
    losses = formats.Losses(name)
    list(formats.reduced([document], losses))
    holds = formats.load(name).HOLDS | getattr(formats.load(name), "WRITES", frozenset())
    kept, lost = features.reduce(document, holds)
    assert losses.lost == lost
    assert (kept == document) == (not lost)
    assert len(list(losses.lines())) == len(losses.lost) + len(losses.noted)
