"""`coindex bench` as people run it, on corpora of a few problems."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
ROW = (
    "development-{}\tRuth Ode met Ida Lane before {} sang.\t{}\t29\tRuth Ode\t0\t{}"
    "\tIda Lane\t13\t{}\thttp://example.org/Ode\n"
)
ANSWERS = [("TRUE", "FALSE"), ("FALSE", "TRUE"), ("FALSE", "FALSE"), ("TRUE", "FALSE")]
BLOCK = "Ann met Mary before she sang.\nshe\nAnn,Mary\n{}\n\n"


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """GAP with four problems and DPR with two; all else is missing."""
    folder = tmp_path / "data"
    (folder / "gap").mkdir(parents=True)
    (folder / "blocks").mkdir()
    pronouns = ["she", "he", "she", "he"]
    rows = [
        ROW.format(number, word, word, *answer)
        for number, (word, answer) in enumerate(zip(pronouns, ANSWERS, strict=True), 1)
    ]
    for split in ("development", "test"):
        text = HEADER + "".join(rows).replace("development", split)
        (folder / "gap" / f"gap-{split}.tsv").write_text(text, "utf-8")
    for name in ("train.c.txt", "test.c.txt", "dpr_train_small.txt", "dpr_dev_small.txt"):
        text = BLOCK.format("Ann") + BLOCK.format("Mary")
        (folder / "blocks" / name).write_text(text, "utf-8")
    return folder


class Bench:
    """Runs the command with its own corpora and cache."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ,
            "PYTHONIOENCODING": "utf-8",
            "COINDEX_DATA": str(data),
            "COINDEX_HOME": str(folder / "home"),
            "COINDEX_CACHE": str(folder / "cache"),
        }

    def __call__(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "coindex", "bench", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=self.env,
            cwd=self.folder,
        )

    def json(self, *arguments: object) -> dict[str, Any]:
        done = self(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def bench(tmp_path: Path, corpora: Path) -> Bench:
    return Bench(tmp_path, corpora)


GIVEN = ("--resolver", "first", "--candidates", "given")


def test_help(bench: Bench) -> None:
    done = bench("--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: coindex bench [OPTIONS] [NAME]...")


def test_a_table_with_the_papers_rows(bench: Bench) -> None:
    done = bench("gap", *GIVEN)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "gap: development, 4 problems" in done.stdout
    # always A: 2 of 4 names that are said to be meant are, 2 of the 3 right ones are found
    assert "│ first              │ this run" in done.stdout
    assert "57.14" in done.stdout
    assert "Parallelism+URL" in done.stdout
    assert "Webster et al. 2018, Table 7" in done.stdout
    assert "Table 6" not in done.stdout, "there the candidates were found"
    assert "Signature of first: gap|split:development|candidates:given|" in done.stdout


def test_json(bench: Bench) -> None:
    found = bench.json("gap", "--resolver", "first,last", "--candidates", "given", "--difficulty")
    (gap,) = found["benchmarks"]
    assert gap["items"] == 4
    first, last = gap["systems"]
    assert first["figures"]["f1"]["value"] == pytest.approx(400 / 7)
    assert last["figures"]["recall"]["value"] == pytest.approx(100 / 3)
    (pairs,) = gap["agreement"]
    assert pairs["pairs"][0]["opposing"] == 4
    (told,) = gap["difficulty"]
    assert told["pairs"] == 5
    assert any(row["system"] == "Parallelism" for row in gap["published"])


def test_all_that_is_here(bench: Bench) -> None:
    done = bench(*GIVEN, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["name"] for each in found["benchmarks"]] == ["dpr", "gap"]
    assert "skipped knowref: knowref: not found:" in done.stderr
    assert {"knowref", "winobias"} <= {each["name"] for each in found["skipped"]}


def test_a_benchmark_that_is_not_here(bench: Bench) -> None:
    done = bench("knowref", *GIVEN)
    assert done.returncode == 1
    assert "knowref: not found:" in done.stderr
    assert "coindex data" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gapp", *GIVEN], "unknown benchmark 'gapp'; expected one of: dpr, gap"),
        (
            ["gap", "--resolver", "best"],
            "unknown resolver 'best'; expected one of: attention-multi",
        ),
        (["gap", "--split", "train", *GIVEN], "unknown split of gap 'train'; expected one of: dev"),
        (["gap"], "expected a resolver (--resolver attention-multi, "),
        (["gap", *GIVEN, "--json", "--latex"], "two styles"),
        (["gap", *GIVEN, "--markdown", "--latex"], "--markdown and --latex are two styles"),
        (["gap", *GIVEN, "--json", "--html", "-"], "--html - and --json both write to standard"),
        (["gap", *GIVEN, "--latex", "--html", "-"], "--html - and --latex both write to standard"),
        (["gapp"], "unknown benchmark 'gapp'"),
        (["--predictions", "f"], "needs one benchmark, found 0; name one of: dpr, gap"),
        (["gap", "dpr", "--clusters", "f"], "needs one benchmark, found 2"),
        (["--documents", "f.conll"], "--documents needs one benchmark"),
        (["gap", "--documents", "f.docx"], "f.docx: expected a name that ends in .conll"),
        (["dpr", *GIVEN, "--plot", "f.svg"], "only gap has precision and recall"),
        (["gap", "--predictions", "f", "--predictions", "f"], "each file once"),
    ],
)
def test_bad_usage(bench: Bench, arguments: list[str], message: str) -> None:
    done = bench(*arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_predictions_in_gaps_table(bench: Bench, tmp_path: Path) -> None:
    rows = [f"development-{n}\t{a}\t{b}" for n, (a, b) in enumerate(ANSWERS, 1)]
    (tmp_path / "gold.tsv").write_text("\n".join(rows), "utf-8")
    (tmp_path / "few.tsv").write_text(f"{rows[0]}\nzz\tTRUE\tTRUE\n", "utf-8")
    found = bench.json("gap", "--predictions", "gold.tsv", "--predictions", "few.tsv", *GIVEN)
    gold, few, first = found["benchmarks"][0]["systems"]
    assert gold["figures"]["f1"]["value"] == 100
    assert (gold["name"], gold["kind"], gold["candidates"]) == (
        "gold.tsv",
        "predictions",
        "unknown",
    )
    assert few["missing"] == 3
    # 1 right name, none wrong, and all 6 names of the missing rows are false negatives
    assert few["figures"]["recall"]["value"] == pytest.approx(100 / 7)
    assert any("1 row of unknown items" in note for note in few["notes"])
    assert first["name"] == "first"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("test-1\tTRUE\tFALSE\n", "is the file of another split?"),
        ("", "expected rows of ID, A-coref, B-coref, found none"),
        ('{"id": "development-1", "chosen": [3]}\n', "f:1: development-1: expected one of 2"),
        ("nothing at all\n", "expected 3 columns"),
    ],
)
def test_broken_predictions(bench: Bench, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "f").write_text(text, "utf-8")
    done = bench("gap", "--predictions", "f")
    assert done.returncode == 1, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_documents_resolved_elsewhere(bench: Bench, tmp_path: Path) -> None:
    done = bench("gap", "--documents", "passages.conll")
    assert done.returncode == 0, done.stderr
    assert "4 document(s) written to passages.conll" in done.stderr
    assert done.stdout == ""
    text = (tmp_path / "passages.conll").read_text("utf-8")
    resolved = []
    for line in text.splitlines():  # the resolver: the last Ode and the pronoun are the same
        word = line.split()[3:4]
        same = word in (["Ode"], ["she"], ["he"])
        resolved.append(line[: line.rindex("-")] + "(7)" if same else line)
    (tmp_path / "resolved.conll").write_text("\n".join(resolved) + "\n", "utf-8")
    found = bench.json("gap", "--clusters", "resolved.conll")
    (system,) = found["benchmarks"][0]["systems"]
    assert (system["kind"], system["candidates"], system["missing"]) == ("clusters", "found", 0)
    assert system["figures"]["f1"]["value"] == pytest.approx(400 / 7), "always A"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "conll2012", *GIVEN), "--to is the format of --documents"),
        (("--predictions", "f", "--switched"), "--switched is for resolvers"),
        (("--clusters", "f", "--candidates", "given"), "--candidates is for resolvers"),
        (("--predictions", "f", "--pipeline", "x"), "--pipeline is for resolvers"),
    ],
)
def test_options_that_would_do_nothing(
    bench: Bench, arguments: tuple[str, ...], message: str
) -> None:
    done = bench("gap", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_nothing_to_run(bench: Bench) -> None:
    done = bench(*GIVEN, "--split", "nowhere")
    assert done.returncode == 1
    assert "no benchmark has its data here and a split nowhere with answers" in done.stderr
    bench.env["COINDEX_DATA"] = "/nonexistent"
    done = bench(*GIVEN)
    assert done.returncode == 1
    assert "nothing was run: no benchmark has its data here\n" in done.stderr


def test_broken_clusters(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("[Ann]_1 slept and [she]_1 snored .\n", "utf-8")
    done = bench("gap", "--clusters", "other.txt", "--from", "text")
    assert done.returncode == 1
    assert "none has the id or the text of one" in done.stderr
    done = bench("gap", "--clusters", bench.env["COINDEX_DATA"] + "/gap/gap-test.tsv")
    assert done.returncode == 2
    assert "expected documents with clusters, found problems" in done.stderr
    assert bench("gap", "--clusters", "nowhere.conll").returncode == 1


def test_what_is_saved_scores_the_same(bench: Bench, tmp_path: Path) -> None:
    done = bench("gap", *GIVEN, "--save", "out", "--html", "page.html", "--plot", "plot.svg")
    assert done.returncode == 0, done.stderr
    stem = "out/gap.development.first.given"
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [f"{stem[4:]}.{kind}" for kind in ("clusters.jsonl", "decisions.jsonl", "tsv")]
    found = bench.json(
        "gap", "--predictions", f"{stem}.tsv", "--predictions", f"{stem}.decisions.jsonl",
        "--clusters", f"{stem}.clusters.jsonl", *GIVEN,
    )  # fmt: skip
    systems = found["benchmarks"][0]["systems"]
    assert len(systems) == 4
    assert all(each["figures"] == systems[0]["figures"] for each in systems)
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")
    assert (tmp_path / "plot.svg").read_text("utf-8").startswith("<svg")


def test_a_page_on_standard_output_is_alone(bench: Bench) -> None:
    done = bench("gap", *GIVEN, "--html", "-")
    assert done.stdout.lower().startswith("<!doctype html>")
    assert done.stdout.rstrip().endswith("</html>")
    assert "written to" not in done.stderr


def test_switched(bench: Bench) -> None:
    found = bench.json("dpr", *GIVEN, "--switched")
    (system,) = found["benchmarks"][0]["systems"]
    assert system["switched"]["consistency"]["value"] == 0, "the first of the list is a name"
    done = bench("dpr", *GIVEN, "--switched", "--markdown")
    assert "consistency" in done.stdout
    assert "Switched: 2 copies" in done.stdout


def test_the_test_split_is_run_if_asked_for(bench: Bench) -> None:
    found = bench.json("gap", *GIVEN, "--split", "test")
    assert found["benchmarks"][0]["split"] == "test"
    assert "Table 10" not in json.dumps(bench.json("gap", *GIVEN))


def test_progress_is_shown_on_a_terminal_only(bench: Bench) -> None:
    pty = pytest.importorskip("pty", reason="no terminals of that kind here")
    mine, theirs = pty.openpty()
    command = [sys.executable, "-m", "coindex", "bench", "gap", *GIVEN, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=bench.env)
    os.close(theirs)
    shown = os.read(mine, 65536).decode()
    os.close(mine)
    assert "gap, first" in shown
    assert "4/4" in shown
    assert json.loads(done.stdout)["benchmarks"]
    assert bench("gap", *GIVEN, "--json").stderr == ""


SLOW = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored under nohup
from coindex.types.decision import Decision
from coindex.resolvers.builtin import first

class Slow:
    signature = "slow"
    def decide(self, problems):
        for problem in problems:
            print(problem.id, file=sys.stderr, flush=True)
            if problem.id == "development-3" and not os.path.exists("go"):
                time.sleep(600)
            yield Decision(problem.id, (0,))

first.load = lambda settings: Slow()
from coindex.cli import main
main()
"""


def test_an_interrupted_command_goes_on(bench: Bench, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW, "bench", "gap", *GIVEN, "--json"]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=bench.env,
        text=True,
        cwd=tmp_path,
    )
    assert process.stderr is not None
    assert [process.stderr.readline() for _ in range(3)][2] == "development-3\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "run the same command again to resume" in said
    assert "Traceback" not in said
    (tmp_path / "go").touch()
    done = subprocess.run(command, capture_output=True, text=True, env=bench.env, cwd=tmp_path)
    assert done.stderr.split() == ["development-3", "development-4"], "two were done before"
    assert len(json.loads(done.stdout)["benchmarks"][0]["systems"]) == 1
    assert list((tmp_path / "cache" / "bench").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resolver", "first"], "expected a resolver of documents, found only those of problems"),
        (["--predictions", "f"], "--predictions is for benchmarks of problems, and probes has"),
        (["--resolver", "neural", "--switched"], "--switched is for benchmarks of problems"),
        (["--resolver", "neural", "--plot", "f.svg"], "--plot is for benchmarks of problems"),
        (["--resolver", "neural", "--split", "train"], "unknown split of probes 'train'"),
    ],
)
def test_what_probes_cannot_do(bench: Bench, arguments: list[str], message: str) -> None:
    done = bench("probes", *arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert done.stdout == ""


def test_clusters_of_probes_made_elsewhere(bench: Bench, tmp_path: Path) -> None:
    done = bench("probes", "--split", "test", "--documents", "texts.jsonl")
    assert done.returncode == 0, done.stderr
    assert "242 document(s) written to texts.jsonl" in done.stderr
    found = bench.json("probes", "--split", "test", "--clusters", "texts.jsonl")
    (probes,) = found["benchmarks"]
    (system,) = probes["systems"]
    figures = system["figures"]
    assert figures["missing"]["value"] > 1000, "nothing is found in bare texts"
    assert figures["merged"]["value"] == figures["spurious"]["value"] == 0
    assert len(system["classes"]) == 54
    table = bench("probes", "--split", "test", "--clusters", "texts.jsonl", "--html", "p.html")
    assert "probes: test, 242 documents" in table.stdout
    assert "probes test by class: texts.jsonl" in table.stdout
    assert (tmp_path / "p.html").read_text("utf-8").count("<h3>") > 200


@pytest.mark.slow
def test_the_shipped_model_on_probes(bench: Bench) -> None:
    found = bench.json("probes", "--resolver", "neural", "--save", "saved")
    (probes,) = found["benchmarks"]
    (system,) = probes["systems"]
    assert 15 < system["figures"]["wholly right"]["value"] < 100
    assert len(system["outcomes"]) == probes["items"] == 242
    again = bench.json("probes", "--clusters", "saved/probes.dev.neural.clusters.jsonl")
    assert again["benchmarks"][0]["systems"][0]["figures"] == system["figures"]
