"""The metrics that come with coindex, one module each."""
