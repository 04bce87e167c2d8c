"""`nlp.add_pipe("coindex")`: found without an import, aligned, serialisable."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import coindex
import training_samples as samples

spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install 'coindex[spacy]'")

TEXT = " Ann met Bob .  She liked him .\n\nHe thanked her ."


@pytest.fixture(scope="module")
def nlp(exported: Path) -> Any:
    made = spacy.blank("en")
    made.add_pipe("coindex", config={"model": str(exported), "scheme": "every"})
    return made


def test_it_is_found_without_an_import(exported: Path) -> None:
    code = (
        "import spacy; nlp = spacy.blank('en');"
        f"nlp.add_pipe('coindex', config={{'model': {str(exported)!r}}});"
        "doc = nlp('Ann met Bob . She liked him .'); print(len(doc.spans['coindex']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_mentions_are_spans_of_the_pipelines_tokens(nlp: Any, exported: Path) -> None:
    doc = nlp(TEXT)
    assert doc.text == TEXT
    assert not any(span[0].is_space or span[-1].is_space for span in doc.spans["coindex"])
    assert len(doc.spans["coindex"]) > 2
    words = [token.text for token in doc if not token.is_space]
    document = coindex.Document.of("x", [words])
    assert {s.text for s in doc.spans["coindex"]} <= {
        " ".join(words[a:b]) for a in range(len(words)) for b in range(a + 1, a + 6)
    }
    assert len(document) == len(words)


def test_entities_and_text_are_read_off_the_spans(nlp: Any) -> None:
    doc = nlp(TEXT)
    groups = doc._.coindex
    assert sorted(s for g in groups for s in g) == sorted(doc.spans["coindex"])
    assert len({s.label_ for s in groups[0]}) == 1
    assert isinstance(doc._.coindex_text, str)
    assert len(doc.spans["coindex"].attrs["confidence"]) == len(doc.spans["coindex"])


def test_a_stream_gives_what_single_calls_give(nlp: Any) -> None:
    texts = [" ".join(d.tokens) for d in samples.stories(6)] + ["", "   ", "Ann"]
    alone = [nlp(text) for text in texts]
    together = list(nlp.pipe(texts, batch_size=4))
    one, many = (
        [[(s.start, s.end, s.label_) for s in doc.spans["coindex"]] for doc in docs]
        for docs in (alone, together)
    )
    assert one == many
    assert any(one)


def test_docs_and_pipelines_can_be_saved(nlp: Any, tmp_path: Path) -> None:
    from spacy.tokens import Doc

    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [[s.text for s in g] for g in again._.coindex] == [
        [s.text for s in g] for g in doc._.coindex
    ]
    nlp.to_disk(tmp_path / "pipeline")
    third = spacy.load(tmp_path / "pipeline")(TEXT)
    assert [s.text for s in third.spans["coindex"]] == [s.text for s in doc.spans["coindex"]]


def test_a_pipeline_can_be_copied_and_sent_to_other_processes(nlp: Any) -> None:
    text = "Ann told Bob that she was late ."
    wanted = [[str(span) for span in group] for group in nlp(text)._.coindex]
    copied = pickle.loads(pickle.dumps(nlp))
    assert [[str(span) for span in group] for group in copied(text)._.coindex] == wanted


def groups(doc: Any, attribute: str = "coindex") -> list[list[str]]:
    return [[str(span) for span in group] for group in doc._.get(attribute)]


def test_two_components_in_one_pipeline(exported: Path) -> None:
    from spacy.tokens import Doc

    both = spacy.blank("en")
    plain = {"model": str(exported), "scheme": "plain", "span_group": "plain-spans"}
    both.add_pipe("coindex", name="first", config={**plain, "attribute": "plain"})
    every = {"model": str(exported), "scheme": "every", "span_group": "every"}
    both.add_pipe("coindex", name="second", config=every)
    text = "Ann met Bob . She laughed ."
    doc = both(text)
    for scheme, attribute in (("plain", "plain"), ("every", "every")):
        single = spacy.blank("en")
        single.add_pipe("coindex", config={"model": str(exported), "scheme": scheme})
        alone = single(text)
        assert groups(doc, attribute) == groups(alone)
        assert doc._.get(f"{attribute}_text") == alone._.coindex_text
    assert len(doc.spans["every"]) > len(doc.spans["plain-spans"])
    assert "coindex" not in doc.spans
    copied = pickle.loads(pickle.dumps(both))(text)
    assert groups(copied, "every") == groups(doc, "every")
    again = Doc(both.vocab).from_bytes(doc.to_bytes())
    assert groups(again, "plain") == groups(doc, "plain")


def test_names_that_are_taken_are_refused(exported: Path) -> None:
    from spacy.tokens import Doc

    nlp, model = spacy.blank("en"), {"model": str(exported)}
    nlp.add_pipe("coindex", config=model)
    message = "second: expected another span_group than that of the component coindex, found 'coi"
    with pytest.raises(coindex.InvalidValue, match=message):
        nlp.add_pipe("coindex", name="second", config=model)
    with pytest.raises(
        coindex.InvalidValue, match=r"doc\._\.coindex to be free, found that of anoth"
    ):
        nlp.add_pipe(
            "coindex", name="third", config={**model, "span_group": "x", "attribute": "coindex"}
        )
    with pytest.raises(coindex.InvalidValue, match="to be a Python name, found 'my group'"):
        nlp.add_pipe("coindex", name="fourth", config={**model, "span_group": "my group"})
    Doc.set_extension("taken", default=1)
    with pytest.raises(coindex.InvalidValue, match="found that of another extension"):
        nlp.add_pipe("coindex", name="fifth", config={**model, "span_group": "taken"})
    nlp.replace_pipe("coindex", "coindex", config=model)
    assert nlp.pipe_names == ["coindex"]


def test_docs_can_be_joined_without_their_entities(nlp: Any) -> None:
    from spacy.tokens import Doc

    texts = [TEXT, "Ann told Bob that she was late .", TEXT, "", "Bob saw his dog ."]
    docs = [nlp(text) for text in texts]
    expected = [group for doc in docs for group in groups(doc)]
    labels = {span.label_ for doc in docs for span in doc.spans["coindex"]}
    joined = Doc.from_docs(docs)
    assert len(expected) > len(labels), "equal labels in several docs"
    assert groups(joined) == expected
    twice = Doc.from_docs([joined, joined])
    assert groups(twice) == expected * 2
    assert groups(Doc(nlp.vocab).from_bytes(twice.to_bytes())) == expected * 2


def test_an_old_doc_without_ids_can_be_read(nlp: Any) -> None:
    from spacy.tokens import Span

    doc = nlp.make_doc("Ann met Bob . She liked him .")
    doc.spans["coindex"] = [Span(doc, 0, 1, "1"), Span(doc, 4, 5, "1"), Span(doc, 2, 3, "2")]
    assert groups(doc) == [["Ann", "She"], ["Bob"]]


def test_several_processes_give_the_answers_of_one(nlp: Any) -> None:
    texts = [" ".join(document.tokens) for document in samples.stories(8)] + ["", " "]
    alone = [groups(doc) for doc in nlp.pipe(texts)]
    assert any(alone)
    assert [groups(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=3)] == alone


def test_tokens_of_several_words_are_read_as_words(pipeline: str) -> None:
    plain, merging = spacy.load(pipeline), spacy.load(pipeline)
    plain.add_pipe("coindex")
    merging.add_pipe("merge_entities")
    merging.add_pipe("coindex")
    text = "Ann Lee lost her keys in New York. She told Bo Smith that he was late."
    doc = merging(text)
    assert "Ann Lee" in [token.text for token in doc]
    assert groups(doc) == groups(plain(text)) == [["Ann Lee", "her", "She"], ["Bo Smith", "he"]]
    assert doc._.coindex_text == plain(text)._.coindex_text


def test_tokens_that_are_merged_later_are_an_error(pipeline: str) -> None:
    nlp = spacy.load(pipeline)
    nlp.add_pipe("coindex")
    nlp.add_pipe("merge_entities")
    for text in ("Ann Lee lost her keys. She left.", "Ann Lee told Bo Smith that he was late . ."):
        doc = nlp(text)
        for attribute in ("coindex", "coindex_text"):
            with pytest.raises(
                coindex.InvalidValue, match="such as merge_entities, before coindex"
            ):
                doc._.get(attribute)
