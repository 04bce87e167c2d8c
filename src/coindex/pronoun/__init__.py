"""Learned resolvers of pronoun problems: the models of three papers, and their training.

    asked                         a problem with the phrases to choose from
    attention, heads, fit         attention of a plain encoder (GAP, section 4.4)
    masked, text                  a language model fills the gap (WikiCREM, section 4)
    substituted                   passages with each candidate compete (KnowRef, section 4)
    ensemble, weigh               several resolvers, weighed on dev
    slot, pieces, rows, losses    what the models read, and what they minimise
    recipe, options, grid         what is to be trained, and searching settings
    read, overlap, stages         what is learnt from, less what is in a test set
    loop, dev, scorer             training with checkpoints, and the best epoch by dev
    package, weights, card        the folder of a model

Files in `coindex.resolvers` and the command line load the parts that need torch, and only
when they are asked for one of these models.
"""
