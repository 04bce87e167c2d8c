"""What a neural resolver needs besides its weights: windows, features, decoding.

Shared by training (torch) and by the shipped resolver (onnxruntime and numpy), so
that both see the same text in the same way.
"""
