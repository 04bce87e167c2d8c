"""Functions from documents and problems to new documents, problems or text."""
