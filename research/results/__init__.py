"""The tables of `research/results.md`, made from stored decisions."""
