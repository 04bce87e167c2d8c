"""A corpus of ten tiny stories, and an encoder of random weights: nothing is downloaded."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from coindex import formats, io
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

WOMEN = ("Ann", "Clara", "Emma", "Mary Jones")
MEN = ("Bob", "Tom", "Henry", "John Smith")
FRAMES = (
    "{w} met {m} .", "{W} liked {m} .", "{M} thanked {w} .", "The dog followed {w} .",
    "{M} fed the dog .", "{W} wrote to {m} about the old garden .",
)  # fmt: skip


def story(number: int) -> Document:
    """A woman, a man and often a dog; names first, pronouns after."""
    rng = random.Random(number)
    woman, man = rng.choice(WOMEN), rng.choice(MEN)
    forms = {"w": [woman, "her"], "W": [woman, "She"], "m": [man, "him"], "M": [man, "He"]}
    rows: list[list[str]] = []
    places: dict[str, list[Mention]] = {"woman": [], "man": [], "dog": []}
    at = 0
    for line, frame in enumerate([FRAMES[0], *rng.choices(FRAMES[1:], k=5)]):
        row: list[str] = []
        for piece in frame.split():
            key = piece.strip("{}") if piece.startswith("{") else ""
            words = forms[key][min(line, 1)].split() if key else [piece]
            if key:
                kind = "woman" if key in "wW" else "man"
                start = at + len(row)
                places[kind].append(Mention.at(start, start + len(words)))
            elif piece == "dog":
                start = at + len(row) - 1
                places["dog"].append(Mention.at(start, start + 2))
            row += words
        rows.append(row)
        at += len(row)
    entities = [Entity(tuple(found)) for found in places.values() if found]
    return Document.of(f"story-{number:02}", rows, entities)


def stories(count: int = 10) -> list[Document]:
    return [story(number) for number in range(count)]


def problem(number: int) -> Problem:
    """Who is meant by a pronoun."""
    woman, man = WOMEN[number % 4], MEN[number // 4 % 4]
    text = f"{woman} met {man}. {'She' if number % 2 else 'He'} slept."
    at = text.index(". ") + 2
    pronoun = Chars(at, at + (3 if number % 2 else 2))
    first = Candidate(woman, Chars(0, len(woman)))
    second = Candidate(man, Chars(text.index(man), text.index(man) + len(man)))
    return Problem(f"problem-{number}", text, pronoun, (first, second), (0 if number % 2 else 1,))


def write(path: Path, items: Any, format: str) -> Path:
    """Items in a format of ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    io.write_text(path, formats.write_lines(items, format))
    return path


def corpus(folder: Path, count: int = 10) -> Path:
    """A folder of CoNLL files, one a story."""
    for document in stories(count):
        write(folder / f"{document.id}.conll", [document], "conll2012")
    return folder


def encoder(
    folder: Path, positions: int = 128, layers: int = 2, *, width: int = 32, kind: str = "bert"
) -> Path:
    """BERT or MPNet with random weights, and a tokenizer that knows the stories' words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

    words = {token.lower() for document in stories(40) for token in document.tokens}
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,'-"
    every = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    every += sorted(words - set(every))
    tokenizer = Tokenizer(
        models.WordPiece({word: n for n, word in enumerate(every)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    sizes: dict[str, Any] = {
        "vocab_size": len(every), "hidden_size": width, "num_hidden_layers": layers,
        "num_attention_heads": 2, "intermediate_size": 2 * width,
        "max_position_embeddings": positions,
    }  # fmt: skip
    made: Any = BertModel(BertConfig(**sizes)) if kind == "bert" else None
    if kind == "mpnet":
        made = MPNetModel(MPNetConfig(**sizes))
    made.save_pretrained(folder)
    return folder


def recipe(encoder: Path, train: Path, dev: Path | None = None, **settings: Any) -> dict[str, Any]:
    """A recipe for a model as tiny as the encoder."""
    values: dict[str, Any] = {
        "encoder": str(encoder), "train": [{"files": [str(train)]}], "epochs": 2, "words": 100,
        "window": 64, "overlap": 16, "hidden": 16, "span": 16, "width": 5, "fine": 8,
        "encoder_rate": 2e-3, "head_rate": 4e-3, "dropout": 0.1, "check": 1, "average": 0.9,
    }  # fmt: skip
    if dev is not None:
        values["dev"] = [{"files": [str(dev)]}]
    return {**values, **settings}


def toml(values: dict[str, Any]) -> str:
    """The values as TOML; JSON's strings, numbers and lists are TOML's."""
    lines = [f"{n} = {json.dumps(v)}" for n, v in values.items() if n not in ("train", "dev")]
    for side in ("train", "dev"):
        for row in values.get(side, []):
            lines += [f"[[{side}]]", *(f"{n} = {json.dumps(v)}" for n, v in row.items())]
    return "\n".join(lines) + "\n"
