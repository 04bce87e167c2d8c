"""Training of coreference models; needs torch."""
