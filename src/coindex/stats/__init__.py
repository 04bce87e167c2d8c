"""Counting corpora: documents, problems, and the picture of their density."""
