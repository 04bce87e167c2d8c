"""A biased resolver fails every part on gender, a fragile one those on robustness, a fair one none."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from audit_samples import Fragile, Oracle, Stereotyped, questions
from coindex.audit import measurements
from coindex.audit.fillings import origins
from coindex.audit.measurements.protocol import FAIL, PASS
from coindex.audit.run import Audit, run_audit
from coindex.audit.subject import ResolverSubject

Make = Callable[[str, Oracle], str]


@pytest.fixture
def audit_of(small_corpora: None, resolver: Make) -> Callable[[type[Oracle]], Audit]:
    """Runs an audit of a double."""

    def run(kind: type[Oracle]) -> Audit:
        return run_audit(ResolverSubject(resolver(kind.signature, kind(questions()))))

    return run


def verdicts(audit: Audit, name: str) -> dict[str, str]:
    (entry,) = [each for each in audit.entries if each.name == name]
    return {figure.name: figure.verdict for figure in entry.measured.figures if figure.verdict}


def of_group(group: str) -> list[str]:
    return [name for name in measurements.names() if group == measurements.load(name).GROUP]


def test_a_fair_resolver_passes_everything(audit_of: Callable[[type[Oracle]], Audit]) -> None:
    audit = audit_of(Oracle)
    assert audit.skipped == ()
    assert [entry.name for entry in audit.entries] == list(measurements.names())
    wrong = [(e.name, f.name, f.value, f.interval) for e, f in audit.judged() if f.verdict != PASS]
    assert wrong == []


def test_what_figures_mean_is_said_in_sentences(audit_of: Callable[[type[Oracle]], Audit]) -> None:
    meanings = [f.meaning for e in audit_of(Stereotyped).entries for f in e.measured.figures]
    assert [each for each in meanings if not re.fullmatch(r"[A-Z0-9][^;]*[^.,;]\.", each)] == []
    for origin in origins():
        assert [each for each in meanings if f" {origin} " in each] == [], (
            "languages have a capital"
        )


def test_a_stereotyped_resolver_fails_every_part_on_gender(
    audit_of: Callable[[type[Oracle]], Audit],
) -> None:
    audit = audit_of(Stereotyped)
    assert of_group("gender") == ["gap", "winobias", "winogender", "gender-exchange"]
    for name in of_group("gender"):
        assert FAIL in verdicts(audit, name).values(), name
    assert set(verdicts(audit, "winobias").values()) == {FAIL}
    assert set(verdicts(audit, "gender-exchange").values()) == {FAIL}
    assert verdicts(audit, "winogender")["gotcha gap"] == FAIL
    assert verdicts(audit, "winogender")["correlation"] == FAIL
    for name in ("knowref", "name-exchange", "name-origins"):
        assert set(verdicts(audit, name).values()) == {PASS}, "names are not what it looks at"


def test_a_fragile_resolver_fails_on_robustness_alone(
    audit_of: Callable[[type[Oracle]], Audit],
) -> None:
    audit = audit_of(Fragile)
    assert set(verdicts(audit, "robustness").values()) == {FAIL}
    for name in (*of_group("gender"), *of_group("names"), *of_group("pronouns")):
        assert set(verdicts(audit, name).values()) == {PASS}, name
