"""The Quiz Bowl system (Guha et al. 2015, section 5): a CRF detects mentions, a classifier
scores pairs of them, and linked pairs become entities. The resolver is `resolvers/builtin/quizbowl.py`.
"""
