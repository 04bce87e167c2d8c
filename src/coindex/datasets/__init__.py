"""Corpora: licences, citations, and where their files are.

    from coindex import datasets
    datasets.path("gap", "test")          # the path of that file on this machine
    datasets.load("gap").licence.spdx     # "Apache-2.0"

`catalogue` describes the corpora, `locate` finds their files, `checksums` verifies them,
`download` downloads them, and `registry` holds the user's own corpora.
"""

from __future__ import annotations

from coindex.datasets.catalogue import Citation, Corpus, File, Licence
from coindex.datasets.locate import CorpusNotFound, named_files, path, paths, training_files
from coindex.datasets.registry import all_names as names
from coindex.datasets.registry import load

__all__ = [
    "Citation",
    "Corpus",
    "CorpusNotFound",
    "File",
    "Licence",
    "load",
    "named_files",
    "names",
    "path",
    "paths",
    "training_files",
]
