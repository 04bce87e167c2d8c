"""The generators of coindex."""
