"""The migrations of the database, run by `coindex.annotate.store.migrate`."""
