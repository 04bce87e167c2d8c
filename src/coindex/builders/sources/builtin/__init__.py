"""The text sources that come with coindex, one module each."""
