"""The constituency parser: span scores over the shipped encoder, and chart decoding.

trees, windows, chart      trees as labelled spans, inputs of the network, the best tree
recipe, network, train     what is to be trained, the network, and training
artifact, export           the files of the parser, which refer to the encoder's
infer                      documents in, documents with tags and trees out; needs no torch
"""
