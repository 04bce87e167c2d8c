"""The golden run's own parts: normalising, permitted changes, comparing, seeded mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden import inputs
from golden.changes import Changed, Changes, Reworded
from golden.compare import differences, unified
from golden.normalise import normalised
from golden.store import Print, Record


def prints(**outputs: bytes) -> dict[str, Print]:
    return {name: Print.of(data) for name, data in outputs.items()}


def reworded(old: str, new: str, *cases: str) -> Reworded:
    return Reworded(old, new, cases, ("*",), "a reason")


def test_versions_and_places_are_made_alike() -> None:
    given = b'/tmp/x/y.txt|v:0.2.0 "version": "0.2.0" ["version", "0.2.0"] {"version": 1}'
    found = normalised(given, {"/tmp/x": "SCRATCH"})
    assert (
        found
        == b'SCRATCH/y.txt|v:VERSION "version": "VERSION" ["version", "VERSION"] {"version": 1}'
    )


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [("times", "at 1794850147153, 2026-11-16T16:28:32Z", "at TIME, TIME"),
     ("seconds", '"seconds": 1.25, took 3.1 s', '"seconds": SECONDS, took SECONDS s'),
     ("ids", f"{'a' * 32} {'b' * 32} {'a' * 32}", "ID1 ID2 ID1"),
     ("shown", '"order": [\n 1,\n 0\n] \\"order\\": [0, 1]', '"order": ORDER \\"order\\": ORDER'),
     ("options", "Usage: x\n\n  Words.\n\n  -o, --output OUT  Where.\n  rank  Put", "Usage: x\n-o, --output\nrank\n"),
     ("secrets", '/welcome/aB_-9 "csrf": "x-y"', '/welcome/SECRET "csrf": "SECRET"')],
)  # fmt: skip
def test_a_rule_hides_what_differs_between_runs(rule: str, given: str, expected: str) -> None:
    assert normalised(given.encode(), {}, (rule,)) == expected.encode()


def test_what_is_equal_needs_no_entry() -> None:
    changes = Changes((reworded("a", "b", "*"),))
    assert differences("c", {"out": b"b\n"}, prints(out=b"b\n"), changes) == []
    assert changes.unused(["c"], ["c"]) == [reworded("a", "b", "*")]


def test_a_rewording_is_undone_before_the_comparison() -> None:
    changes = Changes((reworded("sure", "confidence", "c"),))
    assert differences("c", {"out": b"confidence 1\n"}, prints(out=b"sure 1\n"), changes) == []
    assert changes.unused(["c"], ["c"]) == []
    assert differences("d", {"out": b"confidence 1\n"}, prints(out=b"sure 1\n"), changes)


def test_a_line_that_was_added_may_be_taken_out() -> None:
    changes = Changes((reworded("", "old form\n", "c"),))
    assert differences("c", {"1.stderr": b"old form\n"}, {}, changes) == []


def test_a_changed_output_may_be_pinned() -> None:
    digest = Print.of(b"new\n").digest
    changes = Changes(changed=(Changed("c", "out", "a reason", digest),))
    assert differences("c", {"out": b"new\n"}, prints(out=b"old\n"), changes) == []
    assert differences("c", {"out": b"other\n"}, prints(out=b"old\n"), changes)


def test_an_entry_is_judged_when_all_its_cases_were_run() -> None:
    changes = Changes((reworded("a", "b", "x/*"),))
    assert changes.unused(["x/1"], ["x/1", "x/2", "y"]) == []
    assert len(changes.unused(["x/1", "x/2"], ["x/1", "x/2", "y"])) == 1


def test_a_failure_names_the_lines() -> None:
    (told,) = differences("c", {"out": b"1\ntwo\n3\n"}, prints(out=b"1\n2\n3\n"), Changes())
    assert "line 2" in told
    assert "+ two" in told
    (told,) = differences("c", {}, prints(out=b"1\n"), Changes())
    assert told == "out: no longer written; 2 bytes in the record"
    assert "not in the record" in differences("c", {}, None, Changes())[0]


def test_unknown_tables_and_missing_reasons_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "changes.toml"
    path.write_text("[[nonsense]]\nx = 1\n")
    with pytest.raises(ValueError, match="unknown tables: nonsense"):
        Changes.read(path)
    path.write_text('[[renamed]]\nold = "a"\nnew = "b"\ncases = ["*"]\nreason = ""\n')
    with pytest.raises(ValueError, match="a reason"):
        Changes.read(path)
    path.write_text('[[renamed]]\nold = "a"\nnew = "b"\ncases = ["*"]\nreason = "why"\n')
    assert Changes.read(path).reworded[0].undone(b'{"b": "b"}') == b'{"a": "b"}'


def test_a_record_comes_back(tmp_path: Path) -> None:
    record = Record("family", {"numpy": "1"})
    record.put("family/case", {"out": b"1\n2\n", "same": b"1\n2\n"})
    record.write(tmp_path)
    again = Record.read("family", tmp_path)
    assert again.outputs("family/case") == prints(out=b"1\n2\n", same=b"1\n2\n")
    assert again.outputs("family/other") is None


def test_diffs_are_against_whole_outputs(tmp_path: Path) -> None:
    inputs.written(tmp_path / "c/out", "1\n2\n")
    assert "-2" in list(unified("c", {"out": b"1\n3\n"}, tmp_path))


def test_mistakes_are_the_same_each_time_and_leave_whole_mentions() -> None:
    text = "#begin document (d);\n" + "".join(
        f"d\t0\t{n}\tw\t{cell}\n" for n, cell in enumerate(["(1|(2)", "1)", "-", "(2", "(1)", "2)"])
    ) + "\n#end document\n"  # fmt: skip
    made = [inputs.mistaken(text, 3, 0.3) for _ in range(2)]
    assert made[0] == made[1]
    cells = [line.split("\t")[-1] for line in made[0].splitlines() if line.startswith("d\t")]
    assert "".join(cells).count("(") == "".join(cells).count(")")
    assert inputs.mistaken(text, 3, 0.0).count("(") == text.count("(")
