"""The query strategies that come with coindex, one module each."""
