"""Broken files: each is answered by one line that names the file, the line and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import tool_samples
from coindex import FormatError, formats

B = "#begin document (d); part 000\n"
E = "#end document\n"
ROW = "1\tAnn\tAnn\tPROPN\tNNP\t_\t0\troot\t_\t{}\n"
DOC = '{{"coindex":"document","version":1,"id":"d","text":"Ann","tokens":["Ann"],"starts":[0],"ends":[3],"sentences":[0]{}}}\n'

SEMEVAL = "1\tAnn" + "\t_" * 14
TSV = "#FORMAT=WebAnno TSV 3.3\n#T_CH=x.Link|referenceType|referenceRelation\n\n#Text=Ann ran\n"
XMI = '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="c" xmlns:t="t">\n<cas:Sofa xmi:id="1" sofaString="Ann ran."/>\n{}</xmi:XMI>\n'
ECB = (
    '<Document doc_name="d">\n<token t_id="1" sentence="0" number="0">Ann</token>\n{}</Document>\n'
)
MARK = "<markables>\n{}</markables>\n"
KNOW = '<knowtator-project><document id="d" text-file="d.txt">\n{}</document></knowtator-project>\n'
NP = '<annotation id="{}"><class id="Noun Phrase"/><span start="0" end="{}"/></annotation>\n'

TOOLS: list[tuple[str, str, str, int | None, str]] = [
    ("semeval-narrow", "semeval2010", "#begin document d\n1\tAnn\t_\n#end document d\n", 2, "expected 13 columns or more by tabs"),
    ("semeval-open", "semeval2010", f"#begin document d\n{SEMEVAL}\t(1\n#end document d\n", 2, "'(1' opens entity 1, which is never closed"),
    ("semeval-head", "semeval2010", "#begin document d\n" + SEMEVAL.replace("\t_" * 14, "\t_" * 6 + "\t7" + "\t_" * 7) + "\t_\n#end document d\n", 2, "expected a head within the sentence, found '7'"),
    ("semeval-end", "semeval2010", f"#begin document d\n{SEMEVAL}\t_\n", 1, "document 'd' has no '#end document'"),
    ("tsv-row", "webanno-tsv", TSV + "1-1\tAnn\n", 5, "expected SENTENCE-TOKEN, BEGIN-END and a word by tabs"),
    ("tsv-offset", "webanno-tsv", TSV + "1-1\t0-99\tAnn\t_\t_\n", 5, "expected start < end within the sentence's text, found 0-99"),
    ("tsv-link", "webanno-tsv", TSV + "1-1\t0-3\tAnn\tx[1]\tcoref\n", 5, "expected RELATION->CHAIN-LINK"),
    ("tsv-chain", "webanno-tsv", TSV.replace("|referenceType", ""), 2, "expected referenceType and referenceRelation in a chain layer"),
    ("tsv-back", "webanno-tsv", TSV + "1-1\t0-3\tAnn\t_\t_\n\n#Text=She\n2-1\t2-5\tShe\t_\t_\n", 8, "expected a sentence from 7 on, found one at 2"),
    ("xmi-no-text", "xmi", '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI"/>\n', 1, "expected an XMI file with a text (sofaString)"),
    ("xmi-outside", "xmi", XMI.format('<t:Token xmi:id="2" sofa="1" begin="0" end="99"/>\n'), 3, "expected begin and end within the text of 8 characters, found '0' and '99'"),
    ("xmi-loop", "xmi", XMI.format('<t:CLink xmi:id="3" sofa="1" begin="0" end="3" next="3"/>\n<t:CChain sofa="1" first="3"/>\n'), 3, "expected a chain of links that ends, found '3' next"),
    ("xmi-nowhere", "xmi", XMI.format('<t:CChain sofa="1" first="5"/>\n'), 3, "found '5' next"),
    ("xmi-entity", "xmi", '<!DOCTYPE x [\n<!ENTITY a "b">]>\n' + XMI.format(""), 1, "expected no declarations in the document type"),
    ("xmi-open", "xmi", XMI.format("<t:Token>"), 3, "expected well-formed XML: mismatched tag"),
    ("ecb-token", "ecbplus", ECB.format('<token t_id="1">she</token>\n'), 3, "expected a token with a word and a t_id of its own"),
    ("ecb-anchor", "ecbplus", ECB.format('<Markables><H m_id="1"><token_anchor t_id="9"/></H></Markables>\n'), 3, "expected the t_id of a token, found '9'"),
    ("ecb-source", "ecbplus", ECB.format('<Relations><INTRA_DOC_COREF r_id="1">\n<source m_id="5"/></INTRA_DOC_COREF></Relations>\n'), 4, "expected the m_id of a markable, found '5'"),
    ("ecb-root", "ecbplus", "<documents/>\n", 1, "expected <Document>, found <documents>"),
    ("mmax-span", "mmax2", MARK.format('<markable id="markable_1" span="word_1..word_9"/>\n'), 2, "expected a span of words such as 'word_1..word_3', found 'word_1..word_9'"),
    ("mmax-twice", "mmax2", MARK.format('<markable id="m" span="word_1"/>\n<markable id="m" span="word_2"/>\n'), 3, "expected an id of its own, found 'm'"),
    ("mmax-pointer", "mmax2", MARK.format('<markable id="m" span="word_1" ref="markable_8"/>\n'), 2, "expected the id of a markable, found 'markable_8'"),
    ("know-span", "knowtator2", KNOW.format(NP.format("m", 99)), 2, "within the text's 10 characters, found 0 99"),
    ("know-twice", "knowtator2", KNOW.format(NP.format("m", 3) * 2), 3, "expected an id of its own, found 'm'"),
    ("know-vertex", "knowtator2", KNOW.format('<graph-space>\n<triple property="Coreferring strings" subject="a" object="b"/></graph-space>'), 3, "expected the ids of vertices, found 'a' and 'b'"),
    ("know-two", "knowtator2", KNOW.format("<document/>"), 1, "expected a project with one <document>"),
]  # fmt: skip

NAMES = {"brat": "broken.ann", "mmax2": "broken_coref_level.xml", "knowtator2": "broken.xml"}
WORDS = '<words>\n<word id="word_1">Ann</word><word id="word_2">ran</word>\n</words>\n'

CASES: list[tuple[str, str, str, int | None, str]] = [
    # name of the case, format, content, line, a piece of the message
    ("closes-nothing", "conll2012", f"{B}d\t0\t0\tAnn\t1)\n{E}", 2, "')' closes entity 1, which is not open"),
    ("never-closed", "conll2012", f"{B}d\t0\t0\tAnn\t(1\nd\t0\t1\tran\t-\n{E}", 2, "'(1' opens entity 1, which is never closed"),
    ("never-closed-inner", "conll2012", f"{B}d\t0\t0\ta\t(1\nd\t0\t1\tb\t(1\nd\t0\t2\tc\t1)\n{E}", 2, "never closed"),
    ("bare-number", "conll2012", f"{B}d\t0\t0\tAnn\t7\n{E}", 2, "expected brackets such as '(1'"),
    ("double-open", "conll2012", f"{B}d\t0\t0\tAnn\t((1)\n{E}", 2, "found '((1)'"),
    ("trailing-bar", "conll2012", f"{B}d\t0\t0\tAnn\t(1)|\n{E}", 2, "found '(1)|'"),
    ("no-end", "conll2012", f"{B}d\t0\t0\tAnn\t-\n", 1, "document 'd' has no '#end document'"),
    ("begin-in-begin", "conll2012", f"{B}d\t0\t0\tAnn\t-\n{B}{E}", 3, "(line 1) has no '#end document'"),
    ("no-begin", "conll2012", f"stray words\n{E}", 1, "expected '#begin document', found 'stray words'"),
    ("no-begin-rows", "conll2012", "d\t0\t0\tAnn\t-\nd\t0\tran\n", 2, "expected 5 columns, found 3"),
    ("bad-part", "conll2012", f"#begin document (d); part x\n{E}", 1, "expected '(NAME); part N'"),
    ("one-column", "conll2012", f"{B}Ann\n{E}", 2, "expected two columns or more, found 1: 'Ann'"),
    ("empty-word", "conll2012", f"{B}d\t0\t0\t\tNN\t*\t-\t-\t-\t-\t*\t-\n{E}", 2, "expected a word, found an empty column"),
    ("nine-columns", "corefud", "1\tAnn\t_\t_\t_\t_\t_\t_\t_\n", 1, "expected 10 columns by tabs, found 9"),
    ("token-number", "corefud", ROW.format("_").replace("1\t", "x\t", 1), 1, "expected a token number, found 'x'"),
    ("token-jump", "corefud", ROW.format("_") + ROW.format("_").replace("1\t", "3\t", 1), 2, "expected token 2, found 3"),
    ("empty-node-jump", "corefud", ROW.format("_") + ROW.format("_").replace("1\t", "1.2\t", 1), 2, "expected token 1.1, found 1.2"),
    ("comments-only", "corefud", "# newdoc id = d\n\n", 1, "expected tokens after the comments, found none"),
    ("range-alone", "corefud", ROW.format("_") + "2-3\tdon't" + "\t_" * 8 + "\n", 2, "expected words after their range"),
    ("entity-closes", "corefud", ROW.format("Entity=e1)"), 1, "')' closes entity e1, which is not open"),
    ("entity-open", "corefud", ROW.format("Entity=(e1-x"), 1, "'(e1' opens entity e1, which is never closed"),
    ("entity-garbage", "corefud", ROW.format("Entity=e1"), 1, "expected brackets such as '(e1-person-1-'"),
    ("entity-empty", "corefud", ROW.format("Entity="), 1, "found ''"),
    ("piece-missing", "corefud", ROW.format("Entity=(e1[2/2])"), 1, "expected piece 1 of 2 of entity e1"),
    ("piece-alone", "corefud", ROW.format("Entity=(e1[1/2])"), 1, "never closed"),
    ("head-outside", "corefud", ROW.format("_").replace("\t0\t", "\t9\t"), 1, "expected a head within the sentence, found '9'"),
    ("empty-form", "corefud", ROW.format("_").replace("Ann", "", 1), 1, "expected a word, found an empty column"),
    ("not-json", "jsonlines", '{"doc_key": "d", "sentences": [["a"]\n', 1, "bad JSON"),
    ("first-not-json", "jsonlines", '{"doc_key": "d", "sentences": [["a"]\n{"doc_key":"e","sentences":[["a"]]}\n', 1, "bad JSON"),
    ("json-list", "jsonlines", '{"doc_key":"d","sentences":[["a"]]}\n[1]\n', 2, "expected a JSON object, found [1]"),
    ("cluster-outside", "jsonlines", '{"doc_key":"d","sentences":[["a"]],"clusters":[[[0,1]]]}\n', 1, "expected [first, last] within 1 tokens, found [0, 1]"),
    ("cluster-flat", "jsonlines", '{"doc_key":"d","sentences":[["a"]],"clusters":[[0,0]]}\n', 1, "'clusters': expected a list of whole numbers"),
    ("cluster-words", "jsonlines", '{"doc_key":"d","sentences":[["a"]],"clusters":[[["a","b"]]]}\n', 1, "expected a list of whole numbers"),
    ("sentence-text", "jsonlines", '{"doc_key":"d","sentences":["a b"]}\n', 1, "'sentences': expected a list of strings"),
    ("speakers-short", "jsonlines", '{"doc_key":"d","sentences":[["a","b"]],"speakers":[["A"]]}\n', 1, "expected 2 names, one per token"),
    ("empty-token", "jsonlines", '{"doc_key":"d","sentences":[["a",""]]}\n', 1, "token 1 is empty"),
    ("offsets-fall", "document-jsonl", DOC.replace('"starts":[0]', '"starts":[2]').replace('"ends":[3]', '"ends":[1]').format(""), 1, "token offsets must rise"),
    ("unknown-field", "document-jsonl", DOC.format(',"colour":"red"'), 1, "unknown field 'colour'"),
    ("ua-columns", "conllua", "# global.columns = ID WORD\n1\tAnn\n", 1, "expected columns ID FORM ... IDENTITY"),
    ("ua-number", "conllua", "x\tAnn\n", 1, "expected a token number, found 'x'"),
    ("ua-one-column", "conllua", "1\n", 1, "expected a token number and a word, found '1'"),
    ("ua-empty-word", "conllua", "1\t\t_\n", 1, "expected a word, found an empty column"),
    ("ua-closes", "conllua", "1\tAnn" + "\t_" * 8 + "\t)\n", 1, "closes a markable that is not open"),
    ("newer-version", "document-jsonl", DOC.replace('"version":1', '"version":2').format(""), 1, "'version': expected 1, found 2"),
    ("span-outside", "document-jsonl", DOC.format(',"entities":[{{"mentions":[{{"spans":[[0,2]]}}]}}]').replace("{{", "{").replace("}}", "}"), 1, "a mention ends at token 2 of 1"),
    ("no-mentions", "document-jsonl", DOC.format(',"entities":[{"mentions":[]}]'), 1, "an entity needs at least one mention"),
    ("missing-text", "document-jsonl", '{"coindex":"document","version":1,"id":"d"}\n', 1, "'text': expected a string, found null"),
    ("short-column", "document-jsonl", DOC.format(',"pos":[]'), 1, "pos has 0 values for 1 tokens"),
    ("mark-garbage", "brat", "T1\tperson\n", 1, "expected 'Label start end<TAB>text'"),
    ("mark-outside", "brat", "T1\tperson 0 99\tAnn\n", 1, "within the text's 10 characters, found 0 99"),
    ("mark-empty", "brat", "T1\tperson 3 3\t\n", 1, "expected start < end"),
    ("mark-twice", "brat", "T1\tperson 0 3\tAnn\nT1\tperson 4 7\tran\n", 2, "T1 is marked twice, first on line 1"),
    ("mark-other-words", "brat", "T1\tperson 0 3\tBob\n", 1, "expected 'Bob' at 0 3, found 'Ann'"),
    ("relation-to-nothing", "brat", "T1\tperson 0 3\tAnn\nR1\tcoref Arg1:T1 Arg2:T9\n", 2, "expected a mention that is marked, found 'T9'"),
    ("relation-of-one", "brat", "T1\tperson 0 3\tAnn\nR1\tcoref Arg1:T1\n", 2, "expected 'Arg1:T1 Arg2:T2'"),
    ("group-of-nothing", "brat", "*\tCoref T1 T2\n", 1, "found 'T1'"),
    *TOOLS,
    ("no-standoff", "brat", "Ann is a person\n", 1, "expected a line such as 'T1<TAB>…'"),
    ("mark-white-space", "brat", "T1\tperson 3 4\t \n", 1, "expected T1 to begin and end with a word"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("format", "content", "line", "piece"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_a_broken_file_is_explained(
    tmp_path: Path, format: str, content: str, line: int | None, piece: str
) -> None:
    path = tmp_path / NAMES.get(format, "broken")
    path.write_text(content, encoding="utf-8")
    (tmp_path / "broken_words.xml").write_text(WORDS, encoding="utf-8")
    (tmp_path / "broken.txt").write_text("Ann ran.\n\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(formats.read(path, format))
    message = str(caught.value)
    assert piece in message
    assert message.startswith(f"{path}:{line}: ")
    assert "\n" not in message


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 40
    explained = {case[1] for case in CASES} | {case[0] for case in tool_samples.BROKEN}
    assert explained == set(formats.names("document")) - {"text"}


@pytest.mark.parametrize("content", ["", "\n\n", "  \n"])
@pytest.mark.parametrize("format", [None, *formats.names("document")])
def test_an_empty_file_is_refused(tmp_path: Path, content: str, format: str | None) -> None:
    if format and formats.is_two_file(format):
        return  # a text without marks is a document without mentions, or the other file is missing
    path = tmp_path / "nothing.x"
    path.write_text(content)
    with pytest.raises(FormatError, match="found an empty file"):
        list(formats.read(path, format))
