"""The folder of a pronoun model."""

from __future__ import annotations

from pathlib import Path

import pytest

from coindex.errors import InputError
from coindex.models.pronoun.artifact import for_candidates


def test_what_a_folder_has_for_a_way_to_candidates() -> None:
    assert for_candidates(Path("f"), {"given": 7}, "given", "its heads are fitted") == 7
    with pytest.raises(InputError, match="f: its heads are fitted for given candidates, expected"):
        for_candidates(Path("f"), {"given": 7}, "found", "its heads are fitted")
    with pytest.raises(InputError, match="for no candidates, expected given"):
        for_candidates(Path("f"), {}, "given", "its members are weighed")
