"""Import and export of documents, problems and annotators' work."""
