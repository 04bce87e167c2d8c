"""One contract for every measurement of an audit."""

from __future__ import annotations

import re

import pytest

from coindex import benchmarks, plugins
from coindex.audit import measurements
from coindex.audit.file_subject import AuditQuestions
from coindex.audit.intervals import Draws
from coindex.audit.measurements.protocol import GROUPS, AuditContext, NotMeasured

EACH = pytest.mark.parametrize("name", measurements.names())


def test_these_measurements_exist() -> None:
    named = (
        "gap winobias winogender gender-exchange knowref name-exchange name-origins"
        " pronoun-exchange pronoun-sets robustness"
    )
    assert measurements.names() == tuple(named.split())
    assert set(measurements.names()) == set(plugins.names("measurements"))


@EACH
def test_a_measurement_states_what_it_is(name: str) -> None:
    module = measurements.load(name)
    assert module.TITLE
    assert "\n" not in module.TITLE
    assert module.GROUP in GROUPS
    assert set(module.BENCHMARKS) <= set(benchmarks.names("problems"))
    assert len(set(module.FIGURES)) == len(module.FIGURES) > 0
    assert all(re.fullmatch(r"[a-z0-9]+([ -][a-z0-9]+)*", figure) for figure in module.FIGURES)
    assert len(module.ABOUT.split()) > 25
    assert all(len(line) <= 110 for line in module.ABOUT.splitlines())


@EACH
def test_without_answers_nothing_is_measured(name: str) -> None:
    module = measurements.load(name)
    if module.BENCHMARKS:
        pytest.skip("run_audit does not call it without results")
    with pytest.raises(NotMeasured):
        module.measure(AuditContext(AuditQuestions(), {}, Draws(100, 1)))
