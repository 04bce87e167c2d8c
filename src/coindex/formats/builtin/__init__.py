"""The formats that come with coindex, one module each."""
