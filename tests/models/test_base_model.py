"""The weights of coindex-base, as they are in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

import coindex
from coindex.models.common.artifact import describe_model

MODEL = Path(__file__).resolve().parents[2] / "packages/coindex-base/src/coindex_base/model"
MEGABYTE = 1_000_000

pytestmark = pytest.mark.skipif(
    not (MODEL / "model.json").is_file(),
    reason="the weights of coindex-base are not here: a checkout without packages/coindex-base",
)

TEXTS = {
    "Before she left the office, Priya gave Daniel her keys. He thanked her.": [
        {"she", "Priya", "her"},
        {"Daniel", "He"},
    ],
    "Rania: Pete, could you send me the draft?\nPete: I sent it yesterday.": [
        {"Rania", "me"},
        {"Pete", "you", "I"},
        {"the draft", "it"},
    ],
    "Nordwind sold its shipyard in May. The company said it would keep the crew.": [
        {"Nordwind", "its", "The company", "it"},
    ],
}


@pytest.fixture(scope="module")
def resolver() -> coindex.Resolver:
    return coindex.load(str(MODEL))


@pytest.mark.parametrize("text", TEXTS)
def test_short_texts_are_resolved(resolver: coindex.Resolver, text: str) -> None:
    document = resolver.resolve(text)
    found = [{document.text_of(m) for m in entity.mentions} for entity in document.entities]
    for expected in TEXTS[text]:
        assert expected in found


def test_offsets_are_those_of_the_text(resolver: coindex.Resolver) -> None:
    text = "  Ann\u00e9 met Bob .\n\n\tShe greeted him\u2026 "
    document = resolver.resolve(text)
    assert document.text == text
    words = {text[document.starts[m.start] : document.ends[m.end - 1]] for m in document.mentions}
    assert {"Ann\u00e9", "She"} <= words


def test_the_folder_holds_two_models_and_fits_a_wheel() -> None:
    assert describe_model(MODEL).kinds == ("coref", "substitution")
    sizes = [path.stat().st_size for path in MODEL.iterdir()]
    assert max(sizes) <= 50 * MEGABYTE
    assert sum(sizes) <= 100 * MEGABYTE
