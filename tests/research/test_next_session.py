"""The steps of the next session on a GPU: parts that are sent and slices that come back."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")

from research.models import device_session, next_session, session_data
from research.models.document_recipes import LABELLED, PARTLY

from coindex.models.pronoun.train.teacher_scores import read_teacher_scores
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars, Span


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The work folder of the other machine."""
    monkeypatch.setenv("W", str(tmp_path / "there"))
    monkeypatch.setenv("OUT", str(tmp_path / "out"))
    return tmp_path / "there"


def test_what_is_packed_in_parts_is_unpacked(
    tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(next_session, "PART", 3000)
    here = tmp_path / "here"
    content = random.Random(1).randbytes(10_000)
    for name in ("data/deep", "mpnet"):
        (here / name).mkdir(parents=True)
        (here / name / "file.bin").write_bytes(content)
    next_session.pack(here, tmp_path / "send")
    parts = sorted((tmp_path / "send").iterdir())
    assert len(parts) > 4
    for part in parts[:1] + parts[:-1]:  # one is sent twice
        next_session.unpack(part)
    assert (work / "data" / "deep" / "file.bin").read_bytes() == content
    assert not (work / "mpnet").exists()
    next_session.unpack(parts[-1])
    assert (work / "mpnet" / "file.bin").read_bytes() == content


def test_slices_come_home(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = work / "out-base"
    folder.mkdir(parents=True)
    weights = bytes(n % 256 for n in range(10_000))
    (folder / "weights.pt").write_bytes(weights)
    (folder / "model.json").write_text("{}")
    (work / "base.log").write_text("end\n")
    monkeypatch.setattr(device_session.slices, "__defaults__", (1500,))
    next_session.home("base", 0)
    with pytest.raises(SystemExit, match="found 6,000"):
        next_session.join(tmp_path / "out", "base", tmp_path / "joined")
    next_session.home("base", 4)
    next_session.join(tmp_path / "out", "base", tmp_path / "joined")
    assert (tmp_path / "joined" / "weights.pt").read_bytes() == weights
    assert (tmp_path / "joined" / "base.log").read_text() == "end\n"


def test_a_student_is_taught_by_the_model_that_is_being_trained(work: Path) -> None:
    work.mkdir()
    arguments, own = next_session.command("student", 60)
    assert arguments == ["research.models.coref_device", "home-student", "60"]
    assert own["NEXT_TEACHER"] == f"{work / 'out-base-a'},{work / 'out-base-b'}"
    assert json.loads(own["SET"])["teacher"] == f"{work / 'teacher'},{work / 'teacher-old'}"
    assert own["FREEZE_LAYERS"] == "6"
    _, own = next_session.command("student-range", 60)
    assert json.loads(own["SET"])["teacher"] == str(work / "out-range-a")
    assert "NEXT_TEACHER" not in own
    assert "FREEZE_WORDS" in own
    assert next_session.command("base", 60)[1].keys() == {"RUN", "SET"}


def test_a_run_that_goes_on_is_read_with_the_tokenizer_of_its_beginning(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {}
    monkeypatch.setattr(next_session, "_launch", lambda name, _, own: asked.update({name: own}))
    for name in ("base", "base-range"):
        next_session.read(name)
    first, second = (json.loads(asked[f"{n}.read"]["SET"]) for n in ("base", "base-range"))
    assert (first["start"], first["encoder"]) == (str(work / "teacher"), "")
    assert (second["start"], second["encoder"]) == ("", str(work / "mpnet"))


def test_a_run_is_waited_for(
    work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work.mkdir()
    monkeypatch.setattr(next_session, "command", lambda *given: (["this"], {}))
    next_session.start("base", 1)
    assert next_session.wait("base", 20)
    assert "base: ended" in capsys.readouterr().out
    assert "Zen of Python" in (work / "base.log").read_text()


def test_every_generated_file_of_the_recipes_has_a_command(tmp_path: Path) -> None:
    own = (session_data.EVERYDAY, session_data.SINGLES)  # of our own texts, not by a command
    made = [tmp_path / name for name in own]
    for file, command in session_data.generator_commands(tmp_path):
        for each in command[2:]:  # what it reads is made before it
            if each.startswith(str(tmp_path)) and Path(each) != file:
                assert Path(each) in made
        made.append(file)
    names = {row[0] for row in (*LABELLED, *PARTLY) if row[0].startswith("gen/")}
    assert {f"gen/{file.name}" for file in made} == names


def test_single_mentions_of_a_model_join_the_marked_entities() -> None:
    tokens = ["Ann", "saw", "Leeds", ".", "She", "left", "Leeds", "Road", "."]
    ann = Entity((Mention.at(0, 1), Mention.at(4, 5)))
    marked = Document.of("d", [tokens], [ann])
    named = Mention((Span(0, 1),), kind="person")
    found = [
        Entity((named,)),
        Entity((Mention.at(2, 3),)),
        Entity((Mention.at(6, 8), Mention.at(6, 7))),
    ]
    joined = session_data.with_singles(marked, Document.of("d", [tokens], found))
    assert joined.entities == (ann, Entity((Mention.at(2, 3),)))


def test_probable_answers_on_which_both_readings_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "names.tsv").write_text("a\t0 -400\t0 -500\nb\t0 -400\t-300 0\nc\t0 -50\t0 -50\n")
    scores = read_teacher_scores((str(tmp_path / "names.tsv"),))
    monkeypatch.setattr(session_data, "read_teacher_scores", lambda files: scores)
    text = "Ann met Eve . She left ."
    problems = [
        Problem(
            id, text, Chars(14, 17), (Candidate("Ann", Chars(0, 3)), Candidate("Eve", Chars(8, 11)))
        )
        for id in "abcd"
    ]
    monkeypatch.setattr(session_data, "read_problems", lambda name: problems)
    found = list(session_data.answered("names", tmp_path / "items"))
    assert [(each.id, each.answer) for each in found] == [("a", (0,))]
    assert session_data.balanced(found) == []  # as many masculine as feminine ones
