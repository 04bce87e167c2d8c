"""The builders that come with coindex, one module each."""
