"""Scoring: alignment of documents, counts, scores, significance tests, error analysis."""
