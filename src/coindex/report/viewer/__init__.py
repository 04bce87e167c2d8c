"""Showing documents and problems to people: in a terminal, or as one HTML page."""
