"""Whole collections of texts: read from anything, resolved by many workers, written and resumed.

inputs      files, folders, globs: what there is to read
reading     the texts of files, archives, JSON lines, CSV and Parquet, or why one is skipped
resolving   texts to resolved documents; one that fails does not stop the others
run         chunks of texts, workers, parts on disk to resume from
outputs     JSON lines, Parquet, pages, or a file for each input
"""
