"""Files in the formats of annotation tools and corpora, as their programs write them."""

from __future__ import annotations

SEMEVAL = "\n".join(
    ["#begin document 7_news"]
    + ["\t".join(row.split()) for row in [
        "1 Ann _ Ann NNP _ _ _ 2 _ SBJ _ (PER) _ _ _ _ (1)",
        "2 fed _ feed VBD _ _ _ 0 _ ROOT _ _ _ fed.01 _ V _",
        "3 her _ she PRP$ _ _ _ 4 _ NMOD _ _ _ _ _ _ (2|(1)",
        "4 dog _ dog NN _ _ _ 2 _ OBJ _ _ _ _ _ A1 2)",
    ]]
    + ["", "1\tIt\t_\tit\tPRP\t_\t_\t_\t0\t_\tROOT\t_\t_\t_\t_\t_\t(2)"]
    + ["#end document 7_news"]
)  # fmt: skip

WEBANNO = """\
#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value
#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceRelation|referenceType
#T_CH=webanno.custom.PlaceLink|referenceRelation|referenceType


#Text=😀 Ann O\\_Neil said
#Text=she left Rome\\.
1-1\t0-2\t😀\t_\t_\t_\t_\t_\t_
1-2\t3-6\tAnn\t*[1]\tPER[1]\tcoref->1-1\tname[1]\t_\t_
1-3\t7-13\tO\\_Neil\t*[1]\tPER[1]\tcoref->1-1|coref->2-1\tname[1]|kin[2]\t_\t_
1-4\t14-18\tsaid\t_\t_\t_\t_\t_\t_
1-5\t19-22\tshe\t_\t_\t*->1-2\tpron[1]\t_\t_
1-6\t23-27\tleft\t_\t_\t_\t_\t_\t_
1-7\t28-33\tRome.\t_\t_\t_\t_\t_\t_
1-7.1\t28-32\tRome\t_\t_\t_\t_\t*->1-1\t*[1]

#Text=Hers
2-1\t35-39\tHers\t_\t_\t*->2-2\t*[2]\t_\t_
"""

RELATIONS = """\
#FORMAT=WebAnno TSV 3.2
#T_SP=webanno.custom.Referent|entity|infstat
#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent


#Text=The old dog saw Ann
1-1\t0-3\tThe\tanimal[1]\tnew[1]\t_\t_
1-2\t4-7\told\tanimal[1]\tnew[1]\t_\t_
1-3\t8-11\tdog\tanimal[1]\tnew[1]\t_\t_
1-4\t12-15\tsaw\t_\t_\t_\t_
1-5\t16-19\tAnn\tperson\tnew\tbridge\t1-1[1_0]

#Text=Her bark
2-1\t20-23\tHer\tanimal[2]|person[3]\tgiv[2]|giv[3]\tana|ana\t1-1[1_2]|1-5[0_3]
2-2\t24-28\tbark\tanimal[2]\tgiv[2]\t_\t_
"""

ECB = """\
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<Document doc_id="x" doc_name="7_1ecbplus.xml">
<token number="0" sentence="0" t_id="1">Ann</token>
<token number="1" sentence="0" t_id="2">gave</token>
<token number="2" sentence="0" t_id="3">it</token>
<token number="3" sentence="0" t_id="4">up</token>
<token number="0" sentence="1" t_id="5">She</token>
<Markables>
<HUMAN_PART_PER m_id="11"><token_anchor t_id="1"/></HUMAN_PART_PER>
<HUMAN_PART_PER m_id="12"><token_anchor t_id="5"/></HUMAN_PART_PER>
<ACTION_OCCURRENCE m_id="13"><token_anchor t_id="2"/><token_anchor t_id="4"/></ACTION_OCCURRENCE>
<NON_HUMAN_PART m_id="14"><token_anchor t_id="3"/></NON_HUMAN_PART>
<HUMAN_PART_PER m_id="21" RELATED_TO="" TAG_DESCRIPTOR="t7_ann" instance_id="HUM7"/>
<ACTION_OCCURRENCE m_id="22" RELATED_TO="" TAG_DESCRIPTOR="t7_quit" />
</Markables>
<Relations>
<CROSS_DOC_COREF r_id="1" note="HUM7"><source m_id="11"/><source m_id="12"/><target m_id="21"/></CROSS_DOC_COREF>
<INTRA_DOC_COREF r_id="2"><source m_id="13"/><target m_id="22"/></INTRA_DOC_COREF>
</Relations>
</Document>
"""

KNOWTATOR = """\
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<knowtator-project>
  <document id="d" text-file="d.txt">
    <annotation annotator="Default" id="c1" type="identity">
      <class id="IDENTITY chain" label="IDENTITY chain"/>
      <span end="3" id="s1" start="0">Mia</span>
    </annotation>
    <annotation annotator="Default" id="m1" type="identity">
      <class id="Noun Phrase" label="Noun Phrase"/>
      <span end="3" id="s2" start="0">Mia</span>
    </annotation>
    <annotation annotator="Default" id="m2" type="identity">
      <class id="Noun Phrase" label="Noun Phrase"/>
      <span end="7" id="s3" start="4">saw</span>
      <span end="16" id="s4" start="12">mice</span>
    </annotation>
    <annotation annotator="Default" id="m3" type="identity">
      <class id="Pronoun" label="Pronoun"/>
      <span end="21" id="s5" start="18">She</span>
    </annotation>
    <annotation annotator="Default" id="a1" type="identity">
      <class id="APPOS relation" label="APPOS relation"/>
      <span end="16" id="s6" start="0">Mia saw two mice</span>
    </annotation>
    <graph-space id="Old Knowtator Relations">
      <vertex annotation="c1" id="v1"/>
      <vertex annotation="m1" id="v2"/>
      <vertex annotation="m3" id="v3"/>
      <vertex annotation="a1" id="v4"/>
      <triple annotator="Default" id="t1" object="v2" property="Coreferring strings" subject="v1"/>
      <triple annotator="Default" id="t2" object="v3" property="Coreferring strings" subject="v1"/>
      <triple annotator="Default" id="t3" object="v2" property="APPOS Head" subject="v4"/>
    </graph-space>
  </document>
</knowtator-project>
"""

XMI = """\
<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
  <cas:NULL xmi:id="0"/>
  <custom:PlaceLink xmi:id="3" sofa="9" begin="11" end="16" referenceRelation="x"/>
  <custom:PlaceLink xmi:id="2" sofa="9" begin="0" end="4" next="3"/>
  <custom:PlaceChain xmi:id="4" sofa="9" first="2"/>
  <custom:PlaceLink xmi:id="5" sofa="9" begin="5" end="7"/>
  <custom:PlaceLink xmi:id="6" sofa="8" begin="0" end="1"/>
  <cas:Sofa xmi:id="8" sofaNum="2" sofaID="other"/>
  <cas:Sofa xmi:id="9" sofaNum="1" sofaID="_InitialView" sofaString="Rome is the city."/>
</xmi:XMI>
"""

HEADLESS = """\
d\t0\t0\tAnn\t(1)
d\t0\t1\tran\t(2)| (3)

d\t1\t0\tShe\t(1)
#begin document my file
x\t(1)
#end document
stray
"""

MARKABLES = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE markables SYSTEM "markables.dtd">
<markables xmlns="www.eml.org/NameSpaces/coref">
<markable id="markable_1" span="word_1" coref_class="set_3" np_form="ne" mmax_level="coref"/>
<markable id="markable_2" span="word_2,word_4" coref_class="empty" mmax_level="coref"/>
<markable id="markable_3" span="word_6" coref_class="set_3" type="pron"/>
<markable id="markable_4" span="word_3"/>
<markable id="markable_5" span="word_7..word_8" ref="markable_4" type="ident"/>
<markable id="markable_6" span="word_8" ref="markable_4" type="bridge"/>
</markables>
"""

WORDS = "".join(
    [
        '<?xml version="1.0"?>\n<!DOCTYPE words SYSTEM "words.dtd">\n<words>\n',
        *(
            f'<word id="word_{number}">{word}</word>\n'
            for number, word in enumerate(
                ["Ann", "gave", "it", "up", ".", "She", "saw", "that", "."], 1
            )
        ),
        "</words>\n",
    ]
)

SAMPLES = {
    "semeval2010": [(SEMEVAL, "")],
    "webanno-tsv": [(WEBANNO, ""), (RELATIONS, "")],
    "ecbplus": [(ECB, "")],
    "xmi": [(XMI, "")],
    "mmax2": [(MARKABLES, WORDS)],
    "knowtator2": [(KNOWTATOR, "Mia saw two mice. She ran.\n")],
    "conll2012": [(HEADLESS, "")],
}
"""By format: the file, and the other one of a format of two files."""
