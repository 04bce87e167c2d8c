"""The teacher for pronoun problems: one session on a GPU, see README.md."""
