"""The annotation app: chains and pronouns, agreement, adjudication, active learning.

Nothing here is imported by `import coindex`; the web stack comes with `coindex[annotate]`.

    store         tables, migrations, backups; events, the actions they record, undo, the cache
    people        accounts, sessions, tokens, roles, rate limits
    assignments   who annotates which document next; rankings and suggestions
    quality       agreement, adjudication, consensus, accuracy checks, the leaderboard
    exchange      import and export
    webhooks      requests to other programs when work is finished
    web           the HTTP API, the pages and the server
"""
