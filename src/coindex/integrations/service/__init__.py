"""The HTTP service of `coindex serve`: resolve and score texts, one at a time or in batches.

`settings` is how it is set up, `model_pool` has the models, `batching` resolves the texts of
requests that arrive together, `routes` answers requests, `app` is the ASGI app, `server` runs it
in one or several processes.
"""
