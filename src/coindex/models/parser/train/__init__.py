"""Training of the parser."""
