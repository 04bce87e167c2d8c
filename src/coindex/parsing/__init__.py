"""Tags, trees and names of texts, by spaCy, kept on disk by content.

Nothing outside this folder touches spaCy's objects: a `Parse` is a handful of arrays.
"""
