"""HTTP over the annotation app: a table of routes, each with its rule, schema and function."""
