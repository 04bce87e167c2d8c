"""Made-up resolvers and benchmarks for the tests of this folder."""

from plugin_fixtures import add, cache, gappy, resolver, tiny

__all__ = ["add", "cache", "gappy", "resolver", "tiny"]
