"""One contract for every format: a new file here is tested the moment it exists."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings

from coindex import Document, formats, plugins
from coindex.errors import InvalidValue
from coindex.formats.protocol import BinaryFormat, DocumentFormat, ProblemFormat, TwoFileFormat
from coindex.transform import edit, reduce
from coindex.types.source import Source
from strategies import documents

DOCUMENT = formats.names("document")


@pytest.mark.parametrize("name", formats.names())
def test_a_format_says_what_it_is(name: str) -> None:
    module = formats.load(name)
    assert module.KIND in ("document", "problem")
    assert module.__doc__
    assert len(module.__doc__.split("\n")[0]) <= 100
    known = reduce.DOCUMENT_FEATURES | reduce.RESTRICTIONS | {"group", "source"}
    odd = {hold for hold in module.SUPPORTS if hold.split(":")[0] not in known}
    assert not odd, f"{name} holds features nobody knows: {odd}"


@pytest.mark.parametrize("name", formats.names("problem"))
def test_a_problem_format_can_refuse(name: str) -> None:
    assert isinstance(formats.load(name), ProblemFormat)


def test_optional_members_have_defaults_and_others_are_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("mine")
    members = {"KIND": "document", "SUPPORTS": frozenset(), "sniff": bool, "read": iter}
    vars(module).update(members)
    monkeypatch.setattr(plugins, "load", lambda family, name: module)
    with pytest.raises(InvalidValue, match="format mine: its module lacks members"):
        formats.load("mine")
    vars(module)["write"] = iter
    loaded = formats.load("mine")
    assert isinstance(loaded, DocumentFormat)
    assert frozenset() == loaded.WRITES_ONLY
    assert loaded.remarks(Document("d", "")) == {}
    with pytest.raises(InvalidValue, match="expected a format of problems"):
        formats.load_problem_format("mine")


def _load(name: str) -> DocumentFormat | TwoFileFormat | BinaryFormat:
    module = formats.load(name)
    assert isinstance(module, DocumentFormat | TwoFileFormat | BinaryFormat)
    return module


def _read_back(name: str, document: Document) -> Document:
    module = _load(name)
    if isinstance(module, TwoFileFormat):
        annotation, text = module.write_parts(document)
        source = Source(f"{document.id}{module.PARTS[0]}")
        (again,) = module.read_parts(annotation, "".join(text), source)
    elif isinstance(module, BinaryFormat):
        (again,) = module.read_binary(module.write_binary([document]), Source(document.id))
    else:
        lines = "".join(module.write([document])).splitlines(keepends=True)
        lines = "".join(lines).split("\n")
        lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        (again,) = module.read(lines, Source(document.id))
    return again


def _anonymous(document: Document) -> Document:
    """Mentions get names where a format needs them: brat's T numbers."""
    return edit.map_mentions(document, lambda mention: replace(mention, id=None))


@pytest.mark.parametrize("name", DOCUMENT)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents())
def test_what_a_format_holds_survives(name: str, document: Document) -> None:
    module = formats.load(name)
    kept, _ = reduce.reduce_document(document, module.SUPPORTS)
    assert reduce.reduce_document(kept, module.SUPPORTS) == (kept, {}), "reducing twice loses more"
    again = _anonymous(_read_back(name, kept))
    if "meta:global.Entity" in module.SUPPORTS:
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
    losses = formats.ConversionLosses(name)
    list(formats.reduce_items([document], losses))
    supported = _load(name).SUPPORTS | _load(name).WRITES_ONLY
    kept, lost = reduce.reduce_document(document, supported)
    assert losses.lost == lost
    assert (kept == document) == (not lost)
    assert len(list(losses.lines())) == len(losses.lost) + len(losses.noted)
