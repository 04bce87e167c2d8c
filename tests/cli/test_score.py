"""`coindex score` as people run it."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from coindex import Document, Entity, Mention, formats

ROOT = Path(__file__).resolve().parents[2]


def coindex(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coindex", *map(str, arguments)],
        capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip


def _document(number: int, *entities: list[tuple[int, int]]) -> Document:
    words = ["the", "dog", "of", "Ann", "saw", "her", "and", "it", "ran"]
    parse = ["(TOP(S(NP(NP*", "*)", "(PP*", "(NP*)))", "(VP*", "(NP*)", "*", "(NP*)", "(VP*))))"]
    tags = ["DT", "NN", "IN", "NNP", "VBD", "PRP", "CC", "PRP", "VBD"]
    return Document.of(
        f"d{number}", [words],
        [Entity(tuple(Mention.at(*span) for span in spans), str(i)) for i, spans in enumerate(entities)],
        part=0, pos=tuple(tags), parse=tuple(parse),
    )  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A key of twelve documents and three responses: good, short spans, bad."""
    gold = ([(0, 4), (7, 8)], [(3, 4), (5, 6)])
    systems: dict[str, list[tuple[list[tuple[int, int]], ...]]] = {
        "key": [gold] * 12,
        "good": [gold] * 10 + [([(0, 4), (7, 8)],)] * 2,
        "short": [([(0, 2), (7, 8)], [(3, 4), (5, 6)])] * 12,
        "bad": [([(3, 4), (7, 8)],)] * 12,
    }
    paths = {}
    for name, rows in systems.items():
        paths[name] = tmp_path / f"{name}.conll"
        documents = [_document(number, *entities) for number, entities in enumerate(rows)]
        formats.write(paths[name], documents, "conll2012")
    return paths


def test_one_response(files: dict[str, Path]) -> None:
    done = coindex("score", files["key"], files["good"], "--metrics", "all")
    assert done.returncode == 0, done.stderr
    for word in ("MUC", "B³", "CEAFm", "CEAFe", "BLANC", "LEA", "CoNLL", "match:exact", "docs:12"):
        assert word in done.stdout


def test_the_process_ends_in_good_order(files: dict[str, Path], tmp_path: Path) -> None:
    code = (
        "import atexit, sys; from coindex.__main__ import run;"
        "atexit.register(print, 'the last words'); run()"
    )
    line = [sys.executable, "-c", code, "score", *map(str, (files["key"], files["good"]))]
    done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0
    assert "CoNLL" in done.stdout
    assert done.stdout.endswith("the last words\n")
    line[-1] = str(tmp_path / "none")
    done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, "none" in done.stderr) == (1, True)
    assert done.stdout == "the last words\n"


def test_json_has_the_promised_shape(files: dict[str, Path]) -> None:
    found = json.loads(coindex("score", files["key"], files["key"], "--json").stdout)
    assert found["signature"].startswith("muc+b3+ceafe+conll|match:exact")
    (system,) = found["systems"]
    assert system["name"] == "key.conll"
    assert system["file"] == str(files["key"])
    assert set(system["scores"]) == {"muc", "b3", "ceafe", "conll"}
    muc = system["scores"]["muc"]
    assert (muc["recall"], muc["precision"], muc["f1"]) == (100, 100, 100)
    assert muc["counts"] == [24, 24, 24, 24]
    assert system["scores"]["conll"]["f1"] == 100
    assert system["scores"]["conll"]["interval"] == [100, 100]


def test_minimum_spans_forgive_what_maximum_spans_do_not(files: dict[str, Path]) -> None:
    for rule, perfect in (("exact", False), ("mina", True), ("head", True), ("partial", True)):
        done = coindex("score", files["key"], files["short"], "--match", rule, "--json")
        assert (json.loads(done.stdout)["systems"][0]["scores"]["conll"]["f1"] == 100) == perfect


def test_several_responses_are_ranked_and_compared(files: dict[str, Path]) -> None:
    responses = [files["good"], files["short"], files["bad"]]
    done = coindex("score", files["key"], *responses)
    assert done.returncode == 0, done.stderr
    assert "MINA" in done.stdout
    assert "head" in done.stdout
    assert "significant" in done.stdout
    found = json.loads(coindex("score", files["key"], *responses, "--json").stdout)
    assert [len(rows) for rows in found["rules"].values()] == [3, 3, 3]
    assert len(found["comparisons"]) == 3
    order = {
        rule: [row["name"] for row in sorted(rows, key=lambda r: -r["scores"]["conll"]["f1"])]
        for rule, rows in found["rules"].items()
    }
    assert order["exact"][0] == "good.conll"
    assert order["mina"][0] == "short.conll", "the ranking depends on the rule"


@pytest.mark.parametrize(
    ("style", "piece"),
    [("--markdown", "| ---"), ("--latex", "\\toprule"), ("--html", "<!doctype html>")],
)
def test_styles(files: dict[str, Path], style: str, piece: str, tmp_path: Path) -> None:
    done = coindex("score", files["key"], files["good"], files["bad"], style)
    assert piece.lower() in done.stdout.lower(), done.stdout[:300]
    out = tmp_path / "report"
    done = coindex("score", files["key"], files["good"], style, "-o", out)
    assert done.stdout == ""
    assert piece.lower() in out.read_text(encoding="utf-8").lower()


def test_html_writes_a_page_beside_the_table(files: dict[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = coindex("score", files["key"], files["good"], "--html", page)
    assert page.read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert (done.stdout.count("conll|") > 0, done.stderr) == (True, f"written to {page}\n")


def test_html_without_a_file_is_deprecated(files: dict[str, Path]) -> None:
    """The argument after it is still a RESPONSE, never a file to overwrite."""
    before = files["good"].read_bytes()
    done = coindex("score", files["key"], "--html", files["good"])
    assert "coindex: --html without a file is deprecated: use --html FILE" in done.stderr
    assert done.stdout.lower().startswith("<!doctype html>")
    assert files["good"].read_bytes() == before


def test_details(files: dict[str, Path]) -> None:
    options = ["--per-document", "--by", "type", "--errors"]
    done = coindex("score", files["key"], files["bad"], *options)
    assert done.returncode == 0, done.stderr
    for word in ("d11", "pronoun", "missing mention", "divided", "conflated"):
        assert word in done.stdout.lower(), word
    system = json.loads(coindex("score", files["key"], files["bad"], *options, "--json").stdout)[
        "systems"
    ][0]
    assert len(system["documents"]) == 12
    assert system["by_type"]
    assert system["errors"]


def test_trees_may_come_from_a_file(files: dict[str, Path], tmp_path: Path) -> None:
    bare = tmp_path / "bare.jsonl"
    formats.write(bare, formats.read(files["key"]), "jsonlines")
    response = tmp_path / "response.jsonl"
    formats.write(response, formats.read(files["short"]), "jsonlines")
    done = coindex("score", bare, response, "--match", "mina")
    assert done.returncode == 2
    assert "minimum spans need parse trees" in done.stderr
    tree = "(TOP (S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NNP Ann)))) (VP (VBD saw) (NP (PRP her)) (CC and) (NP (PRP it)) (VP (VBD ran)))))"
    trees = tmp_path / "trees.mrg"
    trees.write_text(f"{tree}\n" * 12)
    done = coindex("score", bare, response, "--match", "mina", "--trees", trees, "--json")
    assert json.loads(done.stdout)["systems"][0]["scores"]["conll"]["f1"] == 100


def test_bad_input_is_explained(files: dict[str, Path], tmp_path: Path) -> None:
    short = tmp_path / "some.conll"
    formats.write(short, list(formats.read(files["key"]))[:10], "conll2012")
    done = coindex("score", files["key"], short)
    assert done.returncode == 1
    assert "found 2 missing: d10 part 0, d11 part 0" in done.stderr
    assert coindex("score", files["key"], short, "--missing", "empty").returncode == 0
    other = tmp_path / "other.conll"
    other.write_text(files["key"].read_text().replace("\tdog\t", "\tcat\t"))
    done = coindex("score", files["key"], other, "--json")
    assert done.returncode == 0
    assert "token 1: expected 'dog', found 'cat'" in done.stderr
    other.write_text(files["key"].read_text().replace("(0", "(9", 1))
    done = coindex("score", files["key"], other)
    assert done.returncode == 1
    assert f"{other}:" in done.stderr
    problems = tmp_path / "a.txt"
    problems.write_text("Ann met Bo and she sang.\nshe\nAnn,Bo\nAnn\n\n")
    assert coindex("score", problems, problems).returncode == 2
    assert coindex("score", files["key"], files["good"], "--metrics", "f1").returncode == 2
    assert coindex("score", files["key"], files["good"], "--match", "fuzzy").returncode == 2


def test_what_was_read_twice_is_counted(files: dict[str, Path], tmp_path: Path) -> None:
    twice = tmp_path / "twice.conll"
    twice.write_text(files["key"].read_text().replace("(1)", "(1)|(1)", 1))
    done = coindex("score", twice, files["key"], "--json")
    assert "repeats-once:1+0" in json.loads(done.stdout)["signature"]


def test_json_says_how_it_was_resampled(files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    options = ["--resamples", "200", "--seed", "7", "--json", "-o", out]
    done = coindex("score", files["key"], files["good"], files["bad"], *options)
    assert done.stdout == ""
    found = json.loads(out.read_text())
    assert (found["resamples"], found["seed"]) == (200, 7)
    assert set(found["comparisons"][0]["p"]) == {"randomization", "bootstrap", "holm"}
    assert found["comparisons"][0]["significant"] is True


@pytest.mark.parametrize(
    "options",
    [
        ["--seed", "-1"],
        ["--json", "--html"],
        ["--json", "--html", "-"],
        ["--markdown", "--latex"],
        ["--examples", "-1"],
        ["--resamples", "3"],
    ],
)
def test_options_that_make_no_sense_are_bad_usage(
    files: dict[str, Path], options: list[str]
) -> None:
    done = coindex("score", files["key"], files["good"], *options)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_response_given_twice_is_refused(files: dict[str, Path]) -> None:
    done = coindex("score", files["key"], files["good"], files["good"])
    assert done.returncode == 2
    assert "expected each response once" in done.stderr


def test_lea_is_ranked_beside_the_average(files: dict[str, Path]) -> None:
    done = coindex("score", files["key"], files["good"], files["short"], "--metrics", "all")
    assert "CoNLL F1 under each matching rule" in done.stdout
    assert "LEA F1 under each matching rule" in done.stdout


@pytest.mark.data
def test_a_real_key_against_itself_under_every_rule(data: Path) -> None:
    key = data / "gum" / "ontogum.dev.gold_conll.xz"
    done = coindex(
        "score", key, key, "--match", "exact,mina,head,partial", "--metrics", "all", "--json"
    )
    for rows in json.loads(done.stdout)["rules"].values():
        scores = rows[0]["scores"]
        assert all(value["f1"] == pytest.approx(100) for value in scores.values())
        assert "repeats-once:1+1" in rows[0]["signature"], "OntoGUM has spans in two entities"


ZERO_ROW = "{}\t{}\t_\t_\t_\t_\t{}\t_\t{}\t{}\n"


def _zero_file(path: Path, place: int, number: str) -> Path:
    """A sentence with a zero after a word."""
    rows = [("1", "Anna", "2", "_", "Entity=(e1--1-)"), ("2", "came", "0", "_", "_"),
            ("3", "home", "2", "_", "_")]  # fmt: skip
    rows.insert(place, (number, "_", "_", "2:nsubj", "Entity=(e1--1-)"))
    head = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"
    path.write_text(head + "".join(ZERO_ROW.format(*row) for row in rows) + "\n", "utf-8")
    return path


def test_zeros_repeats_and_their_signature(tmp_path: Path) -> None:
    key = _zero_file(tmp_path / "key.conllu", 2, "2.1")
    response = _zero_file(tmp_path / "response.conllu", 3, "3.1")
    options = ["--metrics", "muc,mor,zero-anaphora", "--repeats", "first", "--json"]
    for rule, f1 in (("linear", 0), ("dependent", 100)):
        done = coindex("score", key, response, *options, "--zero-match", rule)
        assert done.returncode == 0, done.stderr
        (system,) = json.loads(done.stdout)["systems"]
        assert system["scores"]["muc"]["f1"] == system["scores"]["zero-anaphora"]["f1"] == f1
        assert system["scores"]["mor"]["f1"] == 50, "by words: one of two"
        assert ("|zero-match:dependent|" in system["signature"]) == (rule == "dependent")
        assert "|repeats:first|" in system["signature"]


def test_relations_need_their_annotation(files: dict[str, Path]) -> None:
    done = coindex("score", files["key"], files["good"], "--relation", "discourse-deixis")
    assert done.returncode == 2
    assert "discourse deixis needs a key in CoNLL-UA" in done.stderr
    done = coindex(
        "score", files["key"], files["good"], "--split-antecedents", "keep", "--singletons", "drop"
    )
    assert done.returncode == 2
    assert "they need --singletons keep" in done.stderr


def test_folders_are_scored_like_one_file_of_their_documents(
    files: dict[str, Path], tmp_path: Path
) -> None:
    sides = []
    for name in ("key", "good"):
        folder = tmp_path / name
        folder.mkdir()
        for document in formats.read(files[name]):
            assert isinstance(document, Document)
            formats.write(folder / f"{document.id}.conll", [document], "conll2012")
        (folder / ".hidden").write_text("not a corpus")
        sides.append(folder)
    whole = coindex("score", files["key"], files["good"], "--json", "--metrics", "all")
    done = coindex("score", *sides, "--json", "--metrics", "all")
    assert done.returncode == 0, done.stderr
    scores = [json.loads(each.stdout)["systems"][0]["scores"] for each in (done, whole)]
    assert scores[0] == scores[1]


def test_what_cannot_be_scored_is_named(files: dict[str, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("good.conll", bytes(range(256)) * 9)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tape:
        tape.add(files["good"], "good.conll")
    (tmp_path / "plain.txt").write_text("Ann left. She ran.\n")
    (tmp_path / "clusters.json").write_text("[[[0, 3], [9, 12]]]\n")
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    for name, message in {
        "folder": "folder: expected files in the folder, found none",
        "a.zip": "expected a corpus, found a zip archive: unpack it first",
        "a.tar.gz": "expected a corpus, found binary data: unpack it if it is an archive",
        "plain.txt": "expected annotated documents, found plain text",
        "clusters.json": "found JSON of another kind",
    }.items():
        done = coindex("score", files["key"], tmp_path / name)
        assert (done.returncode, done.stdout) == (1, ""), name
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
