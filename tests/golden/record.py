"""Record the golden run, or compare the current code with it.

python tests/golden/record.py --compare [--case 'resolve/*'] [--full]
python tests/golden/record.py --compare --show --against FOLDER
python tests/golden/record.py --record --keep FOLDER

The package under test is the one that `import coindex` finds: set PYTHONPATH to its `src`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from golden import cases, compare, store
from golden.case import Case
from golden.changes import Changes
from golden.runner import Runner, lacks, source_folder
from golden.versions import versions


def main() -> int:
    """Run the chosen cases; 1 if anything differs."""
    options = _options()
    chosen = [case for case in cases.chosen(options.case, options.full) if _here(case)]
    _say(f"{len(chosen)} cases, with coindex of {source_folder()}")
    with session() as runner:
        if options.record:
            return record(chosen, runner, options.keep)
        return compared(chosen, runner, options.against if options.show else None)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--compare", action="store_true", help="compare with the record")
    what.add_argument("--record", action="store_true", help="write the record anew for these cases")
    parser.add_argument(
        "--case", default="*", metavar="PATTERN", help="only these, such as 'score/*'"
    )
    parser.add_argument("--full", action="store_true", help="the long cases too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="with --record: whole outputs")
    parser.add_argument("--show", action="store_true", help="print unified diffs")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="whole outputs to diff with")
    options = parser.parse_args()
    if options.show and options.against is None:
        parser.error("--show needs --against FOLDER: the folder that --keep wrote")
    return options


@contextmanager
def session() -> Iterator[Runner]:
    """A runner with a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="golden-") as home:
        runner = Runner(Path(home))
        try:
            yield runner
        finally:
            runner.close()


def record(chosen: list[Case], runner: Runner, keep: Path | None) -> int:
    """Write the record of these cases, a family at a time; others stay as they are."""
    for family in dict.fromkeys(case.family for case in chosen):
        record_family([case for case in chosen if case.family == family], runner, keep)
    return 0


def record_family(chosen: list[Case], runner: Runner, keep: Path | None) -> None:
    """Run the cases of one family and write its record."""
    family = chosen[0].family
    found, ours = store.Record.read(family), store.read_ours(family)
    for case in chosen:
        outputs = _timed(case, runner)
        found.put(case.name, outputs)
        if case.ours:
            ours[case.name] = dict(_whole(outputs))
        if keep is not None:
            kept(outputs, keep / case.name)
    known = {case.name for case in cases.all_cases()}
    found.cases = {name: value for name, value in found.cases.items() if name in known}
    found.versions = versions()
    found.write()
    store.write_ours(family, {name: value for name, value in ours.items() if name in known})


def _whole(outputs: store.Outputs) -> Iterator[tuple[str, str]]:
    """The outputs that are text; models and the like have their fingerprints only."""
    for name, data in outputs.items():
        with suppress(UnicodeDecodeError):
            yield name, data.decode("utf-8")


def kept(outputs: store.Outputs, folder: Path) -> None:
    """Write whole outputs to a folder, instead of what was there."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in outputs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def compared(chosen: list[Case], runner: Runner, against: Path | None) -> int:
    """Compare; print what differs."""
    changes, wrong = Changes.read(), 0
    records: dict[str, store.Record] = {}
    for case in chosen:
        outputs = _timed(case, runner)
        known = records.setdefault(case.family, store.Record.read(case.family))
        found = compare.differences(case.name, outputs, known.outputs(case.name), changes)
        wrong += bool(found)
        for line in [f"DIFFERS {case.name}", *found] if found else []:
            print(line)
        if found and against is not None:
            undone = {n: changes.undone(case.name, n, data) for n, data in outputs.items()}
            print("\n".join(compare.unified(case.name, undone, against)))
    every = [case.name for case in cases.all_cases()]
    unused = changes.unused((case.name for case in chosen), every)
    for entry in unused:
        print(f"UNUSED in changes.toml: {entry}")
    _say(f"{len(chosen)} cases compared, {wrong} differ, {len(unused)} changes not needed")
    return int(bool(wrong or unused))


def _timed(case: Case, runner: Runner) -> store.Outputs:
    before = runner.seconds
    outputs = runner.outputs(case)
    _say(f"{runner.seconds - before:7.2f} s  {case.name}")
    return outputs


def _here(case: Case) -> bool:
    missing = lacks(case)
    if missing:
        _say(f"SKIPPED {case.name}: {missing}")
    return not missing


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
