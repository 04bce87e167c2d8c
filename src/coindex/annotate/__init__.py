"""The annotation app: chains and pronouns, agreement, adjudication, a queue that learns.

Nothing here is imported by `import coindex`; the web stack comes with `coindex[annotate]`.

    records, actions, history   what an action does to a sheet: pure, no database
    database, tables, migrate   SQLite or PostgreSQL; migrations with a backup before each
    events, doctor              the append-only table of events, and its projection
    accounts, access            people, sessions, tokens, roles, limits
    work, transfer, quality     the queue, import and export, agreement and gold
    server                      routes and pages over all of it
"""
