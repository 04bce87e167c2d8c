"""Scoring: documents side by side, counted, scored, compared, reported."""
