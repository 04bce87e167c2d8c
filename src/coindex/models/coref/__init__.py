"""Training: the only part of coindex that needs torch."""
