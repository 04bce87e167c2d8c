"""The comparison of coindex with other resolvers: measured and published figures, and their page."""
