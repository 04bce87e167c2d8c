"""coindex inside other tools."""
