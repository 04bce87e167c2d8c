"""The two objects, `Document` and `Problem`, and what they are made of."""
