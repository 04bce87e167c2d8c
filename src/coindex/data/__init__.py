"""Where corpora are: licences, checksums, downloads.

    from coindex import data
    data.path("gap", "test")          # where that file is on this machine
    data.load("gap").licence.spdx     # "Apache-2.0"

`catalogue` is what is known of each corpus, `where` finds its files, `verify`
checks them, `fetch` downloads them, `register` keeps the user's own.
"""

from __future__ import annotations

from coindex.data.catalogue import Citation, Corpus, File, Licence
from coindex.data.register import all_names as names
from coindex.data.register import load
from coindex.data.where import NotHere, path, paths

__all__ = ["Citation", "Corpus", "File", "Licence", "NotHere", "load", "names", "path", "paths"]
