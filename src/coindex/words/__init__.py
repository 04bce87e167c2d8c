"""Lists of words, one file each; see `coindex.core.words`."""
