"""Who speaks in plain texts: turns expected by hand, and properties over odd texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.text.speakers import Turn, find_turns
from coindex.text.speakers.labels import canonical_labels, clean_label
from strategies import odd_texts

Row = tuple[str, str, str]


def rows(text: str, **options: bool) -> list[Row]:
    """Speaker, addressee and words of each turn, with single spaces."""
    return [
        (turn.speaker, turn.addressee, " ".join(turn.chars.of(text).split()))
        for turn in find_turns(text, **options)
    ]


def kinds(text: str) -> list[str]:
    return [turn.kind for turn in find_turns(text)]


DIALOGUES: list[tuple[str, list[Row]]] = [
    (
        "Ann: Hi, I'm late.\nBen: No, you're not.\nANN (laughing): I thought so.\n",
        [
            ("Ann", "Ben", "Hi, I'm late."),
            ("Ben", "Ann", "No, you're not."),
            ("Ann", "Ben", "I thought so."),
        ],
    ),
    (  # several speakers: vocatives and the order of turns
        "Ann: Ben, could you open the window?\nBen: I can't reach it.\nCarl: I will.\nAnn: Thanks, Carl.\n",
        [
            ("Ann", "Ben", "Ben, could you open the window?"),
            ("Ben", "", "I can't reach it."),
            ("Carl", "", "I will."),
            ("Ann", "Carl", "Thanks, Carl."),
        ],
    ),
    (  # the same speaker before and after
        "Mia: Who took my pen?\nLeo: I did.\nMia: Give it back.\nOmar: You two are loud.\n",
        [
            ("Mia", "", "Who took my pen?"),
            ("Leo", "Mia", "I did."),
            ("Mia", "", "Give it back."),
            ("Omar", "", "You two are loud."),
        ],
    ),
    (
        "[12:03] ann: are you there?\n[12:04] ben_92: yes, I am\n[12:05] ann: ok\n",
        [
            ("ann", "ben_92", "are you there?"),
            ("ben_92", "ann", "yes, I am"),
            ("ann", "ben_92", "ok"),
        ],
    ),
    (
        "12:03 <zed> anyone up?\n12:04 * kit waves\n12:04 <@kit> zed: I am\n",
        [("zed", "kit", "anyone up?"), ("kit", "zed", "zed: I am")],
    ),
    (
        "<mod> welcome, what's your question?\n<guest17> I lost my password\n<mod> I can reset it\n",
        [
            ("mod", "guest17", "welcome, what's your question?"),
            ("guest17", "mod", "I lost my password"),
            ("mod", "guest17", "I can reset it"),
        ],
    ),
    (
        "Priya (12:03 PM): did you see my mail?\nSam (12:04 PM): Not yet, I'm in a meeting.\n",
        [
            ("Priya", "Sam", "did you see my mail?"),
            ("Sam", "Priya", "Not yet, I'm in a meeting."),
        ],
    ),
    (
        "12/03/2024, 18:20 - Maya: Where are you?\n12/03/2024, 18:21 - Dad: I'm parking.\n",
        [("Maya", "Dad", "Where are you?"), ("Dad", "Maya", "I'm parking.")],
    ),
    (
        "Nora Quinn  9:02 AM\nI pushed my branch.\n\nLuis Ortega  9:05 AM\nThanks, I'll review it.\nYou forgot a test.\n",
        [
            ("Nora Quinn", "Luis Ortega", "I pushed my branch."),
            ("Luis Ortega", "Nora Quinn", "Thanks, I'll review it. You forgot a test."),
        ],
    ),
    (
        "Q: What is your name?\nA: My name is Ann Lee.\nQ: Where do you live?\nA: In Leeds.\n",
        [
            ("Q", "A", "What is your name?"),
            ("A", "Q", "My name is Ann Lee."),
            ("Q", "A", "Where do you live?"),
            ("A", "Q", "In Leeds."),
        ],
    ),
    (
        "Q. Were you in the house?\nA. I was.\n",
        [("Q", "A", "Were you in the house?"), ("A", "Q", "I was.")],
    ),
    (
        "INT. KITCHEN - DAY\n\nANN\nI can't find my keys.\n\nBEN (O.S.)\n(shouting)\nDid you look in the car?\n\n"
        "Ann leaves the room.\n\nANN (CONT'D)\nI did.\n\nCUT TO:\n",
        [
            ("Ann", "Ben", "I can't find my keys."),
            ("Ben", "Ann", "(shouting) Did you look in the car?"),
            ("Ann", "Ben", "I did."),
        ],
    ),
    (
        "ROSA. I have lost my ring.\n\nPETER. Then you must look for it.\n\n[They search.]\n\nROSA. I see it!\n",
        [
            ("Rosa", "Peter", "I have lost my ring."),
            ("Peter", "Rosa", "Then you must look for it."),
            ("Rosa", "Peter", "I see it!"),
        ],
    ),
    (
        "1\n00:00:01,000 --> 00:00:03,000\nMARA: Are you hurt?\n\n2\n00:00:04,000 --> 00:00:06,000\nJOSH: I'm fine.\n",
        [("Mara", "Josh", "Are you hurt?"), ("Josh", "Mara", "I'm fine.")],
    ),
    (
        "- Where are you?\n- I'm at home.\n- Can I come?\n",
        [
            ("Speaker 1", "Speaker 2", "Where are you?"),
            ("Speaker 2", "Speaker 1", "I'm at home."),
            ("Speaker 1", "Speaker 2", "Can I come?"),
        ],
    ),
    (
        "Interviewer: Why did you leave?\n\nDr. Okafor: I was tired.\n\nMy team was too small.\n\nInterviewer: I see.\n",
        [
            ("Interviewer", "Dr. Okafor", "Why did you leave?"),
            ("Dr. Okafor", "Interviewer", "I was tired. My team was too small."),
            ("Interviewer", "Dr. Okafor", "I see."),
        ],
    ),
    (
        "**Host:** Welcome! How are you?\n**Guest:** I'm well, thank you.\n",
        [("Host", "Guest", "Welcome! How are you?"), ("Guest", "Host", "I'm well, thank you.")],
    ),
    (  # a label on its own line, and narration after the dialogue
        "Judge:\nDo you understand?\n\nWitness:\nI do.\n\nThe court rose at noon.\n",
        [("Judge", "Witness", "Do you understand?"), ("Witness", "Judge", "I do.")],
    ),
    (  # an addressee in brackets
        "Ada: I'm leaving.\nBob: (to Cleo) Did you hear that?\nCleo: I did.\n",
        [
            ("Ada", "", "I'm leaving."),
            ("Bob", "Cleo", "(to Cleo) Did you hear that?"),
            ("Cleo", "", "I did."),
        ],
    ),
    ("Ann: I lost my keys.", [("Ann", "", "I lost my keys.")]),
    (
        "DR. VOSS (O.S.)\nWhere are you?\n\nNURSE ADE\nI'm here.\n\nDR. VOSS appears at the door.\n\n"
        "DR. VOSS (CONT'D)\nThank you.\n",
        [
            ("Dr. Voss", "Nurse Ade", "Where are you?"),
            ("Nurse Ade", "Dr. Voss", "I'm here."),
            ("Dr. Voss", "Nurse Ade", "Thank you."),
        ],
    ),
    (
        ">> Senator, will you sign it?\n\n>> I will.\n\n>> When?\n",
        [
            ("Speaker 1", "Speaker 2", "Senator, will you sign it?"),
            ("Speaker 2", "Speaker 1", "I will."),
            ("Speaker 1", "Speaker 2", "When?"),
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), DIALOGUES)
def test_dialogues(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


QUOTATIONS: list[tuple[str, list[Row]]] = [
    (
        '"I\'m late," said Ann.\n\n"You are not," Ben replied.\n\n"I thought I was."\n\n"You always do."\n',
        [
            ("Ann", "Ben", "I'm late,"),
            ("Ben", "Ann", "You are not,"),
            ("Ann", "Ben", "I thought I was."),
            ("Ben", "Ann", "You always do."),
        ],
    ),
    (
        "“I will go,” Ann told Ben, “if you pay.” He nodded.",
        [("Ann", "Ben", "I will go,"), ("Ann", "Ben", "if you pay.")],
    ),
    (
        "‘I don’t know,’ Mr. Darcy said. ‘It’s the boys’ game.’",
        [("Mr. Darcy", "", "I don’t know,"), ("Mr. Darcy", "", "It’s the boys’ game.")],
    ),
    (
        'Clara put down the cup. "I\'m tired," she said. "Let me sleep."',
        [("Clara", "", "I'm tired,"), ("Clara", "", "Let me sleep.")],
    ),
    (
        'Then the old man turned to Ruth and said: "I knew your father."',
        [("the old man", "", "I knew your father.")],
    ),
    (
        "“My mother said, ‘I am proud of you,’ and left,” said Tom.",
        [
            ("Tom", "", "My mother said, ‘I am proud of you,’ and left,"),
            ("my mother", "", "I am proud of you,"),
        ],
    ),
    (
        "“I was born at sea,” said the captain.\n\n“My first voyage was long.\n\n“My second was longer.”\n",
        [
            ("the captain", "", "I was born at sea,"),
            ("", "", "My first voyage was long."),
            ("", "", "My second was longer."),
        ],
    ),
    (
        '"I lost my keys," I said. "Did you see them?"\n\n"No," said Ben, "I did not."\n',
        [
            (
                "narrator", "",
                '"I lost my keys," I said. "Did you see them?" "No," said Ben, "I did not."',
            ),
            ("narrator", "Ben", "I lost my keys,"),
            ("narrator", "Ben", "Did you see them?"),
            ("Ben", "narrator", "No,"),
            ("Ben", "narrator", "I did not."),
        ],
    ),
    (
        'The so-called "best" film, "I Want You Back", won. Tom Hill, the mayor, said: "I loved it."',
        [("Tom Hill", "", "I loved it.")],
    ),
    (
        'The minister resigned. "I have lost my trust," according to Ana Ruiz, "in this party."',
        [("Ana Ruiz", "", "I have lost my trust,"), ("Ana Ruiz", "", "in this party.")],
    ),
    ('Somebody shouted. "Where are you?"', [("", "", "Where are you?")]),
    (
        '"Are you ready?" asked Ann. "Yes, I am." They left.',
        [("Ann", "", "Are you ready?"), ("", "", "Yes, I am.")],
    ),
    (
        "``I can 't stay,'' whispered Joan.",
        [("Joan", "", "I can 't stay,")],
    ),
    (
        "“I saw it!” cried Zoe’s brother François. “My eyes are good,” Ann’s neighbour added.",
        [("François", "", "I saw it!"), ("Ann’s neighbour", "", "My eyes are good,")],
    ),
    (
        'Paulo lifted the pot. "Where do you want it?"\n\n"Put it here," said the old man.\n',
        [
            ("Paulo", "the old man", "Where do you want it?"),
            ("the old man", "Paulo", "Put it here,"),
        ],
    ),
    (
        '"Thanks, Ben," said Ann. "You saved me."',
        [("Ann", "Ben", "Thanks, Ben,"), ("Ann", "", "You saved me.")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), QUOTATIONS)
def test_quotations(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


MAIL = """\
From: Ann Lee <ann@example.org>
To: "Day, Ben" <ben@example.org>
Cc: Carl
Date: Mon, 3 Jan 2022
Subject: Re: Keys

Hi Ben,

I found your keys.

Best,
Ann

On Mon, Jan 3, 2022 at 3:00 PM Ben Day <ben@example.org> wrote:
> Ann, did you see my keys?
>
> On Sun, Jan 2, 2022 at 3:00 PM Ann Lee <ann@example.org>
> wrote:
>> I am home.
> I know.
"""

LETTERS: list[tuple[str, list[Row]]] = [
    (
        MAIL,
        [
            ("Ann Lee", "Ben Day", "Hi Ben, I found your keys."),
            ("Ben Day", "Ann Lee", "Ann, did you see my keys?"),
            ("Ann Lee", "Ben Day", "I am home."),
            ("Ben Day", "Ann Lee", "I know."),
        ],
    ),
    (
        "From: ann.lee@example.org\nTo: ben@example.org; cy@example.org\nSubject: Lunch\n\nI'm hungry.\n"
        "\n-----Original Message-----\nFrom: Ben Day\nSent: Monday\nTo: Ann Lee\nSubject: Lunch\n\nAre you?\n",
        [("Ann Lee", "", "I'm hungry."), ("Ben Day", "Ann Lee", "Are you?")],
    ),
    (
        "See below, this is for you.\n\nBegin forwarded message:\n\n> From: Rosa Diaz <rosa@example.org>\n"
        "> To: Team <team@example.org>\n> Subject: Move\n>\n> I am moving to my new flat.\n",
        [("Rosa Diaz", "Team", "I am moving to my new flat.")],
    ),
    (
        "Dear Clara,\n\nI miss you. My brother sends his love.\n\nYours,\nTom\n\nP.S. I will write again.\n",
        [
            ("Tom", "Clara", "Dear Clara, I miss you. My brother sends his love."),
            ("Tom", "Clara", "P.S. I will write again."),
        ],
    ),
    (
        "Hi Priya,\n\ncould you send me the file?\n\nThanks, Marco\n",
        [("Marco", "Priya", "Hi Priya, could you send me the file?")],
    ),
    (
        "Dear Sir or Madam,\n\nI would like a refund.\n\nYours faithfully,\nMrs. J. Holt\n",
        [("Mrs. J. Holt", "", "Dear Sir or Madam, I would like a refund.")],
    ),
    (
        "Dear colleagues,\n\nI am writing to tell you that Eva left.\n\nSamuel Adomako\nHead of Collections\n",
        [("Samuel Adomako", "", "Dear colleagues, I am writing to tell you that Eva left.")],
    ),
    (
        "From: Dana Holt\nTo: Priya Raman\nSubject: Re: Samples\n\nI sent them.\n\n"
        "> On 3 Mar 2025, Priya Raman wrote:\n> Where are my samples?\n> Yours, Priya\n",
        [
            ("Dana Holt", "Priya Raman", "I sent them."),
            ("Priya Raman", "Dana Holt", "Where are my samples?"),
        ],
    ),
    (
        "On Tue, Bela Novak wrote:\n> Did you read my report?\n\nI did.\n\n> And will you sign it?\n\nYes.\n\nNgozi\n",
        [
            ("Bela Novak", "Ngozi", "Did you read my report?"),
            ("Ngozi", "Bela Novak", "I did."),
            ("Bela Novak", "Ngozi", "And will you sign it?"),
            ("Ngozi", "Bela Novak", "Yes."),
        ],
    ),
    ("Dear Mom,\n\nwe arrived. I love you!\n", [("", "Mom", "Dear Mom, we arrived. I love you!")]),
    (
        "My Week\n\nBy Ann Lee\n\nI was in Leeds. \"I love it,\" said Tom Hill. My brother laughed.\n",
        [
            ("Ann Lee", "", 'I was in Leeds. "I love it," said Tom Hill. My brother laughed.'),
            ("Tom Hill", "", "I love it,"),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), LETTERS)
def test_mails_letters_and_bylines(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


NOTHING = [
    "",
    "Ann lost her keys. She found them in Leeds, and I saw it.",
    "Ingredients: 2 eggs\nSauce: 1 cup of cream\nNote: I like my sauce hot.\n",
    "Name: Ann Lee\nAge: 34\nCity: Leeds\nHobbies: my garden\n",
    "Name: Ann\nAge: 3\nName: Bo\nAge: 4\n",
    "Paris: the capital of France\nLondon: the capital of England\nRome: do you know it?\n",
    "Director: Ann Lee\nProducer: Bo Day\nCast: Cy Hall\n",
    "Ann Lee: director\nBo Day: producer\n",
    "Monday: I rest.\nTuesday: I work.\nMonday: I rest again.\n",
    "[12:03] ERROR: disk full\n[12:04] INFO: retry\n[12:05] ERROR: disk full\n",
    "- milk\n- eggs\n- bread\n",
    "- Call the bank.\n- Buy milk for your mother.\n",
    "INTRODUCTION\nThis is the first part.\n\nMETHODS\nWe measured it.\n",
    "He was called \"the best\" in his 'own' town, 5\" tall, in the '90s.",
    "By the river\n\nThe town is old.",
    "By Ann Lee\n\nThe town is old. Its mayor left.",
    "* Carol: the fence. Take your time.\n* Ben: the dog.\n* Me: dinner. They cook, I eat.\n",
    "Carol: the fence.\nBen: the dog.\nDora: dinner, if you like.\n",
    "Pros: I like it\nCons: you pay\n",
]


@pytest.mark.parametrize("text", NOTHING)
def test_nobody_speaks(text: str) -> None:
    assert find_turns(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Ann: hi\nBen: I am here\n",
        "[12:03] Ann: hi\n[12:04] Ben: I am here\n",
        "From: Ann Lee <ann@x.org>\nTo: Ben Fox <ben@x.org>\nSubject: hi\n\nI am here.\n",
        '"I am here," said Ann.\n',
    ],
)
def test_a_byte_order_mark_shifts_the_turns_and_hides_none(text: str) -> None:
    bare = [(t.speaker, t.addressee, t.chars.start + 1, t.chars.end + 1) for t in find_turns(text)]
    marked = find_turns(f"\ufeff{text}")
    assert bare
    assert [(t.speaker, t.addressee, t.chars.start, t.chars.end) for t in marked] == bare


def test_labels_and_names_are_found_where_they_stand() -> None:
    first = find_turns(MAIL)[0]
    assert first.label is not None
    assert first.label.of(MAIL) == "Ann Lee"
    named = [(chars.of(MAIL), label) for chars, label in first.names]
    assert named == [
        ("Day, Ben", "Ben Day"), ("Carl", "Carl"), ("Ben", "Ben Day"), ("Ann", "Ann Lee"),
    ]  # fmt: skip


def test_kinds() -> None:
    assert kinds("Q: Who are you?\nA: I am Ann.\n") == ["question", "answer"]
    assert kinds("INT. ROOM\n\nANN\nI see you.\n\nBO\nWho?\n") == ["script", "script"]
    assert set(kinds(MAIL)) == {"mail"}
    assert kinds("Dear Ann,\n\nI wrote: “I am well.”\n\nLove,\nBo\n") == ["mail", "quotation"]


def test_the_parts_of_a_divided_quotation_share_a_number() -> None:
    text = '"I am," she said, "tired." Then: "Who are you?" asked Ann.\n\n"I am Bo."\n'
    assert [turn.number for turn in find_turns(text)] == [1, 1, 2, 3] or [
        turn.number for turn in find_turns(text)
    ] == [1, 2, 3, 4]
    simple = '"I am," she said, "tired."\n\n"I am Bo."\n'
    assert [turn.number for turn in find_turns(simple)] == [1, 1, 2]


def test_tokenised_text_has_quotations_with_tags_but_no_paragraphs() -> None:
    text = "“ I am late , ” said Ann .\nMr. Bo replied that she was not .\n“ You are . ”\n"
    found = rows(text, paragraphs=False)
    assert found == [("Ann", "", "I am late ,"), ("", "", "You are .")]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (["ANN", "Ann", "Ann (whispering)", "ANN (CONT'D)"], {"Ann"}),
        (["DR. SMITH"], {"Dr. Smith"}),
        (["JD", "AB"], {"JD", "AB"}),
        (["ANN LEE", "LEE"], {"Ann Lee"}),
        (["Ann Lee", "Bob Lee", "Lee"], {"Ann Lee", "Bob Lee", "Lee"}),
        (["Ann Lee", "Mr. Lee"], {"Ann Lee", "Mr. Lee"}),
        (["Mr. Syme", "Syme"], {"Mr. Syme"}),
    ],
)
def test_one_label_for_each_person(found: list[str], expected: set[str]) -> None:
    assert set(canonical_labels(map(clean_label, found)).values()) == expected


PIECES = st.sampled_from([
    "Ann: ", "Ben: ", "\n", "\n\n", "From: Ann <a@b.c>\n", "To: Ben\n", "Subject: x\n", "> ", ">> ",
    "“", "”", '"', "'", "‘", "’", "``", "''", " said Ann", "she asked", " I", " you", ". ", "? ",
    "Dear Ben,\n", "Yours,\nTom\n", "[12:03] ", "<ann> ", "ANN\n", "BEN (O.S.)\n", "- ", "— ", "Q: ",
    "A: ", "On Mon, 3 Jan 2022, Ann wrote:\n", "By Ann Lee\n", "INT. X\n", "12:03 ", "\r\n", "\x00",
    "Ann Lee", "-- \n", ", Ben.", "Begin forwarded message:\n", "\u2028", "P.S. ", "the old man",
])  # fmt: skip
spoken_texts = odd_texts | st.lists(PIECES | odd_texts.map(lambda t: t[:5]), max_size=40).map(
    "".join
)


def ranges(turn: Turn) -> list[tuple[int, int]]:
    every = [turn.chars, *([turn.label] if turn.label else []), *(chars for chars, _ in turn.names)]
    return [(chars.start, chars.end) for chars in every]


@given(spoken_texts, st.booleans())
def test_ranges_are_valid_in_order_and_never_cross(text: str, paragraphs: bool) -> None:
    turns = find_turns(text, paragraphs)
    assert turns == find_turns(text, paragraphs)
    assert all(end <= len(text) for turn in turns for _, end in ranges(turn))
    starts = [turn.chars.start for turn in turns]
    assert starts == sorted(starts)
    borders = [(turn.chars.start, turn.chars.end) for turn in turns]
    assert not any(a < c < b < d for a, b in borders for c, d in borders)
    assert all(turn.addressee != turn.speaker or not turn.speaker for turn in turns)


@pytest.mark.parametrize(
    "sign",
    ['"', "'", "“", "‘’", "\n", ">", " ", "a:", "Ann:\n", "'a ", "12:03 ", "A ", "“I” said A. ",
     "Dear Ann,\n", "From: a\n", "On a ", "> \n>> \n", "(", "A. "],
)  # fmt: skip
def test_no_pattern_searches_without_end(sign: str) -> None:
    """A quarter of a million odd characters end; a quadratic search would take hours."""
    text = sign * (250_000 // len(sign))
    assert all(0 <= turn.chars.start <= turn.chars.end <= len(text) for turn in find_turns(text))
