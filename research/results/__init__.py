"""The tables of `docs/results.md`, made from stored decisions."""
