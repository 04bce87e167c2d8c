"""The commands that come with coindex, one module each."""
