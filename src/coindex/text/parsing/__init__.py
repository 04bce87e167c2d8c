"""Tags, trees and names of texts, by spaCy, cached on disk by content.

Nothing outside this folder uses spaCy's objects: a `Parse` consists of a few arrays.
"""
