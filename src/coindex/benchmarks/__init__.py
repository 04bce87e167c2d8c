"""Benchmarks of pronoun problems: one file each, found by its name.

Each file will state its data, protocol, metric, chance level and published rows.
What they share is in files that begin with an underscore: decisions, the scorer
of GAP, accuracies.
"""
