"""A plain Python scorer, the yardstick of `scoring.py`: objects, dicts and nested loops.

It does what the scorers in plain Python do that researchers use (coval is the best known): every
line is split into its columns, every mention is an object with its words, the mentions of every pair
of entities are compared for CEAF, list with list, and every link is looked up for LEA. It counts mentions, MUC, B³, CEAFe and
LEA for mentions that match exactly, and trusts its input. Only the reading-and-scoring loop is
timed, so that importing scipy costs it nothing.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter

import numpy as np
from scipy.optimize import linear_sum_assignment


class PlainMention:
    """A mention: where it is, and its words."""

    def __init__(self, document: str, sentence: int, start: int, end: int, words: list[str]):
        self.document = document
        self.sentence = sentence
        self.start = start
        self.end = end
        self.words = words

    def _place(self) -> tuple[str, int, int, int]:
        return self.document, self.sentence, self.start, self.end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlainMention) and self._place() == other._place()

    def __hash__(self) -> int:
        return hash(self._place())


Clusters = list[list[PlainMention]]
Lookup = dict[PlainMention, int]
"""The entity of the other side that each mention is in."""

Pair = tuple[Clusters, Clusters, Lookup, Lookup]


def read_sentences(path: str) -> dict[str, list[list[str]]]:
    """The lines of each sentence of each document."""
    documents: dict[str, list[list[str]]] = {}
    name = ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#begin document"):
                name = line[len("#begin document ") :]
                documents[name] = [[]]
            elif line.startswith("#end document"):
                name = ""
            elif name and line.strip():
                documents[name][-1].append(line)
            elif name and documents[name][-1]:
                documents[name].append([])
    return documents


def brackets(line: str) -> list[tuple[bool, int, bool]]:
    """The brackets of the last column as (opens, entity, closes), character by character."""
    found: list[tuple[bool, int, bool]] = []
    opens, digits = False, ""
    for char in line.split()[-1] + "|":
        if char == "(":
            opens, digits = True, ""
        elif char.isdigit():
            digits += char
        elif char in ")|":
            if digits:
                found.append((opens, int(digits), char == ")"))
            opens, digits = False, ""
    return found


def clusters_of(name: str, sentences: list[list[str]]) -> Clusters:
    """The entities of a document as lists of mentions."""
    clusters: dict[int, list[PlainMention]] = {}
    open_: dict[int, list[int]] = {}
    for number, lines in enumerate(sentences):
        words: list[str] = []
        for at, line in enumerate(lines):
            words.append(line.split()[3] if len(line.split()) > 4 else "")
            for opens, entity, closes in brackets(line):
                if opens:
                    open_.setdefault(entity, []).append(at)
                if closes:
                    start = open_[entity].pop()
                    mention = PlainMention(name, number, start, at, words[start : at + 1])
                    clusters.setdefault(entity, []).append(mention)
    return list(clusters.values())


def lookup(mentions: Clusters, others: Clusters) -> Lookup:
    """The entity among `others` of each mention that they have too."""
    owner = {mention: at for at, cluster in enumerate(others) for mention in cluster}
    return {mention: owner[mention] for each in mentions for mention in each if mention in owner}


def read_pairs(key: str, response: str) -> list[Pair]:
    """The entities of both sides of each document, and where their mentions are on the other."""
    keys, responses = read_sentences(key), read_sentences(response)
    pairs = []
    for name, sentences in keys.items():
        one, two = clusters_of(name, sentences), clusters_of(name, responses[name])
        pairs.append((one, two, lookup(one, two), lookup(two, one)))
    return pairs


def count_mentions(clusters: Clusters, others: Clusters, owner: Lookup) -> tuple[float, float]:
    """Mentions of both sides."""
    every = {mention for cluster in clusters for mention in cluster}
    return len(every & set(owner)), len(every)


def count_muc(clusters: Clusters, others: Clusters, owner: Lookup) -> tuple[float, float]:
    """Links that the other side keeps."""
    kept = links = 0
    for cluster in clusters:
        parts = {owner[mention] for mention in cluster if mention in owner}
        alone = sum(mention not in owner for mention in cluster)
        kept += len(cluster) - alone - len(parts)
        links += len(cluster) - 1
    return kept, links


def count_b3(clusters: Clusters, others: Clusters, owner: Lookup) -> tuple[float, float]:
    """Overlaps squared, as fractions of entities."""
    shared, total = 0.0, 0
    for cluster in clusters:
        overlaps = Counter(owner[mention] for mention in cluster if mention in owner)
        shared += sum(number * number for number in overlaps.values()) / len(cluster)
        total += len(cluster)
    return shared, total


def count_lea(clusters: Clusters, others: Clusters, owner: Lookup) -> tuple[float, float]:
    """Links of each entity that are right, weighted by its size."""
    resolved, total = 0.0, 0
    for cluster in clusters:
        right = 0
        links = len(cluster) * (len(cluster) - 1) / 2 or 1
        if len(cluster) == 1:
            right = int(cluster[0] in owner and len(others[owner[cluster[0]]]) == 1)
        for at, mention in enumerate(cluster):
            if mention in owner:
                for other in cluster[at + 1 :]:
                    if other in owner and owner[mention] == owner[other]:
                        right += 1
        resolved += len(cluster) * right / links
        total += len(cluster)
    return resolved, total


def similarity(one: list[PlainMention], two: list[PlainMention]) -> float:
    """CEAFe's similarity of two entities, whose mentions are looked up in lists, as in coval."""
    return 2 * len([mention for mention in one if mention in two]) / (len(one) + len(two))


def best_similarity(key: Clusters, response: Clusters) -> float:
    """CEAFe's alignment, from the full matrix."""
    matrix = np.zeros((len(key), len(response)))
    for row, one in enumerate(key):
        for column, two in enumerate(response):
            matrix[row, column] = similarity(one, two)
    return float(matrix[linear_sum_assignment(-matrix)].sum())


def f1(shared: tuple[float, float], totals: tuple[float, float]) -> float:
    """The harmonic mean of recall and precision."""
    recall, precision = (a / b if b else 0.0 for a, b in zip(shared, totals, strict=True))
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


SIDES = {"mentions": count_mentions, "muc": count_muc, "b3": count_b3, "lea": count_lea}


def score_all(pairs: list[Pair]) -> dict[str, float]:
    """The F1 of each metric, in percent."""
    scores = {}
    for name, count in SIDES.items():
        recalls = [count(key, response, to) for key, response, to, _ in pairs]
        precisions = [count(response, key, back) for key, response, _, back in pairs]
        shared = sum(a for a, _ in recalls), sum(a for a, _ in precisions)
        totals = sum(b for _, b in recalls), sum(b for _, b in precisions)
        scores[name] = 100 * f1(shared, totals)
    best = sum(best_similarity(key, response) for key, response, *_ in pairs)
    entities = sum(len(key) for key, *_ in pairs), sum(len(pair[1]) for pair in pairs)
    scores["ceafe"] = 100 * f1((best, best), entities)
    return scores


if __name__ == "__main__":
    begun = time.perf_counter()
    values = score_all(read_pairs(*sys.argv[1:]))
    print(json.dumps({"seconds": time.perf_counter() - begun, "f1": values}))
