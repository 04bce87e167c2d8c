"""Building corpora from raw text: shards, workers, parts that are never half written."""
