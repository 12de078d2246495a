"""From a recipe to a trained model: batches, the run, development figures, the model card.

A recipe holds the settings of a run, which trains a base model to make one named vector (a head). A
task is all that depends on the head. Its plan says which rows share a batch, and its collator makes
a batch's tensors. Development figures are measurements that select the best checkpoint.
"""
