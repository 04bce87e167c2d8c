"""The benchmarks that come with coindex, one module each."""
