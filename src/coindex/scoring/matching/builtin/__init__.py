"""The matching rules that come with coindex, one module each."""
