"""Learned resolvers of pronoun problems: the models of three papers, and their training.

    query, candidate_rows       a problem with the phrases to choose from, as inputs of a model
    attention                   attention of an encoder's heads (GAP, section 4.4)
    masked_lm                   a masked language model fills the gap (WikiCREM, section 4)
    substitution, adapters      passages with each candidate compete (KnowRef, section 4); LoRA
    ensemble                    several resolvers, with weights fitted on dev or equal ones
    recipe, train               what is to be trained, and training
    artifact, weights, export   the folder of a model, and its form without torch
    infer, symmetric_scoring    scores of phrases; of a passage and of its switched copy

`coindex.resolvers` and the command line import the modules that need torch only when such a
model is loaded.
"""
