"""Every route: answers equal to the library's, and errors of one line with their status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import coindex
from coindex import formats
from coindex.cli import main
from coindex.report.viewer.annotated_text import layout
from coindex.report.viewer.html import page
from coindex.transform.brackets import bracketed_text
from coindex.transform.replace_pronouns import replace_pronouns
from coindex.transform.resolved_entities import as_json
from service_samples import TEXT

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
LETTER = (EXAMPLES / "letter.txt").read_text(encoding="utf-8")
KEY = "#begin document (d);\nAnn (1)\nsaw -\nher (1)\n\n#end document\n"
NDJSON = {"content-type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def resolver() -> coindex.Resolver:
    return coindex.load(threads=1)


def ask(client: Any, body: Any, path: str = "/v1/resolve") -> Any:
    response = client.post(path, json=body)
    assert response.status_code == 200, response.text
    return response.json()


def test_one_text_is_as_the_library_resolves_it(client: Any, resolver: coindex.Resolver) -> None:
    answer = ask(client, {"text": LETTER})
    assert answer["documents"] == [as_json(resolver.resolve(LETTER))]
    assert answer["signature"] == resolver.signature
    assert answer["model"] == "default"


TURNS = [{"start": 0, "end": 10, "speaker": "Ann", "addressee": "Bob"},
         {"start": 11, "end": 19, "speaker": "Bob"}]  # fmt: skip
SAID = "I am late. So am I."


def test_turns_are_those_of_a_file_of_speakers(client: Any, tmp_path: Path) -> None:
    file = tmp_path / "turns.tsv"
    file.write_text("0\t10\tAnn\tBob\n11\t19\tBob\n", encoding="utf-8")
    resolver = coindex.load(threads=1, speakers=file)
    (found,) = ask(client, {"text": SAID, "speakers": TURNS})["documents"]
    assert found == as_json(resolver.resolve(SAID))
    assert [turn["speaker"] for turn in found["turns"]] == ["Ann", "Bob"]
    texts = [{"id": "a", "text": "I ran."}, {"id": "b", "text": SAID}]
    given = [{**turn, "id": "b"} for turn in TURNS]
    first, second = ask(client, {"documents": texts, "speakers": given})["documents"]
    assert "turns" not in first
    assert second == {**found, "id": "b"}
    (none,) = ask(client, {"text": "Ann: I ran.", "speakers": []})["documents"]
    assert "turns" not in none
    marked = ask(client, {"text": "<p>I ran.</p>", "speakers": [{**TURNS[0], "end": 13}]})
    assert [turn["start"] for turn in marked["documents"][0]["turns"]] == [3]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"speakers": "all"}, "body.speakers: expected one of ['auto', 'none'], found 'all'"),
        ({"speakers": [{"start": 0, "end": 3}]}, "speaker"),
        ({"speakers": [{**TURNS[0], "start": -1}]}, "body.speakers[0].start"),
        ({"speakers": [{**TURNS[0], "end": 0}]},
         "body.speakers, turn 1: expected start < end, found 0 and 0"),
        ({"speakers": [{**TURNS[0], "end": 99}]},
         "body.speakers, turn 1: 1 has 19 characters, found the end 99"),
        ({"speakers": [TURNS[0], {**TURNS[1], "start": 5}]}, "expected turns that do not overlap"),
        ({"speakers": [{**TURNS[0], "id": "x"}]},
         "body.speakers, turn 1: expected the id of a document, found 'x'"),
        ({"documents": [{"text": SAID}, {"text": SAID}], "speakers": TURNS},
         "body.speakers, turn 1: expected the id of one of the 2 documents, found none"),
    ],
)  # fmt: skip
def test_turns_that_do_not_fit_are_refused(client: Any, body: dict[str, Any], message: str) -> None:
    given = body if "documents" in body else {"text": SAID, **body}
    response = client.post("/v1/resolve", json=given)
    assert response.status_code == 422
    assert message in response.json()["error"]["message"]


def test_all_forms_are_as_the_library_writes_them(client: Any, resolver: coindex.Resolver) -> None:
    forms = ["json", "brackets", "replaced", "html", "conll2012", "document-jsonl"]
    answer = ask(client, {"text": LETTER, "form": forms})
    document = resolver.resolve(LETTER)
    (found,) = answer["documents"]
    assert found["brackets"] == bracketed_text(document)
    assert found["replaced"] == replace_pronouns(document).text
    assert found["html"] == "".join(page([layout(document, True)]))
    assert found["entities"] == as_json(document)["entities"]
    for name in ("conll2012", "document-jsonl"):
        assert answer["outputs"][name] == "".join(formats.write_lines([document], name))
    assert "conll2012 cannot hold text: 1 written as tokens, a space apart" in answer["notes"]


@pytest.mark.parametrize(
    "options",
    [
        {"singletons": True},
        {"scheme": "ontogum"},
        {"rules": "none"},
        {"events": True},
        {"explain": True},
        {"markup": "none"},
        {"speakers": "none"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_are_those_of_the_library(client: Any, options: dict[str, Any]) -> None:
    text = '<b>Ann</b> ran. "I saw him," Bo said. She met a man who knew her; the run was long.'
    answer = ask(client, {"text": text, **options})
    loaded = coindex.load(threads=1, **options)
    assert answer["documents"] == [as_json(loaded.resolve(text))]
    assert answer["signature"] == loaded.signature


def test_documents_have_ids_and_their_order(client: Any, resolver: coindex.Resolver) -> None:
    texts = [LETTER, "", "It rained.", TEXT]
    rows = [{"text": text} for text in texts]
    rows[1]["id"] = "empty"
    answer = ask(client, {"documents": rows})
    assert [each["id"] for each in answer["documents"]] == ["1", "empty", "3", "4"]
    for found, document in zip(answer["documents"], resolver.resolve(texts), strict=True):
        assert found["entities"] == as_json(document)["entities"]


def test_content_in_a_format_keeps_its_tokens(client: Any, resolver: coindex.Resolver) -> None:
    content = (EXAMPLES / "letter.conll").read_text(encoding="utf-8")
    answer = ask(client, {"content": content, "form": "conll2012"})
    (document,) = formats.read(EXAMPLES / "letter.conll")
    assert isinstance(document, coindex.Document)
    expected = "".join(formats.write_lines([resolver.resolve(document)], "conll2012"))
    assert answer["outputs"]["conll2012"] == expected
    plain = ask(client, {"content": LETTER, "format": "text"})
    assert plain["documents"][0]["entities"] == as_json(resolver.resolve(LETTER))["entities"]


@pytest.mark.parametrize("text", ["", " \n", "\0", "a\r\nb \u2028 c", "🙂 She saw 🙂.", "مرحبا"])
def test_odd_texts_are_answered(client: Any, text: str) -> None:
    assert ask(client, {"text": text})["documents"][0]["text"] == text


def test_another_model_is_chosen_by_its_name(client: Any) -> None:
    assert ask(client, {"text": TEXT, "model": "other"})["model"] == "other"
    names = [model["name"] for model in client.get("/v1/models").json()["models"]]
    assert names == ["default", "other"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "body: expected one of text, documents, content, found none"),
        ([], "body: expected object, found []"),
        ("text", "body: expected object, found 'text'"),
        ({"text": 7}, "body.text: expected string, found 7"),
        ({"text": "a", "content": "b"}, "body: expected one of text, documents, content, found text and content"),
        ({"text": "a", "model": "/etc"}, "body.model: expected one of ['default', 'other'], found '/etc'"),
        ({"text": "a", "speakers": "/etc/passwd"}, "body.speakers: expected one of ['auto', 'none'], found '/etc/passwd'"),
        ({"text": "a", "scheme": "x"}, "coindex-small: expected one of its schemes"),
        ({"text": "a", "rules": "x"}, "unknown rule"),
        ({"text": "a", "form": "brat"}, "body.form: expected one of"),
        ({"text": "a", "form": []}, "body.form: expected 1 to 8 items, found 0"),
        ({"text": "a", "form": {"a": 1}}, "body.form: expected one of"),
        ({"text": "a", "min_confidence": 0.5}, "body: min_confidence needs the form replaced"),
        ({"text": "a", "form": "brackets", "explain": True}, "body: explain needs the form json"),
        ({"text": "a", "other": 1}, "body: unexpected 'other'"),
        ({"content": "a", "id": "x"}, "body: id is the id of text, found no text"),
        ({"text": "a", "format": "text"}, "body: format is the format of content, found no content"),
        ({"documents": []}, "body.documents: expected at least 1 items, found 0"),
        ({"documents": [{"id": "a"}]}, "body.documents[0]: expected text, found none"),
        ({"content": "", "format": "conll2012"}, "content: expected conll2012, found an empty file"),
        ({"content": "#begin document (d);\nAnn (1\n\n#end document\n"}, "content:2: '(1' opens entity 1"),
        ({"content": '{"a": 1}\n'}, "content:1: expected a format coindex knows, found JSON"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_on_one_line(client: Any, body: Any, message: str) -> None:
    response = client.post("/v1/resolve", json=body)
    assert response.status_code == 422, response.text
    told = response.json()["error"]
    assert told["code"] == "invalid"
    assert told["message"].startswith(message)
    assert "\n" not in told["message"]
    assert "--" not in told["message"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON at line 1, column 1: expecting value"),
        (b'{"text": "a"', "not JSON at line 1, column 13: expecting ',' delimiter"),
        (b'{"text": "\xff"}', "expected UTF-8, found the byte 0xff at offset 10"),
        (b'{"text": NaN}', "expected JSON, found a number it cannot hold"),
        (b'{"text": 1' + b"0" * 5000 + b"}", "expected JSON, found a number it cannot hold"),
        (b"[" * 100_000, "expected JSON, found it nested too deep"),
        (b'{"a":' * 100_000, "expected JSON, found it nested too deep"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/resolve", "/v1/score"])
def test_what_is_not_json(client: Any, path: str, content: bytes, message: str) -> None:
    response = client.post(path, content=content, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["error"]["message"]) == (400, message)


def test_half_characters_are_refused(client: Any) -> None:
    response = client.post(
        "/v1/resolve", content=b'{"text": "\\ud800"}', headers={"content-type": "application/json"}
    )
    assert response.status_code == 422
    assert "no lone surrogates" in response.json()["error"]["message"]


def test_a_byte_order_mark_is_no_part_of_a_body(client: Any) -> None:
    body = b'\xef\xbb\xbf{"text": "Ann ran.", "form": "brackets"}'
    for path, kind in (("/v1/resolve", "application/json"), ("/v1/batch", "application/x-ndjson")):
        found = client.post(path, content=body, headers={"content-type": kind})
        assert found.status_code == 200
        assert found.json().get("status", 200) == 200


def test_media_types_paths_and_methods(client: Any) -> None:
    assert client.post("/v1/resolve", content=b"{}").status_code == 415
    assert client.post("/v1/batch", json={}).status_code == 415
    for path in ("/v1/nothing", "/v1/models/"):
        assert client.get(path, follow_redirects=False).json()["error"]["code"] == "missing"
    wrong = client.get("/v1/resolve")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


def test_a_batch_answers_each_line_in_order(client: Any, resolver: coindex.Resolver) -> None:
    lines = [
        json.dumps({"text": LETTER, "id": "letter"}),
        "",
        "{not json",
        json.dumps({"text": TEXT, "form": "replaced"}),
        json.dumps({"documents": [{"text": "a"}, {"text": "b"}]}),
        '{"text": "\\ud800"}',
        json.dumps({"text": "She slept."}),
    ]
    response = client.post("/v1/batch", content="\n".join(lines), headers=NDJSON)
    assert response.headers["content-type"] == "application/x-ndjson"
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert [each["line"] for each in answers] == [1, 3, 4, 5, 6, 7]
    assert [each["status"] for each in answers] == [200, 400, 200, 200, 422, 200]
    expected = as_json(resolver.resolve(LETTER)) | {"id": "letter"}
    assert answers[0]["result"]["documents"] == [expected]
    assert answers[2]["result"]["documents"][0]["replaced"].startswith("Alice told Bob that Alice")
    assert len(answers[3]["result"]["documents"]) == 2


def test_a_large_batch_is_as_the_library(client: Any, resolver: coindex.Resolver) -> None:
    texts = [
        f"{name} said that she had lost her key {n}." for n in range(60) for name in ("Ann", "Bo")
    ]
    content = "".join(json.dumps({"text": text, "form": "brackets"}) + "\n" for text in texts)
    response = client.post("/v1/batch", content=content, headers=NDJSON)
    answers = [json.loads(line) for line in response.text.splitlines()]
    found = [each["result"]["documents"][0]["brackets"] for each in answers]
    assert found == [bracketed_text(each) for each in resolver.resolve(texts)]


def test_an_empty_batch_has_no_lines(client: Any) -> None:
    response = client.post("/v1/batch", content=b"", headers=NDJSON)
    assert (response.status_code, response.text) == (200, "")


def test_scores_are_those_of_the_command(
    client: Any, resolver: coindex.Resolver, tmp_path: Path, capsys: Any
) -> None:
    paths = [EXAMPLES / "letter.conll", tmp_path / "response.conll"]
    (document,) = formats.read(paths[0])
    assert isinstance(document, coindex.Document)
    formats.write(paths[1], [resolver.resolve(document)], "conll2012")
    key, response = (path.read_text(encoding="utf-8") for path in paths)
    for options in ({}, {"metrics": "all"}, {"zeros": "drop"}, {"singletons": "drop"}):
        main(["score", *map(str, paths), "--json",
              *(part for name, value in options.items() for part in (f"--{name}", value))])  # fmt: skip
        expected = json.loads(capsys.readouterr().out)
        found = ask(client, {"key": key, "response": response, **options}, "/v1/score")
        assert found["signature"] == expected["signature"]
        assert 20 < expected["systems"][0]["scores"]["b3"]["f1"] < 100
        assert found["systems"][0]["scores"] == expected["systems"][0]["scores"]


def test_scores_per_document_and_notes(client: Any) -> None:
    key = (EXAMPLES / "letter.conll").read_text(encoding="utf-8")
    found = ask(client, {"key": key, "response": key, "per_document": True}, "/v1/score")
    (system,) = found["systems"]
    assert system["documents"][0]["scores"]["conll"]["f1"] == 100.0
    assert found["notes"] == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"key": "a"}, "body: expected response, found none"),
        ({"key": "", "response": "a"}, "key: expected a corpus, found an empty file"),
        (
            {"key": "a b", "response": "#begin document (x);\nAnn (1\n\n#end document\n"},
            "response:2: '(1' opens",
        ),
        ({"key": "a b", "response": "c", "metrics": "x"}, "unknown metric 'x'"),
        ({"key": "a b", "response": "c", "format": "gap"}, "body.format: expected one of"),
        (
            {"key": KEY, "response": KEY, "match": "head"},
            "d: heads need a key with parse trees",
        ),
    ],
)
def test_errors_of_scoring(client: Any, body: Any, message: str) -> None:
    response = client.post("/v1/score", json=body)
    assert response.status_code == 422, response.text
    assert response.json()["error"]["message"].startswith(message)
    assert "--" not in response.json()["error"]["message"]


def test_health_and_metrics(client: Any) -> None:
    assert client.get("/health").json()["status"] == "ok"
    ask(client, {"text": TEXT})
    text = client.get("/metrics").text
    assert 'coindex_requests_total{path="/v1/resolve",status="200"}' in text
    assert "# TYPE coindex_request_seconds histogram" in text
    assert "coindex_requests_running 0.0" in text


def test_security_headers_are_on_every_response(client: Any) -> None:
    for path in ("/", "/health", "/v1/nothing", "/docs", "/static/playground.js", "/openapi.json"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert len(headers["x-request-id"]) == 32
        assert "access-control-allow-origin" not in headers


def test_a_request_id_is_taken_over_unless_it_is_odd(client: Any) -> None:
    taken = client.get("/health", headers={"x-request-id": "abc-1"}).headers["x-request-id"]
    assert taken == "abc-1"
    odd = client.get("/health", headers={"x-request-id": "a b"}).headers["x-request-id"]
    assert odd != "a b"
