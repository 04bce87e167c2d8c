"""The Quiz Bowl system (Guha et al. 2015, section 5): a CRF finds mentions, pairs of them are
classified, and links become entities. The folder `resolvers/` has the resolver itself.
"""
