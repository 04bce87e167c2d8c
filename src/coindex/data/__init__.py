"""Where corpora are: licences, checksums, downloads."""
