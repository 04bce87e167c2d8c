"""The resolvers that come with coindex, one module each."""
