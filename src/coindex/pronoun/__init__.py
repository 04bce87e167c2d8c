"""Learned resolvers of pronoun problems: the models of three papers, and their training.

    asked                         a problem with the phrases to choose from
    attention, heads, fit         attention of a plain encoder (GAP, section 4.4)
    masked, text                  a language model fills the gap (WikiCREM, section 4)
    substituted                   passages with each candidate compete (KnowRef, section 4)
    both                          a problem is decided by its switched copy too
    ensemble, weigh               several resolvers, weighed on dev or alike
    clusters, aligned, letters    decisions from entities of documents, and back
    slot, pieces, rows, losses    what the models read, and what they minimise
    recipe, options, grid         what is to be trained, and searching settings
    read, documents               problems to learn from, also from documents with entities
    overlap, stages               the same less what is in a test set
    loop, dev, scorer             training with checkpoints, and the best epoch by dev
    package, weights, card        the folder of a model
    adapters, shipped             a small model over the encoder of the shipped resolver
    export, share, stored, light  the same as files that need no torch, and running them

Files in `coindex.resolvers` and the command line load the parts that need torch, and only
when they are asked for one of these models.
"""
