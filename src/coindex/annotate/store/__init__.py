"""The database: tables, migrations, events and the state they add up to."""
