"""Running resolvers on benchmarks, and looking at what they did."""
